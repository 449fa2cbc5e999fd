//! Pixels as sixels: bands of six rows, each written once for every colour in it. A character is a column of six pixels.
//! Source: VT330/VT340 Programmer Reference Manual, volume 2, chapter 14.

use std::fmt::Write;

use super::palette::{Colour, paletted};

/// The most colours that are ever sent.
pub const COLOURS: usize = 256;
/// Rows of pixels in a band.
const BAND: usize = 6;
/// Shorter runs of one character are written as they are.
const RUN: usize = 4;

/// Pixels (red, green and blue of each, from the top left) in at most `colours` colours, as a terminal takes sixels.
pub fn encoded(rgb: &[u8], (wide, high): (usize, usize), colours: usize) -> String {
    // A sixel terminal knows 101 shades of each part of a colour.
    let percent = |part: u8| ((usize::from(part) * 100 + 127) / 255) as u8;
    let pixels: Vec<Colour> = rgb.chunks_exact(3).map(|it| [0, 1, 2].map(|part| percent(it[part]))).collect();
    let picture = paletted(&pixels, colours.clamp(2, COLOURS));
    // Pixels keep their colour where none is written; they are square.
    let mut out = format!("\x1bP0;1;0q\"1;1;{wide};{high}");
    for (number, [red, green, blue]) in picture.colours.iter().enumerate() {
        let _ = write!(out, "#{number};2;{red};{green};{blue}");
    }
    let mut bits: Vec<Vec<u8>> = vec![Vec::new(); picture.colours.len()];
    for band in picture.pixels.chunks(BAND * wide.max(1)) {
        let mut used: Vec<u16> = Vec::new();
        for (row, pixels) in band.chunks(wide.max(1)).enumerate() {
            for (column, number) in pixels.iter().enumerate() {
                let bits = &mut bits[usize::from(*number)];
                if bits.is_empty() {
                    bits.resize(wide, 0);
                    used.push(*number);
                }
                bits[column] |= 1 << row;
            }
        }
        for (at, number) in used.iter().enumerate() {
            if at > 0 {
                // Back to the left of the band.
                out.push('$');
            }
            let _ = write!(out, "#{number}");
            runs(&std::mem::take(&mut bits[usize::from(*number)]), &mut out);
        }
        out.push('-');
    }
    out.push_str("\x1b\\");
    out
}

/// Columns of six pixels, with repetitions counted. Empty ones at the end are left out.
fn runs(columns: &[u8], out: &mut String) {
    let end = columns.iter().rposition(|bits| *bits != 0).map_or(0, |last| last + 1);
    for run in columns[..end].chunk_by(|a, b| a == b) {
        let letter = char::from(b'?' + run[0]);
        match run.len() {
            count if count < RUN => (0..count).for_each(|_| out.push(letter)),
            count => {
                let _ = write!(out, "!{count}{letter}");
            }
        }
    }
}
