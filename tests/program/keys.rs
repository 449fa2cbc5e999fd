//! The keys of the walkthrough: what each one leaves, discards and shows.

use crate::terminal::{Start, State};
use crate::walk::{in_order, start, typed};

/// A key in the middle of a long page shows the rest of it, and then does what it always does.
#[test]
fn a_key_in_a_long_page_shows_its_rest() {
    let folder = State::new();
    let mut attn = start(&["learn", "another-query"], &folder, 24);
    attn.settles("h hint");
    attn.then("e", "print(context_vec_5)");
    attn.then("\rfor n in range(60): print('wrong', n)\r\r", "more lines");
    // What a cell printed belongs to the page: no key drops its rest.
    assert!(!attn.screen().contains("no more"), "{}", attn.screen());
    attn.then("g", "Type a word");
    in_order(&attn.screen(), &["wrong 58", "wrong 59", "Type a word"]);
    attn.then("\r", "h hint");
    attn.then("e", "print('wrong', n)");
    attn.then("\x15context_vec_5 = torch.softmax(inputs @ inputs[4], dim=0) @ inputs\r\r", "Yes: it does");
    attn.hears("more lines");
    attn.then(" ", "more lines");
    attn.on(" ", "its weight.");
    attn.then("\r", "the end of this lesson");
    assert_eq!(attn.quits(), 0);
}

/// Enter skips only right after it said so: an attempt or an answer in between is a new beginning.
#[test]
fn what_is_done_in_between_is_not_skipped() {
    let folder = State::new();
    let wrong = ["write", "context_vec_5 = inputs[0]", "."];
    let lines = [&[""][..], &wrong, &["", "quit"]].concat();
    let (said, _, _) = typed(&["learn", "another-query"], &lines, &folder);
    in_order(&said, &["Not written yet", "Not yet:", "Not right yet", "Left at exercise another-query"]);
    let (said, _, _) = typed(&["learn", "scores"], &["", "six of them", "", "quit"], &folder);
    assert_eq!(said.matches("Enter once more").count(), 2, "{said}");
    assert!(!said.contains("tensor(["), "{said}");
}

/// A lesson with two steps, the first of which shows a progress bar and runs until Ctrl-C stops it, if `endless`.
fn with_bars(folder: &State, endless: bool) -> String {
    let after = if endless { "while True: pass" } else { "" };
    let text = format!(
        "---\nid: bars\ntitle: Bars\nsection: \"1\"\ntokens: [one, two]\nsummary: Bars.\nminutes: 1\n---\n\n# Bars\n\n\
         ## First\n\n```{{code-cell}} python\n:name: first\nfrom tqdm import tqdm\nfor step in tqdm(range(3)):\n    print(step)\n    \
         {after}\n```\n\n## Second\n\n```{{code-cell}} python\n:name: second\nprint('the second')\n```\n"
    );
    let course = folder.path().join("course");
    std::fs::create_dir_all(&course).expect("a folder for the test");
    std::fs::write(course.join("01-bars.md"), text).expect("a lesson for the test");
    course.to_str().expect("the path is text").to_owned()
}

/// Keys pressed while a cell runs are neither shown nor kept; a bar that was stopped is not left on the screen; cells that
/// run again for a later one show none.
#[test]
fn keys_pressed_while_a_cell_runs_are_dropped() {
    let folder = State::new();
    let mut attn = start(&["learn", &with_bars(&folder, true), "first"], &folder, 40);
    attn.settles("from tqdm");
    attn.then("\r", "0%|");
    attn.press_on("zzz\r\r\r\x03");
    attn.settles("stopped by Ctrl-C");
    let screen = attn.screen();
    assert!(!screen.contains("zzz") && !screen.contains("0%|"), "{screen}");
    assert!(!screen.contains("the second") && screen.contains("Enter run it"), "{screen}");
    assert_eq!(attn.quits(), 0);
    let folder = State::new();
    let mut attn = start(&["learn", &with_bars(&folder, false), "second"], &folder, 40);
    attn.settles("print('the second')");
    attn.on("\r", "the second");
    assert!(!attn.wrote().contains("%|"), "{}", attn.wrote());
    assert_eq!(attn.quits(), 0);
}

/// On a narrow screen the list of places has the titles.
#[test]
fn the_narrow_list_has_titles() {
    let folder = State::new();
    let mut attn = Start::new(&folder).columns(40).inside().attn(&["learn", "query"]);
    attn.settles("Enter run it");
    attn.then("l", "scores  Scores: one dot product");
    attn.on("\x1b", "Enter run it");
    assert_eq!(attn.quits(), 0);
}

/// On a wide screen the keys are as wide as the text.
#[test]
fn the_footer_is_as_wide_as_the_text() {
    let folder = State::new();
    let mut attn = Start::new(&folder).columns(120).inside().attn(&["learn", "query"]);
    attn.settles("Enter run it");
    let screen = attn.screen();
    let footer = &screen[screen.rfind("Enter run it").expect("it is shown")..];
    assert!(footer.lines().all(|line| line.chars().count() <= 88), "{footer}");
    assert_eq!(attn.quits(), 0);
}

/// A choice needs no run, so nothing runs before the learner asks for it.
#[test]
fn a_choice_is_judged_before_the_cell_runs() {
    let folder = State::new();
    let (said, _, _) = typed(&["learn", "one-layer-or-two"], &["c", "faq", "s", "quit"], &folder);
    assert!(!said.contains("running"), "{said}");
    in_order(
        &said,
        &["Not yet. The causal mask hides", "closed while a question of the lesson waits", "The answer: one"],
    );
}

/// The help tells what to type after a word where lines are typed, not where a key acts at once.
#[test]
fn the_help_fits_how_input_is_read() {
    let folder = State::new();
    let example = "List the steps and go to one: list softmax, list 3";
    let (said, _, _) = typed(&["learn", "inputs"], &["?", "quit"], &folder);
    assert!(said.contains(example), "{said}");
    let mut attn = start(&["learn", "query"], &folder, 60);
    attn.settles("Enter run it");
    let screen = attn.on("?", "Leave; next time attn continues here");
    assert!(screen.contains("List the steps and go to one") && !screen.contains("list softmax"), "{screen}");
    assert_eq!(attn.quits(), 0);
}

/// What was missed in a lesson is asked again at its end; questions that readers ask are answered everywhere.
#[test]
fn questions_are_asked_again_and_answered() {
    let folder = State::new();
    typed(&["learn", "softmax-naive"], &["", "", "quit"], &folder);
    typed(&["learn", "scores"], &["", "", "quit"], &folder);
    let (said, _, _) = typed(&["learn"], &["list the end of From", "quit"], &folder);
    in_order(
        &said,
        &[
            "Not read to the end: lessons 1 to 14; `l` goes there.",
            "exercises open:",
            "`another-query`",
            "`l` goes there.",
            "question due: `m`, or",
            "`attn review` on",
            "`f` answers",
        ],
    );
    let lines =
        ["list the end of Simple", "review", "b", "s", "a", "faq mask", "faq all", "faq zeppelin", "quit"];
    let (said, _, _) = typed(&["learn"], &lines, &folder);
    assert!(!said.contains("✓ Softmax"), "what was seen and answered is not listed:\n{said}");
    in_order(
        &said,
        &[
            "the end of this lesson",
            "· One token asks",
            "– Each embedding",
            "– 10 is added to each of the six scores.",
            "asks again 1 question with choices: what was not right at the first try, or",
            "was skipped.",
            "The others wait in their steps: `l` goes there.",
            "1 question again",
            "Do you remember?",
            "Not yet.",
            "The answer:",
            "1 question, 0 right at the first try.",
            "Should the mask come before or after softmax?",
            "see also: faq ",
            "1. Why view and then transpose?",
            "no question fits these words",
        ],
    );
    let mut attn = start(&["learn", "query"], &folder, 40);
    attn.settles("Enter run it");
    attn.then("f", "Type words of your question");
    attn.on("mask\r", "see also: faq ");
    assert_eq!(attn.quits(), 0);
}
