//! Whole screens as a learner sees them, kept in tests/view/*.txt (`UPDATE=1` rewrites them; read
//! the diff), and what must be true of every screen: nothing wider than the width, every number
//! once, only plain characters when plain.

mod screens;

use std::path::PathBuf;

use attn::lesson::compare::Verdict;
use attn::view::check::{CheckedCell, CheckedFile, report};
use attn::view::markdown::{fenced, table};
use attn::view::pick::marked;
use attn::view::prose::prose;
use attn::view::table::body;
use attn::view::{Figure, Look, panel};
use unicode_width::UnicodeWidthStr;

use crate::snapshot::assert_current;
use screens::{screens, step, tensor};

fn look(width: usize) -> Look {
    Look { width, colour: false, plain: false }
}

fn plain(width: usize) -> Look {
    Look { width, colour: true, plain: true }
}

#[test]
fn screens_are_as_they_were() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/view");
    let colour = Look { colour: true, ..look(80) };
    let looks = [("80", look(80)), ("40", look(40)), ("plain", plain(80)), ("colour", colour)];
    let mut files = Vec::new();
    for (suffix, look) in looks {
        for (name, text) in screens(look) {
            // Escape codes are kept as a visible character, so that the files can be read.
            let now = text.render(look).replace('\u{1b}', "␛");
            files.push((folder.join(format!("{name}-{suffix}.txt")), now));
        }
    }
    assert_current(files);
}

#[test]
fn nothing_is_wider_than_the_width() {
    for width in [40, 47, 60, 80, 100, 132] {
        for (name, text) in screens(look(width)) {
            for line in text.render(look(width)).lines() {
                assert!(line.width() <= width, "{name} at {width}: {line}");
            }
        }
        for figure in drawn_at_random(60) {
            for line in attn::view::table::figure(&figure, look(width)).render(look(width)).lines() {
                assert!(line.width() <= width, "{:?} at {width}: {line}", figure.shape);
            }
        }
    }
}

#[test]
fn plain_has_no_borders_no_colours_and_no_signs() {
    for (name, text) in screens(plain(80)) {
        let text = text.render(plain(80));
        // The sum sign and the like are the lesson's own words; what attn adds is plain.
        let drawn =
            |c: &char| matches!(c, '\u{2500}'..='\u{25ff}' | '\u{1b}' | '✓' | '✗' | '…' | '·' | '↳' | '•');
        let own = |c: &char| !(name == "why" && *c == '·');
        let found: String = text.chars().filter(drawn).filter(own).collect();
        assert!(found.is_empty(), "{name} has {found:?}:\n{text}");
        for line in text.lines() {
            assert!(!line.trim_start().starts_with('^'), "{name}: {line}");
        }
    }
}

#[test]
fn colour_changes_no_character() {
    let colour = Look { colour: true, ..look(80) };
    for (name, text) in screens(colour) {
        let coloured = text.render(colour);
        let mut bare = String::new();
        for (at, part) in coloured.split('\u{1b}').enumerate() {
            bare.push_str(if at == 0 { part } else { part.split_once('m').expect("an escape ends in m").1 });
        }
        assert_eq!(bare, text.render(look(80)), "{name}");
        assert!(coloured.contains('\u{1b}'), "{name} has no colour at all");
    }
}

/// Tensors of many shapes whose elements are all different, from a fixed stream of numbers.
fn drawn_at_random(count: usize) -> Vec<Figure> {
    let mut state = 20u64;
    let mut draw = |below: usize| {
        // Knuth's MMIX constants.
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    let mut figures = Vec::new();
    while figures.len() < count {
        let axes = 1 + draw(4);
        let shape: Vec<usize> = (0..axes).map(|_| 1 + draw(if axes < 3 { 30 } else { 6 })).collect();
        let size: usize = shape.iter().product();
        let sign = if draw(2) == 0 { 1.0 } else { -1.0 };
        let values: Vec<f64> = (0..size).map(|i| sign * (0.5 + i as f64 / 1e4)).collect();
        let names = ["batch", "head", "query", "key"];
        let names = if draw(2) == 0 { &names[4 - axes..] } else { &[] };
        let mut figure = tensor("some_tensor", "float32", &shape, &values, names);
        figure.labels = vec![None; axes];
        if draw(2) == 0 {
            let words = (0..shape[axes - 1]).map(|i| format!("token{}", "x".repeat(i % 14)));
            figure.labels[axes - 1] = Some(words.collect());
        }
        figures.push(figure);
    }
    figures
}

#[test]
fn every_number_of_a_small_tensor_is_shown_once() {
    for figure in drawn_at_random(120).iter().filter(|f| f.count() <= 1000) {
        for look in [look(40), look(80), plain(80)] {
            let shown = body(figure, look).render(look);
            let mut words: Vec<&str> = shown
                .split(|c: char| c.is_whitespace() || c == ',')
                .filter(|w| w.contains('.') && w.parse::<f64>().is_ok())
                .collect();
            let mut wanted: Vec<&str> = figure.texts.iter().map(|t| t.trim()).collect();
            words.sort_unstable();
            wanted.sort_unstable();
            assert_eq!(words, wanted, "{:?} at {}", figure.shape, look.width);
        }
    }
}

#[test]
fn code_and_output_stand_once_in_a_panel() {
    for look in [look(80), plain(80)] {
        let shown = panel(&step(), look).render(look);
        for once in ["torch.softmax(attn_scores, dim=-1)", "0: tensor(1.0000)", "torch.Size([6, 6])"] {
            assert_eq!(shown.matches(once).count(), 1, "{once}\n{shown}");
        }
    }
}

#[test]
fn only_the_renderer_writes_escape_codes() {
    let mut hostile = step();
    for part in [
        &mut hostile.title,
        &mut hostile.prose,
        &mut hostile.code,
        &mut hostile.stdout,
        &mut hostile.worked[0],
    ] {
        part.push_str(" \u{1b}]0;gone\u{7} \u{9b}2J");
    }
    hostile.figures[0].labels[0] = Some(vec!["\u{1b}[2J".into(); 6]);
    let shown = panel(&hostile, look(80)).render(look(80));
    let found: String = shown.chars().filter(|c| c.is_control() && *c != '\n').collect();
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn the_chosen_number_is_shown_at_any_width() {
    for (shape, index) in [
        (vec![6], vec![5]),
        (vec![6, 6], vec![3, 0]),
        (vec![2, 3, 4], vec![1, 2, 3]),
        (vec![40, 60], vec![39, 30]),
    ] {
        let values: Vec<f64> = (0..shape.iter().product()).map(|at| at as f64).collect();
        let figure = tensor("x", "float32", &shape, &values, &[]);
        let chosen = index.iter().zip(&shape).fold(0, |offset, (at, size)| offset * size + at);
        for width in [40, 80, 200] {
            let drawn = marked(&figure, &index, 8, look(width));
            assert!(drawn.characters().contains(&format!("[{:.4}]", values[chosen])), "{shape:?} {width}");
            assert!(drawn.width() <= width, "{shape:?}: {} of {width}", drawn.width());
        }
    }
}

/// The numbers with a decimal point in a text, as they stand there; one that a mark cuts short does not count.
fn decimals(text: &str) -> Vec<&str> {
    let part = |c: char| c.is_ascii_digit() || c == '.';
    let mut found = Vec::new();
    for line in text.lines() {
        let mut rest = line;
        while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
            let run = rest[start..].trim_start_matches(part);
            let number = &rest[start..rest.len() - run.len()];
            let number = number.trim_end_matches('.');
            if number.contains('.') && number.parse::<f64>().is_ok() && !run.starts_with('…') {
                found.push(number);
            }
            rest = run;
        }
    }
    found
}

/// At any width, a number that is shown is the whole of a number that a wide screen shows: no digit is cut, no number is
/// split between two lines.
#[test]
fn numbers_are_whole_at_every_width() {
    use std::collections::HashSet;
    let wide: Vec<(&str, HashSet<String>)> = screens(look(400))
        .iter()
        .zip(screens(plain(400)))
        .map(|((name, text), (_, plainly))| {
            let all = text.render(look(400)) + &plainly.render(plain(400));
            (*name, decimals(&all).into_iter().map(str::to_owned).collect())
        })
        .collect();
    let mut count = 0;
    for width in (40..=120).step_by(2) {
        for look in [look(width), plain(width)] {
            for ((name, text), (_, known)) in screens(look).into_iter().zip(&wide) {
                let shown = text.render(look);
                // How many means a map has, and so their extremes, depends on the width.
                let is_scale_of_means = |line: &&str| name == "large" && line.starts_with('▁');
                let fixed: Vec<&str> = shown.lines().filter(|line| !is_scale_of_means(line)).collect();
                for number in decimals(&fixed.join("\n")) {
                    assert!(known.contains(number), "{name} at {width}: {number} in\n{shown}");
                    count += 1;
                }
            }
        }
    }
    assert!(count > 30_000, "{count} numbers");
    let mut figures = drawn_at_random(20);
    for figure in &mut figures {
        let long = |axis: usize| {
            (0..figure.shape[axis]).map(|at| format!("position-{at}-with-a-name-of-forty-columns"))
        };
        figure.labels = (0..figure.shape.len()).map(|axis| Some(long(axis).collect())).collect();
    }
    for figure in &figures {
        let known: HashSet<&str> =
            figure.texts.iter().map(|text| text.trim().trim_start_matches('-')).collect();
        let index: Vec<usize> = figure.shape.iter().map(|size| size / 2).collect();
        for width in (40..=120).step_by(2) {
            let drawn = marked(figure, &index, 6, look(width));
            assert!(drawn.width() <= width, "{:?} at {width}: {}", figure.shape, drawn.render(look(width)));
            let shown = drawn.render(look(width)) + &body(figure, look(width)).render(look(width));
            let numbers = decimals(&shown);
            assert!(!numbers.is_empty());
            for number in numbers {
                assert!(
                    known.is_empty() || known.contains(number),
                    "{:?} at {width}: {number}\n{shown}",
                    figure.shape
                );
            }
        }
    }
}

#[test]
fn a_markdown_fence_is_longer_than_any_in_its_text() {
    assert_eq!(fenced("text", "a ``` b"), "````text\na ``` b\n````");
    assert_eq!(fenced("text", " \n"), "");
}

#[test]
fn markdown_tables_name_rows_and_columns() {
    let mut figure = tensor("attn_weights", "float32", &[2, 2], &[0.1, 0.9, 0.5, 0.5], &["query", "key"]);
    figure.labels = vec![Some(vec!["a".to_owned(), "b|c".to_owned()]), None];
    let expected = "`attn_weights` float32 (query 2, key 2)\n\n| query \\\\ key | 0 | 1 |\n\
                    | --- | ---: | ---: |\n| a | 0.1000 | 0.9000 |\n| b\\|c | 0.5000 | 0.5000 |";
    assert_eq!(table(&figure), expected);
}

#[test]
fn a_tensor_without_its_elements_says_why() {
    let mut figure = tensor("x", "float32", &[5000, 5000], &[], &[]);
    figure.values.clear();
    figure.texts.clear();
    for look in [look(40), look(80), plain(80)] {
        let shown = attn::view::table::figure(&figure, look).render(look).replace('\n', " ");
        let words: Vec<&str> = shown.split_whitespace().collect();
        assert!(words.join(" ").contains("too many elements to show"), "{shown}");
    }
}

#[test]
fn borders_in_the_names_of_a_table_stay_names() {
    let mut figure = tensor("x", "float32", &[2, 2], &[0.5, 0.25, 0.125, 1.0], &["query", "key"]);
    figure.labels =
        vec![Some(vec!["│".to_owned(), "\n".to_owned()]), Some(vec!["─".to_owned(), String::new()])];
    let shown = body(&figure, look(80)).render(look(80));
    let expected = "query \\ key │ ─\n────────────┼───────────────────\n\
                    │           │ 0.5000 ▄  0.2500 ▂\n\\n          │ 0.1250 ▁  1.0000 █\n";
    assert_eq!(shown, expected);
}

#[test]
fn outputs_that_no_one_could_read_are_shown_in_part() {
    let cell = |recorded: String, actual: String| CheckedCell {
        title: "cell 1".into(),
        verdict: Verdict::Differs,
        recorded,
        actual,
        ..CheckedCell::default()
    };
    let ones = "1 ".repeat(30_000);
    let file = CheckedFile {
        file: "long.ipynb".into(),
        cells: vec![
            cell(format!("{ones}2 {ones}"), format!("{ones}3 {ones}")),
            cell("1\n".repeat(20_000), "2\n".repeat(20_001)),
        ],
        ..CheckedFile::default()
    };
    for look in [look(80), plain(80), look(40)] {
        let shown = report(std::slice::from_ref(&file), look).render(look);
        assert!(shown.len() < 200_000, "{} bytes", shown.len());
        let words = shown.split_whitespace().collect::<Vec<_>>().join(" ").replace(" ↳ ", " ");
        let parts: &[&str] = if look.plain {
            &["recorded 2, now 3", "19501 more lines differ"]
        } else {
            &["… 59800 characters, then:", "… and 56202 characters", "19501 more lines differ"]
        };
        for part in parts {
            assert!(words.contains(part), "{part}");
        }
    }
}

#[test]
fn short_formulas_and_shapes_are_not_broken() {
    let words = "weights that are kept are divided by 1 - p, so (6) @ (6, 3) gives (3), as i = 1 does here";
    let sum = "0.2365 + 0.1305 + 0.5874 = 0.9544, of which more than half comes from the last";
    for width in 24..88 {
        let of = |words: &str| -> Vec<String> {
            let lines: Vec<String> =
                prose(words, look(width)).characters().lines().map(str::to_owned).collect();
            assert!(lines.iter().all(|line| line.width() <= width), "{lines:?}");
            assert_eq!(lines.join(" "), words);
            lines
        };
        for line in of(words) {
            let broken = ["by 1", "1 -", "@", "(6,", "i =", " i"].iter().any(|end| line.ends_with(end));
            assert!(!broken, "{line}");
        }
        // A formula that is longer than a part of the line is broken before an operator.
        assert!(of(sum).iter().all(|line| !line.ends_with(['+', '='])));
    }
}
