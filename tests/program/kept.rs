//! A session's process dies, and its keeper goes on: at a prompt, in a cell, in an exercise, at a stop, on a long page.
//! A native loop without end dies wherever a cell runs: at a prompt and on a page none does.
//! `ATTN_DEATHS` says how often each is tried.

use std::fs;
use std::process::Command;
use std::thread;
use std::time::Duration;

use crate::terminal::{Start, State, Terminal};
use crate::walk::has_footer;

const SIGNALS: [&str; 3] = ["KILL", "SEGV", "ABRT"];

/// How often each death is tried.
fn times() -> usize {
    std::env::var("ATTN_DEATHS").ok().and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// The signals to try, each as often as it is asked for.
fn signals() -> impl Iterator<Item = &'static str> {
    (0..times()).flat_map(|_| SIGNALS)
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

/// Waits until this is said, which is when the call begins, and ends it by Ctrl-C.
fn end(attn: &mut Terminal, said: &str, second_press: bool, place: &str) {
    attn.hears(said);
    // Nothing on the screen says that the call itself has begun.
    thread::sleep(Duration::from_millis(500));
    attn.press("\x03");
    attn.shows("Ctrl-C again ends it at once, and nothing that you typed is lost.");
    if second_press {
        attn.press("\x03");
    }
    attn.shows(&format!("since the cell did not stop, {place}"));
}

#[test]
fn a_call_that_does_not_stop_ends_its_process() {
    for second_press in [true, false].into_iter().cycle().take(2 * times()) {
        let state = State::new();
        let mut repl = Start::new(&state).attn(&["repl"]);
        repl.waits_after("attn [1]> ");
        repl.enter("x = 41");
        repl.waits_after("attn [2]> ");
        repl.enter(UNSTOPPABLE);
        end(&mut repl, "begun", second_press, "in input 2.");
        repl.waits_after("attn [2]> ");
        repl.enter("x + 1");
        repl.shows("\n42\n");
    }
}

#[test]
fn a_call_that_does_not_stop_leaves_the_lesson_where_it_was() {
    for _ in 0..times() {
        let state = State::new();
        // A step's cell with a line of the learner's own.
        let mut attn = Start::new(&state).attn(&["learn", "query"]);
        attn.until("a step", has_footer);
        attn.then("e", "keeps the code.");
        attn.hears("query, attn_scores_2");
        attn.press(&format!("\r{UNSTOPPABLE}\r\r"));
        end(&mut attn, "running ...", true, "at ");
        attn.hears("query");
        attn.until("the same step", has_footer);
        attn.then("e", "keeps the code.");
        attn.hears("pow(3");
        attn.press("\x03");
        attn.until("the step", has_footer);
        assert_eq!(attn.quits(), 0);
        // An exercise.
        let mut attn = Start::new(&state).attn(&["learn", "another-query"]);
        attn.until("an exercise", has_footer);
        attn.then("e", "Alt-Enter");
        attn.hears("print(context_vec_5)");
        attn.press(&format!("\r{UNSTOPPABLE}\x1b\r"));
        end(&mut attn, "running ...", true, "at ");
        attn.until("the same exercise", |screen| {
            has_footer(screen) && screen.contents().contains("Yours so far")
        });
        attn.then("e", "Alt-Enter");
        attn.hears("pow(3");
        attn.press("\x03");
        attn.until("the exercise", has_footer);
        assert_eq!(attn.quits(), 0);
    }
}

/// What no check foresees takes more memory than there is: the session goes on.
#[test]
fn what_needs_more_memory_than_any_ends_its_process() {
    let state = State::new();
    let mut repl = Start::new(&state).attn(&["repl"]);
    repl.waits_after("attn [1]> ");
    repl.enter("x = 41");
    repl.waits_after("attn [2]> ");
    repl.enter("'a'.center(1 << 62)");
    repl.shows("crashed (SIGABRT), in input 2. Nothing");
    repl.waits_after("attn [2]> ");
    repl.enter("x + 1");
    repl.shows("\n42\n");
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
        attn.hears("print(context_vec_5)");
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
        // The page begins again: what is typed before it was meant for the process that died.
        attn.until("the page again", |screen| screen.contents().trim_end().ends_with("Space all of them ──"));
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
