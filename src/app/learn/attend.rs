//! Choosing a head and the word that looks with the arrow keys: the sentence is shaded by where it looked.

use super::super::terminal::shell::{Failure, Shell};
use super::input;
use super::navigate::cut;
use super::terminal::{self, KeyPress};
use crate::lesson::trained::{Head, Looked};
use crate::view::learn::footer;
use crate::view::look::{looking_word, shaded};
use crate::view::wrap::remark;
use crate::view::{Look, Text};

/// Lets the learner choose; returns what was shown last.
pub(super) fn choose(mut looked: Looked, shell: &mut Shell) -> Result<Text, Failure> {
    let heads: Vec<Head> = looked.heads().collect();
    let last = looked.at;
    // The head with the largest weight on another word than the one that looks shows most.
    let most = |head: &Head| looked.row(*head)[..last].iter().copied().fold(0.0, f64::max);
    let mut at = (0..heads.len()).max_by(|a, b| most(&heads[*a]).total_cmp(&most(&heads[*b]))).unwrap_or(0);
    let keys = [("↑ ↓", "head"), ("← →", "the word that looks"), ("Enter", "done")];
    loop {
        shell.refit();
        // The last column stays free: a line that fills it would wrap.
        let look = Look { width: shell.look.width.saturating_sub(1), ..shell.look };
        let chosen = shown(&looked, heads[at], look);
        let mut region = chosen.clone();
        region.append(footer(&keys, look));
        region.lines.truncate(terminal::rows().saturating_sub(1).max(4));
        match input::press(&cut(region, look.width), shell)? {
            KeyPress::Arrow(down, right) => {
                at = at.saturating_add_signed(down).min(heads.len() - 1);
                looked.at = looked.at.saturating_add_signed(right).min(last);
            }
            KeyPress::Enter | KeyPress::Escape | KeyPress::Interrupt | KeyPress::End => return Ok(chosen),
            _ => {}
        }
    }
}

fn shown(looked: &Looked, head: Head, look: Look) -> Text {
    let Head { layer, head: number } = head;
    let words = format!("layer {layer}, head {number}, where {} looked:", looking_word(looked));
    let mut text = remark(&words, look);
    text.append(shaded(looked, head, look));
    text.gap();
    text
}
