//! A terminal for the tests: attn in a pseudo-terminal, its screen read as a terminal would draw it.
//! Waits for what is to come, with much patience; never for a time.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// Patience with a slow machine.
const LONG: Duration = Duration::from_secs(120);

/// A folder of its own for what a test keeps.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("attn-walk-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a folder for the test");
        Folder(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn progress(&self) -> PathBuf {
        self.0.join("progress.json")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// attn on a terminal.
pub struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    bytes: Receiver<Vec<u8>>,
    screen: vt100::Parser,
    /// Everything that came, as text, from when a key was last pressed.
    since: String,
}

impl Terminal {
    /// Starts attn with these arguments on a screen of this size.
    pub fn start(args: &[&str], folder: &Folder, columns: u16, rows: u16) -> Terminal {
        Terminal::with(args, folder, columns, rows, &[])
    }

    pub fn with(args: &[&str], folder: &Folder, columns: u16, rows: u16, vars: &[(&str, &str)]) -> Terminal {
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).expect("a pseudo-terminal can be had");
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_attn"));
        command.args(args);
        for name in ["NO_COLOR", "CLICOLOR_FORCE", "COLUMNS", "LINES", "VISUAL", "EDITOR"] {
            command.env_remove(name);
        }
        command.env("TERM", "xterm-256color");
        command.env("ATTN_STATE_DIR", folder.path());
        command.cwd(folder.path());
        for (name, value) in vars {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).expect("the program starts");
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().expect("it can be read");
        let keys = pair.master.take_writer().expect("keys can be pressed");
        let (sender, bytes) = channel();
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(read @ 1..) = reader.read(&mut buffer) {
                if sender.send(buffer[..read].to_vec()).is_err() {
                    break;
                }
            }
        });
        let screen = vt100::Parser::new(rows, columns, 2000);
        Terminal { child, master: pair.master, keys, bytes, screen, since: String::new() }
    }

    fn hear(&mut self, patience: Duration) -> bool {
        match self.bytes.recv_timeout(patience) {
            Ok(bytes) => {
                self.screen.process(&bytes);
                self.since.push_str(&String::from_utf8_lossy(&bytes));
                true
            }
            Err(RecvTimeoutError::Timeout) => false,
            Err(RecvTimeoutError::Disconnected) => false,
        }
    }

    /// The screen as it stands.
    pub fn screen(&self) -> String {
        self.screen.screen().contents()
    }

    /// Presses keys.
    pub fn press(&mut self, keys: &str) {
        self.since.clear();
        self.keys.write_all(keys.as_bytes()).expect("the terminal takes keys");
        self.keys.flush().expect("the terminal takes keys");
    }

    /// Waits until the screen satisfies this.
    #[track_caller]
    pub fn until(&mut self, what: &str, holds: impl Fn(&str) -> bool) -> String {
        let start = Instant::now();
        loop {
            let screen = self.screen();
            if holds(&screen) {
                return screen;
            }
            if start.elapsed() > LONG || !self.hear(Duration::from_millis(200)) && self.has_ended() {
                panic!("{what} did not come; the screen:\n{screen}\n");
            }
        }
    }

    /// Waits until these words have come since the last key, wherever they are by now.
    #[track_caller]
    pub fn hears(&mut self, words: &str) {
        let start = Instant::now();
        while !bare(&self.since).contains(words) {
            if start.elapsed() > LONG || !self.hear(Duration::from_millis(200)) && self.has_ended() {
                panic!(
                    "`{words}` did not come; since the last key:\n{}\nscreen:\n{}\n",
                    self.since,
                    self.screen()
                );
            }
        }
    }

    /// Whether these words come soon.
    pub fn comes(&mut self, words: &str) -> bool {
        (0..5).any(|_| {
            self.hear(Duration::from_millis(20));
            bare(&self.since).contains(words)
        })
    }

    /// Presses a key and waits for words that come after it.
    #[track_caller]
    pub fn then(&mut self, keys: &str, words: &str) {
        self.press(keys);
        self.hears(words);
    }

    /// Presses keys, waits for words that come after them, and for the footer after those.
    #[track_caller]
    pub fn on(&mut self, keys: &str, words: &str) -> String {
        self.press(keys);
        self.settles(words);
        self.screen()
    }

    /// Waits for these words since the last key, and for the footer after them.
    #[track_caller]
    pub fn settles(&mut self, words: &str) {
        self.hears(words);
        let start = Instant::now();
        loop {
            let heard = bare(&self.since);
            let at = heard.find(words).map_or(heard.len(), |at| at + words.len());
            if heard[at..].contains("q quit") {
                return;
            }
            if start.elapsed() > LONG || !self.hear(Duration::from_millis(200)) && self.has_ended() {
                panic!("no footer came after `{words}`; screen:\n{}\n", self.screen());
            }
        }
    }

    fn has_ended(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|ended| ended.is_some()) && !self.hear(Duration::from_millis(50))
    }

    pub fn resize(&mut self, columns: u16, rows: u16) {
        self.since.clear();
        self.screen.screen_mut().set_size(rows, columns);
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        self.master.resize(size).expect("the terminal can be resized");
    }

    pub fn process(&self) -> u32 {
        self.child.process_id().expect("it runs")
    }

    /// Waits for the end: the exit code.
    #[track_caller]
    pub fn ends(&mut self) -> u32 {
        let start = Instant::now();
        loop {
            while self.hear(Duration::from_millis(20)) {}
            if let Some(status) = self.child.try_wait().expect("it can be waited for") {
                while self.hear(Duration::from_millis(50)) {}
                return status.exit_code();
            }
            assert!(start.elapsed() < LONG, "it does not end; the screen:\n{}\n", self.screen());
        }
    }

    /// Leaves: the exit code.
    #[track_caller]
    pub fn quits(&mut self) -> u32 {
        self.press("q");
        self.ends()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
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
