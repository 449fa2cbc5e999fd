//! Few colours for a picture of many: the picture's own where they are few enough, else by the median cut.
//! Source: P. Heckbert, "Color image quantization for frame buffer display", SIGGRAPH 1982.

use std::collections::HashMap;

/// Red, green and blue.
pub(super) type Colour = [u8; 3];

/// The colours of a picture, and for each pixel the number of its colour.
pub(super) struct Paletted {
    pub(super) colours: Vec<Colour>,
    pub(super) pixels: Vec<u16>,
}

/// A picture in at most `most` colours.
pub(super) fn paletted(pixels: &[Colour], most: usize) -> Paletted {
    let mut counts: HashMap<Colour, usize> = HashMap::new();
    for pixel in pixels {
        *counts.entry(*pixel).or_default() += 1;
    }
    let mut counted: Vec<(Colour, usize)> = counts.into_iter().collect();
    // In one order on every run: a map has none.
    counted.sort_unstable();
    let boxes = match counted.len() <= most {
        true => counted.into_iter().map(|colour| vec![colour]).collect(),
        false => cut(counted, most.max(1)),
    };
    let numbers: HashMap<Colour, u16> = boxes
        .iter()
        .enumerate()
        .flat_map(|(number, colours)| colours.iter().map(move |(colour, _)| (*colour, number as u16)))
        .collect();
    Paletted {
        colours: boxes.iter().map(|colours| mean(colours)).collect(),
        pixels: pixels.iter().map(|pixel| numbers[pixel]).collect(),
    }
}

/// Divides the colours: again and again the group with the greatest extent is cut where half of its pixels are on each side.
fn cut(counted: Vec<(Colour, usize)>, most: usize) -> Vec<Vec<(Colour, usize)>> {
    let mut groups = vec![counted];
    while groups.len() < most {
        let extents = groups.iter().map(|group| extent(group)).enumerate();
        let Some((at, (_, part))) = extents.max_by_key(|(_, (wide, _))| *wide).filter(|it| it.1.0 > 0) else {
            break;
        };
        let group = &mut groups[at];
        group.sort_unstable_by_key(|(colour, _)| (colour[part], *colour));
        let all: usize = group.iter().map(|(_, count)| count).sum();
        let mut before = 0;
        let middle = group.iter().position(|(_, count)| {
            before += count;
            before * 2 >= all
        });
        // Each side has a colour.
        let middle = (middle.unwrap_or(0) + 1).clamp(1, group.len() - 1);
        let other = group.split_off(middle);
        groups.push(other);
    }
    groups
}

/// The part of colour (0 red, 1 green, 2 blue) in which a group differs most, and by how much.
fn extent(group: &[(Colour, usize)]) -> (u8, usize) {
    let of_part = |part: usize| {
        let values = || group.iter().map(|(colour, _)| colour[part]);
        (values().max().unwrap_or(0) - values().min().unwrap_or(0), part)
    };
    (0..3).map(of_part).max().unwrap_or((0, 0))
}

/// The mean of the pixels of a group.
fn mean(group: &[(Colour, usize)]) -> Colour {
    let all: usize = group.iter().map(|(_, count)| count).sum::<usize>().max(1);
    [0, 1, 2].map(|part| {
        let sum: usize = group.iter().map(|(colour, count)| usize::from(colour[part]) * count).sum();
        ((sum + all / 2) / all) as u8
    })
}
