//! The table of keys: for the footer, the help and the typed words. A row has a key and its words, the condition under
//! which it applies, and the function that it calls.

use super::super::terminal::prompt::TypedLine;
use super::super::terminal::shell::Failure;
use super::stop_page::PageStage;
use super::terminal::KeyPress;
use super::walk::{Flow, Walk};
use crate::ops::nearest;
use crate::tensor::descriptor::setters;
use crate::view::learn::{KeyHelp, footer};
use crate::view::text::{Look, Text};

/// A key, its words and what it does.
pub struct WalkKey {
    /// The key. Enter does what the first row does.
    pub letter: char,
    /// The words that do the same when lines are typed.
    pub words: &'static [&'static str],
    /// What it does, as the help says it.
    pub line: &'static str,
    /// What it does at this stop, in a word or two, as the footer says it.
    pub(crate) label: fn(&Walk) -> &'static str,
    /// Whether it applies at this stop.
    pub(crate) here: fn(&Walk) -> bool,
    /// Whether the footer always has it (0), or how soon it goes where the footer does not fit one line: the highest
    /// goes first. The first lesson, and the help, which has all, stay easy to take in.
    pub(crate) rank: u8,
    /// What the learner is told where it does not apply.
    pub(crate) belongs: &'static str,
    /// An example with something typed after the word, if that is possible.
    pub(crate) takes: Option<&'static str>,
    /// Does it. The text is what was typed after the word.
    pub(crate) act: fn(&mut Walk, &str) -> Result<Flow, Failure>,
}

/// Where a key needs the results of a cell.
const NOT_RUN: &str = "No cell has run to its end here yet.";

/// A key that applies everywhere, until its row says where.
const fn key(
    letter: char,
    words: &'static [&'static str],
    label: fn(&Walk) -> &'static str,
    act: fn(&mut Walk, &str) -> Result<Flow, Failure>,
) -> WalkKey {
    WalkKey { letter, words, line: "", label, here: |_| true, rank: 0, belongs: "", takes: None, act }
}

setters! { WalkKey {
    line(text: &'static str) line = text;
    takes(example: &'static str) takes = Some(example);
    rank(rank: u8) rank = rank;
} }

impl WalkKey {
    const fn here(mut self, here: fn(&Walk) -> bool, belongs: &'static str) -> WalkKey {
        (self.here, self.belongs) = (here, belongs);
        self
    }
}

/// All keys, in the order of the footer.
pub static KEYS: &[WalkKey] = &[
    key(
        'n',
        &["on", "next"],
        |walk| match walk.stage() {
            PageStage::Asking(_) => "answer",
            PageStage::Ready if walk.exercise().is_some() => "on, unsolved",
            PageStage::Ready => "run it",
            _ => "on",
        },
        |walk, _| walk.on(),
    )
    .line("Continue: run the cell, or go to the next step")
    .here(
        |walk| walk.goes_on(),
        "This is the end, and nothing comes after it. `p` looks back, `l` goes anywhere, `q` \
             leaves.",
    ),
    key('p', &["back", "previous"], |_| "back", |walk, _| walk.back())
        .line("Look back at what came before; nothing is run again")
        .here(|walk| walk.at > 0, "This is the first step: nothing comes before it."),
    key('w', &["why"], |_| "why", |walk, rest| walk.why(rest))
        .line("Choose a number in a table and see where it comes from")
        .here(
            |walk| walk.can_ask(),
            "`w` asks about the tensors of a step whose cell has run; this one has none, or a \
             question comes first: the reason comes with the answer. In an exercise, `i` opens the \
             REPL with what you wrote, and `:why` asks there.",
        )
        .takes("why inputs[1,0]"),
    key('o', &["open", "output"], |_| "open output", |walk, _| walk.open())
        .line("Show the output as PyTorch prints it, with each tensor that a table shows")
        .here(|walk| walk.is_folded(), "There is no folded output here to open."),
    key('r', &["again", "run", "rerun"], |_| "run again", |walk, _| walk.run_again())
        .line("Run the cell again")
        .here(
            |walk| walk.step().is_some() && (matches!(walk.stage(), PageStage::Shown) || walk.was_stopped()),
            "Nothing has run here yet: Enter continues.",
        )
        .rank(7),
    key('v', &["editor", "file"], |_| "write it in your editor", |walk, _| walk.edit_file())
        .line("Write the exercise in the editor that VISUAL or EDITOR names; saving runs it")
        .here(
            |walk| walk.exercise().is_some() && super::editor::external().is_some(),
            "`v` opens an exercise in an editor of your own: it needs the variable VISUAL or EDITOR \
             to name one.",
        ),
    key(
        'e',
        &["edit", "write"],
        |walk| match (walk.exercise(), super::editor::external()) {
            (None, _) => "edit",
            (Some(_), None) => "write it",
            (Some(_), Some(_)) => "write it here",
        },
        |walk, _| walk.edit(),
    )
    .line("Edit the code and run it; the lesson's own state stays as it is")
    .here(
        |walk| walk.exercise().is_some() || walk.step().is_some() && !walk.is_asking(),
        "There is no code here to edit: at a question it comes after the answer, and the last \
             page of a lesson has none.",
    ),
    key('t', &["trace"], |_| "trace", |walk, _| walk.trace())
        .line("Show every operation of the cell, in the order it ran")
        .here(|walk| walk.step().is_some() && matches!(walk.stage(), PageStage::Shown), NOT_RUN)
        .rank(6),
    key('x', &["what-if", "whatif"], |_| "what if", |walk, rest| walk.what_if(rest))
        .line("Change something from the start and see which results change")
        .here(|walk| walk.step().is_some() && matches!(walk.stage(), PageStage::Shown), NOT_RUN)
        .takes("what-if inputs[1,0]=0.9")
        .rank(3),
    key('i', &["repl", "try"], |_| "REPL", |walk, _| walk.repl())
        .line("Open a REPL with the variables of this place, on a copy")
        .here(|walk| !walk.is_asking(), "Answer or skip the question first.")
        .rank(4),
    key('g', &["glossary", "define"], |_| "glossary", |walk, rest| walk.glossary(rest))
        .line("Look up a word of the field")
        .takes("glossary head")
        .rank(2),
    key('f', &["faq", "questions"], |_| "FAQ", |walk, rest| walk.faq(rest))
        .line("Find an answer among the questions that readers ask most")
        .here(
            |walk| !walk.is_asking() && walk.has_faq(),
            "`f` is closed while a question of the lesson waits: answer or skip it first.",
        )
        .takes("faq why view")
        .rank(8),
    key('a', &["ask"], |_| "trained model", |walk, rest| walk.look(rest))
        .line("Ask the small trained model for the next word of a sentence, and see where it looks")
        .here(|walk| !walk.is_asking(), "Answer or skip the question first.")
        .takes("ask the river was cold so anna walked to the")
        .rank(5),
    key('m', &["review", "remember"], |_| "review", |walk, _| walk.review())
        .line("Ask again what was asked before, first what you missed; as `attn review` does")
        .here(|walk| !walk.is_asking(), "Answer or skip the question first.")
        .rank(9),
    key('h', &["hint"], |_| "hint", |walk, _| walk.hint())
        .line("Show a hint; each says more than the one before")
        .here(|walk| walk.has_hints(), "There is no hint here: hints belong to exercises."),
    key(
        's',
        &["solution", "answer"],
        |walk| if walk.is_asking() { "show the answer" } else { "solution" },
        |walk, _| walk.solution(),
    )
    .line("Show the solution of an exercise, or the answer to a question")
    .here(
        |walk| walk.exercise().is_some() || walk.is_asking(),
        "Solutions belong to exercises and questions.",
    ),
    key('k', &["skip", "pass"], |_| "skip", |walk, _| walk.skip())
        .line("Skip a question or an exercise; you can come back to it")
        .here(
            |walk| walk.is_asking() || walk.exercise().is_some() && !matches!(walk.stage(), PageStage::Shown),
            "There is nothing to skip here; Enter continues.",
        ),
    key('l', &["list", "jump", "goto"], |_| "list", |walk, rest| walk.list(rest))
        .line("List the steps and go to one")
        .takes("list softmax, list 3")
        .rank(1),
    key('?', &["help"], |_| "help", |_, _| Ok(Flow::Help)).line("Say what can be done"),
    key('q', &["quit", "exit"], |_| "quit", |_, _| Ok(Flow::Leave))
        .line("Leave; next time attn continues here"),
];

/// The row of a key.
pub(crate) fn of_letter(letter: char) -> Option<&'static WalkKey> {
    KEYS.iter().find(|key| key.letter == letter)
}

/// The row of a typed word or letter.
pub fn of_word(word: &str) -> Option<&'static WalkKey> {
    let word = word.to_lowercase();
    let mut letters = word.chars();
    match (letters.next(), letters.next()) {
        (Some(letter), None) => of_letter(letter),
        _ => KEYS.iter().find(|key| key.words.contains(&word.as_str())),
    }
}

/// The words most similar to this one.
pub(crate) fn near(word: &str) -> Vec<String> {
    nearest(word, KEYS.iter().flat_map(|key| key.words.iter().copied()), 2)
}

/// The footer of this stop on one line, if the keys that it always has fit one; in the first lesson those alone, which a
/// newcomer can take in. The help has the others.
pub(crate) fn legend(walk: &Walk, look: Look) -> Text {
    let lesson = walk.stop().lesson;
    let first = lesson.number == 1 && lesson.lessons > 1;
    let applicable: Vec<&WalkKey> = KEYS.iter().filter(|it| (it.here)(walk)).collect();
    let prose = walk.step().map_or("", |step| step.prose.as_str());
    // A key and no variable: "`i` opens a REPL", "the key `a`".
    let is_named = |it: &WalkKey| {
        [format!("`{}` opens", it.letter), format!("key `{}`", it.letter)]
            .iter()
            .any(|words| prose.contains(words))
    };
    let up_to = |rank: u8| {
        let shown = applicable.iter().filter(|it| it.rank <= rank || is_named(it));
        let label = |it: &WalkKey| match it.letter {
            '?' if applicable.iter().any(|it| it.rank > rank && !is_named(it)) => "more",
            _ => (it.label)(walk),
        };
        let keys: Vec<(String, &str)> = shown.map(|it| (key_of(it), label(it))).collect();
        let keys: Vec<(&str, &str)> = keys.iter().map(|(key, label)| (key.as_str(), *label)).collect();
        footer(&keys, look)
    };
    let mut ranks = KEYS.iter().map(|key| key.rank).collect::<Vec<_>>();
    ranks.sort_unstable_by_key(|rank| std::cmp::Reverse(*rank));
    let fitting = ranks.into_iter().filter(|_| !first).map(up_to).find(|text| text.lines.len() == 1);
    fitting.unwrap_or_else(|| up_to(0))
}

/// The key as the footer names it.
fn key_of(key: &WalkKey) -> String {
    if key.letter == KEYS[0].letter { "Enter".to_owned() } else { key.letter.to_string() }
}

/// The rows of the help at this stop. A key acts at once; something can be typed after a word only where lines are.
pub(crate) fn help_rows(walk: &Walk) -> Vec<KeyHelp> {
    let types_lines = walk.types_lines();
    let row = |key: &WalkKey| {
        let enter = (key.letter == KEYS[0].letter).then(|| "Enter".to_owned());
        let letter = [key.letter.to_string()];
        // A word that is typed where keys act would begin with another key.
        let words = key.words.iter().filter(|_| types_lines).map(|word| (*word).to_owned());
        KeyHelp {
            keys: enter.into_iter().chain(letter).chain(words).collect(),
            word: key.words[0].to_owned(),
            line: match key.takes.filter(|_| types_lines) {
                Some(example) => format!("{}: {example}", key.line),
                None => key.line.to_owned(),
            },
            here: (key.here)(walk),
        }
    };
    KEYS.iter().map(row).collect()
}

/// What the learner entered.
pub enum WalkInput {
    /// A key or its word, and what was typed after the word.
    Key(&'static WalkKey, String),
    Answer(String),
    /// A key or a word that is not in the table.
    Unknown(String),
    /// Ctrl-C.
    Interrupt,
    End,
    /// The screen has another size now.
    Resized,
    /// Text was pasted where keys act.
    Pasted,
}

impl WalkInput {
    /// The meaning of a key.
    pub(crate) fn of_key(pressed: KeyPress) -> WalkInput {
        match pressed {
            KeyPress::Letter(letter) => match of_letter(letter) {
                Some(key) => WalkInput::Key(key, String::new()),
                None => WalkInput::Unknown(letter.to_string()),
            },
            KeyPress::Enter => WalkInput::Key(&KEYS[0], String::new()),
            KeyPress::Interrupt => WalkInput::Interrupt,
            KeyPress::End => WalkInput::End,
            KeyPress::Resized => WalkInput::Resized,
            KeyPress::Pasted => WalkInput::Pasted,
            _ => WalkInput::Unknown(String::new()),
        }
    }

    /// The meaning of a line: a word of the table, or an answer if a question waits. Single letters from `a` on answer
    /// the question if it has so many choices, also where they are keys.
    pub fn of_line(line: &TypedLine, asking: bool, choices: usize) -> WalkInput {
        let line = match line {
            TypedLine::Line(line) => line.trim(),
            TypedLine::Interrupt => return WalkInput::Interrupt,
            TypedLine::End => return WalkInput::End,
        };
        if line.is_empty() {
            return WalkInput::Key(&KEYS[0], String::new());
        }
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let is_choice =
            ('a'..='z').take(choices).any(|letter| word.eq_ignore_ascii_case(letter.encode_utf8(&mut [0])));
        match of_word(word) {
            // Only what can be asked for anywhere takes words at a question, and only after its own word: all else may be
            // the answer, `x + 1` or "why not".
            Some(key)
                if !asking
                    || (rest.is_empty()
                        || word.len() > 1 && key.takes.is_some() && key.belongs.is_empty())
                        && !is_choice =>
            {
                WalkInput::Key(key, rest.trim().to_owned())
            }
            _ if asking => WalkInput::Answer(line.to_owned()),
            _ => WalkInput::Unknown(word.to_owned()),
        }
    }
}
