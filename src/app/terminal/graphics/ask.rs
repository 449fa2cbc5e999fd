//! Asks the terminal which pictures it shows. The last question is one that every terminal answers, so that no time is lost
//! where the others have no answer.

use std::env;
use std::io::{self, Stdin};
use std::time::{Duration, Instant};

use rustix::process::{Signal, getpgrp, kill_current_process_group};
use rustix::termios::{
    LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcgetpgrp, tcsetattr,
};

use super::super::pending_keys;
use super::super::restore::{ChangedSettings, restore_at_exit};
use super::Answers;
use crate::view::graphics::Protocol;

/// How long answers are waited for. What comes later would be taken for keys, so it is longer than the way to a far machine.
const LIMIT: Duration = Duration::from_secs(1);
/// How often, within [`LIMIT`], a wait of a tenth of a second may end with nothing.
const WAITS: usize = 10;
/// For a terminal itself: a picture of kitty's, the size of a character as iTerm has it, the name. A terminal that knows none
/// of this may write it on the screen: what is there afterwards is removed.
const OF_TERMINAL: &[u8] =
    b"\x1b7\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b]1337;ReportCellSize\x07\x1b[>q\x1b8\x1b[J";
/// The size of a character, and what kind of terminal it is.
const OF_EVERY: &[u8] = b"\x1b[16t\x1b[c";
/// The colours of a picture in sixels, and again what every terminal answers.
const OF_SIXEL: &[u8] = b"\x1b[?1;1;0S\x1b[c";

/// What the terminal answers. `None`: it cannot be asked now, because a key that was pressed waits to be read (a question
/// would be answered after it, and the key belongs to someone else), or because the program runs in the background.
pub(super) fn ask() -> Option<Answers> {
    let stdin = io::stdin();
    if tcgetpgrp(&stdin).ok()? != getpgrp() {
        return None;
    }
    restore_at_exit();
    let before = tcgetattr(&stdin).ok()?;
    let answers = {
        let _settings = SingleBytes::begin(&stdin, &before)?;
        conversation(&stdin)
    };
    let mut answers = answers?;
    deliver(std::mem::take(&mut answers.typed), &before);
    Some(answers)
}

/// The terminal gives each byte as it comes, and writes none of them; for as long as the value lives.
struct SingleBytes<'s> {
    stdin: &'s Stdin,
    before: &'s Termios,
    _changed: ChangedSettings,
}

impl<'s> SingleBytes<'s> {
    fn begin(stdin: &'s Stdin, before: &'s Termios) -> Option<SingleBytes<'s>> {
        let settings = SingleBytes { stdin, before, _changed: ChangedSettings::begin() };
        let mut single = before.clone();
        single.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ECHONL);
        // Ctrl-C and the like are delivered when the settings are what they were.
        single.local_modes.remove(LocalModes::ISIG | LocalModes::IEXTEN);
        // To read waits a tenth of a second.
        single.special_codes[SpecialCodeIndex::VMIN] = 0;
        single.special_codes[SpecialCodeIndex::VTIME] = 1;
        tcsetattr(stdin, OptionalActions::Now, &single).ok().map(|()| settings)
    }
}

impl Drop for SingleBytes<'_> {
    fn drop(&mut self) {
        // A terminal that is gone has no settings to restore.
        let _ = tcsetattr(self.stdin, OptionalActions::Now, self.before);
    }
}

fn conversation(stdin: &Stdin) -> Option<Answers> {
    if rustix::io::ioctl_fionread(stdin).ok()? > 0 {
        return None;
    }
    if !is_inside_another() {
        say(OF_TERMINAL)?;
    }
    say(OF_EVERY)?;
    let mut answers = listen(stdin);
    if answers.ended && answers.protocol() == Some(Protocol::Sixel) {
        say(OF_SIXEL)?;
        let more = listen(stdin);
        answers.colours = more.colours;
        answers.typed.extend(more.typed);
    }
    Some(answers)
}

/// Whether the terminal is one that another shows, such as tmux. It would take the first question for a title, and passes
/// pictures on only as sixels, which the last question tells.
fn is_inside_another() -> bool {
    let term = env::var("TERM").unwrap_or_default();
    let set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    term.starts_with("screen") || term.starts_with("tmux") || set("TMUX") || set("STY")
}

fn say(questions: &[u8]) -> Option<()> {
    let mut rest = questions;
    while !rest.is_empty() {
        match rustix::io::write(io::stdout(), rest) {
            Ok(count) => rest = &rest[count..],
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return None,
        }
    }
    Some(())
}

/// Reads until the last question is answered or the time is over.
fn listen(stdin: &Stdin) -> Answers {
    let start = Instant::now();
    let mut heard = Vec::new();
    let mut bytes = [0; 1024];
    let mut waits = 0;
    while waits < WAITS && start.elapsed() < LIMIT {
        match rustix::io::read(stdin, &mut bytes[..]) {
            Ok(0) => waits += 1,
            Ok(count) => {
                heard.extend_from_slice(&bytes[..count]);
                if Answers::of(&heard).ended {
                    break;
                }
            }
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => break,
        }
    }
    Answers::of(&heard)
}

/// Does what keys do that were pressed meanwhile: some are signals, the others are kept for whatever reads keys next.
fn deliver(typed: Vec<u8>, settings: &Termios) {
    let signals = [
        (SpecialCodeIndex::VINTR, Signal::INT),
        (SpecialCodeIndex::VQUIT, Signal::QUIT),
        (SpecialCodeIndex::VSUSP, Signal::TSTP),
    ];
    let signal = |byte: &u8| {
        let is_it =
            |(index, _): &&(SpecialCodeIndex, Signal)| *byte != 0 && settings.special_codes[*index] == *byte;
        let found = signals.iter().find(is_it).filter(|_| settings.local_modes.contains(LocalModes::ISIG));
        found.map(|(_, signal)| *signal)
    };
    let keys: Vec<u8> = typed.iter().copied().filter(|byte| signal(byte).is_none()).collect();
    pending_keys::keep(&keys);
    for signal in typed.iter().filter_map(signal) {
        let _ = kill_current_process_group(signal);
    }
}
