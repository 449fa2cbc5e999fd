//! The walkthrough as a learner meets it: attn in a pseudo-terminal, and as typed words through pipes.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::course::{number, position};
use attn::lesson::exercise::{Prediction, RightAnswer};

use crate::terminal::{Start, State, Terminal};

/// attn with these lines typed into a pipe: what it wrote, what it remarked, the exit code.
pub(crate) fn typed(args: &[&str], lines: &[&str], folder: &State) -> (String, String, i32) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_attn"))
        .args(args)
        .env("COLUMNS", "80")
        .env("ATTN_STATE_DIR", folder.path())
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut text = lines.join("\n");
    text.push('\n');
    // A program that ends before all was typed closes the pipe.
    let _ = child.stdin.take().expect("it was piped").write_all(text.as_bytes());
    let ended = child.wait_with_output().expect("it ends");
    let words = |bytes: Vec<u8>| String::from_utf8(bytes).expect("it writes text");
    (words(ended.stdout), words(ended.stderr), ended.status.code().unwrap_or(-1))
}

/// attn in a terminal with 80 columns.
pub(crate) fn start(args: &[&str], folder: &State, rows: u16) -> Terminal {
    Start::new(folder).rows(rows).inside().attn(args)
}

pub(crate) fn has_footer(screen: &vt100::Screen) -> bool {
    screen.contents().trim_end().ends_with("q quit")
}

#[track_caller]
pub(crate) fn in_order(text: &str, parts: &[&str]) {
    let mut rest = text;
    for part in parts {
        let at = rest
            .find(part)
            .unwrap_or_else(|| panic!("`{part}` is missing, or not after the others:\n{text}"));
        rest = &rest[at + part.len()..];
    }
}

/// First run; a wrong answer and a right one; leaving, and coming back to the same place.
#[test]
fn a_learner_begins_leaves_and_comes_back() {
    let folder = State::new();
    let mut attn = start(&["learn", "inputs"], &folder, 100);
    attn.settles("Welcome");
    let screen = attn.screen();
    in_order(
        &screen,
        &[
            "Welcome",
            "Lesson 1 of ",
            "Simple self-attention",
            &position("inputs"),
            "import torch",
            "Enter run it",
        ],
    );
    assert!(!screen.contains("torch.Size([6, 3])"), "it must not run by itself:\n{screen}");
    in_order(
        &attn.on("\r", "the six words comes out."),
        &["torch.Size([6, 3])", "inputs   float32 (token 6, feature 3)", "Enter on"],
    );
    attn.on("\r", &position("query"));
    attn.on("\r", "Never read such");
    attn.then("\r", "Write what is missing:");
    attn.then("x_i\r", "Not yet. Then each word would be compared with itself");
    attn.on("query\r", "Yes: \"journey\" asks");
    let screen = attn.on("\r", "next steps.");
    in_order(&screen, &["tensor([0.9544, 1.4950", "attn_scores_2   float32 (key 6)", "[1] 1.4950 ="]);
    assert_eq!(attn.quits(), 0);
    let left = format!("Left at step {}, scores", number("scores"));
    assert!(attn.screen().contains(&left), "{}", attn.screen());

    let kept = std::fs::read_to_string(folder.progress()).expect("progress is kept");
    assert!(kept.contains("\"attn.progress/1\""), "{kept}");
    let mut attn = start(&[], &folder, 60);
    attn.hears(&format!("Before this: step {}, scores", number("scores")));
    attn.hears(&position("dot-by-hand"));
    attn.settles("Enter run it");
    let screen = attn.on("p", "next steps.");
    in_order(&screen, &["> x_i", "Not yet.", "> query", "Yes: ", "tensor([0.9544"]);
    assert_eq!(attn.quits(), 0);
}

/// The list knows what was done; reset forgets it; neither asks a script anything.
#[test]
fn progress_is_listed_and_forgotten() {
    let folder = State::new();
    typed(&["learn", "inputs"], &["", "", "", "quit"], &folder);
    let (listed, _, _) = typed(&["list"], &[], &folder);
    let catalogue = crate::course::catalogue();
    let first = catalogue.lessons().next().expect("there are lessons").expect("they can be read");
    let of_its_steps = format!("2 of {} steps", first.steps.len());
    in_order(&listed, &["2 of ", "▸  1  Simple", &of_its_steps, &format!("next: step{}", number("scores"))]);
    let (document, _, _) = typed(&["list", "--json"], &[], &folder);
    in_order(
        &document,
        &[
            "\"done\":2",
            &format!("\"next\":\"step{}\"", number("scores")),
            "\"slug\":\"inputs\"",
            "\"done\":true",
        ],
    );
    let (_, refused, code) = typed(&["reset", "--no-input"], &[], &folder);
    assert_eq!((refused.contains("--yes"), code), (true, 2), "{refused}");
    let (said, _, code) = typed(&["reset", "inputs", "--yes"], &[], &folder);
    assert_eq!(
        (said, code),
        (
            format!(
                "Deleted: the progress in step {}, inputs: Six tokens, three numbers each.\n",
                number("inputs")
            ),
            0
        )
    );
    let of_its_steps = format!("1 of {} steps", first.steps.len());
    assert!(typed(&["list"], &[], &folder).0.contains(&of_its_steps));
    typed(&["reset", "--yes"], &[], &folder);
    assert!(typed(&["list"], &[], &folder).0.contains("0 of "));
}

/// An exercise by typed words: a hint, a wrong try, the right one, and the end of the lesson.
#[test]
fn an_exercise_is_tried_until_it_passes() {
    let folder = State::new();
    let wrong = [
        "write",
        "query_5 = inputs[5]",
        "context_vec_5 = torch.softmax(inputs @ query_5, dim=0) @ inputs",
        ".",
    ];
    let right = [
        "write",
        "query_5 = inputs[4]",
        "context_vec_5 = torch.softmax(inputs @ query_5, dim=0) @ inputs",
        ".",
    ];
    let lines = [&["hint"][..], &wrong, &right, &["", "quit"]].concat();
    let (said, _, code) = typed(&["learn", "another-query"], &lines, &folder);
    assert_eq!(code, 0);
    in_order(
        &said,
        &[
            "Exercise: Let another token ask",
            "Hint 1 of 2.",
            "Not yet: row 5 is \"step\"",
            "Yes: it does what was asked.",
            "\"one\" gives itself 0.1879",
            "the end of this lesson",
            "lines of code",
            "exercises",
            "1 of 1 passed",
            "Next: lesson 2, All tokens at once",
        ],
    );
    let kept = std::fs::read_to_string(folder.progress()).expect("progress is kept");
    in_order(
        &kept,
        &["\"another-query\"", "inputs[5]", "inputs[4]", "\"tries\": 2", "\"passed\": \"query_5 = inputs[4]"],
    );
    let (said, _, _) = typed(&["learn", "another-query"], &["quit"], &folder);
    in_order(&said, &["Yours, which passed:", "query_5 = inputs[4]"]);
}

/// With an editor of their own, learners write in a file; what they wrote is run and kept.
#[test]
fn an_exercise_is_written_in_the_editor_that_is_named() {
    let folder = State::new();
    let answer = folder.path().join("answer.py");
    let code = "query_5 = inputs[4]\ncontext_vec_5 = torch.softmax(inputs @ query_5, dim=0) @ inputs\n";
    std::fs::write(&answer, code).expect("it can be written");
    let editor = format!("cp {}", answer.display());
    let start = Start::new(&folder).rows(70).inside().with("VISUAL", &editor);
    let mut attn = start.attn(&["learn", "another-query"]);
    attn.settles("v write it in your editor");
    attn.on("v", "Yes: it does what was asked.");
    assert_eq!(attn.quits(), 0);
    assert!(
        std::fs::read_to_string(folder.progress()).is_ok_and(|kept| kept.contains("query_5 = inputs[4]"))
    );
}

/// Being stuck never blocks: Enter says what it would do, a second one goes on without the solution, and the lesson is
/// summed up all the same. The solution is there for those who ask, and on coming back the task is alone again.
#[test]
fn what_cannot_be_done_can_be_passed_over() {
    let folder = State::new();
    let (said, _, _) = typed(&["learn", "another-query"], &["", "", "back", "next", "quit"], &folder);
    in_order(
        &said,
        &[
            "Not written yet",
            "Skipped",
            "the end of this lesson",
            "In short",
            "print(context_vec_5)",
            "Not written yet",
        ],
    );
    assert!(!said.contains("A solution:"), "{said}");
    let lines = ["solution", "", "back", "quit"];
    let (said, _, _) = typed(&["learn", "another-query"], &lines, &folder);
    in_order(
        &said,
        &[
            "A solution:",
            "query_5 = inputs[4]",
            "context_vec_5",
            "In short",
            "the end of this lesson",
            "print(",
        ],
    );
    assert_eq!((said.matches("A solution:").count(), said.matches("In short").count()), (1, 1), "{said}");
    let (said, _, _) = typed(&["learn", "scores"], &["skip", "back", "", "next", "quit"], &folder);
    in_order(
        &said,
        &[
            "Write what is missing",
            "tensor([0.9544",
            &position("query"),
            &position("scores"),
            "tensor([0.9544",
        ],
    );
    let (said, _, _) = typed(&["learn", "softmax-overflow"], &["solution", "", "quit"], &folder);
    in_order(&said, &["The answer: nan", "naive:"]);
}

/// The cell edited: it runs on a copy, says so, and the lesson goes on as if nothing had been.
#[test]
fn an_edited_cell_leaves_the_lesson_alone() {
    let folder = State::new();
    let mut attn = start(&["learn", "query"], &folder, 40);
    attn.settles(&position("query"));
    attn.then("e", "query, attn_scores_2");
    // A line more at the end, and an empty one.
    attn.then("\rinputs[1] = 7.; print('mine', inputs[1])\r\r", "mine tensor([7., 7., 7.])");
    attn.settles("own state is as it was");
    let screen = attn.on("\r", "Never read such");
    in_order(&screen, &["(tensor([0.5500, 0.8700, 0.6600])", "query   float32"]);
    assert_eq!(attn.quits(), 0);
}

/// Ctrl-C stops an endless loop, again and again, and the next cell still runs; at a prompt it does nothing.
#[test]
fn ctrl_c_stops_the_cell_and_nothing_else() {
    let folder = State::new();
    let mut attn = start(&["learn", "query"], &folder, 40);
    attn.settles(&position("query"));
    for _ in 0..3 {
        attn.then("e", "keeps the code.");
        attn.hears("query, attn_scores_2");
        attn.then("\rprint('begun')\rwhile True: pass\r\r", "while True");
        // Nothing says from outside that the loop runs: Ctrl-C is pressed until it is heard.
        let stopped = (0..600).any(|_| {
            attn.press_on("\x03");
            let stopped = attn.comes("stopped by Ctrl-C");
            if attn.comes("Stopped, before") {
                // It was heard before the loop began: what was written is there still.
                attn.then("e", "keeps the code.");
                attn.hears("while True");
                attn.press("\x1b\r");
            }
            stopped
        });
        assert!(stopped, "{}", attn.wrote());
        attn.until("the footer", has_footer);
        attn.on("r", "Nothing has run here yet");
    }
    attn.press("\x03");
    let screen = attn.on("\r", "Never read such");
    in_order(&screen, &["query shape: torch.Size([3])"]);
    assert_eq!(attn.quits(), 0);
}

/// A window that changes its size, and a narrow one: nothing is cut off, nothing wraps badly.
#[test]
fn the_page_follows_the_window() {
    let folder = State::new();
    let mut attn = start(&["learn", "scores"], &folder, 50);
    attn.hears("> ");
    attn.on("query\r", "Yes:");
    attn.on("\r", "next steps.");
    // The page is whole when its keys are shown.
    attn.until("the keys", has_footer);
    attn.resize(40, 80);
    let narrow = attn.until("the page at 40 columns", |screen| {
        let text = screen.contents();
        text.contains(&("━".repeat(10) + &"─".repeat(30)))
            && !text.contains(&"─".repeat(41))
            && has_footer(screen)
    });
    assert!(narrow.lines().all(|line| line.chars().count() <= 40), "{narrow}");
    in_order(&narrow, &["> query", "Yes:", "1.4950"]);
    assert_eq!(attn.quits(), 0);
}

/// A page longer than the screen is shown in parts, and only where there is a screen.
#[test]
fn long_pages_come_in_parts() {
    let folder = State::new();
    let mut attn = start(&["learn", "inputs"], &folder, 50);
    attn.hears("more lines");
    assert!(!attn.screen().contains("print(inputs)"), "{}", attn.screen());
    attn.on(" ", "print(inputs)");
    assert_eq!(attn.quits(), 0);
    let (said, _, _) = typed(&["learn", "inputs"], &["quit"], &folder);
    assert!(!said.contains("more lines"));
}

/// A number is chosen with the arrow keys, and where it comes from is worked out.
#[test]
fn a_number_in_a_table_says_where_it_comes_from() {
    let folder = State::new();
    let mut attn = start(&["learn", "scores"], &folder, 60);
    attn.hears("> ");
    attn.on("skip\r", "next steps.");
    attn.then("w", "Esc done");
    attn.hears("= 1.4754");
    attn.then("\x1b[C", "[0.8434]");
    attn.hears("Esc done");
    attn.on("\x1b", "0.22·0.55 + 0.58·0.87");
    assert_eq!(attn.quits(), 0);

    // On a small screen: rows that are not shown are counted, a typed part names its own last element, and after another
    // width nothing of the old one is left.
    let mut attn = start(&["learn", "scores-matmul"], &folder, 16);
    attn.hears("Space all of them");
    attn.press(" ");
    attn.waits_after("> ");
    attn.then("skip\r", "Space all of them");
    attn.then(" ", "? more");
    attn.then("w", "Esc done");
    attn.hears("more rows");
    attn.then("attn_scores[0]\r", "up to attn_scores[0,5]");
    attn.resize(60, 16);
    attn.until("the picker at 60 columns", |screen| screen.contents().matches("arrows choose").count() == 1);
    attn.resize(40, 16);
    attn.until("the picker at 40 columns", |screen| {
        let text = screen.contents();
        text.matches("arrows choose").count() == 1 && text.lines().all(|line| line.chars().count() <= 40)
    });
    attn.then("\x1b", "Space all");
    assert_eq!(attn.quits(), 0);
}

/// A damaged file, and one of a newer attn, are kept beside and reported; nothing is overwritten in silence.
#[test]
fn a_file_that_cannot_be_used_is_kept() {
    for (text, kept) in
        [("{\"schema\": \"attn.pro", "damaged"), ("{\"schema\": \"attn.progress/9\"}", "newer")]
    {
        let folder = State::new();
        std::fs::write(folder.progress(), text).expect("a file for the test");
        let (listed, remark, code) = typed(&["list", "--lessons"], &[], &folder);
        assert!(listed.contains("0 of ") && remark.contains("left as it is") && code == 0, "{remark}");
        assert_eq!(std::fs::read_to_string(folder.progress()).ok().as_deref(), Some(text));
        let (_, remark, code) = typed(&["learn"], &["", "quit"], &folder);
        assert!(remark.contains(&format!("progress.{kept}.json")) && code == 0, "{remark}");
        let aside = folder.path().join(format!("progress.{kept}.json"));
        assert_eq!(std::fs::read_to_string(aside).ok().as_deref(), Some(text));
        assert!(std::fs::read_to_string(folder.progress()).is_ok_and(|text| text.contains("\"inputs\"")));
    }
}

/// Two at once, both saving: nothing of either is lost.
#[test]
fn two_at_once_lose_nothing() {
    let folder = State::new();
    let walk = |from: &'static str| {
        let path = folder.path().to_owned();
        std::thread::spawn(move || {
            let mut lines = vec![""; 12];
            lines.push("quit");
            let mut child = Command::new(env!("CARGO_BIN_EXE_attn"))
                .args(["learn", from])
                .env("ATTN_STATE_DIR", path)
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .spawn()
                .expect("the program starts");
            let text = lines.join("\n") + "\n";
            child.stdin.take().expect("it was piped").write_all(text.as_bytes()).expect("it reads");
            assert!(child.wait().is_ok_and(|status| status.success()));
        })
    };
    let both = [walk("inputs"), walk("query-2")];
    both.into_iter().for_each(|one| one.join().expect("it walks"));
    let kept = std::fs::read_to_string(folder.progress()).expect("progress is kept");
    for slug in ["inputs", "query", "scores", "query-2", "keys-values"] {
        assert!(kept.contains(&format!("\"{slug}\"")), "{slug}:\n{kept}");
    }
}

/// A state folder that cannot be written to is said once, and the walk goes on.
#[test]
fn without_a_state_folder_it_goes_on() {
    let folder = State::new();
    let file = folder.path().join("file");
    std::fs::write(&file, "in the way").expect("a file for the test");
    let mut child = Command::new(env!("CARGO_BIN_EXE_attn"))
        .args(["learn", "inputs", "--plain"])
        .env("ATTN_STATE_DIR", file.join("state"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    child.stdin.take().expect("it was piped").write_all(b"\n\n\nquit\n").expect("it reads");
    let ended = child.wait_with_output().expect("it ends");
    let (said, remark) = (String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
    assert_eq!((remark.matches("cannot be kept").count(), ended.status.code()), (1, Some(0)), "{remark}");
    in_order(&said, &["torch.Size([6, 3])", "query shape"]);
}

/// Plain: no escape codes, nothing redrawn, the same words; also on a terminal that cannot do more.
#[test]
fn plain_and_dumb_terminals_take_words() {
    let folder = State::new();
    let (said, _, _) =
        typed(&["learn", "inputs", "--plain"], &["help", "", "why inputs[0,0]", "lsit", "quit"], &folder);
    assert!(!said.contains('\x1b') && !said.contains('│'), "{said}");
    in_order(
        &said,
        &[
            &format!("step {}, inputs (1 of ", number("inputs")),
            "q, quit, exit: Leave",
            "At other places also: p back",
            "torch.Size([6, 3])",
            "inputs[0,0]",
            "The nearest: list",
        ],
    );
    let mut attn = Start::new(&folder).rows(120).inside().with("TERM", "dumb").attn(&["learn"]);
    attn.hears("what else can be typed");
    attn.then("quit\r", "Left at");
    assert_eq!(attn.ends(), 0);
}

/// What was done can be written down: a page with the answers, a lesson as a notebook that runs as it is.
#[test]
fn answers_and_outputs_are_exported() {
    let folder = State::new();
    typed(&["learn", "softmax-naive"], &["b", "a", "", "quit"], &folder);
    let catalogue = crate::course::catalogue();
    let steps = catalogue.steps().expect("the lessons can be read");
    // The questions of asides that were left out are not counted, nor those about earlier steps, nor answers that nobody
    // judges.
    let counted = steps.iter().filter(|step| !step.title.starts_with("Aside:"));
    let judged = |asked: &&Prediction| {
        asked.review.is_none() && !matches!(asked.answer, RightAnswer::Code(_) | RightAnswer::Open(_))
    };
    let asked: usize = counted.map(|step| step.predictions.iter().filter(judged).count()).sum();
    let predictions = format!("- predictions: 0 of {asked} right at the first try, 1 on a later try");
    let (page, _, code) = typed(&["export"], &[], &folder);
    assert_eq!(code, 0);
    in_order(
        &page,
        &[
            "# Chapter 3, Attention",
            &predictions,
            "## Lesson 1: Simple self-attention",
            "| 10 is added to each of the six scores.",
            "they all come nearer to 1/6, then nothing ✓ |",
            "`attn_weights_2_naive` float32 (key 6)",
            "| 0.1385 | 0.2379 |",
            "## Lesson 2: All tokens at once",
            "*Not begun.*",
        ],
    );
    let (step, _, _) = typed(&["export", "softmax-naive"], &[], &folder);
    in_order(
        &step,
        &[
            "> **Before it runs:**",
            "> - they all come nearer to 1/6: not yet",
            "nothing: yes",
            "```python",
            "```text",
        ],
    );

    let (said, _, _) = typed(&["export", "3.3.1", "-o", "lesson.ipynb"], &[], &folder);
    assert_eq!(said, "Written: lesson.ipynb\n");
    let (_, refused, code) = typed(&["export", "3.3.1", "-o", "lesson.ipynb"], &[], &folder);
    assert_eq!((refused.contains("--force"), code), (true, 2), "{refused}");
    let text = std::fs::read_to_string(folder.path().join("lesson.ipynb")).expect("it was written");
    let notebook: serde_json::Value = serde_json::from_str(&text).expect("a notebook is JSON");
    assert_eq!((&notebook["nbformat"], &notebook["nbformat_minor"]), (&4.into(), &5.into()));
    let mut ids = std::collections::HashSet::new();
    for cell in notebook["cells"].as_array().expect("it has cells") {
        let id = cell["id"].as_str().expect("a cell has an id");
        assert!((1..=64).contains(&id.len()) && ids.insert(id), "{id}");
        assert!(id.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_".contains(letter)), "{id}");
        assert!(cell["metadata"].is_object() && cell["source"].is_array(), "{cell}");
        let is_code = cell["cell_type"] == "code";
        assert_eq!((cell["outputs"].is_array(), cell.get("execution_count").is_some()), (is_code, is_code));
    }
    let (checked, _, code) = typed(&["check", "lesson.ipynb"], &[], &folder);
    assert!(code == 0 && checked.contains("as recorded"), "{checked}");
}

/// Asked to end, it leaves the terminal as it found it.
#[test]
fn a_terminal_is_left_as_it_was_found() {
    let folder = State::new();
    let settings = |attn: &Terminal| {
        let path = format!("/proc/{}/fd/0", attn.process());
        let read = Command::new("stty").arg("-a").stdin(std::fs::File::open(path).ok()?).output().ok()?;
        Some(String::from_utf8_lossy(&read.stdout).into_owned())
    };
    let commands: [(&[&str], &str, &str); 3] = [
        (&["learn", "1"], "q quit", "-TERM"),
        (&["repl"], "attn [1]> ", "-TERM"),
        (&["repl"], "attn [1]> ", "-HUP"),
    ];
    for (command, awaits, signal) in commands {
        let mut attn = start(command, &folder, 120);
        attn.hears(awaits);
        let Some(raw) = settings(&attn).filter(|it| !it.is_empty()) else { return };
        assert!(raw.contains("-icanon"), "{raw}");
        let tty = std::fs::read_link(format!("/proc/{}/fd/0", attn.process())).expect("it has a terminal");
        let sent = Command::new("kill").args([signal, &attn.process().to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()), "a signal can be sent");
        attn.ends();
        if let Ok(tty) = std::fs::File::open(tty) {
            let read = Command::new("stty").arg("-a").stdin(tty).output().expect("stty runs");
            let after = String::from_utf8_lossy(&read.stdout).into_owned();
            assert!(after.contains(" icanon") && after.contains(" echo "), "{after}");
        }
    }
}

/// The first screen of someone new: a guess, the model's words and where it looked, one word changed. It is not shown again.
#[test]
fn a_new_learner_sees_what_attention_does_before_the_first_lesson() {
    let folder = State::new();
    let mut attn = start(&["learn"], &folder, 24);
    attn.hears("Which word comes next?");
    attn.then("Reeds\r", "Enter changes one word");
    in_order(
        &attn.screen(),
        &["\"reeds\" is", "reeds", "%", "Where the last word looked", "▓▓river▓▓", "Enter changes one word"],
    );
    attn.then("\r", "Enter begins.");
    in_order(&attn.screen(), &["the money was cold", "%", "▓▓money▓▓", "from an empty page"]);
    attn.then("the rivr\r", "the model does not know the word \"rivr\"");
    attn.then_screen("\r", "Welcome", "more lines");
    attn.then(" ", "Enter run it");
    assert_eq!(attn.quits(), 0);
    let attn = start(&["learn"], &folder, 24);
    attn.hears("Simple self-attention");
    assert!(!attn.screen().contains("Which word comes next?"), "{}", attn.screen());
}

/// A line to write is judged by what the cell computes with it, however it is written.
#[test]
fn a_line_to_write_is_judged_by_what_it_computes() {
    let state = State::new();
    let lines = [
        "d_k",                                                                          // a known mistake
        "keys.shape[0] ** (1/2)",                                                       // the same as one
        "d_k *",                                                                        // no Python
        "17.0",                                                                         // another result
        "nothing",                                                                      // an error
        "2**0.5",                                                                       // no names
        "attn_weights_2 = torch.softmax(attn_scores_2 / query_2.numel()**0.5, dim=-1)", // the whole line
        "",
        "quit",
    ];
    let (out, _, code) = typed(&["learn", "scaled-weights"], &lines, &state);
    assert_eq!(code, 0, "{out}");
    let all = out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(all.contains("attn_scores_2 / ____, dim=-1"), "{out}");
    for said in [
        "Not yet. That is the width of a key.",
        "Not yet. That is the root of 6",
        "something is missing after `*`",
        "Not yet. It runs, but the result differs:",
        "Not yet. With this the code stops: NameError",
        "Not yet. That is right for these numbers only.",
        "Yes. The square root of 2",
        "0.2264",
    ] {
        assert!(all.contains(said), "{said}: {out}");
    }
    let after = out.split("Yes. The square root").nth(1).expect("it was right");
    assert!(!after.contains("____"), "{after}");
}

/// A name that has the result already is no way to compute it, names of asides before the step are there, and a weight that is
/// nearly 0 is not 0.
#[test]
fn a_line_to_write_is_computed_from_what_is_on_the_screen() {
    let state = State::new();
    let lines = ["looped", ".sum()", "inputs @ inputs.T", "", "quit"];
    let (out, _, _) = typed(&["learn", "scores-matmul"], &lines, &state);
    in_order(
        &out,
        &["`looped` has this result already.", "the name before `.sum()` is missing", "Yes: (6, 3) @ (3, 6)"],
    );
    let (out, _, _) =
        typed(&["learn", "wrong-axis"], &["k", "", "n", "wrong_weights @ inputs", "quit"], &state);
    assert!(
        out.contains("Not yet. It runs, but the result differs") || out.contains("swaps who asks"),
        "{out}"
    );
    let (out, _, _) = typed(&["learn", "masked-scores"], &["-100", "-1e9", "quit"], &state);
    in_order(&out, &["small, but not 0", "Yes. exp(-inf) is 0"]);
}

/// The REPL at the end of a lesson has what the learner wrote in its last exercise, also if it was pasted further to the right.
#[test]
fn what_was_written_is_there_at_the_end() {
    let written = [
        "e",
        "    def row_softmax(scores):",
        "        e = torch.exp(scores - scores.amax(dim=-1, keepdim=True))",
        "        return e / e.sum(dim=-1, keepdim=True)",
        "",
        "    print(row_softmax(attn_scores))",
        ".",
    ];
    let then = ["", "i", "row_softmax(attn_scores)[0]", "exit", "quit"];
    let (out, _, _) = typed(&["learn", "own-softmax"], &[&written[..], &then[..]].concat(), &State::new());
    assert!(!out.contains("NameError"), "{out}");
    in_order(&out, &["Still open, each in its step", "> i", "tensor([0.2098, 0.2006"]);
}

/// In the steps after an exercise that was solved, the keys ask about the step's own cell.
#[test]
fn after_an_exercise_the_keys_ask_about_the_step() {
    let written = [
        "e",
        "with torch.no_grad():",
        "    for one, other in zip((sa_v1.W_query, sa_v1.W_key, sa_v1.W_value), (same_seed.W_query, same_seed.W_key, same_seed.W_value)):",
        "        one.copy_(other.weight.T)",
        "",
        "print(torch.allclose(sa_v1(inputs), same_seed(inputs)))",
        ".",
    ];
    let then = ["", "", "t", "quit"];
    let (out, _, _) = typed(&["learn", "carry-weights"], &[&written[..], &then[..]].concat(), &State::new());
    in_order(&out, &["> t", "attn_scores = queries @ keys.T"]);
    assert!(!out.contains("This cell runs no operation"), "{out}");
}

/// Questions about earlier lessons come before the text of a lesson, and a tensor that has a table is folded.
#[test]
fn reviews_come_first_and_output_is_shown_once() {
    let state = State::new();
    let lines = ["k", "k", "", "o", "quit"];
    let (out, _, _) = typed(&["learn", "2"], &lines, &State::new());
    assert!(!out.contains("Do you remember?"), "what nobody has seen is not asked:\n{out}");
    for step in ["scores", "context"] {
        typed(&["learn", step], &["k", "", "quit"], &state);
    }
    let (out, _, _) = typed(&["learn", "2"], &lines, &state);
    let at = |words: &str| out.find(words).unwrap_or_else(|| panic!("{words}: {out}"));
    assert!(at("Before lesson 2, ") < at("Do you remember?"));
    assert!(out.rfind("Do you remember?") < Some(at("Lesson 2 of ")));
    assert!(out.rfind("Do you remember?") < Some(at("So far one token asked")));
    assert!(!out[..at("query \\ key")].contains("tensor([[0.9995"), "{out}");
    assert!(at("query \\ key") < at("tensor([[0.9995"), "{out}");
}

/// An answer that the lesson lists is an answer, though it begins with the word of a key.
#[test]
fn an_answer_may_begin_with_the_word_of_a_key() {
    let state = State::new();
    typed(&["learn", "gpt2-fused"], &["skip", "quit"], &state);
    let (out, _, _) = typed(&["learn", "always-true"], &["output", "quit"], &state);
    assert!(out.contains("Not yet. The result is what it is for."), "{out}");
}

/// Ctrl-C in the editor runs nothing and loses nothing, also of what was never run.
#[test]
fn an_editor_that_is_left_keeps_what_was_written() {
    let folder = State::new();
    let mut attn = start(&["learn", "another-query"], &folder, 40);
    attn.hears("s solution");
    // A key that is hit by mistake takes nothing away.
    attn.then("s", "again shows a solution");
    // What is typed before the editor is drawn is not meant for it.
    attn.then("e", " 7 print(context_vec_5)");
    attn.then("own = 1", "own = 1");
    attn.then("\u{3}", "continues with what you wrote");
    assert_eq!(attn.quits(), 0);
    let attn = start(&["learn", "another-query"], &folder, 40);
    attn.hears("Yours so far");
    assert!(attn.screen().contains("own = 1"), "{}", attn.screen());
}

/// Undo ends at the code that the editor began with, an empty page is not kept, and joined lines have nothing between them.
#[test]
fn the_editor_keeps_what_it_began_with() {
    let folder = State::new();
    let mut attn = start(&["learn", "query"], &folder, 40);
    attn.settles("Enter run it");
    attn.then("e", " 6 query, attn_scores_2");
    attn.press("\x1f\x1f\x1f");
    attn.then("\rprint('own')\rx = 1", " 8 x = 1");
    // Up to the end of the line above, and what follows is taken to it.
    attn.press("\x10\x05;\x0b\x1b\r");
    attn.settles("own state is as it was");
    in_order(&attn.screen(), &["own"]);
    assert!(!attn.screen().contains("Error"), "{}", attn.screen());
    assert_eq!(attn.quits(), 0);
}

/// A line that was left out is asked for again where the learner goes for it, and going back says where they were.
#[test]
fn what_was_left_out_is_asked_again_where_the_learner_goes_for_it() {
    let folder = State::new();
    let lines = ["skip", "", "next", "list scores-matmul", "inputs @ inputs.T", "", "quit"];
    let (said, _, _) = typed(&["learn", "scores-matmul"], &lines, &folder);
    in_order(
        &said,
        &[
            "Write what is missing",
            "0.9995",
            &position("scores-agree"),
            &position("scores-matmul"),
            "Write what is missing",
            "You were at step",
            "Yes",
            "0.9995",
        ],
    );
}

/// Of code that is longer than the screen, the lines around the cursor are there, and all of it runs.
#[test]
fn the_editor_goes_through_code_that_is_longer_than_the_screen() {
    let folder = State::new();
    let mut attn = start(&["learn", "query"], &folder, 40);
    attn.settles("Enter run it");
    attn.then("e", " 6 query, attn_scores_2");
    let lines: String = (1..=50).map(|at| format!("\rx_{at} = {at}")).collect();
    attn.then(&lines, "x_50 = 50");
    attn.then("\rprint('own', x_50, x_5)", "of 57");
    attn.then(&"\x1b[A".repeat(46), "11 x_5 = 5");
    attn.then("5", "x_5 = 55");
    attn.press("\x1b\r");
    attn.settles("own state is as it was");
    in_order(&attn.screen(), &["own 50 55"]);
    assert_eq!(attn.quits(), 0);
}

/// The end of a lesson counts no question that was held back, since its step was not seen.
#[test]
fn what_was_never_asked_is_not_counted() {
    let state = State::new();
    typed(&["learn", "2"], &["", "quit"], &state);
    let (out, _, _) = typed(&["learn", "own-softmax"], &["skip", "quit"], &state);
    let end = out.split("the end of this lesson").nth(1).unwrap_or_else(|| panic!("{out}"));
    assert!(end.contains("predictions") && !end.contains("what does a large score say"), "{end}");
}

/// A file is run as the code of an exercise each time it is saved.
#[test]
fn a_watched_file_is_judged() {
    let state = State::new();
    std::fs::write(
        state.path().join("mine.py"),
        "query_5 = inputs[4]\nx = torch.softmax(inputs @ query_5, dim=0)\n\
        context_vec_5 = x @ inputs\nprint(context_vec_5)\n",
    )
    .expect("it can be written");
    let (out, _, code) = typed(&["learn", "another-query", "--watch", "mine.py"], &[], &state);
    assert!(out.contains("it does what was asked") && code == 0, "{out}");
}

/// An answer in other words is asked about, and judged only after a yes; in a pipe nothing is asked back.
#[test]
fn an_answer_in_other_words_is_asked_about() {
    let folder = State::new();
    let mut attn = start(&["learn", "zero-is-not-nothing"], &folder, 60);
    attn.hears("> ");
    attn.then("5/6\r", "Do you mean c) about 0.8? Enter for yes, or a, b or c.");
    attn.then("\r", "Yes. exp(0) is 1");
    assert_eq!(attn.quits(), 0);

    let mut attn = start(&["learn", "same-seed"], &folder, 60);
    attn.hears("> ");
    attn.then("no\r", "Say b or c.");
    attn.then("something odd\r", "say a, b or c.");
    in_order(&attn.screen(), &["something odd", "a) yes, a seed fixes the random numbers"]);
    attn.then("b\r", "Yes. The seed and the draws");
    assert_eq!(attn.quits(), 0);

    let (said, _, _) = typed(&["learn", "zero-is-not-nothing"], &["5/6", "odd", "quit"], &State::new());
    in_order(&said, &["No choice has this number: say a, b or c.", "attn does not know these words"]);
    assert!(!said.contains("Do you mean"), "{said}");
}

/// Esc and `q` end a long listing and nothing else.
#[test]
fn a_listing_ends_at_once() {
    let folder = State::new();
    let mut attn = start(&["learn", "dot-by-hand"], &folder, 16);
    attn.hears("Space all of them");
    attn.on(" ", "print(torch.dot");
    attn.on("\r", "third feature.");
    for key in ["\x1b", "q"] {
        attn.then("t", "Esc no more");
        attn.on(key, "Enter on");
    }
    assert_eq!(attn.quits(), 0);
}

/// Pasted lines are numbered at once.
#[test]
fn pasted_lines_have_numbers() {
    let folder = State::new();
    let mut attn = start(&["learn", "query"], &folder, 40);
    attn.settles("Enter run it");
    attn.then("e", " 6 query, attn_scores_2");
    attn.then("\x1b[200~\r\rfor at in range(2):\r    print('own', at)\x1b[201~", " 9     print('own', at)");
    attn.then("\x1b\r", "own state is as it was");
    in_order(&attn.screen(), &["own 0", "own 1"]);
    assert_eq!(attn.quits(), 0);
}
