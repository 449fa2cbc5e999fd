//! What figures are drawn on: lines, areas and words, in pixels from the top left. Here, the text of an SVG file.

use std::fmt::{self, Write};

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

pub(super) trait Canvas {
    /// What follows is drawn within these places alone: from the left and the top to the right and the bottom.
    fn clip(&mut self, within: Option<[f64; 4]>);

    fn line(&mut self, points: &[Point], wide: f64, colour: Colour);

    /// The inside of a polygon.
    fn area(&mut self, corners: &[Point], colour: Colour);

    fn disc(&mut self, middle: Point, radius: f64, colour: Colour);

    /// Words of this size, whose middle is at the height of the point.
    fn words(&mut self, text: &str, at: Point, size: f64, anchor: Anchor);
}

/// How far the foot of letters is below their middle, as a share of their size.
pub(super) const FOOT: f64 = 0.3;

/// The text of an SVG file.
pub(super) struct Svg {
    text: String,
    clips: usize,
    is_clipped: bool,
}

impl Svg {
    pub(super) fn new((wide, high): (u32, u32)) -> Svg {
        let text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{wide}\" height=\"{high}\" viewBox=\"0 0 {wide} {high}\">\n\
             <rect width=\"{wide}\" height=\"{high}\" fill=\"white\"/>\n"
        );
        Svg { text, clips: 0, is_clipped: false }
    }

    pub(super) fn finish(mut self) -> String {
        self.clip(None);
        self.text + "</svg>\n"
    }

    fn push(&mut self, element: fmt::Arguments<'_>) {
        self.text.write_fmt(element).expect("a string takes all text");
        self.text.push('\n');
    }
}

fn hex(Colour([red, green, blue], _): Colour) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

fn pairs(points: &[Point]) -> String {
    points.iter().map(|(x, y)| format!("{x:.2},{y:.2}")).collect::<Vec<_>>().join(" ")
}

/// Text as XML has it, which has no control characters.
fn escaped(text: &str) -> String {
    let text = text.replace(|letter: char| letter.is_control(), "\u{fffd}");
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

impl Canvas for Svg {
    fn clip(&mut self, within: Option<[f64; 4]>) {
        if std::mem::take(&mut self.is_clipped) {
            self.push(format_args!("</g>"));
        }
        let Some([left, top, right, bottom]) = within else { return };
        let (name, wide, high) = (self.clips, right - left, bottom - top);
        self.push(format_args!(
            "<clipPath id=\"c{name}\"><rect x=\"{left:.2}\" y=\"{top:.2}\" width=\"{wide:.2}\" height=\"{high:.2}\"/></clipPath>\n\
             <g clip-path=\"url(#c{name})\">"
        ));
        self.clips += 1;
        self.is_clipped = true;
    }

    fn line(&mut self, points: &[Point], wide: f64, colour: Colour) {
        let (colour, points) = (hex(colour), pairs(points));
        self.push(format_args!(
            "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"{wide:.2}\" points=\"{points}\"/>"
        ));
    }

    fn area(&mut self, corners: &[Point], colour: Colour) {
        let (shade, corners) = (hex(colour), pairs(corners));
        self.push(format_args!(
            "<polygon fill=\"{shade}\" fill-opacity=\"{}\" points=\"{corners}\"/>",
            colour.1
        ));
    }

    fn disc(&mut self, (x, y): Point, radius: f64, colour: Colour) {
        let colour = hex(colour);
        self.push(format_args!("<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{radius:.2}\" fill=\"{colour}\"/>"));
    }

    fn words(&mut self, text: &str, (x, y): Point, size: f64, anchor: Anchor) {
        let (side, turn) = match anchor {
            Anchor::Start => ("start", 0),
            Anchor::Middle => ("middle", 0),
            Anchor::End => ("end", 0),
            Anchor::Upwards => ("middle", -90),
        };
        let (foot, text) = (y + FOOT * size, escaped(text));
        self.push(format_args!(
            "<text x=\"{x:.2}\" y=\"{foot:.2}\" font-family=\"sans-serif\" font-size=\"{size:.2}\" text-anchor=\"{side}\" \
             transform=\"rotate({turn} {x:.2} {y:.2})\">{text}</text>"
        ));
    }
}
