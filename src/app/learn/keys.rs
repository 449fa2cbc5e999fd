//! What the learner can do: one table for the keys, the footer, the help and the typed words.
//! A row names its key and words, says when it does something, and calls what does it.

use super::super::shell::Failure;
use super::walk::{Flow, Stage, Walk};
use crate::ops::nearest;
use crate::view::learn::{KeyHelp, KeyLabel};

/// One thing that can be done.
pub struct Key {
    /// The key; Enter goes with the first row.
    pub letter: char,
    /// The words that do the same where lines are typed.
    pub words: &'static [&'static str],
    /// What it does, for the help.
    pub line: &'static str,
    /// What it does at this place, in a word or two, for the footer.
    pub label: fn(&Walk) -> &'static str,
    /// Whether it does something at this place.
    pub here: fn(&Walk) -> bool,
    /// What it belongs to, said where it does nothing.
    pub belongs: &'static str,
    /// Whether something may be typed after the word.
    pub takes: bool,
    /// Does it; the text is what was typed after the word.
    pub act: fn(&mut Walk, &str) -> Result<Flow, Failure>,
}

/// All of them, in the order of the footer.
pub static KEYS: &[Key] = &[
    Key {
        letter: 'n',
        words: &["on", "next"],
        line: "Go on: run the cell, or go to what comes next (Enter does the same)",
        label: |walk| match walk.stage() {
            Stage::Asking(_) => "answer",
            Stage::Ready if walk.exercise().is_some() => "on without it",
            Stage::Ready => "run it",
            _ => "on",
        },
        here: |_| true,
        belongs: "",
        takes: false,
        act: |walk, _| walk.on(),
    },
    Key {
        letter: 'p',
        words: &["back", "previous"],
        line: "Look back at what came before; nothing is run again",
        label: |_| "back",
        here: |walk| walk.at() > 0,
        belongs: "This is the first step: nothing comes before it.",
        takes: false,
        act: |walk, _| walk.back(),
    },
    Key {
        letter: 'w',
        words: &["why"],
        line: "Choose a number in a table and see where it comes from; or name it: why inputs[1,0]",
        label: |_| "why",
        here: |walk| walk.has_tables(),
        belongs: "There is no table here yet: `w` belongs to a step that has run.",
        takes: true,
        act: |walk, rest| walk.why(rest),
    },
    Key {
        letter: 'r',
        words: &["again", "run", "rerun"],
        line: "Run the cell again",
        label: |_| "run again",
        here: |walk| matches!(walk.stage(), Stage::Shown) && walk.step().is_some(),
        belongs: "Nothing has run here yet.",
        takes: false,
        act: |walk, _| walk.run_again(),
    },
    Key {
        letter: 'e',
        words: &["edit", "write"],
        line: "Edit the code and run it; the lesson's own state stays as it is",
        label: |walk| if walk.exercise().is_some() { "write it" } else { "edit" },
        here: |walk| walk.exercise().is_some() || walk.step().is_some() && !walk.is_asking(),
        belongs: "There is no code here to edit; answer or pass over the question first.",
        takes: false,
        act: |walk, _| walk.edit(),
    },
    Key {
        letter: 't',
        words: &["trace"],
        line: "Show every operation of the cell, in the order it ran",
        label: |_| "trace",
        here: |walk| walk.step().is_some() && matches!(walk.stage(), Stage::Shown),
        belongs: "Nothing has run here yet.",
        takes: false,
        act: |walk, _| walk.trace(),
    },
    Key {
        letter: 'x',
        words: &["what-if", "whatif"],
        line: "Change something from the start and see what moves: what-if inputs[1,0]=0.9",
        label: |_| "what if",
        here: |walk| walk.step().is_some() && matches!(walk.stage(), Stage::Shown),
        belongs: "Nothing has run here yet.",
        takes: true,
        act: |walk, rest| walk.what_if(rest),
    },
    Key {
        letter: 'i',
        words: &["repl", "try"],
        line: "Open a REPL with the variables of this place, on a copy",
        label: |_| "REPL",
        here: |walk| !walk.is_asking(),
        belongs: "Answer or pass over the question first.",
        takes: false,
        act: |walk, _| walk.repl(),
    },
    Key {
        letter: 'g',
        words: &["glossary", "define"],
        line: "Look up a word of the field: glossary head",
        label: |_| "glossary",
        here: |_| true,
        belongs: "",
        takes: true,
        act: |walk, rest| walk.glossary(rest),
    },
    Key {
        letter: 'v',
        words: &["editor", "file"],
        line: "Edit the code as a file, in the editor that VISUAL or EDITOR names",
        label: |_| "in your editor",
        here: |walk| walk.exercise().is_some() && super::editor::external().is_some(),
        belongs: "`v` belongs to exercises, and needs the variable VISUAL or EDITOR to name an editor.",
        takes: false,
        act: |walk, _| walk.edit_file(),
    },
    Key {
        letter: 'h',
        words: &["hint"],
        line: "Show a hint; each says more than the one before",
        label: |_| "hint",
        here: |walk| walk.exercise().is_some_and(|it| !it.hints.is_empty()),
        belongs: "Hints belong to exercises.",
        takes: false,
        act: |walk, _| walk.hint(),
    },
    Key {
        letter: 's',
        words: &["solution", "answer"],
        line: "Show the solution of an exercise, or the answer to a question",
        label: |walk| if walk.is_asking() { "show the answer" } else { "solution" },
        here: |walk| walk.exercise().is_some() || walk.is_asking(),
        belongs: "Solutions belong to exercises and questions.",
        takes: false,
        act: |walk, _| walk.solution(),
    },
    Key {
        letter: 'k',
        words: &["skip", "pass"],
        line: "Pass over a question or an exercise; it can be come back to",
        label: |_| "skip",
        here: |walk| walk.is_asking() || walk.exercise().is_some() && !matches!(walk.stage(), Stage::Shown),
        belongs: "There is nothing to pass over here; Enter goes on.",
        takes: false,
        act: |walk, _| walk.skip(),
    },
    Key {
        letter: 'l',
        words: &["list", "jump", "goto"],
        line: "List the steps and go to one; or name it: list softmax, list 3.4.1",
        label: |_| "list",
        here: |_| true,
        belongs: "",
        takes: true,
        act: |walk, rest| walk.list(rest),
    },
    Key {
        letter: '?',
        words: &["help"],
        line: "Say what can be done",
        label: |_| "help",
        here: |_| true,
        belongs: "",
        takes: false,
        act: |walk, _| walk.help(),
    },
    Key {
        letter: 'q',
        words: &["quit", "exit"],
        line: "Leave; next time attn goes on here",
        label: |_| "quit",
        here: |_| true,
        belongs: "",
        takes: false,
        act: |_, _| Ok(Flow::Leave),
    },
];

/// The row of a key.
pub fn of_letter(letter: char) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.letter == letter)
}

/// The row of a typed word, a key's letter included.
pub fn of_word(word: &str) -> Option<&'static Key> {
    let word = word.to_lowercase();
    let mut letters = word.chars();
    match (letters.next(), letters.next()) {
        (Some(letter), None) => of_letter(letter),
        _ => KEYS.iter().find(|key| key.words.contains(&word.as_str())),
    }
}

/// The words that are like this one.
pub fn near(word: &str) -> Vec<String> {
    nearest(word, KEYS.iter().flat_map(|key| key.words.iter().copied()), 2)
}

/// The footer's keys at this place.
pub fn legend(walk: &Walk) -> Vec<KeyLabel> {
    let key =
        |key: &Key| if key.letter == KEYS[0].letter { "Enter".to_owned() } else { key.letter.to_string() };
    let here = KEYS.iter().filter(|it| (it.here)(walk));
    here.map(|it| KeyLabel { key: key(it), label: (it.label)(walk).to_owned() }).collect()
}

/// The help's rows at this place.
pub fn means(walk: &Walk) -> Vec<KeyHelp> {
    let row = |key: &Key| {
        let enter = (key.letter == KEYS[0].letter).then(|| "Enter".to_owned());
        let letter = [key.letter.to_string()];
        let words = key.words.iter().map(|word| (*word).to_owned());
        KeyHelp {
            keys: enter.into_iter().chain(letter).chain(words).collect(),
            line: key.line.to_owned(),
            here: (key.here)(walk),
        }
    };
    KEYS.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_and_no_word_stands_for_two_things() {
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
}
