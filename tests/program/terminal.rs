//! `attn` in a terminal of its own: keys go in, and the screen is looked at.
//! What is waited for is waited for by its text, never by the clock: a slow machine is only slow.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// How long something may take before it counts as not happening.
const PATIENCE: Duration = Duration::from_secs(60);

/// A program in a terminal.
pub struct Terminal {
    master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    screen: Arc<(Mutex<TracedTensor>, Condvar)>,
}

struct TracedTensor {
    parser: vt100::Parser,
    raw: Vec<u8>,
    ended: bool,
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
}

/// What a terminal is started with.
pub struct Start {
    columns: u16,
    rows: u16,
    folder: PathBuf,
    variables: Vec<(String, String)>,
}

impl Start {
    /// 80 columns and 40 rows, with this state folder.
    pub fn new(state: &State) -> Start {
        Start { columns: 80, rows: 40, folder: state.path().to_owned(), variables: Vec::new() }
    }

    /// With this many columns.
    pub fn columns(mut self, columns: u16) -> Start {
        self.columns = columns;
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
        command.cwd(env!("CARGO_MANIFEST_DIR"));
        command.env("TERM", "xterm-256color");
        command.env("ATTN_STATE_DIR", &self.folder);
        for name in ["NO_COLOR", "CLICOLOR_FORCE", "COLUMNS"] {
            command.env_remove(name);
        }
        for (name, value) in self.variables {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).expect("the program starts");
        drop(pair.slave);
        let parser = vt100::Parser::new(self.rows, self.columns, 1000);
        let seen = TracedTensor { parser, raw: Vec::new(), ended: false };
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
    /// Presses keys.
    pub fn press(&mut self, keys: &str) {
        self.keys
            .write_all(keys.as_bytes())
            .and_then(|()| self.keys.flush())
            .expect("the program takes keys");
    }

    /// Types a line and Enter.
    pub fn enter(&mut self, line: &str) {
        self.press(&format!("{line}\r"));
    }

    /// Waits until the screen is as wished, and gives it.
    #[track_caller]
    pub fn until(&self, what: &str, wished: impl Fn(&vt100::Screen) -> bool) -> String {
        let start = Instant::now();
        let (screen, changed) = &*self.screen;
        let mut seen = screen.lock().expect("nobody panics with the screen in hand");
        loop {
            if wished(seen.parser.screen()) {
                return seen.parser.screen().contents();
            }
            let left = PATIENCE.checked_sub(start.elapsed()).filter(|_| !seen.ended);
            let Some(left) = left else {
                panic!("{what} did not come; the screen is:\n{}", seen.parser.screen().contents());
            };
            seen = changed.wait_timeout(seen, left).expect("nobody panics with the screen in hand").0;
        }
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
        let seen = self.screen.0.lock().expect("nobody panics with the screen in hand");
        String::from_utf8_lossy(&seen.raw).into_owned()
    }

    /// Makes the window another size.
    pub fn resize(&self, columns: u16, rows: u16) {
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        self.master.resize(size).expect("a window changes its size");
        let mut seen = self.screen.0.lock().expect("nobody panics with the screen in hand");
        seen.parser.screen_mut().set_size(rows, columns);
    }

    /// Waits until the program ends, and gives its exit code.
    pub fn ends(mut self) -> u32 {
        let (screen, changed) = &*self.screen;
        let mut seen = screen.lock().expect("nobody panics with the screen in hand");
        let start = Instant::now();
        while !seen.ended {
            let left = PATIENCE.checked_sub(start.elapsed());
            let Some(left) = left else {
                panic!("the program goes on; the screen is:\n{}", seen.parser.screen().contents());
            };
            seen = changed.wait_timeout(seen, left).expect("nobody panics with the screen in hand").0;
        }
        drop(seen);
        self.child.wait().expect("it ended").exit_code()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // A test that failed leaves nothing running.
        let _ = self.child.kill();
    }
}
