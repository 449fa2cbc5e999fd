//! Lessons as data: what parses, what does not and what is said then; names to steps.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use attn::lesson::catalogue::FindError;
use attn::lesson::exercise::Answer;
use attn::lesson::{Catalogue, Invariant, Step, Target, myst};

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}

fn step<'c>(catalogue: &'c Catalogue, name: &str) -> &'c Step {
    match catalogue.find(name) {
        Ok(Target::Step(step)) => step,
        other => panic!("{name}: {other:?}"),
    }
}

// ---------------------------------------------------------------- the lessons that are there

#[test]
fn every_lesson_parses_and_numbering_runs_through() {
    let catalogue = Catalogue::new();
    let mut slugs = HashSet::new();
    let mut number = 0;
    for lesson in catalogue.lessons() {
        let lesson = lesson.unwrap_or_else(|fault| panic!("{fault}"));
        assert!(!lesson.steps.is_empty() && !lesson.summary.is_empty() && lesson.minutes > 0);
        for step in &lesson.steps {
            number += 1;
            assert_eq!(step.number, number);
            assert!(slugs.insert(step.slug.clone()), "{}: the name {} stands twice", lesson.file, step.slug);
            assert!(step.prose.len() + step.title.len() > 0, "{}:{}", lesson.file, step.line);
            let text = std::fs::read_to_string(folder().join(&lesson.file)).expect("lessons are files");
            let first = step.code.lines().next().expect("cells are not empty");
            assert_eq!(
                text.lines().nth(step.line - 1),
                Some(first),
                "{}: line of {}",
                lesson.file,
                step.slug
            );
        }
        for exercise in &lesson.exercises {
            assert!(slugs.insert(exercise.slug.clone()), "{}: {} stands twice", lesson.file, exercise.slug);
        }
    }
    assert_eq!(number, catalogue.total_steps(), "the index made at build time counts as the parser does");
    assert_eq!(catalogue.len(), 11);
}

#[test]
fn every_lesson_asks_twice_and_has_an_exercise() {
    for lesson in Catalogue::new().lessons() {
        let lesson = lesson.unwrap_or_else(|fault| panic!("{fault}"));
        let asked: usize = lesson.steps.iter().map(|s| s.predictions.len()).sum();
        assert!(asked >= 2, "{} asks {asked} times", lesson.file);
        assert!(!lesson.exercises.is_empty(), "{} has no exercise", lesson.file);
        for exercise in &lesson.exercises {
            assert!(exercise.hints.len() >= 2 && !exercise.checks.is_empty() && exercise.attempts.len() >= 2);
        }
    }
}

#[test]
fn option_lines_are_yaml_for_jupyter() {
    for entry in std::fs::read_dir(folder().join("lessons")).expect("the folder is there") {
        let path = entry.expect("listed").path();
        let text = std::fs::read_to_string(&path).expect("UTF-8");
        for (at, line) in text.lines().enumerate().filter(|(_, l)| l.starts_with(':')) {
            let value: yaml_serde::Value = yaml_serde::from_str(&line[1..])
                .unwrap_or_else(|e| panic!("{}:{}: {e}", path.display(), at + 1));
            assert!(value.is_mapping(), "{}:{}", path.display(), at + 1);
        }
    }
}

#[test]
fn step3_is_the_loop_of_dot_products() {
    let catalogue = Catalogue::new();
    let step = step(&catalogue, "step3");
    assert_eq!((step.slug.as_str(), step.section.as_str(), step.number), ("scores", "3.3.1", 3));
    assert!(step.code.contains("attn_scores_2[i] = torch.dot(x_i, query)"));
    assert!(step.recorded.as_deref().expect("recorded").starts_with("tensor([0.9544, 1.4950, 1.4754,"));
    assert_eq!(step.axes[0].tensor, "attn_scores_2");
    assert_eq!(step.axes[0].axes, ["key"]);
    assert_eq!(step.why.as_deref(), Some("attn_scores_2[1]"));
    assert!(step.prose.starts_with("How much should"), "{}", step.prose);
    assert!(step.after.contains("1.4754"), "{}", step.after);
    assert!(!step.prose.contains("```"), "directives are data, not prose");
}

#[test]
fn names_find_steps_and_lessons() {
    let catalogue = Catalogue::new();
    for name in ["step3", "Step3", "STEP 3", "3", "step-3", "scores", " scores "] {
        assert_eq!(step(&catalogue, name).number, 3, "{name}");
    }
    assert_eq!(step(&catalogue, "softmax_naive").slug, "softmax-naive");
    for (name, id) in [
        ("3.3.1", "simple-self-attention"),
        ("simple-self-attention", "simple-self-attention"),
        ("3.4.2", "compact-class"),
        ("exercise 3.1", "exercise-3-1"),
        ("Exercise 3.3", "gpt2-size"),
        ("gpt2", "gpt2-size"),
        ("3.6.2", "split-heads"),
    ] {
        match catalogue.find(name) {
            Ok(Target::Lesson(lesson)) => assert_eq!(lesson.id, id, "{name}"),
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn wrong_names_get_the_nearest_right_ones() {
    let catalogue = Catalogue::new();
    let last = format!("step{}", catalogue.total_steps());
    for (wrong, right) in [
        ("stp3", "step3"),
        ("softmx", "softmax"),
        ("sofmax-naive", "softmax-naive"),
        ("3.3.3", "3.3.1"),
        ("3.4", "3.4.1"),
        ("step9999", last.as_str()),
        ("step0", last.as_str()),
        ("99999999999999999999999", last.as_str()),
        ("dropuot", "dropout"),
    ] {
        match catalogue.find(wrong) {
            Err(FindError::Unknown { nearest, .. }) => {
                assert!(nearest.iter().any(|n| n == right), "{wrong}: {nearest:?}");
            }
            other => panic!("{wrong}: {other:?}"),
        }
    }
    let lost = catalogue.find("xyzzy").expect_err("no such name").to_string();
    assert!(lost.contains("`xyzzy`") && lost.contains("step1"), "{lost}");
    assert!(catalogue.find("").is_err());
    assert!(catalogue.find("step").is_err());
}

#[test]
fn preludes_hold_what_is_needed_and_no_asides() {
    let catalogue = Catalogue::new();
    let slugs = |name: &str| -> Vec<String> {
        let steps = catalogue.prelude(step(&catalogue, name)).expect("lessons are sound");
        steps.iter().map(|s| s.slug.clone()).collect()
    };
    assert_eq!(slugs("step1"), Vec::<String>::new());
    assert_eq!(slugs("step3"), ["inputs", "query"]);
    let softmax = slugs("softmax");
    assert!(!softmax.contains(&"softmax-overflow".to_string()), "asides are left out: {softmax:?}");
    let loops = slugs("scores-loops");
    assert_eq!(loops.first().map(String::as_str), Some("inputs"), "3.3.2 goes on with 3.3.1");
    let causal = slugs("causal-contexts");
    assert!(causal.contains(&"widths".to_string()) && !causal.contains(&"sa-v2".to_string()), "{causal:?}");
    let lesson = catalogue.lesson(4).expect("sound");
    let before = catalogue.prelude_of(lesson, &lesson.exercises[0]).expect("sound");
    assert_eq!(before.last().map(|s| s.slug.as_str()), Some("v2-again"));
}

#[test]
fn stumbling_points_and_seed_cells_have_their_steps() {
    let catalogue = Catalogue::new();
    let table = |file: &str| -> Vec<serde_json::Value> {
        let text = std::fs::read_to_string(folder().join("tests/golden").join(file)).expect(file);
        serde_json::from_str(&text).expect(file)
    };
    let list = |row: &serde_json::Value, key: &str| -> Vec<String> {
        let found = row[key].as_array().expect(key);
        found.iter().map(|v| v.as_str().expect(key).to_string()).collect()
    };
    let mut points = BTreeSet::new();
    for row in table("stumbling.json") {
        points.insert(row["point"].as_u64().expect("a number"));
        let step = step(&catalogue, row["step"].as_str().expect("a name"));
        let lesson = catalogue.lesson_of(step).expect("a step has a lesson");
        assert_eq!(lesson.id, row["lesson"].as_str().expect("an id"));
        for shown in list(&row, "shows") {
            let recorded = step.recorded.as_deref().unwrap_or_default();
            assert!(recorded.contains(&shown), "{}: `{shown}` is not in:\n{recorded}", step.slug);
        }
    }
    assert_eq!(points, (1..=22).collect());
    for row in table("seed_cells.json") {
        let step = step(&catalogue, row["step"].as_str().expect("a name"));
        for figure in list(&row, "figures") {
            let recorded = step.recorded.as_deref().unwrap_or_default();
            assert!(recorded.contains(&figure), "{}: {figure}", step.slug);
        }
    }
}

/// Everything that is read in a step: prose, code, output, questions with their answers; without Markdown's signs.
fn told_in(step: &Step, catalogue: &Catalogue) -> String {
    let lesson = catalogue.lesson_of(step).expect("a step has a lesson");
    let mut parts = vec![step.title.clone(), step.prose.clone(), step.after.clone()];
    if lesson.steps[0].number == step.number {
        parts.push(lesson.intro.clone());
    }
    for asked in &step.predictions {
        parts.extend([asked.ask.clone(), asked.right.clone()]);
        parts.extend(asked.wrong.iter().map(|wrong| wrong.because.clone()));
    }
    let own = lesson
        .exercises
        .iter()
        .filter(|e| lesson.steps[..e.after_steps].last().is_some_and(|s| s.slug == step.slug));
    parts.extend(own.map(|exercise| exercise.task.clone()));
    let read: Vec<String> = parts.iter().map(|part| attn::view::glossary::plain(part)).collect();
    format!("{}\n{}\n{}", read.join("\n"), step.code, step.recorded.as_deref().unwrap_or_default())
}

/// Each explaining paragraph of the two chapters' texts has a step that says it, in our own words.
#[test]
fn paragraphs_of_the_chapter_have_their_steps() {
    let catalogue = Catalogue::new();
    let text =
        std::fs::read_to_string(folder().join("tests/golden/seed_paragraphs.json")).expect("the table");
    let rows: Vec<serde_json::Value> = serde_json::from_str(&text).expect("it is JSON");
    let mut seen: HashSet<(String, u64)> = HashSet::new();
    for row in &rows {
        let step = step(&catalogue, row["step"].as_str().expect("a name"));
        let read = told_in(step, &catalogue);
        for words in row["says"].as_array().expect("a list") {
            let words = words.as_str().expect("words");
            assert!(read.contains(words), "{}: `{words}` is not in:\n{read}", step.slug);
        }
        seen.insert((
            row["seed"].as_str().expect("a seed").to_owned(),
            row["paragraph"].as_u64().expect("a number"),
        ));
    }
    for (seed, paragraphs) in [("001", 12), ("003", 14)] {
        for paragraph in 1..=paragraphs {
            assert!(seen.contains(&(seed.to_owned(), paragraph)), "seed {seed}, paragraph {paragraph}");
        }
    }
}

// ---------------------------------------------------------------- lessons that are broken

const FRONT: &str =
    "---\nid: x\ntitle: X\nsection: \"9.9\"\nsummary: s\nminutes: 1\n---\n\n# X\n\n## One\n\nSay.\n\n";
const CELL: &str = "```{code-cell} python\n:name: one\nprint(1)\n```\n";

#[test]
fn a_small_lesson_is_read_whole() {
    let text = format!("{FRONT}{CELL}```{{output}}\n1\n```\n\nSeen.\n\nAnd *more*.\n");
    let lesson = myst::parse("x.md", &text, 5).expect("sound");
    let step = &lesson.steps[0];
    assert_eq!((step.number, step.line, step.title.as_str()), (5, 17, "One"));
    assert_eq!((step.prose.as_str(), step.after.as_str()), ("Say.", "Seen.\n\nAnd *more*."));
    assert_eq!(step.recorded.as_deref(), Some("1\n"));
    assert_eq!(step.code, "print(1)");
}

#[test]
fn jupyter_may_save_a_lesson() {
    // Single quotes, a blank line after the options, the output a line apart: so jupytext writes it.
    let text = format!(
        "{FRONT}```{{code-cell}} python\n:axes: 'a: token feature'\n:name: one\n\nprint(1)\n```\n\n```{{output}}\n1\n```\n"
    );
    let lesson = myst::parse("x.md", &text, 1).expect("sound");
    let step = &lesson.steps[0];
    assert_eq!((step.code.as_str(), step.line), ("print(1)", 19));
    assert_eq!(step.axes[0].axes, ["token", "feature"]);
    assert_eq!(step.recorded.as_deref(), Some("1\n"));
}

#[test]
fn predictions_are_data() {
    let text = format!(
        "{FRONT}```{{predict}}\nask: Shape?\nshape: x\nright: Yes.\nwrong:\n  - value: y\n    because: No.\n```\n\n{CELL}"
    );
    let lesson = myst::parse("x.md", &text, 1).expect("sound");
    let asked = &lesson.steps[0].predictions[0];
    assert_eq!(asked.answer, Answer::Shape("x".to_string()));
    assert_eq!((asked.wrong[0].value.as_str(), asked.line), ("y", 15));
    assert_eq!(lesson.steps[0].prose, "Say.");
}

#[test]
fn broken_lessons_name_file_line_and_the_nearest_right_name() {
    let exercise = "```{exercise} python\n:name: e\nx = 1\n```\n";
    let hints = "```{hint}\na\n```\n\n```{hint}\nb\n```\n";
    let cases: &[(String, usize, &str, &str)] = &[
        ("no front matter".into(), 1, "front matter", ""),
        (FRONT.replace("id: x\n", ""), 1, "missing field `id`", ""),
        (FRONT.replace("summary", "sumary"), 5, "no key `sumary`", "summary"),
        (FRONT.replace("minutes: 1", "minutes: ["), 7, "YAML", ""),
        (FRONT.to_string(), 1, "no {code-cell}", ""),
        (
            format!("{FRONT}```{{code-cel}} python\n:name: one\nprint(1)\n```\n"),
            15,
            "no directive `{code-cel}`",
            "code-cell",
        ),
        (format!("{FRONT}```{{code-cell python\nprint(1)\n```\n"), 15, "lacks its `}`", ""),
        (
            format!("{FRONT}```{{code-cell}} python\n:nmae: one\nprint(1)\n```\n"),
            16,
            "no option `:nmae:`",
            "name",
        ),
        (format!("{FRONT}```{{code-cell}} python\nprint(1)\n```\n"), 15, "needs a `:name:`", ""),
        (format!("{FRONT}```{{code-cell}} python\n:name: One\nprint(1)\n```\n"), 16, "small letters", ""),
        (format!("{FRONT}{CELL}{CELL}"), 20, "stands twice", ""),
        (
            format!("{FRONT}```{{code-cell}} python\n:name: one\n:axes: \"a: tokn\"\nprint(1)\n```\n"),
            17,
            "no axis is called `tokn`",
            "token",
        ),
        (
            format!("{FRONT}```{{code-cell}} python\n:name: one\n:axes: a: token\nprint(1)\n```\n"),
            17,
            "double quotes",
            "",
        ),
        (
            format!(
                "{FRONT}```{{code-cell}} python\n:name: one\n:check: rows of a add to 1\nprint(1)\n```\n"
            ),
            17,
            "cannot read the check",
            "",
        ),
        (
            format!("{FRONT}```{{code-cell}} python\n:name: one\n:random: boook\nprint(1)\n```\n"),
            17,
            "book or mkl",
            "",
        ),
        (
            format!("{FRONT}```{{code-cell}} python\n:name: one\n:aside: yes\nprint(1)\n```\n"),
            17,
            "true or false",
            "",
        ),
        (format!("{FRONT}```{{code-cell}} python\n:name: one\n```\n"), 15, "empty", ""),
        (format!("{FRONT}{CELL}\nWords.\n\n```{{output}}\n1\n```\n"), 22, "right under", ""),
        (
            format!("{FRONT}```{{predict}}\nask: A?\nshpe: x\nright: y\n```\n\n{CELL}"),
            17,
            "no key `shpe`",
            "shape",
        ),
        (format!("{FRONT}```{{predict}}\nask: A?\nright: y\n```\n\n{CELL}"), 15, "one of `shape`", ""),
        (
            format!("{FRONT}```{{predict}}\nask: A?\nright: y\nchoices:\n  - text: a\n```\n\n{CELL}"),
            15,
            "exactly one",
            "",
        ),
        (
            format!("{FRONT}{CELL}\n## Two\n\n```{{predict}}\nask: A?\nshape: x\nright: y\n```\n"),
            22,
            "no code cell follows",
            "",
        ),
        (format!("{FRONT}{CELL}\n{hints}"), 20, "belongs to an {exercise}", ""),
        (format!("{FRONT}{CELL}\n## E\n\n{exercise}"), 22, "the task", ""),
        (format!("{FRONT}{CELL}\n## E\n\nDo.\n\n{exercise}"), 24, "two hints", ""),
        (format!("{FRONT}{CELL}\n## E\n\nDo.\n\n{exercise}\n{hints}"), 24, "a {solution}", ""),
        (
            format!("{FRONT}{CELL}\n## E\n\nDo.\n\n{exercise}\n{hints}\n```{{solution}}\nx\n```\n"),
            24,
            "a {check}",
            "",
        ),
        (format!("{FRONT}{CELL}\n## E\n\nDo.\n\n{exercise}\n```{{attempt}}\nx\n```\n"), 29, "`:says:`", ""),
    ];
    for (text, line, words, nearest) in cases {
        let fault = myst::parse("x.md", text, 1).expect_err(words);
        assert!(fault.what.contains(words), "{fault} should say `{words}`");
        assert_eq!(fault.line, *line, "{fault}");
        assert!(fault.to_string().starts_with(&format!("x.md:{line}: ")));
        if !nearest.is_empty() {
            assert_eq!(fault.nearest.first().map(String::as_str), Some(*nearest), "{fault}");
        }
    }
}

#[test]
fn invariants_are_sentences() {
    for (sentence, words) in [
        ("rows of w sum to 1", "every row of w sums to 1"),
        ("w sums to 1", "w sums to 1"),
        ("w is never negative", "w is never negative"),
        ("w is zero above the diagonal", "w is zero above the diagonal"),
        ("a[1] equals b", "a[1] equals b"),
        ("s is symmetric", "s is symmetric"),
    ] {
        let invariant = Invariant::parse(sentence).expect(sentence);
        assert_eq!(invariant.to_string(), words);
        assert!(invariant.deviation().contains(".item()"));
    }
    assert!(Invariant::parse("w is fine").is_err());
}
