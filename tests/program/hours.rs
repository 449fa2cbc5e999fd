//! What a learner meets who uses attn for hours: places that are named open, numbers are found by their names, and what
//! was done is told.

use crate::course::{catalogue, number, position};
use crate::terminal::{Start, State};
use crate::walk::{has_footer, start, typed};

/// These parts follow each other, wherever lines are broken.
#[track_caller]
fn in_order(text: &str, parts: &[&str]) {
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let parts: Vec<String> = parts.iter().map(|part| flat(part)).collect();
    crate::walk::in_order(&flat(text), &parts.iter().map(String::as_str).collect::<Vec<_>>());
}

/// The place that is named when the learner leaves is the one that opens.
#[test]
fn what_leaving_names_is_what_opens() {
    let folder = State::new();
    // All of the lesson is done, and the learner looks at an earlier step again.
    let all = vec![""; 70];
    typed(&["learn", "3.3.1"], &[&all[..], &["quit"]].concat(), &folder);
    let (said, _, _) = typed(&["learn", "context-matmul"], &["quit"], &folder);
    let next = format!("`attn` continues with step {}, softmax-overflow", number("softmax-overflow"));
    in_order(&said, &[&format!("Left at step {}, context-matmul", number("context-matmul")), &next]);
    let (said, _, _) = typed(&["learn"], &["quit"], &folder);
    in_order(&said, &[&position("softmax-overflow")]);
    // Where nothing is done yet, it opens itself.
    let (said, _, _) = typed(&["learn", "causal-contexts"], &["quit"], &folder);
    in_order(&said, &["Left at step", "causal-contexts", "continues there"]);
    let (said, _, _) = typed(&["learn"], &["quit"], &folder);
    in_order(&said, &[&position("causal-contexts")]);
}

/// The list tells apart, in words, what was finished, skipped, tried and not begun.
#[test]
fn the_list_says_what_was_done_of_a_lesson() {
    let folder = State::new();
    let (open, _, _) = typed(&["list", "3.3.1"], &[], &folder);
    in_order(&open, &["Simple self-attention", "1 exercise", "inputs"]);
    assert!(!open.contains("All tokens at once"), "only this lesson is listed: {open}");
    assert!(!open.contains("finished"));
    let wrong = ["write", "context_vec_5 = inputs[0]", "."];
    typed(&["learn", "another-query"], &[&wrong[..], &["quit"]].concat(), &folder);
    typed(&["learn", "scores"], &["x_i", "quit"], &folder);
    let (listed, _, code) = typed(&["list", "3.3.1"], &[], &folder);
    assert_eq!(code, 0);
    in_order(&listed, &["exercise another-query: not right yet", "questions: ", "not right yet"]);
    typed(&["learn", "scores"], &["query", "", "quit"], &folder);
    typed(&["learn", "softmax-naive"], &["skip", "quit"], &folder);
    typed(&["learn", "another-query"], &["skip", "quit"], &folder);
    let (listed, _, _) = typed(&["list", "3.3.1"], &[], &folder);
    in_order(&listed, &["exercise another-query: not right yet", "questions: 1 finished, 1 skipped"]);
    let (document, _, _) = typed(&["list", "3.3.1", "--json"], &[], &folder);
    in_order(
        &document,
        &[
            "\"exercises\":[\"another-query\"]",
            "\"passed\":[]",
            "\"skipped\":[]",
            "\"tried\":[\"another-query\"]",
        ],
    );
}

/// What an aside that was left out asks is not open: it counts nowhere.
#[test]
fn asides_that_were_left_out_do_not_count() {
    let folder = State::new();
    let (said, _, _) = typed(&["learn", "class-wrapper"], &[&[""; 40][..], &["quit"]].concat(), &folder);
    in_order(
        &said,
        &[
            "An aside, for those who want to know more, is left out here (the same exercise, read differently)",
            "To read it: `l`, then `shared-width`.",
        ],
    );
    let (listed, _, _) = typed(&["list"], &[], &folder);
    let lesson = &listed[listed.find("Many heads, stacked").expect("it is listed")..];
    in_order(
        lesson,
        &["5 steps and 1 aside", "– exercise two-wide: skipped", "– questions: 3 skipped", "3.6.2"],
    );
    in_order(&listed, &["✓ finished – skipped ✗ not right yet · open ▸ you are here", "next: "]);
    let catalogue = catalogue();
    let chapter = catalogue.lessons().flatten().enumerate();
    let chapter = chapter.take_while(|(at, lesson)| *at == 0 || lesson.part.is_none());
    let all = chapter.flat_map(|(_, lesson)| &lesson.steps);
    let counted = all.filter(|step| !step.title.starts_with("Aside:")).count();
    in_order(&listed, &[&format!("of {counted} steps and 0 of 4 asides")]);
    // The same count where a lesson is announced, at its end and in the summary of the chapter; the same states.
    let lines =
        ["list the end of Hiding", "list the end of Many heads, stacked", "list the end of From", "quit"];
    let (said, _, _) = typed(&["learn"], &lines, &folder);
    in_order(
        &said,
        &[
            "Next: lesson 6, Dropout on the weights, 4 steps and 1 aside, about",
            "seen 5 of 5 steps and 0 of 1 aside",
            "predictions 0 of 2 right at the first try, 2 skipped",
            "lines of code 0 of 1 passed, 1 skipped",
            "exercises 0 of 1 passed, 1 skipped",
            "seen, chapter",
            &format!("of {counted} steps and 0 of 4 asides"),
        ],
    );
}

/// The list: typed letters narrow it, Enter goes there.
#[test]
fn a_place_is_found_by_typing_part_of_its_name() {
    let folder = State::new();
    let mut attn = start(&["learn", "inputs"], &folder, 120);
    attn.settles(&position("inputs"));
    attn.then("l", "type to narrow");
    attn.then("wrong-ax", "1 of ");
    attn.then("\r", &position("wrong-axis"));
    attn.waits_after("> ");
    attn.on("skip\r", "column sums:");
    attn.then("l", "type to narrow");
    let screen = attn.then_screen("qqq", "there is no such place", "Esc stay");
    assert!(!screen.contains("Enter go"), "nothing is there to go to:\n{screen}");
    attn.press("\x1b");
    attn.until("the footer", has_footer);
    // The exact name comes before names that begin so, and before rows that have it as a word; it beats this step too.
    attn.then("l", "type to narrow");
    let named = |slug: &str| format!("{:<8}{slug}", format!("step{}", number(slug)));
    let first = format!("go to: softmax_\n> ·  1  {}  ", named("softmax"));
    let screen = attn.then_screen("softmax", &first, "Esc stay");
    let list = &screen[screen.rfind("go to: softmax_").expect("it is shown")..];
    in_order(list, &["softmax-naive", "softmax-overflow", &format!("· 2 {}", named("weights"))]);
    attn.then("\r", &position("softmax"));
    attn.until("the footer", has_footer);
    // What is read on a row can be typed; the marks are those of `attn list`.
    attn.then("l", "type to narrow");
    attn.then("end of Sim", "go to: end of Sim_\n>    1  the end of Simple self-attention");
    attn.hears("✓ finished   – skipped   ✗ not right yet   · open   ▸ you are here");
    attn.then("\r", "the end of this lesson");
    attn.until("the footer", has_footer);
    assert_eq!(attn.quits(), 0);
    // A typed line goes where the keys go.
    let (said, _, _) =
        typed(&["learn", "query"], &["list weights", "list the end of One frame", "", "quit"], &folder);
    in_order(
        &said,
        &[
            &position("weights"),
            "the end of this lesson",
            "?: what else can be typed.",
            "This is the end, and nothing",
        ],
    );
    let last = &said[said.find("the end of this lesson").expect("it is shown")..];
    assert!(!last.contains("Enter: on"), "nothing comes after it:\n{last}");
}

/// Esc leaves a prompt or clears it, and the next key counts; keys that do nothing are not offered.
#[test]
fn escape_leaves_and_swallows_nothing() {
    let folder = State::new();
    let mut attn = start(&["learn", "scores"], &folder, 60);
    attn.waits_after("> ");
    attn.press("77");
    attn.waits_after("> 77");
    attn.press("\x1b");
    attn.waits_after("> ");
    attn.on("query\r", "Yes:");
    attn.on("\r", "next steps.");
    // The examples are of this step: it has no seed and no dim.
    let screen = attn.then_screen("x", "Type one change", "what if: ");
    let words = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("a number: inputs[1,0]=0.9; a word: token journey=one"), "{words}");
    assert!(!words.contains("seed") && !words.contains("dim="), "{words}");
    attn.then("\x1b", "q quit");
    attn.then("g", "Esc or Enter alone goes back.");
    attn.waits_after("word: ");
    attn.then("\x1b", "q quit");
    // The picker offers what does something: the elements of a tensor that was given go no deeper.
    let screen = attn.then_screen("w", "a-z type a name", "Esc done");
    assert!(!screen.contains("Enter where"), "{screen}");
    attn.then("\x1b", "q quit");
    assert_eq!(attn.quits(), 0);
    // After the last hint they begin again.
    let mut attn = start(&["learn", "another-query"], &folder, 60);
    attn.settles("h hint");
    attn.on("h", "Hint 1 of 2.");
    attn.on("h", "That was the last hint (2 of 2); h shows them again.");
    attn.on("h", "Hint 1 of 2.");
    assert_eq!(attn.quits(), 0);
}

/// The editor numbers the lines: what is carried over has no number. Keys never touch the margin.
#[test]
fn the_editor_marks_what_it_carries_over() {
    let folder = State::new();
    let mut attn = Start::new(&folder).columns(40).rows(40).inside().attn(&["learn", "query"]);
    attn.settles(&position("query"));
    attn.then("e", "What has no number before it is the rest");
    attn.hears("of the line above.");
    attn.until("the numbered lines", |screen| {
        let rows: Vec<String> = screen.rows(0, 40).map(|row| row.trim_end().to_owned()).collect();
        let shown = [" 2 attn_scores_2 = torch.empty(inputs.sh", "ape[0])", " 3"].map(str::to_owned);
        rows.windows(3).any(|three| three == shown)
    });
    // A line more is numbered; Backspace at its start joins it to the one above.
    attn.then("\rprint('more')", " 7 print('more')");
    attn.press("\x01\x7f");
    attn.until("the lines joined", |screen| {
        screen.contents().contains(" 6 query, attn_scores_2print('more')")
    });
    attn.press("\r");
    attn.until("the lines apart", |screen| screen.contents().contains(" 7 print('more')"));
    attn.press("\x05\r\r");
    attn.settles("own state is as it was");
    in_order(&attn.screen(), &[" 7 print('more')", "more"]);
    assert_eq!(attn.quits(), 0);
}

/// The picker goes deeper in its own space, and back; it takes names, of tokens too; and it ends with what was seen.
#[test]
fn the_picker_goes_deeper_and_takes_names() {
    for (columns, rows) in [(80, 24), (40, 20)] {
        let folder = State::new();
        let mut attn = Start::new(&folder).columns(columns).rows(150).inside().attn(&["learn", "weights"]);
        attn.hears("> ");
        attn.press("skip\r");
        attn.settles("? more");
        attn.resize(columns, rows);
        attn.hears("Space");
        attn.then(" ", "? more");
        // It begins beside the number that the page has worked out.
        attn.then("w", "attn_weights[1,3]");
        attn.hears("Esc done");
        let screen = attn.then_screen("\r", "2 calculations back", "Esc done");
        assert!(screen.lines().all(|line| line.chars().count() < usize::from(columns)), "{screen}");
        attn.press("\x7f");
        attn.until("one calculation", |screen| !screen.contents().contains("calculations back"));
        attn.press("inputs[journey, 0]");
        attn.until("the name", |screen| screen.contents().contains("why: inputs[journey, 0]"));
        attn.then("\r", "inputs[1,0]");
        attn.hears("= 0.5500");
        attn.press("attn_scores[journey]");
        attn.until("the name", |screen| screen.contents().contains("why: attn_scores[journey]"));
        attn.then("\r", "attn_scores[1,");
        attn.then("nonsense\r", "NameError");
        attn.hears("Esc done");
        attn.press("x");
        attn.until("the letter", |screen| screen.contents().contains("why: x"));
        attn.then("\x1b", "a-z type a name");
        attn.on("\x1b", "attn_scores[1,");
        assert_eq!(attn.quits(), 0);
    }
}

/// Where a step shows pictures only, its tensors can be asked about all the same; nan can be asked for.
#[test]
fn steps_with_pictures_only_can_be_asked() {
    let folder = State::new();
    let mut attn = start(&["learn", "strides"], &folder, 60);
    attn.hears("> ");
    attn.press("skip\r");
    attn.settles("? more");
    attn.then("w", "Esc done");
    attn.on("\x1b", "? more");
    assert_eq!(attn.quits(), 0);
    let (said, _, _) =
        typed(&["learn", "softmax-overflow"], &["skip", "skip", "why softmax_naive(big)", "quit"], &folder);
    in_order(&said, &["nan"]);
}

/// A skipped question is explained where its cell runs; a word that is not in the glossary shows the nearest entry.
#[test]
fn what_was_not_known_is_explained() {
    let folder = State::new();
    let (said, _, _) = typed(&["learn", "softmax-naive"], &["skip", "glossary embeding", "quit"], &folder);
    in_order(
        &said,
        &[
            "The answer: nothing. Each exponential grows by the same factor",
            "Attention weights:",
            "No entry for `embeding`. The nearest is `embedding`.",
            "An embedding is the list of numbers",
        ],
    );
}

/// Tokens are named in the same way everywhere.
#[test]
fn a_token_is_left_out_where_the_learner_is() {
    let catalogue = crate::course::catalogue();
    // Each question is skipped; then, or after Enter, the cell has run. One who was there before finds it run.
    let run = |slug: &str| {
        let steps = catalogue.steps().expect("the lessons can be read");
        let step = steps.iter().find(|step| step.slug == slug).expect("there is such a step");
        vec!["skip"; step.predictions.len()]
            .into_iter()
            .chain(step.predictions.is_empty().then_some(""))
            .collect::<Vec<_>>()
    };
    let after = |step: &str| {
        typed(&["learn", step], &[&run(step)[..], &["what-if drop step", "quit"]].concat(), &State::new()).0
    };
    for step in ["scores", "softmax", "weights", "keys-values", "sa-v1"] {
        let said = after(step);
        in_order(&said, &["what-if drop step", "inputs without \"step\"", "shape"]);
        assert!(!said.contains("no tensor here has a row"), "{step}:\n{said}");
    }
    // Each example of the prompt is a change that can be made there.
    for step in ["weights", "keys-values"] {
        let (said, _, _) =
            typed(&["learn", step], &[&run(step)[..], &["what-if", "", "quit"]].concat(), &State::new());
        let (_, prompt) = said.split_once("Type one change").expect("the prompt");
        let examples: Vec<String> =
            prompt.split('`').skip(1).step_by(2).take(3).map(|text| format!("what-if {text}")).collect();
        for example in &examples {
            let lines = [&run(step)[..], &[example, "quit"]].concat();
            let (said, _, _) = typed(&["learn", step], &lines, &State::new());
            in_order(&said, &[&example.replace('\n', " "), " changed", "most ["]);
        }
    }
    let (said, _, _) = typed(
        &["learn", "weights"],
        &[&run("weights")[..], &["what-if inputs[journey, 0]=0.9", "why journey starts", "quit"]].concat(),
        &State::new(),
    );
    in_order(&said, &["inputs[1, 0]", "0.55", "0.9", "attn_weights[1,2]", "0.2333"]);
}

/// The verdict on an exercise comes before its tables, which have the words; what was overwritten is named.
#[test]
fn the_verdict_comes_first() {
    let folder = State::new();
    let lines = [
        "write",
        "inputs *= 1",
        "query_5 = inputs[4]",
        "attn_weights_5 = torch.softmax(inputs @ query_5, dim=0)",
        "context_vec_5 = attn_weights_5 @ inputs",
        ".",
        "quit",
    ];
    let (said, _, _) = typed(&["learn", "another-query"], &lines, &folder);
    in_order(
        &said,
        &[
            "Yes: it does what was asked.",
            "attn_weights_5   float32 (token 6)",
            "journey",
            "Your code changes `inputs`, `query`, which were there before",
            "\"one\" gives itself",
        ],
    );
    // In place and with a copy: both are dropout.
    let lines = [
        "write",
        "def my_dropout(x, keep, p):",
        "    x[~keep] = 0",
        "    x /= (1 - p)",
        "    return x",
        ".",
        "quit",
    ];
    let (said, _, _) = typed(&["learn", "my-dropout"], &lines, &folder);
    in_order(&said, &["Yes: it does what was asked."]);
    assert!(!said.contains("printed nothing"), "{said}");
    // An exception is explained in the learner's own code and variables. After an attempt, Enter knows of it.
    let lines =
        ["write", "def row_softmax(x):", "    e = torch.exp(x)", "    return e / e.sum(-1)", ".", "", "quit"];
    let (said, _, _) = typed(&["learn", "own-softmax"], &lines, &folder);
    in_order(
        &said,
        &[
            "Not yet. The check called your code with an input of its own, and line 3 stopped there.",
            "should return a table of the same shape",
            "RuntimeError: The size of tensor a (3)",
            "return e / e.sum(-1)",
            "e / e.sum(-1)",
            "(2, 3) / (2,)",
            "You may mean e / e.sum(-1, keepdim=True)",
            "Not right yet: `e` continues with what you wrote",
        ],
    );
    assert!(!said.contains("_s.clone"), "{said}");
    let lines = [
        "write",
        "def merge(x):",
        "    b, heads, tokens, head_dim = x.shape",
        "    return x.transpose(1, 2).view(b, tokens, heads * head_dim)",
        ".",
        "quit",
    ];
    let (said, _, _) = typed(&["learn", "merge-heads"], &lines, &folder);
    in_order(
        &said,
        &[
            "line 3 stopped there. `merge` should also take heads that no transpose has made. On your sample",
            "3 │ return x.transpose(1, 2).view(b, tokens, heads * head_dim)",
            "x.transpose(1, 2) (1,5,3,2) has strides (30,2,10,1)",
            "You may mean x.transpose(1, 2).contiguous().view(1, 5, 6)",
        ],
    );
    assert!(!said.contains("assert") && !said.contains("torch.zeros"), "{said}");
}

/// After a right answer nothing is left to type: keys act one by one again.
#[test]
fn keys_act_again_after_an_answer() {
    let folder = State::new();
    let mut attn = start(&["learn", "scores"], &folder, 80);
    attn.hears("> ");
    attn.on("query\r", "Yes:");
    attn.then("l", "type to narrow");
    attn.on("\x1b", "Enter run it");
    attn.on("\r", "next steps.");
    assert_eq!(attn.quits(), 0);
}

/// A part of a page that waits for Enter is drawn anew when the window changes, and its line fits.
#[test]
fn a_waiting_page_follows_the_window() {
    let folder = State::new();
    let mut attn = Start::new(&folder).rows(20).inside().attn(&["learn", "inputs"]);
    attn.hears("more lines");
    attn.resize(40, 20);
    let screen = attn.until("the page at 40 columns", |screen| {
        let text = screen.contents();
        text.contains("Enter next  Space all") && text.lines().all(|line| line.chars().count() <= 40)
    });
    assert!(!screen.contains("all of them"), "{screen}");
    attn.on(" ", "print(inputs)");
    assert_eq!(attn.quits(), 0);
}

/// The REPL says in what state it is, and in an exercise has what was written there.
#[test]
fn the_repl_says_what_state_it_has() {
    let folder = State::new();
    let mut attn = start(&["learn", "scores"], &folder, 60);
    attn.hears("> ");
    attn.on("s\r", "Enter");
    attn.then("i", &format!("State before step{} scores", number("scores")));
    attn.waits_after("attn [1]> ");
    attn.then("q\r", "There is no variable q. Ctrl-D goes back to the lesson");
    attn.waits_after("attn [1]> ");
    attn.on("\x04", "Back in the walkthrough");
    assert_eq!(attn.quits(), 0);
    let wrong = ["write", "query_5 = inputs[5]", ".", "repl", "print(query_5)", ":quit", "quit"];
    let (said, _, _) = typed(&["learn", "another-query"], &wrong, &folder);
    in_order(&said, &["> repl", "tensor([0.0500, 0.8000, 0.5500])", "Back in the walkthrough"]);
}

/// An exported notebook runs as it is: here, with the learner's solution apart, and without links to files that are not there.
#[test]
fn an_exported_notebook_runs_as_written() {
    let folder = State::new();
    let lines = ["write", "inputs *= 2", "query_5 = inputs[4]", "context_vec_5 = inputs[4]", ".", "quit"];
    typed(&["learn", "another-query"], &lines, &folder);
    typed(&["export", "-o", "chapter.ipynb"], &[], &folder);
    typed(&["export", "3.3.1", "-o", "lesson.ipynb"], &[], &folder);
    let (checked, _, code) = typed(&["check", "lesson.ipynb"], &[], &folder);
    assert_eq!(code, 0, "{checked}");
    // A check is a run with comparisons; what may raise ends no run either.
    let catalogue = catalogue();
    let raises = |lesson: &&attn::lesson::Lesson| lesson.text.contains("raises-exception");
    let raising = catalogue.lessons().flatten().find(raises).expect("a lesson shows an exception");
    typed(&["export", &raising.id, "-o", "raising.ipynb"], &[], &folder);
    let (_, said, code) = typed(&["run", "raising.ipynb"], &[], &folder);
    assert_eq!(code, 0, "{said}");
    let text = std::fs::read_to_string(folder.path().join("chapter.ipynb")).expect("it was written");
    assert!(!text.contains("glossary.md"));
    assert!(text.contains("nbval-ignore-output") && text.contains("raises-exception"));
    prints_as_the_lessons(&serde_json::from_str(&text).expect("a notebook is JSON"));
    let (_, refused, code) = typed(&["export", "3.3.1", "-o", "a.xls"], &[], &folder);
    assert_eq!((code, refused.contains(".md, .ipynb")), (2, true), "{refused}");
    assert!(!folder.path().join("a.xls").exists());
}

/// In one notebook, each cell prints what its lesson records: no lesson leaves something behind that changes a later one.
fn prints_as_the_lessons(notebook: &serde_json::Value) {
    let text = |part: &serde_json::Value| -> String {
        part.as_array().into_iter().flatten().filter_map(serde_json::Value::as_str).collect()
    };
    let catalogue = catalogue();
    let steps: Vec<_> = catalogue.lessons().flatten().flat_map(|lesson| &lesson.steps).collect();
    let mut compared = 0;
    for cell in notebook["cells"].as_array().expect("a notebook has cells") {
        let source = text(&cell["source"]);
        let Some(step) = steps.iter().find(|step| step.code.trim() == source.trim()) else { continue };
        let outputs = cell["outputs"].as_array().expect("it is a code cell");
        if step.varies || outputs.iter().any(|output| output["output_type"] == "error") {
            continue;
        }
        let printed: String =
            outputs.iter().map(|it| text(&it["text"]) + &text(&it["data"]["text/plain"])).collect();
        assert_eq!(printed.trim(), step.recorded.as_deref().unwrap_or_default().trim(), "{}", step.slug);
        compared += 1;
    }
    assert!(compared > 85, "{compared}");
}

/// The shell completes options and their values.
#[test]
fn the_shell_knows_the_options() {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_attn"));
    let script = "source <(attn completions bash); \
                  complete_line() { COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); \
                  _attn attn \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD-1]}\"; \
                  echo \"${COMPREPLY[*]}\"; }; \
                  complete_line attn run scores --random ''; \
                  complete_line attn why '' | tr ' ' '\\n' | grep -cE '^--depth$|[][<>]'";
    let path = format!(
        "{}:{}",
        program.parent().expect("it is in a folder").display(),
        std::env::var("PATH").unwrap_or_default()
    );
    if let Ok(done) = std::process::Command::new("bash").args(["-c", script]).env("PATH", path).output() {
        let said = String::from_utf8_lossy(&done.stdout).into_owned();
        assert_eq!(said, "book mkl\n1\n", "{}", String::from_utf8_lossy(&done.stderr));
    }
}
