//! Figures as pixels: polygons are filled with as much colour as they cover of each pixel, letters are polygons too.
//! Source: the nonzero rule of filling; the PNG specification, 5 and 11.

/// Pixels from the left and from the top.
pub(super) type Point = (f64, f64);

/// Red, green and blue, and how much of what is below is covered.
#[derive(Clone, Copy)]
pub(super) struct Colour(pub(super) [u8; 3], pub(super) f64);

pub(super) const BLACK: Colour = Colour([0; 3], 1.0);

/// Which part of words is at their place, and whether they go from bottom to top.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
    Upwards,
}

/// How many lines of a pixel are looked at.
const LINES: usize = 4;
/// The corners of a disc.
const CORNERS: usize = 20;

/// The letters of pictures, so that they are the same on every system: outlines of DejaVu Sans, written by
/// `tests/golden/plots/make_outlines.py`.
const OUTLINES: &[u8] = include_bytes!("../fonts/outlines.bin");
/// The units of the outlines in the size of letters.
const UNITS: f64 = 2048.0;
/// How far the foot of letters is below their middle, as a share of their size.
const FOOT: f64 = 0.3;

/// A figure as pixels, from the top left to the bottom right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlotPixels {
    /// Pixels from left to right.
    pub wide: u32,
    /// Pixels from top to bottom.
    pub high: u32,
    /// Red, green and blue of each.
    pub rgb: Vec<u8>,
}

impl PlotPixels {
    /// The pixels as the bytes of a PNG file.
    pub fn png(&self) -> Vec<u8> {
        let row = 3 * self.wide as usize;
        // Each row after the number of its filter: none.
        let rows: Vec<u8> = self.rgb.chunks(row).flat_map(|row| [&[0], row].concat()).collect();
        let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
        let mut chunk = |kind: &[u8; 4], data: &[u8]| {
            let both = [kind, data].concat();
            file.extend((data.len() as u32).to_be_bytes());
            file.extend(&both);
            file.extend(crc32fast::hash(&both).to_be_bytes());
        };
        // Eight bits of red, green and blue.
        let header = [&self.wide.to_be_bytes()[..], &self.high.to_be_bytes(), &[8, 2, 0, 0, 0]].concat();
        chunk(b"IHDR", &header);
        chunk(b"IDAT", &miniz_oxide::deflate::compress_to_vec_zlib(&rows, 6));
        chunk(b"IEND", &[]);
        file
    }
}

/// Pixels that are drawn on.
pub(super) struct Raster {
    pixels: PlotPixels,
    /// From the left and the top to the right and the bottom.
    within: [usize; 4],
}

impl Raster {
    /// All white.
    pub(super) fn new((wide, high): (u32, u32)) -> Raster {
        let rgb = vec![255; 3 * wide as usize * high as usize];
        let within = [0, 0, wide as usize, high as usize];
        Raster { pixels: PlotPixels { wide, high, rgb }, within }
    }

    pub(super) fn finish(self) -> PlotPixels {
        self.pixels
    }

    /// Fills what contours go around.
    fn fill(&mut self, contours: &[Vec<Point>], colour: Colour) {
        let points = || contours.iter().flatten();
        if points().any(|(x, y)| !x.is_finite() || !y.is_finite()) {
            return;
        }
        let [left, top, right, bottom] = self.within;
        let least = |of: fn(&Point) -> f64| points().map(of).fold(f64::INFINITY, f64::min);
        let most = |of: fn(&Point) -> f64| points().map(of).fold(f64::NEG_INFINITY, f64::max);
        let columns = (least(|p| p.0) as usize).max(left)..(most(|p| p.0).ceil() as usize).min(right);
        let rows = (least(|p| p.1) as usize).max(top)..(most(|p| p.1).ceil() as usize).min(bottom);
        if columns.is_empty() {
            return;
        }
        let sides = |contour: &Vec<Point>| {
            let next = contour.iter().copied().cycle().skip(1);
            contour.iter().copied().zip(next).collect::<Vec<_>>()
        };
        let sides: Vec<(Point, Point)> = contours.iter().flat_map(sides).collect();
        let (mut covered, mut crossings) = (vec![0.0; columns.len()], Vec::new());
        for row in rows {
            covered.fill(0.0);
            for line in 0..LINES {
                let y = row as f64 + (line as f64 + 0.5) / LINES as f64;
                crossings.clear();
                crossings.extend(sides.iter().filter_map(|&((ax, ay), (bx, by))| {
                    let crosses = (ay <= y) != (by <= y);
                    crosses.then(|| (ax + (y - ay) / (by - ay) * (bx - ax), if ay < by { 1 } else { -1 }))
                }));
                crossings.sort_by(|a, b| a.0.total_cmp(&b.0));
                let mut turns = 0;
                for pair in crossings.windows(2) {
                    turns += pair[0].1;
                    if turns != 0 {
                        cover(
                            &mut covered,
                            pair[0].0 - columns.start as f64,
                            pair[1].0 - columns.start as f64,
                        );
                    }
                }
            }
            for (column, share) in columns.clone().zip(&covered) {
                let share = (share / LINES as f64).min(1.0) * colour.1;
                let at = 3 * (row * self.pixels.wide as usize + column);
                for (part, new) in self.pixels.rgb[at..at + 3].iter_mut().zip(colour.0) {
                    *part = (f64::from(*part) * (1.0 - share) + f64::from(new) * share).round() as u8;
                }
            }
        }
    }
}

/// Adds how much of each pixel of a line is between two places.
fn cover(covered: &mut [f64], from: f64, to: f64) {
    let (from, to) = (from.max(0.0), to.min(covered.len() as f64));
    for (at, share) in covered.iter_mut().enumerate().take(to.ceil() as usize).skip(from as usize) {
        *share += (to.min(at as f64 + 1.0) - from.max(at as f64)).max(0.0);
    }
}

fn number<const WIDTH: usize>(at: usize) -> [u8; WIDTH] {
    OUTLINES[at..at + WIDTH].try_into().expect("the slice has this length")
}

/// The width of a letter, and its contours, in units of the font; a box where the font has no such letter.
fn letter(wanted: char) -> (f64, Vec<Vec<Point>>) {
    let mut at = 0;
    while at < OUTLINES.len() {
        let [character, width, count] = [
            u32::from_le_bytes(number(at)),
            u16::from_le_bytes(number(at + 4)).into(),
            u16::from_le_bytes(number(at + 6)).into(),
        ];
        let end = at + 8 + 4 * count as usize;
        if character == u32::from(wanted) {
            let axis = |at| i16::from_le_bytes(number(at));
            let points: Vec<(i16, i16)> =
                (at + 8..end).step_by(4).map(|at| (axis(at), axis(at + 2))).collect();
            let contours = points.split(|(x, _)| *x == i16::MIN).filter(|contour| !contour.is_empty());
            let float = |contour: &[(i16, i16)]| {
                contour.iter().map(|(x, y)| (f64::from(*x), f64::from(*y))).collect()
            };
            return (f64::from(width), contours.map(float).collect());
        }
        at = end;
    }
    let side = |inset: f64| {
        [
            (150.0 + inset, inset),
            (1000.0 - inset, inset),
            (1000.0 - inset, 1400.0 - inset),
            (150.0 + inset, 1400.0 - inset),
        ]
    };
    (1150.0, vec![side(0.0).to_vec(), side(100.0).into_iter().rev().collect()])
}

/// The width of words of this size.
pub(super) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(|character| letter(character).0).sum::<f64>() * size / UNITS
}

impl Raster {
    /// What follows is drawn within these places alone: from the left and the top to the right and the bottom.
    pub(super) fn clip(&mut self, within: Option<[f64; 4]>) {
        let (wide, high) = (self.pixels.wide as usize, self.pixels.high as usize);
        self.within = within.map_or([0, 0, wide, high], |[left, top, right, bottom]| {
            [
                left as usize,
                top as usize,
                (right.ceil() as usize).min(wide),
                (bottom.ceil() as usize).min(high),
            ]
        });
    }

    /// A line through these points.
    pub(super) fn line(&mut self, points: &[Point], wide: f64, colour: Colour) {
        for side in points.windows(2) {
            let ((ax, ay), (bx, by)) = (side[0], side[1]);
            let length = (bx - ax).hypot(by - ay);
            if length > 0.0 {
                let (x, y) = (wide / 2.0 * (by - ay) / length, wide / 2.0 * (ax - bx) / length);
                self.fill(
                    &[vec![(ax + x, ay + y), (bx + x, by + y), (bx - x, by - y), (ax - x, ay - y)]],
                    colour,
                );
            }
        }
        // Corners have no gaps.
        for corner in points.iter().take(points.len().saturating_sub(1)).skip(1).filter(|_| wide > 1.0) {
            self.disc(*corner, wide / 2.0, colour);
        }
    }

    /// The inside of a polygon.
    pub(super) fn area(&mut self, corners: &[Point], colour: Colour) {
        self.fill(&[corners.to_vec()], colour);
    }

    /// The inside of a circle.
    pub(super) fn disc(&mut self, (x, y): Point, radius: f64, colour: Colour) {
        let corner = |at| {
            let (sine, cosine) = (std::f64::consts::TAU * at as f64 / CORNERS as f64).sin_cos();
            (x + radius * cosine, y + radius * sine)
        };
        self.fill(&[(0..CORNERS).map(corner).collect()], colour);
    }

    /// Words of this size, whose middle is at the height of the point.
    pub(super) fn words(&mut self, text: &str, (x, y): Point, size: f64, anchor: Anchor) {
        let scale = size / UNITS;
        let mut along = match anchor {
            Anchor::Start => 0.0,
            Anchor::Middle | Anchor::Upwards => -width(text, size) / 2.0,
            Anchor::End => -width(text, size),
        };
        for character in text.chars() {
            let (wide, mut contours) = letter(character);
            for point in contours.iter_mut().flatten() {
                let (right, down) = (along + point.0 * scale, FOOT * size - point.1 * scale);
                *point = match anchor {
                    Anchor::Upwards => (x + down, y - right),
                    _ => (x + right, y + down),
                };
            }
            self.fill(&contours, BLACK);
            along += wide * scale;
        }
    }
}
