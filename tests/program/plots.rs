//! Plots on terminals that show pictures: what the terminal is asked, what it is sent, and what becomes of keys and settings
//! meanwhile.

use std::process::Command;
use std::time::{Duration, Instant};

use crate::pictures::{between, iterm, kitty, png, sixel};
use crate::terminal::{Start, State, Terminal};

const PLOT: &str = "import matplotlib.pyplot as plt\nplt.plot([3, 1, 2])\nplt.title('Loss')\nplt.xlabel('step')\nplt.show()\n";
const KITTY: &str = "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\";
const ITERM: &str = "\x1b]1337;ReportCellSize\x07";
const NAME: &str = "\x1b[>q";
const CELL: &str = "\x1b[16t";
const KIND: &str = "\x1b[c";
const COLOURS: &str = "\x1b[?1;1;0S";
/// What only plots in characters have.
const IN_CHARACTERS: &str = "└──";

/// A folder with a script that plots.
fn folder() -> State {
    let state = State::new();
    std::fs::write(state.path().join("plot.py"), PLOT).expect("it is written");
    state
}

/// A terminal that answers what every terminal answers.
fn terminal(state: &State, kind: &str) -> Start {
    Start::new(state).inside().answering(KIND, kind)
}

/// All that was written by `attn run plot.py`.
fn ran(mut terminal: Terminal) -> String {
    assert_eq!(terminal.ends(), 0);
    terminal.wrote()
}

fn run(start: Start) -> String {
    ran(start.attn(&["run", "plot.py"]))
}

#[test]
fn a_terminal_is_sent_what_it_says_it_shows() {
    let state = folder();
    // 40 rows of 20 pixels: the figure has the size that matplotlib gives it, if it fits.
    let asked = || terminal(&state, "\x1b[?62;4c").cell(10, 20);
    let wrote =
        run(asked().answering(KITTY, "\x1b_Gi=31;OK\x1b\\").answering(NAME, "\x1bP>|kitty(0.35.2)\x1b\\"));
    let sent =
        wrote.split_once("\x1b7\x1b_Ga=T").map(|(_, sent)| format!("\x1b_Ga=T{sent}")).expect("a picture");
    let (_, file) = kitty(&sent);
    let pixels = png(&file);
    assert_eq!((pixels.wide, pixels.high), (800, 600));
    // The words stay, on a line of their own below the picture.
    assert!(wrote.contains("\x1b8\r\n"), "{wrote:?}");
    assert!(wrote.contains("Loss   → step"), "{wrote:?}");
    assert!(!wrote.contains(IN_CHARACTERS));

    let wrote = run(asked().answering(ITERM, "\x1b]1337;ReportCellSize=20.0;10.0;1.0\x07"));
    let (settings, file) = iterm(&wrote);
    assert!(settings.contains("width=80;height=30"), "{settings}");
    assert_eq!(png(&file), pixels);

    let wrote = run(asked().answering(COLOURS, "\x1b[?1;0;16S"));
    let (shown, colours) = sixel(&wrote[wrote.find("\x1bP0").expect("sixels")..]);
    assert_eq!((shown.wide, shown.high), (pixels.wide, pixels.high));
    assert!(colours <= 16, "{colours}");
    let far = |(a, b): (&[u8; 3], &[u8; 3])| (0..3).any(|part| a[part].abs_diff(b[part]) > 64);
    let far = shown.rgb.iter().zip(&pixels.rgb).filter(|pair| far(*pair)).count();
    assert!(far * 200 < pixels.rgb.len(), "{far} pixels of {} are of another colour", pixels.rgb.len());

    // A terminal that no pixels are known of says how many a character has.
    let wrote = run(terminal(&state, "\x1b[?64;4c").answering(CELL, "\x1b[6;16;8t"));
    let (shown, _) = sixel(&wrote[wrote.find("\x1bP0").expect("sixels")..]);
    assert_eq!((shown.wide, shown.high), (640, 480));
    // A small window has a small picture, and every line of the window that is not of the picture stays free.
    let small = terminal(&state, "\x1b[?64;4c").cell(8, 16).columns(60).rows(20);
    let wrote = run(small);
    let (shown, _) = sixel(&wrote[wrote.find("\x1bP0").expect("sixels")..]);
    assert_eq!((shown.wide, shown.high), (320, 240));
}

#[test]
fn a_terminal_that_shows_no_pictures_has_characters() {
    let state = folder();
    for kind in ["\x1b[?1;2c", "\x1b[?6c", "\x1b[?65;1;9c"] {
        let wrote = run(terminal(&state, kind));
        assert!(wrote.contains(IN_CHARACTERS) && wrote.contains("\x1b[c"), "{wrote:?}");
        assert_eq!(wrote.matches("\x1b_G").count(), 1, "one question: {wrote:?}");
    }
    // What another terminal shows is asked only what every terminal answers.
    let wrote = run(terminal(&state, "\x1b[?1;2;4c").with("TERM", "tmux-256color"));
    assert!(wrote.contains("\x1bP0") && !wrote.contains(KITTY) && !wrote.contains(ITERM), "{wrote:?}");
    let wrote = run(terminal(&state, "\x1b[?1;2c").with("TERM", "screen"));
    assert!(wrote.contains(IN_CHARACTERS) && !wrote.contains(KITTY), "{wrote:?}");
}

/// A terminal that answers nothing costs a second, once.
#[test]
fn a_silent_terminal_is_asked_once() {
    let state = folder();
    std::fs::write(state.path().join("plot.py"), PLOT.repeat(3)).expect("it is written");
    let start = Instant::now();
    let wrote = run(Start::new(&state).inside());
    assert!(start.elapsed() < Duration::from_secs(30));
    assert_eq!(wrote.matches(KIND).count(), 1);
    assert_eq!(wrote.matches(IN_CHARACTERS).count(), 3, "{wrote:?}");
}

/// Nothing is asked where nothing may be: without colours, in words, for machines, by the options, and in a pipe.
#[test]
fn nothing_is_asked_where_pictures_are_not_wanted() {
    let state = folder();
    let shows = || terminal(&state, "\x1b[?62;4c").answering(KITTY, "\x1b_Gi=31;OK\x1b\\").cell(10, 20);
    let args: [&[&str]; 5] =
        [&["--plain"], &["--color", "never"], &["--json"], &["--no-input"], &["--pictures", "characters"]];
    for args in args {
        let wrote = ran(shows().attn(&[&["run", "plot.py"][..], args].concat()));
        assert!(
            !wrote.contains(KIND) && !wrote.contains("\x1b_G") && !wrote.contains("\x1bP"),
            "{args:?}: {wrote:?}"
        );
    }
    for (name, value) in [("NO_COLOR", "1"), ("TERM", "dumb"), ("TERM", "linux")] {
        let wrote = run(shows().with(name, value));
        assert!(!wrote.contains(KIND) && wrote.contains(IN_CHARACTERS), "{name}: {wrote:?}");
    }
    // Where nothing is plotted, nothing is asked.
    std::fs::write(state.path().join("none.py"), "print(1)").expect("it is written");
    assert!(!ran(shows().attn(&["run", "none.py"])).contains(KIND));
    // A kind of picture that is chosen is sent without a question, but not with --plain.
    for (kind, begins) in [("kitty", "\x1b_Ga=T"), ("iterm", "\x1b]1337;File"), ("sixel", "\x1bP0")] {
        let wrote = ran(shows().attn(&["run", "plot.py", "--pictures", kind]));
        assert!(wrote.contains(begins) && !wrote.contains(KIND), "{kind}: {wrote:?}");
        let wrote = ran(shows().attn(&["run", "plot.py", "--plain", "--pictures", kind]));
        assert!(!wrote.contains('\x1b'), "{kind}: {wrote:?}");
        let mut piped = Command::new(env!("CARGO_BIN_EXE_attn"));
        piped.args(["run", "plot.py", "--pictures", kind, "--color", "always"]).current_dir(state.path());
        let output = piped.output().expect("attn runs");
        let wrote = String::from_utf8_lossy(&output.stdout);
        assert!(
            !wrote.contains(begins) && !wrote.contains(KIND) && wrote.contains(IN_CHARACTERS),
            "{wrote:?}"
        );
    }
}

/// Keys that come between the answers are typed at the next prompt; those before the question belong to whatever reads next.
#[test]
fn keys_are_neither_lost_nor_taken_for_answers() {
    let state = folder();
    let start = || Start::new(&state).inside().cell(10, 20);
    let mut repl =
        start().answering(KITTY, "1 +\x1b_Gi=31;OK\x1b\\ ").answering(KIND, "4\x1b[?62c1").attn(&["repl"]);
    repl.waits_after("attn [1]> ");
    repl.enter("import matplotlib.pyplot as plt");
    repl.waits_after("attn [2]> ");
    repl.enter("_ = plt.plot([1, 2])");
    repl.waits_after("attn [3]> 1 + 41");
    assert!(repl.wrote().contains("\x1b_Ga=T"));
    repl.enter("");
    repl.shows("\n42\n");
    // The answer is remembered, and the setting decides at once.
    repl.waits_after("attn [4]> ");
    repl.enter("_ = plt.plot([2, 1])");
    repl.waits_after("attn [5]> ");
    let wrote = repl.wrote();
    assert_eq!((wrote.matches(KIND).count(), wrote.matches("\x1b_Ga=T").count()), (1, 2));
    repl.enter(":set pictures characters");
    repl.waits_after("attn [5]> ");
    repl.enter("_ = plt.plot([2, 1])");
    repl.waits_after("attn [6]> ");
    assert!(repl.screen().contains(IN_CHARACTERS), "{}", repl.screen());
    repl.press("\x04");
    assert_eq!(repl.ends(), 0);

    // A key that was pressed before is left to the shell.
    std::fs::write(
        state.path().join("slow.py"),
        format!("import time\nprint('now', flush=True)\ntime.sleep(2)\n{PLOT}"),
    )
    .expect("it is written");
    let mut shell = start().answering(KIND, "\x1b[?62;4c").with("PS1", "ready> ").with("ENV", "");
    shell = shell.answering(KITTY, "\x1b_Gi=31;OK\x1b\\");
    let mut shell = shell.program("sh", &["-i"]);
    shell.waits_after("ready> ");
    shell.enter(&format!("{} run slow.py", env!("CARGO_BIN_EXE_attn")));
    shell.press("echo $((40 + 2))");
    shell.shows(IN_CHARACTERS);
    shell.waits_after("ready> ");
    assert!(!shell.wrote().contains(KIND), "nothing is asked while a key waits");
    shell.enter("");
    shell.shows("\n42\n");
    shell.enter("exit");
    assert_eq!(shell.ends(), 0);
}

/// The settings are what they were: after answers, without answers, and when the program is ended while it waits for them.
#[test]
fn the_settings_of_the_terminal_are_restored() {
    let state = folder();
    let shell = |start: Start| {
        let shell = start.with("PS1", "ready> ").with("ENV", "").program("sh", &["-i"]);
        shell.waits_after("ready> ");
        shell
    };
    let settled = |shell: &mut Terminal| {
        shell.waits_after("ready> ");
        shell.enter("stty -a | grep -o -- '-\\?icanon\\|-\\?isig\\|-\\?iexten\\|-\\?echo ' | tr '\\n' ,");
        shell.shows("isig,icanon,iexten,echo ,");
        shell.enter("exit");
        shell.ends();
    };
    let run = format!("{} run plot.py", env!("CARGO_BIN_EXE_attn"));
    let mut answered = shell(terminal(&state, "\x1b[?62;4c"));
    answered.enter(&run);
    answered.hears("Loss");
    settled(&mut answered);
    let mut silent = shell(Start::new(&state).inside());
    silent.enter(&run);
    silent.hears("Loss");
    settled(&mut silent);
    for signal in ["TERM", "HUP", "INT"] {
        let mut ended = shell(Start::new(&state).inside());
        ended.enter(&format!("sh -c 'echo process-$$-; exec {run}'"));
        // The signal comes when the question does.
        ended.hears("_Gi=31");
        let wrote = ended.wrote();
        let process = between(&wrote, "\nprocess-", "-")[0];
        let sent =
            Command::new("sh").args(["-c", &format!("kill -{signal} {process}")]).status().expect("sh runs");
        assert!(sent.success(), "{signal} reaches {process}");
        settled(&mut ended);
    }
    // In the background it asks nothing, so that it is not stopped.
    let mut background = shell(terminal(&state, "\x1b[?62;4c"));
    background.enter(&format!("{run} & wait; echo ov''er"));
    background.hears("over\n");
    assert!(!background.wrote().contains(KIND) && between(&background.wrote(), "\x1bP0", "\\").is_empty());
    settled(&mut background);
}

const LESSON: &str = "---
id: plotted
title: A plot
section: \"0.2\"
summary: A lesson with a plot.
minutes: 2
---

# A plot

## One curve

A curve after many lines.

```{code-cell} python
:name: one-curve
import matplotlib.pyplot as plt
for i in range(30):
    print('number', i)
_ = plt.plot([3, 1, 2])
_ = plt.title('Loss')
```
```{output}
```
";

/// Whether a picture of `rows` rows, which this terminal leaves empty, is whole above the words below it. There may be an empty
/// line before it.
fn has_whole(rows: usize, screen: &str, words: &str) -> bool {
    let lines: Vec<&str> = screen.lines().collect();
    let below = lines
        .iter()
        .rposition(|line| line.starts_with(words))
        .unwrap_or_else(|| panic!("{words} is not on\n{screen}"));
    let empty = lines[..below].iter().rev().take_while(|line| line.trim().is_empty()).count();
    empty == rows || empty == rows + 1
}

/// A page of the walkthrough is divided before a picture or after it, never inside.
#[test]
fn a_page_of_the_walkthrough_has_a_picture_whole() {
    let state = State::new();
    std::fs::write(state.path().join("lesson.md"), LESSON).expect("it is written");
    let start = terminal(&state, "\x1b[?62;4c").answering(KITTY, "\x1b_Gi=31;OK\x1b\\").cell(8, 16).rows(24);
    let mut attn = start.attn(&["learn", "lesson.md"]);
    attn.settles("A curve after many lines");
    attn.then("\r", "more lines");
    assert!(!attn.wrote().contains("\x1b_Ga=T"), "the picture is below");
    attn.then("\r", "more lines");
    assert!(!attn.wrote().contains("\x1b_Ga=T") && attn.screen().contains("number 29"), "{}", attn.screen());
    let screen = attn.on("\r", "Loss");
    assert!(attn.wrote().contains("\x1b[19A\x1b7\x1b_Ga=T"));
    assert!(has_whole(19, &screen, "Loss"), "{screen}");
    assert!(screen.trim_end().ends_with("q quit"), "{screen}");
    // In a smaller window it is drawn again, smaller; the lines before it are pages.
    attn.resize(60, 14);
    attn.hears("more lines");
    for _ in 0..12 {
        if attn.wrote().contains("\x1b[9A\x1b7\x1b_Ga=T") {
            break;
        }
        attn.then("\r", "Enter");
    }
    attn.settles("Loss");
    assert!(has_whole(9, &attn.screen(), "Loss"), "{}", attn.screen());
    assert_eq!(attn.quits(), 0);
}
