//! `attn` in a terminal of its own: keys go in, and the screen is looked at.
//! What is waited for is waited for by its text, never by the clock: a slow machine is only slow.
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// How long something may take before it counts as not happening.
const PATIENCE: Duration = Duration::from_secs(120);

/// A program in a terminal.
pub struct Terminal {
    master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    screen: Arc<(Mutex<ScreenState>, Condvar)>,
}

struct ScreenState {
    parser: vt100::Parser,
    /// All that the program wrote.
    raw: Vec<u8>,
    /// How much of it had come when a key was last pressed.
    at_key: usize,
    ended: bool,
}

impl ScreenState {
    fn contents(&self) -> String {
        self.parser.screen().contents()
    }

    /// What has come since the last key, without escape sequences.
    fn since_key(&self) -> String {
        bare(&String::from_utf8_lossy(&self.raw[self.at_key..]))
    }
}

/// A state folder that goes when the test ends.
pub struct State(tempfile::TempDir);

impl State {
    /// An empty one.
    pub fn new() -> State {
        State(tempfile::tempdir().expect("a folder for the test"))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// The file in which the walkthrough keeps its progress.
    pub fn progress(&self) -> PathBuf {
        self.path().join("progress.json")
    }
}

/// What a terminal is started with.
pub struct Start {
    columns: u16,
    rows: u16,
    state: PathBuf,
    folder: PathBuf,
    variables: Vec<(String, String)>,
}

impl Start {
    /// 80 columns and 40 rows, with this state folder, in the project's folder.
    pub fn new(state: &State) -> Start {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        Start { columns: 80, rows: 40, state: state.path().to_owned(), folder, variables: Vec::new() }
    }

    /// With this many columns.
    pub fn columns(mut self, columns: u16) -> Start {
        self.columns = columns;
        self
    }

    /// With this many rows.
    pub fn rows(mut self, rows: u16) -> Start {
        self.rows = rows;
        self
    }

    /// In the state folder.
    pub fn inside(mut self) -> Start {
        self.folder.clone_from(&self.state);
        self
    }

    /// With this variable in the environment.
    pub fn with(mut self, name: &str, value: &str) -> Start {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Runs `attn` with these arguments.
    pub fn attn(self, args: &[&str]) -> Terminal {
        self.program(env!("CARGO_BIN_EXE_attn"), args)
    }

    /// Runs another program.
    pub fn program(self, program: &str, args: &[&str]) -> Terminal {
        let size = PtySize { rows: self.rows, cols: self.columns, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).expect("a pseudo-terminal");
        let mut command = CommandBuilder::new(program);
        command.args(args);
        command.cwd(&self.folder);
        command.env("TERM", "xterm-256color");
        command.env("ATTN_STATE_DIR", &self.state);
        for name in ["NO_COLOR", "CLICOLOR_FORCE", "COLUMNS", "LINES", "VISUAL", "EDITOR"] {
            command.env_remove(name);
        }
        for (name, value) in self.variables {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).expect("the program starts");
        drop(pair.slave);
        let parser = vt100::Parser::new(self.rows, self.columns, 2000);
        let seen = ScreenState { parser, raw: Vec::new(), at_key: 0, ended: false };
        let screen = Arc::new((Mutex::new(seen), Condvar::new()));
        let mut output = pair.master.try_clone_reader().expect("the terminal can be read");
        let shared = screen.clone();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            loop {
                let count = output.read(&mut bytes).unwrap_or(0);
                let mut seen = shared.0.lock().expect("nobody panics with the screen in hand");
                seen.parser.process(&bytes[..count]);
                seen.raw.extend_from_slice(&bytes[..count]);
                seen.ended = count == 0;
                shared.1.notify_all();
                if count == 0 {
                    break;
                }
            }
        });
        let keys = pair.master.take_writer().expect("the terminal can be written to");
        Terminal { master: pair.master, keys, child, screen }
    }
}

impl Terminal {
    fn state(&self) -> MutexGuard<'_, ScreenState> {
        self.screen.0.lock().expect("nobody panics with the screen in hand")
    }

    /// Waits until this returns something.
    #[track_caller]
    fn wait<T>(&self, what: &str, found: impl Fn(&ScreenState) -> Option<T>) -> T {
        let start = Instant::now();
        let mut state = self.state();
        loop {
            if let Some(found) = found(&state) {
                return found;
            }
            let Some(left) = PATIENCE.checked_sub(start.elapsed()).filter(|_| !state.ended) else {
                panic!("{what} did not come; the screen is:\n{}", state.contents());
            };
            state = self.screen.1.wait_timeout(state, left).expect("nobody panics with the screen in hand").0;
        }
    }

    /// Presses keys.
    pub fn press(&mut self, keys: &str) {
        let mut state = self.state();
        state.at_key = state.raw.len();
        drop(state);
        self.press_on(keys);
    }

    /// Presses keys that belong to those before: what came since those still counts as since the last key.
    pub fn press_on(&mut self, keys: &str) {
        self.keys
            .write_all(keys.as_bytes())
            .and_then(|()| self.keys.flush())
            .expect("the program takes keys");
    }

    /// Types a line and Enter.
    pub fn enter(&mut self, line: &str) {
        self.press(&format!("{line}\r"));
    }

    /// Waits until the screen is as wished, and returns its text.
    #[track_caller]
    pub fn until(&self, what: &str, wished: impl Fn(&vt100::Screen) -> bool) -> String {
        self.wait(what, |state| wished(state.parser.screen()).then(|| state.contents()))
    }

    /// Waits until these words have come since the last key, wherever they are by now.
    #[track_caller]
    pub fn hears(&self, words: &str) {
        self.wait(&format!("{words:?}, after the last key,"), |state| {
            state.since_key().contains(words).then_some(())
        });
    }

    /// Presses keys and waits for words that come after them.
    #[track_caller]
    pub fn then(&mut self, keys: &str, words: &str) {
        self.press(keys);
        self.hears(words);
    }

    /// Presses keys, waits for two texts that come after them, one after the other, and returns the screen.
    #[track_caller]
    pub fn then_screen(&mut self, keys: &str, words: &str, last: &str) -> String {
        self.press(keys);
        self.wait(&format!("{words:?}, and {last:?} after it,"), |state| {
            let heard = state.since_key();
            let after = heard.find(words)? + words.len();
            heard[after..].contains(last).then(|| state.contents())
        })
    }

    /// Waits for these words since the last key, and for the footer of the walkthrough after them.
    #[track_caller]
    pub fn settles(&self, words: &str) {
        self.wait(&format!("{words:?}, and a footer after it,"), |state| {
            let heard = state.since_key();
            let after = heard.find(words)? + words.len();
            heard[after..].contains("q quit").then_some(())
        });
    }

    /// Presses keys, waits for words that come after them, and for the footer of the walkthrough after those.
    #[track_caller]
    pub fn on(&mut self, keys: &str, words: &str) -> String {
        self.press(keys);
        self.settles(words);
        self.screen()
    }

    /// Whether these words come within a tenth of a second after the last key.
    pub fn comes(&self, words: &str) -> bool {
        let start = Instant::now();
        let mut state = self.state();
        while !state.since_key().contains(words) {
            let left = Duration::from_millis(100).checked_sub(start.elapsed()).filter(|_| !state.ended);
            let Some(left) = left else { return false };
            state = self.screen.1.wait_timeout(state, left).expect("nobody panics with the screen in hand").0;
        }
        true
    }

    /// The text on the screen.
    pub fn screen(&self) -> String {
        self.state().contents()
    }

    /// The number of the process.
    pub fn process(&self) -> u32 {
        self.child.process_id().expect("it runs")
    }

    /// Waits until a text is on the screen.
    #[track_caller]
    pub fn shows(&self, text: &str) -> String {
        self.until(&format!("{text:?}"), |screen| screen.contents().contains(text))
    }

    /// Waits until the cursor stands right after a text, which is how a prompt waits.
    #[track_caller]
    pub fn waits_after(&self, text: &str) -> String {
        self.until(&format!("the cursor after {text:?}"), |screen| {
            let (row, column) = screen.cursor_position();
            let line = screen.rows(0, screen.size().1).nth(usize::from(row)).unwrap_or_default();
            let before: String = line.chars().take(usize::from(column)).collect();
            let width = usize::from(column);
            format!("{before:<width$}").ends_with(text)
        })
    }

    /// Waits until Ctrl-C is a signal: while a line is typed it is a key, and becomes one again only after the line
    /// has been shown.
    pub fn hears_signals(&self) {
        let start = Instant::now();
        let is_key = || {
            let state = self.master.get_termios();
            state.is_some_and(|state| !format!("{:?}", state.local_flags).contains("ISIG"))
        };
        while is_key() {
            assert!(start.elapsed() < PATIENCE, "the terminal still reads keys");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// All that the program wrote so far.
    pub fn wrote(&self) -> String {
        String::from_utf8_lossy(&self.state().raw).into_owned()
    }

    /// Makes the window another size.
    pub fn resize(&self, columns: u16, rows: u16) {
        let mut state = self.state();
        state.at_key = state.raw.len();
        state.parser.screen_mut().set_size(rows, columns);
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        self.master.resize(size).expect("a window changes its size");
    }

    /// Waits until the program ends, and returns its exit code.
    #[track_caller]
    pub fn ends(&mut self) -> u32 {
        self.wait("the end of the program", |state| state.ended.then_some(()));
        self.child.wait().expect("it ended").exit_code()
    }

    /// Leaves the walkthrough, and returns the exit code.
    #[track_caller]
    pub fn quits(&mut self) -> u32 {
        self.press("q");
        self.ends()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // A test that failed leaves nothing running.
        let _ = self.child.kill();
    }
}

/// Text without escape sequences.
fn bare(text: &str) -> String {
    let mut out = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\x1b' => {
                if letters.next_if_eq(&'[').is_some() {
                    letters.find(|letter| ('@'..='~').contains(letter));
                }
            }
            '\r' => {}
            other => out.push(other),
        }
    }
    out
}
