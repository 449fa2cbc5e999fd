//! The walkthrough: keys and typed lines, choosing a number, editing code; and the parts of a step's panel.

use attn::app::cells::step::{element_of, loop_variables};
use attn::app::learn::choose::moved;
use attn::app::learn::code_page::{CodePage, rows_of};
use attn::app::learn::editor::{Gutter, ends};
use attn::app::learn::keys::{KEYS, WalkInput, of_word};
use attn::app::repl::keys::without_margins;
use attn::app::terminal::prompt::TypedLine;
use attn::lesson::review::as_statement;
use attn::view::Look;

#[test]
fn no_key_and_no_word_has_two_meanings() {
    let mut all: Vec<String> = Vec::new();
    for key in KEYS {
        let own = key.words.iter().map(|word| (*word).to_owned()).chain([key.letter.to_string()]);
        for word in own {
            assert!(!all.contains(&word), "{word}");
            assert!(of_word(&word).is_some_and(|found| found.letter == key.letter), "{word}");
            all.push(word);
        }
        assert!(!key.line.is_empty() && !key.line.ends_with('.'), "{}", key.letter);
    }
}

fn meaning(line: &str, asking: bool, choices: usize) -> String {
    match WalkInput::of_line(&TypedLine::Line(line.to_owned()), asking, choices) {
        WalkInput::Key(key, rest) => format!("{} {rest}", key.letter),
        WalkInput::Answer(answer) => format!("answer {answer}"),
        WalkInput::Unknown(word) => format!("unknown {word}"),
        _ => String::new(),
    }
}

#[test]
fn lines_are_words_of_the_table_or_answers() {
    assert_eq!(meaning("", false, 0), "n ");
    assert_eq!(meaning("list softmax", false, 0), "l softmax");
    assert_eq!(meaning("L", false, 0), "l ");
    assert_eq!(meaning("lsit", false, 0), "unknown lsit");
    assert_eq!(meaning("(6, 3)", true, 0), "answer (6, 3)");
    assert_eq!(meaning("skip", true, 0), "k ");
    assert_eq!(meaning("list softmax", true, 0), "l softmax");
    assert_eq!(meaning("e", true, 3), "e ");
    assert_eq!(meaning("E", true, 5), "answer E");
    assert_eq!(meaning("next to nothing", true, 3), "answer next to nothing");
    assert_eq!(meaning("x + layer(x)", true, 0), "answer x + layer(x)");
    assert_eq!(meaning("why would they be seen", true, 0), "answer why would they be seen");
    assert_eq!(meaning("x inputs[1,0]=0.9", false, 0), "x inputs[1,0]=0.9");
}

#[test]
fn enter_ends_the_code_only_on_an_empty_line() {
    assert!(ends("x = 1\n", ""));
    assert!(ends("for i in x:\n    y\n    ", "\n"));
    assert!(!ends("x = 1", ""));
    assert!(!ends("class A:\n    def f(self):\n        pass\n", ""), "another method may follow");
    assert!(ends("class A:\n    def f(self):\n        pass\n    \n    ", ""));
    assert!(ends("class A:\n    pass\n\nprint(A)\n", ""));
    assert!(!ends("def f(x):\n    return x\n", ""), "its call may follow");
    assert!(!ends("x = 1\n", "\ny = 2"));
}

#[test]
fn lines_are_numbered_in_a_margin_that_is_no_code() {
    let look = Look { width: 80, colour: false, plain: false };
    let (code, gutter) = ("for i in x:\n    print(i)", Gutter::of("for i in x:\n    print(i)"));
    let typed = gutter.with_margins(code);
    assert_eq!(without_margins(&typed), code);
    assert_eq!(gutter.with_margins(&typed), typed);
    assert_eq!(gutter.drawn(&typed, look), "for i in x:\n 2     print(i)");
    assert_eq!(gutter.drawn("a\nb", look), "a\nb", "pasted lines have no margin yet");
    assert_eq!(
        Gutter::of(&"a\n".repeat(80)).drawn(&Gutter::of(&"a\n".repeat(80)).with_margins("a\nb"), look),
        "a\n  2 b"
    );
}

#[test]
fn colours_move_no_character() {
    let look = Look { width: 80, colour: true, plain: false };
    for source in ["for i in x:\n    print(i)  ", "", "def f(x):\n\n", "x = '''a\nb'''", "x\t= 1"] {
        let drawn = Gutter::of(source).drawn(source, look);
        let mut bare = String::new();
        let mut rest = drawn.as_str();
        while let Some((before, after)) = rest.split_once('\x1b') {
            bare.push_str(before);
            rest = after.split_once('m').map_or("", |(_, rest)| rest);
        }
        bare.push_str(rest);
        assert_eq!(bare, source);
    }
}

#[test]
fn the_reply_to_a_right_answer_becomes_a_statement() {
    assert_eq!(as_statement("Yes. One score for each."), "One score for each.");
    assert_eq!(as_statement("Yes: the highest gains."), "The highest gains.");
    assert_eq!(as_statement("Three products."), "Three products.");
    assert_eq!(as_statement("Yes: exp(a + 1) is e times exp(a)."), "exp(a + 1) is e times exp(a).");
}

#[test]
fn the_chosen_element_stays_within_the_table() {
    let mut index = vec![0, 5];
    moved(&mut index, &[6, 6], -1, 1);
    assert_eq!(index, [0, 5]);
    moved(&mut index, &[6, 6], 1, -1);
    assert_eq!(index, [1, 4]);
    moved(&mut [], &[], 1, 1);
    let mut deep = vec![0, 1, 0, 0];
    moved(&mut deep, &[2, 2, 3, 3], 3, 0);
    assert_eq!(deep, [1, 0, 0, 0]);
}

#[test]
fn the_element_that_a_step_works_out_has_a_name_and_an_index() {
    assert_eq!(element_of("attn_weights[1, 2]"), Some(("attn_weights", vec![1, 2])));
    assert_eq!(element_of("attn_score_22"), Some(("attn_score_22", vec![])));
    assert_eq!(element_of("attn_weights[-1]"), None);
}

#[test]
fn loop_variables_are_bound_by_loops_only() {
    assert_eq!(loop_variables("for i, x_i in enumerate(inputs):\n    s[i] = x_i"), ["i", "x_i"]);
    assert_eq!(loop_variables("for x in y:\n    x = x + 1"), [""; 0]);
}

/// Of code that is longer than the screen, the lines around the cursor are edited, and no line is lost.
#[test]
fn a_part_of_long_code_is_edited_around_the_cursor() {
    let code: Vec<String> = (1..=30).map(|at| format!("line_{at}")).collect();
    let page = CodePage::at_end(&code.join("\n"));
    assert_eq!(page.window(40, 70), 0..30, "all of it has space");
    assert_eq!(page.window(10, 70), 20..30, "the cursor is at the end");
    let page = page.moved(-15);
    let window = page.window(11, 70);
    assert!(window.len() == 11 && window.contains(&14), "{window:?}");
    let (before, after) = page.around_cursor(&window);
    assert!(before.ends_with("line_15") && after.starts_with("\nline_16"));
    let edited = page.edited(&window, &format!("{before}\nnew"), &after);
    assert_eq!(edited.count(), 31);
    assert_eq!(edited.text(), code.join("\n").replace("line_15", "line_15\nnew"));
    let joined = edited.clone().back(true);
    assert_eq!(
        joined.text(),
        edited.text().replace("line_15\nnew", "line_15new"),
        "the line is joined to the one above"
    );
    assert!(joined.around_cursor(&window).0.ends_with("line_15"));
    assert!(edited.clone().back(false).around_cursor(&window).0.ends_with("line_15"));
    assert_eq!(edited.moved(-100).around_cursor(&(0..31)).0, "lin", "the column is kept");
    assert_eq!(rows_of(&"x".repeat(25), 10), 3);
}
