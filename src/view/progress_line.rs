//! Progress bars, as lines that the caller writes.
//! indicatif draws its bars on the terminal itself and by its own clock; these are text of a given width and time, so that
//! they obey `--width`, and tests can read them.

use std::time::Duration;

use unicode_width::UnicodeWidthStr;

use crate::view::heat::bar_of;
use crate::view::quantity::duration;
use crate::view::text::{Line, Look, Role};

/// A progress bar: one line that is written again over itself.
pub fn progress(what: &str, part: f64, look: Look) -> Line {
    let percent = format!("{:>3.0} %", part.clamp(0.0, 1.0) * 100.0);
    let free = look.text_width().saturating_sub(what.width() + percent.len() + 3);
    let bar = bar_of(part, free.min(40));
    let rest = free.min(40).saturating_sub(bar.width());
    Line::new()
        .with(Role::Prose, format!("{what} "))
        .with(Role::Good, bar)
        .with(Role::Dim, "░".repeat(rest))
        .with(Role::Prose, format!(" {percent}"))
}

/// The progress of work of unknown length: the time so far.
pub fn working(what: &str, elapsed: Duration) -> Line {
    Line::new().with(Role::Prose, format!("{what} {}", duration(elapsed)))
}
