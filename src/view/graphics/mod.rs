//! Figures as pictures for terminals that show them: in kitty's protocol, in iTerm's, or as sixels.
//! Sources: "The kitty graphics protocol" (sw.kovidgoyal.net/kitty/graphics-protocol), iTerm2's "Inline Images Protocol"
//! (iterm2.com/documentation-images.html), and the VT330/VT340 Programmer Reference Manual, chapter 14.

mod palette;
pub mod sixel;

use std::fmt::{self, Write};
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use crate::shims::PlottedFigure;

/// The characters of a picture that kitty takes at once.
const CHUNK: usize = 4096;
/// The fewest columns and rows in which a picture can be read; a smaller figure is drawn in characters.
const FEWEST: (usize, usize) = (20, 6);
/// The columns and rows that an inch of a figure takes: 100 dots, as matplotlib draws it, where a character has 8 by 16.
const ROWS_OF_INCH: f64 = 6.25;
/// The size of a figure that states none, in inches.
const USUAL: [f64; 2] = [6.4, 4.8];
/// The height of letters in a picture, as a share of the height of a line of the terminal.
const LETTERS: f64 = 0.62;

/// How a terminal takes pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Protocol {
    /// PNG in kitty's graphics protocol.
    Kitty,
    /// PNG as iTerm2 shows files.
    Iterm,
    /// Sixels, as DEC's terminals have them.
    Sixel,
}

/// The pictures that a terminal takes.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Graphics {
    /// How they are written.
    pub protocol: Protocol,
    /// The pixels of a character from left to right and from top to bottom.
    pub cell: (u16, u16),
    /// The most rows of characters that a picture may cover.
    pub rows: usize,
    /// The most colours of a picture in sixels.
    pub colours: usize,
}

/// A picture as the terminal takes it. Only pixels become one, so that no text can pretend to be a picture.
#[derive(Clone, PartialEq, Eq)]
pub struct TerminalPicture {
    drawn: Arc<str>,
    rows: usize,
}

impl fmt::Debug for TerminalPicture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TerminalPicture({} rows)", self.rows)
    }
}

impl TerminalPicture {
    /// The rows of characters that it covers.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// What draws it at the beginning of a line. The cursor is at the beginning of that line afterwards: terminals do not
    /// agree on where it is after a picture.
    pub(super) fn drawn(&self) -> &str {
        &self.drawn
    }
}

/// A figure as a picture of at most this many columns. `None`: it would be too small to be read.
pub fn picture(figure: &PlottedFigure, columns: usize, graphics: Graphics) -> Option<TerminalPicture> {
    let (wide, high) = cells(figure.size, columns, graphics)?;
    let (cell_wide, cell_high) = (usize::from(graphics.cell.0), usize::from(graphics.cell.1));
    let size = (u32::try_from(wide * cell_wide).ok()?, u32::try_from(high * cell_high).ok()?);
    let pixels = figure.pixels(size, cell_high as f64 * LETTERS);
    let sent = match graphics.protocol {
        Protocol::Kitty => kitty(&pixels.png(), (wide, high)),
        Protocol::Iterm => iterm(&pixels.png(), (wide, high)),
        Protocol::Sixel => sixel::encoded(&pixels.rgb, (size.0 as usize, size.1 as usize), graphics.colours),
    };
    // The rows are made first, so that nothing scrolls while the picture is drawn.
    let drawn = format!("{}\x1b[{high}A\x1b7{sent}\x1b8", "\n".repeat(high));
    Some(TerminalPicture { drawn: drawn.into(), rows: high })
}

/// The columns and rows of a figure of this size in inches: its own size where there is space for it, smaller where there is
/// less. `None`: too few to be read.
fn cells(size: [f64; 2], columns: usize, graphics: Graphics) -> Option<(usize, usize)> {
    let [wide, high] = if size.iter().all(|inches| *inches > 0.0) { size } else { USUAL };
    let cell = (f64::from(graphics.cell.0), f64::from(graphics.cell.1));
    // In pixels, so that the shape stays what it is.
    let high_own = high * ROWS_OF_INCH * cell.1;
    let wide_own = high_own * wide / high;
    let scale = (columns as f64 * cell.0 / wide_own).min(graphics.rows as f64 * cell.1 / high_own).min(1.0);
    let fitted = |pixels: f64, cell: f64, most: usize| ((pixels * scale / cell).round() as usize).min(most);
    let (wide, high) = (fitted(wide_own, cell.0, columns), fitted(high_own, cell.1, graphics.rows));
    (wide >= FEWEST.0 && high >= FEWEST.1).then_some((wide, high))
}

/// A PNG file in kitty's protocol, in this many columns and rows. The terminal is asked for no answer.
pub fn kitty(png: &[u8], (wide, high): (usize, usize)) -> String {
    let text = STANDARD.encode(png);
    let mut out = String::with_capacity(text.len() + text.len() / CHUNK * 16 + 64);
    let mut begins = format!("a=T,f=100,q=2,C=1,c={wide},r={high},");
    let mut rest = text.as_str();
    loop {
        let (chunk, after) = rest.split_at(rest.len().min(CHUNK));
        let more = u8::from(!after.is_empty());
        let _ = write!(out, "\x1b_G{begins}m={more};{chunk}\x1b\\");
        if after.is_empty() {
            return out;
        }
        (rest, begins) = (after, "q=2,".to_owned());
    }
}

/// A PNG file in iTerm's protocol, in this many columns and rows.
pub fn iterm(png: &[u8], (wide, high): (usize, usize)) -> String {
    format!(
        "\x1b]1337;File=inline=1;size={};width={wide};height={high};preserveAspectRatio=1:{}\x07",
        png.len(),
        STANDARD.encode(png)
    )
}
