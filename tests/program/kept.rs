//! A session's process dies, and its keeper goes on: at a prompt, in a cell, in an exercise, at a stop, on a long page.
//! `ATTN_DEATHS` says how often each is tried.

use std::fs;
use std::process::Command;
use std::thread;
use std::time::Duration;

use crate::terminal::{Start, State, Terminal};
use crate::walk::has_footer;

const SIGNALS: [&str; 3] = ["KILL", "SEGV", "ABRT"];

/// The signals to try, each as often as it is asked for.
fn signals() -> impl Iterator<Item = &'static str> {
    let times = std::env::var("ATTN_DEATHS").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    (0..times).flat_map(|_| SIGNALS)
}

/// Sends a signal to the process in which the cells run.
fn kill(attn: &Terminal, signal: &str) {
    let keeper = attn.process();
    let children = fs::read_dir(format!("/proc/{keeper}/task")).expect("it runs").flat_map(|thread| {
        let file = thread.expect("a thread").path().join("children");
        fs::read_to_string(file).unwrap_or_default().split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    });
    let children: Vec<String> = children.collect();
    assert_eq!(children.len(), 1, "{children:?}");
    let sent = || Command::new("kill").args(["-s", signal, &children[0]]).status().expect("kill is there");
    assert!(sent().success());
    // Rust's own handler takes the first one, since it expects the faulty instruction to run again.
    while signal == "SEGV" && sent().success() {
        thread::sleep(Duration::from_millis(1));
    }
}

fn cause(signal: &str) -> String {
    match signal {
        "KILL" => "the system ended this session's process".to_owned(),
        signal => format!("this session's process crashed (SIG{signal})"),
    }
}

#[test]
fn the_repl_goes_on_with_what_was_typed() {
    for signal in signals() {
        let state = State::new();
        let mut repl = Start::new(&state).attn(&["repl"]);
        repl.waits_after("attn [1]> ");
        repl.enter("x = [2]");
        repl.waits_after("attn [2]> ");
        repl.enter("grow = lambda: x.append(3)");
        repl.waits_after("attn [3]> ");
        repl.enter("grow()");
        repl.waits_after("attn [4]> ");
        repl.press("sum(x) + 1");
        repl.waits_after("attn [4]> sum(x) + 1");
        kill(&repl, signal);
        repl.shows(&cause(signal));
        repl.waits_after("attn [4]> sum(x) + 1");
        repl.press("\r");
        repl.shows("\n6\n");
        // In a cell: the inputs before it run again, it does not.
        repl.waits_after("attn [5]> ");
        repl.enter("print('be' + 'gun'); x.append(100); any(iter(int, 1))");
        repl.hears("begun");
        kill(&repl, signal);
        repl.shows("in input 5. Nothing");
        repl.waits_after("attn [5]> ");
        repl.enter("x");
        repl.shows("\n[2, 3]\n");
        repl.waits_after("attn [6]> ");
        repl.press("\x04");
        assert_eq!(repl.ends(), 0);
    }
}

/// One call of native code that looks for no signal.
const UNSTOPPABLE: &str = "print('be' + 'gun'); pow(3, 1 << 19999999, 10**6000 + 1)";

#[test]
fn a_call_that_does_not_stop_ends_its_process() {
    for second_press in [true, false] {
        let state = State::new();
        let mut repl = Start::new(&state).attn(&["repl"]);
        repl.waits_after("attn [1]> ");
        repl.enter("x = 41");
        repl.waits_after("attn [2]> ");
        repl.enter(UNSTOPPABLE);
        repl.hears("begun");
        // Nothing on the screen says that the call itself has begun.
        thread::sleep(Duration::from_millis(500));
        repl.press("\x03");
        repl.shows("Ctrl-C again ends it at once, and nothing that you typed is lost.");
        if second_press {
            repl.press("\x03");
        }
        repl.shows("since the cell did not stop, in input 2.");
        repl.waits_after("attn [2]> ");
        repl.enter("x + 1");
        repl.shows("\n42\n");
    }
}

#[test]
fn ctrl_c_leaves_out_what_would_run_again() {
    let state = State::new();
    let mut repl = Start::new(&state).attn(&["repl"]);
    repl.waits_after("attn [1]> ");
    repl.enter("import time; print('sle' + 'pt'); time.sleep(30)");
    repl.hears("slept");
    repl.press("\x03");
    repl.waits_after("attn [2]> ");
    repl.enter("y = 1");
    repl.waits_after("attn [3]> ");
    kill(&repl, "KILL");
    repl.hears("slept");
    repl.press("\x03");
    repl.shows("The other input was not run again.");
    repl.waits_after("attn [2]> ");
    repl.enter("y");
    repl.shows("name 'y' is not defined");
}

#[test]
fn the_walkthrough_goes_on_at_the_same_stop() {
    for signal in signals() {
        let state = State::new();
        let mut attn = Start::new(&state).attn(&["learn", "another-query"]);
        attn.until("an exercise", has_footer);
        let page = attn.screen();
        let title = page
            .lines()
            .find(|line| line.contains("another-query"))
            .expect("the exercise has a title")
            .to_owned();
        kill(&attn, signal);
        attn.shows(&cause(signal));
        attn.until("the same exercise", |screen| has_footer(screen) && screen.contents().contains(&title));
        // In the editor.
        attn.press("e");
        attn.hears("Alt-Enter");
        attn.press("mine = 1");
        attn.shows("mine = 1");
        kill(&attn, signal);
        attn.hears("exercise another-query");
        attn.settles("mine = 1");
        // In the REPL of the walkthrough.
        attn.press("i");
        attn.waits_after("attn [1]> ");
        attn.enter("z = 41");
        attn.waits_after("attn [2]> ");
        kill(&attn, signal);
        attn.hears("it continues there");
        attn.waits_after("attn [2]> ");
        attn.enter("z + 1");
        attn.shows("\n42\n");
        attn.waits_after("attn [3]> ");
        attn.press("\x04");
        attn.settles("Back in the walkthrough");
        attn.press("q");
        assert_eq!(attn.ends(), 0);
    }
}

#[test]
fn a_death_in_the_middle_of_a_long_page() {
    for signal in signals() {
        let state = State::new();
        let mut attn = Start::new(&state).rows(12).attn(&["learn", "inputs"]);
        attn.hears("more");
        kill(&attn, signal);
        attn.shows(&cause(signal));
        attn.hears("step");
        attn.press("q");
        assert_eq!(attn.ends(), 0);
    }
}

/// What asks the program to end ends both processes.
#[test]
fn a_request_to_end_is_no_death() {
    let state = State::new();
    let mut shell = Start::new(&state).with("PS1", "ready> ").with("ENV", "").program("sh", &["-i"]);
    shell.waits_after("ready> ");
    shell.enter(&format!("{} repl; echo ended $?", env!("CARGO_BIN_EXE_attn")));
    shell.waits_after("attn [1]> ");
    let killed = Command::new("pkill").args(["-TERM", "-P", &shell.process().to_string()]).status();
    assert!(killed.expect("pkill is there").success());
    shell.shows("ended 143");
}
