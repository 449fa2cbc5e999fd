//! The REPL as a program: sessions in a terminal, whose screen is compared or searched, and inputs through a pipe.

use std::io::Write;
use std::process::{Command, Stdio};

use attn::app::repl::commands::COMMANDS;

use super::terminal::{Start, State, Terminal};

/// The step in whose state the examples of commands work.
const EXAMPLE_STEP: &str = "two-kinds-of-weight";

const CTRL_C: &str = "\x03";
const CTRL_D: &str = "\x04";
const CTRL_R: &str = "\x12";
const CTRL_Z: &str = "\x1a";
const UP: &str = "\x1b[A";

/// The REPL in the state of the examples, at its first prompt.
fn started(state: &State) -> Terminal {
    let repl = Start::new(state).attn(&["repl", EXAMPLE_STEP]);
    repl.waits_after("attn [1]> ");
    repl
}

#[test]
fn a_session() {
    let state = State::new();
    let mut repl = started(&state);
    let greeting = repl.shows(":help");
    assert!(greeting.starts_with("State after step"), "{greeting}");
    assert!(greeting.contains(EXAMPLE_STEP), "{greeting}");
    repl.enter("scores = keys @ keys.T");
    repl.waits_after("attn [2]> ");
    repl.shows("scores: float32 (6, 6)");
    repl.enter("scors.shape");
    repl.waits_after("attn [3]> ");
    repl.shows("NameError: name 'scors' is not defined");
    repl.shows("scores");
    repl.enter(":shape keys @ keys.T");
    repl.shows("keys @ keys.T : (6,2) @ (2,6) -> (6,6)");
    repl.waits_after("attn [3]> ");
    repl.enter("6 * 7");
    repl.waits_after("attn [4]> ");
    repl.shows("\n42\n");
    repl.press(CTRL_D);
    assert_eq!(repl.ends(), 0);
}

#[test]
fn several_lines_are_one_input_and_can_be_gone_back_to() {
    let state = State::new();
    let mut repl = Start::new(&state).attn(&["repl"]);
    repl.waits_after("attn [1]> ");
    repl.enter("for i in range(2):");
    repl.waits_after("    ...>     ");
    repl.enter("print('a', i)");
    repl.waits_after("    ...>     ");
    // Up to the line above, where `a` becomes `b`, and down again; the empty last line submits.
    repl.press(&format!(
        "{UP}\x1b[H\x1b[C\x1b[C\x1b[C\x1b[C\x1b[C\x1b[C\x1b[C\x1b[C\x1b[C\x1b[C\x1b[C\x1b[C"
    ));
    repl.waits_after("    print('a");
    repl.press("\x7fb\x1b[B");
    repl.shows("print('b', i)");
    repl.enter("");
    repl.waits_after("attn [2]> ");
    let screen = repl.shows("b 1");
    assert!(screen.contains("attn [1]> for i in range(2):\n     ...>     print('b', i)\n"), "{screen}");
    assert!(screen.contains("\nb 0\nb 1\n"), "{screen}");
    // Pasted code is one input too.
    repl.press("\x1b[200~def double(x):\r\n    return 2 * x\n\x1b[201~");
    repl.shows("attn [2]> def double(x):\n     ...>     return 2 * x\n     ...>");
    repl.enter("");
    repl.waits_after("attn [3]> ");
    repl.enter("double(4)");
    repl.shows("\n8\n");
    repl.waits_after("attn [4]> ");
    // A command ends a timed cell, which otherwise goes on to an empty line.
    repl.enter("%%time");
    repl.waits_after("     ...> ");
    repl.enter("nine = 9");
    repl.waits_after("     ...> ");
    repl.enter(":vars");
    repl.shows("Wall time");
    repl.shows("nine    int 9");
    repl.waits_after("attn [5]> ");
    repl.enter("quit");
    assert_eq!(repl.ends(), 0);
}

#[test]
fn ctrl_c_stops_what_runs_and_nothing_else() {
    let state = State::new();
    let mut repl = Start::new(&state).attn(&["repl"]);
    repl.waits_after("attn [1]> ");
    for number in 1..4 {
        repl.enter(&format!("x = {number}"));
        repl.waits_after(&format!("attn [{}]> ", 2 * number));
        repl.enter(&format!("while True: print('on', {number}, flush=True)"));
        repl.waits_after("...> ");
        repl.enter("");
        repl.shows(&format!("\non {number}\non {number}\n"));
        repl.press(CTRL_C);
        repl.waits_after(&format!("attn [{}]> ", 2 * number + 1));
    }
    repl.press("x = 'dropped'");
    repl.waits_after("'dropped'");
    repl.press(CTRL_C);
    repl.waits_after("attn [7]> ");
    repl.press(CTRL_C);
    repl.until("a third prompt", |screen| screen.contents().matches("attn [7]>").count() == 3);
    repl.enter("x");
    repl.waits_after("attn [8]> ");
    repl.shows("attn [7]> x\n3\n");
    repl.enter(":undo");
    repl.shows("Undone: input 7 (x).");
    repl.enter("def endless():");
    repl.waits_after("...>     ");
    repl.enter("while True: pass");
    repl.waits_after("...>     ");
    repl.enter("");
    repl.waits_after("attn [9]> ");
    repl.enter(":shape endless()");
    repl.until("the line of the command", |screen| {
        screen.contents().ends_with(":shape endless()\n") || screen.cursor_position().1 == 0
    });
    repl.hears_signals();
    repl.press(CTRL_C);
    repl.shows("Stopped. Everything is as it was.");
    repl.waits_after("attn [9]> ");
    repl.enter("x");
    repl.waits_after("attn [10]> ");
    repl.press(CTRL_D);
    assert_eq!(repl.ends(), 0);
}

/// Ctrl-C while `:goto` runs what leads to a step: it stops, says so once, and all is as it was.
#[test]
fn ctrl_c_stops_a_goto() {
    let state = State::new();
    let mut repl = started(&state);
    repl.enter("mine = 7");
    repl.waits_after("attn [2]> ");
    // Before this step two models are trained, which takes seconds.
    repl.enter(":goto first-layer-off");
    repl.until("the line of the command", |screen| {
        screen.contents().ends_with(":goto first-layer-off\n") || screen.cursor_position().1 == 0
    });
    repl.hears_signals();
    repl.press(CTRL_C);
    let screen = repl.shows("Stopped. Everything is as it was.");
    assert!(!screen.contains("raised"), "{screen}");
    repl.waits_after("attn [2]> ");
    repl.enter("mine, 'two_layers' in globals()");
    repl.shows("(7, False)");
    repl.waits_after("attn [3]> ");
    repl.press(CTRL_D);
    assert_eq!(repl.ends(), 0);
}

#[test]
fn what_was_typed_is_there_the_next_time() {
    let state = State::new();
    let mut repl = started(&state);
    for line in ["first = 1", "second = 2", "first = 1"] {
        repl.enter(line);
    }
    repl.waits_after("attn [4]> ");
    repl.press(CTRL_D);
    assert_eq!(repl.ends(), 0);
    let mut repl = started(&state);
    repl.press(UP);
    repl.waits_after("attn [1]> first = 1");
    repl.press(UP);
    repl.waits_after("attn [1]> second = 2");
    // Each input is kept once: there is nothing before it.
    repl.press(UP);
    repl.press("\x1b[F");
    repl.waits_after("attn [1]> second = 2");
    repl.press(CTRL_C);
    repl.waits_after("attn [1]> ");
    repl.press("fir");
    repl.shows("first = 1");
    repl.press("\x1b[C");
    repl.waits_after("attn [1]> first = 1");
    repl.press(CTRL_C);
    repl.waits_after("attn [1]> ");
    repl.press(&format!("{CTRL_R}sec"));
    repl.shows("`sec': second = 2");
    repl.press(CTRL_C);
    repl.waits_after("attn [1]> ");
    repl.press(CTRL_D);
    assert_eq!(repl.ends(), 0);
}

#[test]
fn names_are_completed_and_calls_explained() {
    let state = State::new();
    let mut repl = started(&state);
    repl.press("valu\t");
    repl.shows("value_2");
    repl.waits_after("attn [1]> value");
    repl.press(CTRL_C);
    repl.waits_after("attn [1]> ");
    repl.press("torch.softma\t(");
    repl.waits_after("torch.softmax(");
    repl.shows("torch.softmax(input, dim, dtype=None)");
    repl.press(CTRL_C);
    repl.waits_after("attn [1]> ");
    repl.press("keys.transp\t");
    repl.shows("transpose(dim0, dim1)");
    repl.press(CTRL_C);
    repl.waits_after("attn [1]> ");
    repl.press(":stri\t");
    repl.waits_after(":strides ");
    repl.enter("keys.T");
    repl.shows("012345 012345");
    // Until the prompt is there, the terminal takes Ctrl-D for itself.
    repl.waits_after("attn [1]> ");
    repl.press(CTRL_D);
    assert_eq!(repl.ends(), 0);
}

#[test]
fn narrow_plain_and_without_colours() {
    let state = State::new();
    let mut repl = Start::new(&state).columns(40).attn(&["repl", EXAMPLE_STEP]);
    repl.waits_after("attn [1]> ");
    repl.enter(":table keys");
    repl.waits_after("attn [1]> ");
    repl.shows("journey");
    repl.resize(60, 20);
    repl.enter("very_long_name = torch.softmax(keys @ keys.T, dim=-1)");
    repl.waits_after("attn [2]> ");
    repl.press(CTRL_D);
    assert_eq!(repl.ends(), 0);

    let coloured =
        |text: &str| text.contains("\x1b[1m") || text.contains("\x1b[2m") || text.contains("\x1b[38");
    let mut repl = Start::new(&state).with("NO_COLOR", "1").attn(&["repl"]);
    repl.waits_after("attn [1]> ");
    repl.enter("x = 'a'");
    repl.waits_after("attn [2]> ");
    assert!(!coloured(&repl.wrote()), "{:?}", repl.wrote());
    repl.press(CTRL_D);
    assert_eq!(repl.ends(), 0);

    // Nothing is redrawn where it cannot be, or is not wished.
    for start in [Start::new(&state).with("TERM", "dumb"), Start::new(&state)] {
        let mut repl = start.attn(&["repl", "--plain"]);
        repl.waits_after("attn [1]> ");
        repl.enter("for i in range(2):");
        repl.waits_after("...> ");
        repl.enter("    print(i)");
        repl.waits_after("...> ");
        repl.enter("");
        repl.waits_after("attn [2]> ");
        repl.shows("0\n1\n");
        assert!(!repl.wrote().contains('\x1b'), "{:?}", repl.wrote());
        repl.enter("exit()");
        assert_eq!(repl.ends(), 0);
    }
}

/// `tqdm` draws one line, again and again, and removes it.
#[test]
fn a_progress_bar_moves_and_goes() {
    let state = State::new();
    let mut repl = Start::new(&state).attn(&["repl"]);
    repl.waits_after("attn [1]> ");
    repl.enter("import time; from tqdm import tqdm");
    repl.waits_after("attn [2]> ");
    repl.enter("n = sum(1 for step in tqdm(range(40), desc='steps') if time.sleep(0.05) is None)");
    repl.until("the bar", |screen| screen.contents().contains("/40 ["));
    let screen = repl.waits_after("attn [3]> ");
    assert!(!screen.contains("/40 ["), "{screen}");
    let wrote = repl.wrote();
    let drawn: Vec<&str> = wrote.split('\r').filter(|line| line.starts_with("steps: ")).collect();
    assert!(
        drawn.len() > 3 && drawn.iter().any(|line| line.contains("█     | ") && line.contains("/40 [00:0")),
        "{drawn:?}"
    );
    // A cell that stops leaves no bar behind.
    repl.enter("for step in tqdm(range(9)): time.sleep(0.1); assert step < 3");
    repl.waits_after("...> ");
    repl.enter("");
    let screen = repl.waits_after("attn [4]> ");
    assert!(screen.contains("AssertionError") && !screen.contains("it/s"), "{screen}");
    repl.press(CTRL_D);
    assert_eq!(repl.ends(), 0);
}

#[test]
fn the_terminal_is_left_as_it_was() {
    let state = State::new();
    let mut shell = Start::new(&state).with("PS1", "ready> ").with("ENV", "").program("sh", &["-i"]);
    shell.waits_after("ready> ");
    shell.enter(&format!("{} repl; stty -a", env!("CARGO_BIN_EXE_attn")));
    shell.waits_after("attn [1]> ");
    shell.enter("x = 5");
    shell.waits_after("attn [2]> ");
    shell.press(CTRL_Z);
    shell.waits_after("ready> ");
    shell.enter("fg");
    shell.waits_after("attn [2]> ");
    shell.enter("x * 3");
    shell.shows("\n15\n");
    shell.waits_after("attn [3]> ");
    shell.press(CTRL_D);
    shell.waits_after("ready> ");
    shell.enter("stty -a | grep -o -- '-\\?icanon'; stty -a | grep -o -- '-\\?echo '");
    let screen = shell.until("the settings", |screen| screen.contents().contains("\nicanon\necho"));
    assert!(!screen.contains("\n-icanon"), "{screen}");
    shell.enter("exit");
    assert_eq!(shell.ends(), 0);
}

/// Runs `attn repl ARGS` with these inputs through a pipe. Returns its stdout, stderr and exit code.
fn piped(args: &[&str], inputs: &str) -> (String, String, Option<i32>) {
    let mut repl = Command::new(env!("CARGO_BIN_EXE_attn"))
        .arg("repl")
        .args(args)
        .env("COLUMNS", "80")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("attn starts");
    let mut stdin = repl.stdin.take().expect("stdin is a pipe");
    stdin.write_all(inputs.as_bytes()).expect("the pipe takes the inputs");
    drop(stdin);
    let output = repl.wait_with_output().expect("attn ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr), output.status.code())
}

/// Each example does what it says, and each command has its help.
#[test]
fn the_examples_of_all_commands_work() {
    let folder = tempfile::tempdir().expect("a folder for the files that the examples write");
    let file = folder.path().join("attn-session").display().to_string();
    let inputs = COMMANDS.iter().filter(|command| command.name != "quit").flat_map(|command| {
        [format!(":help :{}", command.name), command.example.replace("attn-session", &file)]
    });
    let (_, stderr, code) = piped(&[EXAMPLE_STEP], &inputs.collect::<Vec<_>>().join("\n"));
    assert_eq!(code, Some(0), "{stderr}");
    assert!(!stderr.contains("raised"), "{stderr}");
}

#[test]
fn inputs_end_where_statements_end() {
    for (inputs, stdout) in [
        ("for i in range(2):\n    print(i)\ny = 1\ny", "0\n1\n1\n"),
        ("for i in range(2):\n    print(i)\n\n    # comment\n    print('b')\ny = 3\ny", "0\nb\n1\nb\n3\n"),
        ("if False:\n    x = 1\nelse:\n    x = 2\nx", "2\n"),
        ("x = [1,\n\n2]\nx", "[1, 2]\n"),
        ("def f():\n    return 4\n\n\nf()", "4\n"),
    ] {
        let (found, stderr, code) = piped(&[], inputs);
        assert_eq!((found.as_str(), code), (stdout, Some(0)), "{inputs}: {stderr}");
    }
}

/// A long list of candidates asks nothing, begins with what is used most, and Ctrl-C leaves the line.
#[test]
fn long_completions_ask_nothing() {
    let state = State::new();
    let mut repl = started(&state);
    repl.press("keys.\t");
    let screen = repl.until("the list", |screen| {
        let text = screen.contents();
        text.contains("shape") && text.contains("transpose") && text.contains(" more")
    });
    assert!(!screen.contains("Display all"), "{screen}");
    repl.waits_after("keys.");
    repl.press("\x03");
    repl.waits_after("attn [1]> ");
    repl.press("print(ke\t");
    repl.until("the names", |screen| screen.contents().contains("print(key"));
    repl.press("\x03");
    repl.enter("print(1 + 1)");
    repl.shows("2");
}
