//! How figures are shown: in characters, or as pictures where the terminal answers that it shows pictures. It is asked once,
//! before the first figure, and only where its answers can be read. What it cannot be, by its name in the environment, is
//! not tried; what it can do is never assumed from that.

mod answers;
#[cfg(unix)]
mod ask;

use std::env;
use std::io::{self, IsTerminal};

pub use answers::Answers;

use super::super::commands::options::{GlobalOptions, PictureStyle};
use crate::view::Look;
use crate::view::graphics::sixel::COLOURS;
use crate::view::graphics::{Graphics, Protocol};

/// The lines of the window that a picture leaves free: for what is said around it, and for what waits for a key.
const FREE: usize = 5;
/// The pixels of a character where the terminal does not say it: those of DEC's VT340.
const CELL: (u16, u16) = (10, 20);

#[derive(Default)]
pub(crate) struct TerminalPictures {
    answers: Option<Answers>,
}

impl TerminalPictures {
    /// How figures are shown now; `None`: in characters. Asks the terminal, if nobody has done so and the options leave it
    /// to the terminal. `terminal`: whether results go to one.
    pub(crate) fn graphics(
        &mut self,
        options: &GlobalOptions,
        look: Look,
        terminal: bool,
    ) -> Option<Graphics> {
        if !terminal || look.plain || options.json {
            return None;
        }
        let chosen = match options.pictures {
            PictureStyle::Characters => return None,
            PictureStyle::Auto => None,
            PictureStyle::Kitty => Some(Protocol::Kitty),
            PictureStyle::Iterm => Some(Protocol::Iterm),
            PictureStyle::Sixel => Some(Protocol::Sixel),
        };
        let asks = chosen.is_none() && look.coloured() && !options.no_input && can_answer();
        if asks && self.answers.is_none() {
            self.answers = ask();
        }
        let answers = self.answers.as_ref();
        let protocol = chosen.or_else(|| answers.filter(|_| asks)?.protocol())?;
        let (rows, cell) = window();
        Some(Graphics {
            protocol,
            cell: cell.or(answers.and_then(|answers| answers.cell)).unwrap_or(CELL),
            rows: rows.saturating_sub(FREE),
            colours: answers.and_then(|answers| answers.colours).unwrap_or(COLOURS),
        })
    }
}

/// Whether a terminal can be asked: what is typed comes from one, and it is none that writes questions on the screen.
fn can_answer() -> bool {
    let term = env::var("TERM").unwrap_or_default();
    io::stdin().is_terminal() && !matches!(term.as_str(), "" | "dumb" | "linux")
}

#[cfg(unix)]
fn ask() -> Option<Answers> {
    ask::ask()
}

/// There is no way here to read answers and leave alone what is typed.
#[cfg(not(unix))]
fn ask() -> Option<Answers> {
    Some(Answers::default())
}

/// The rows of the window, and the pixels of a character if the system knows them.
#[cfg(unix)]
fn window() -> (usize, Option<(u16, u16)>) {
    let Ok(size) = rustix::termios::tcgetwinsize(io::stdout()) else { return (24, None) };
    let each = |pixels: u16, count: u16| pixels.checked_div(count).filter(|pixels| *pixels > 1);
    let cell = each(size.ws_xpixel, size.ws_col).zip(each(size.ws_ypixel, size.ws_row));
    (if size.ws_row == 0 { 24 } else { usize::from(size.ws_row) }, cell)
}

#[cfg(not(unix))]
fn window() -> (usize, Option<(u16, u16)>) {
    (terminal_size::terminal_size().map_or(24, |(_, rows)| usize::from(rows.0)), None)
}
