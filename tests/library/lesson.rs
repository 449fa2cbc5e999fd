//! Lessons as data: what parses, the faults of what does not, and how names find steps.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use attn::lesson::catalogue::FindError;
use attn::lesson::exercise::RightAnswer;
use attn::lesson::{Catalogue, Invariant, Lesson, LessonStep, Step, Target, myst};

use crate::course;

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}

fn step<'c>(catalogue: &'c Catalogue, name: &str) -> &'c Step {
    step_and_lesson(catalogue, name).0
}

fn step_and_lesson<'c>(catalogue: &'c Catalogue, name: &str) -> LessonStep<'c> {
    match catalogue.find(name) {
        Ok(Target::Step(step, lesson)) => (step, lesson),
        other => panic!("{name}: {other:?}"),
    }
}

// ---------------------------------------------------------------- the lessons that are there

#[test]
fn every_lesson_parses_and_numbering_runs_through() {
    let catalogue = course::catalogue();
    let mut slugs = HashSet::new();
    let mut number = 0;
    for lesson in catalogue.lessons() {
        let lesson = lesson.unwrap_or_else(|fault| panic!("{fault}"));
        assert!(!lesson.steps.is_empty() && !lesson.summary.is_empty() && lesson.minutes > 0);
        for step in &lesson.steps {
            number += 1;
            assert_eq!(step.number, number);
            assert!(slugs.insert(step.slug.clone()), "{}: the name {} occurs twice", lesson.file, step.slug);
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
            assert!(slugs.insert(exercise.slug.clone()), "{}: {} occurs twice", lesson.file, exercise.slug);
        }
    }
    assert_eq!(
        number,
        catalogue.total_steps(),
        "the names read from the starts of lines are those of the parser"
    );
    let files = std::fs::read_dir(folder().join("lessons")).expect("the folder is there");
    let lessons = files.filter(|file| {
        let name = file.as_ref().expect("listed").file_name();
        name.to_string_lossy().ends_with(".md") && name != "glossary.md" && name != "faq.md"
    });
    assert!(catalogue.lesson_count() >= lessons.count(), "every file in lessons/ is a lesson");
}

#[test]
fn every_lesson_asks_twice_and_has_an_exercise() {
    for lesson in course::catalogue().lessons() {
        let lesson = lesson.unwrap_or_else(|fault| panic!("{fault}"));
        let asked: usize = lesson.steps.iter().map(|s| s.predictions.len()).sum();
        assert!(asked >= 2, "{} asks {asked} times", lesson.file);
        assert!(!lesson.exercises.is_empty(), "{} has no exercise", lesson.file);
        for exercise in &lesson.exercises {
            assert!(exercise.hints.len() >= 2 && !exercise.checks.is_empty() && exercise.attempts.len() >= 2);
            for check in &exercise.checks {
                assert!(check.asks.ends_with('.'), "{}: a check without `:asks:`", exercise.slug);
            }
        }
    }
}

/// Every lesson but the first opens with two questions about earlier ones; `attn check` says if a step is not earlier.
#[test]
fn every_lesson_opens_with_two_questions_about_earlier_ones() {
    for lesson in Catalogue::new().lessons().skip(1) {
        let lesson = lesson.unwrap_or_else(|fault| panic!("{fault}"));
        let (first, later) = lesson.steps.split_first().expect("a lesson has steps");
        let opening = first.predictions.iter().take_while(|asked| asked.review.is_some()).count();
        assert!(opening >= 2, "{} opens with {opening} questions about earlier lessons", lesson.file);
        assert!(later.iter().all(|step| step.predictions.iter().all(|asked| asked.review.is_none())));
    }
}

/// The minutes are those of reading 200 words and 15 lines of code a minute, 20 seconds a question, and the exercises.
#[test]
fn minutes_are_those_of_reading() {
    let mut wrong = Vec::new();
    for lesson in Catalogue::new().lessons() {
        let lesson = lesson.unwrap_or_else(|fault| panic!("{fault}"));
        let (mut words, mut code, mut fence) = (0, 0, None);
        let body = lesson.text.splitn(3, "---\n").nth(2).expect("a lesson has front matter");
        for line in body.lines() {
            match (fence, line.strip_prefix("```")) {
                (None, Some(kind)) => fence = Some(kind.split(' ').next().unwrap_or_default()),
                (Some(_), Some(_)) => fence = None,
                (None, None) => words += line.split_whitespace().count(),
                (Some("{code-cell}"), None) => {
                    code += usize::from(!line.is_empty() && !line.starts_with(':'));
                }
                (Some(_), None) => {}
            }
        }
        let questions: usize = lesson.steps.iter().map(|step| step.predictions.len()).sum();
        let minutes = words as f64 / 200.0 + code as f64 / 15.0 + questions as f64 / 3.0;
        let exercises = lesson.text.match_indices("\n:minutes: ").map(|(at, found)| {
            let number = lesson.text[at + found.len()..].lines().next().unwrap_or_default();
            number.trim().parse::<u32>().expect("a number of minutes")
        });
        let expected = minutes.round() as u32 + exercises.sum::<u32>();
        if lesson.minutes != expected {
            wrong.push(format!("{}: minutes: {expected}", lesson.file));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A lesson of part two is short.
#[test]
fn lessons_of_part_two_have_few_steps_and_minutes() {
    let catalogue = Catalogue::new();
    let lessons: Vec<&Lesson> =
        catalogue.lessons().map(|it| it.unwrap_or_else(|fault| panic!("{fault}"))).collect();
    let parts: Vec<&[&Lesson]> = lessons.chunk_by(|_, next| next.part.is_none()).collect();
    assert_eq!(parts.len(), 2);
    for Lesson { file, steps, minutes, .. } in parts[1] {
        assert!(steps.len() <= 8, "{file} has {} steps", steps.len());
        assert!((10..=20).contains(minutes), "{file} takes {minutes} minutes");
    }
}

/// The map of the course is at the head of every lesson and fits 40 columns; every lesson but the last of part one, which says
/// what comes next, ends with a recap: formula, picture, sentences.
#[test]
fn every_lesson_has_the_map_and_a_recap() {
    let catalogue = Catalogue::new();
    let lessons: Vec<&Lesson> =
        catalogue.lessons().map(|it| it.unwrap_or_else(|fault| panic!("{fault}"))).collect();
    for (at, lesson) in lessons.iter().enumerate() {
        let ends_part = lessons.get(at + 1).is_some_and(|next| next.part.is_some());
        let drawn = |line: &&str| line.contains('|') || line.contains("---") || line.ends_with("<- here");
        // A lesson that begins with an exercise is introduced there.
        let intro = match lesson.intro.is_empty() {
            true => &lesson.exercises[0].task,
            false => &lesson.intro,
        };
        let map: Vec<&str> = intro.lines().filter(drawn).collect();
        assert!(map.len() >= 3, "{} has no map", lesson.file);
        assert!(at == 0 || map.iter().any(|line| line.ends_with("<- here")), "{}: where?", lesson.file);
        let widest = map.iter().map(|line| line.chars().count()).max().unwrap_or(0);
        assert!(widest <= 36, "{}: the map has {widest} columns; at most 36", lesson.file);
        let last = if ends_part { "\n## What comes next\n" } else { "\n## In short\n" };
        let end = lesson.text.rfind("\n## ").expect("a lesson has headings");
        assert!(lesson.text[end..].starts_with(last), "{} does not end with `{}`", lesson.file, last.trim());
        if !ends_part {
            let fences: Vec<&str> = lesson.text[end..].split("\n```text\n").skip(1).collect();
            assert_eq!(fences.len(), 2, "{}: the recap has a formula and a picture", lesson.file);
            let picture = fences[1].split("\n```").next().unwrap_or_default();
            let widest = picture.lines().map(|line| line.chars().count()).max().unwrap_or(0);
            assert!(widest <= 36, "{}: the picture has {widest} columns; at most 36", lesson.file);
        }
        // Formulas fit a narrow screen as they are.
        let blocks = lesson.text.split("\n```text\n").skip(1).filter_map(|block| block.split("\n```").next());
        let wide = blocks.flat_map(str::lines).find(|line| line.chars().count() > 40);
        assert!(wide.is_none(), "{}: `{}` has more than 40 columns", lesson.file, wide.unwrap_or_default());
    }
}

#[test]
fn option_lines_are_yaml_for_jupyter() {
    for entry in std::fs::read_dir(folder().join("lessons")).expect("the folder is there") {
        let path = entry.expect("listed").path();
        // The folder of the trained model has no lessons.
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        for (at, line) in text.lines().enumerate().filter(|(_, l)| l.starts_with(':')) {
            let value: yaml_serde::Value = yaml_serde::from_str(&line[1..])
                .unwrap_or_else(|e| panic!("{}:{}: {e}", path.display(), at + 1));
            assert!(value.is_mapping(), "{}:{}", path.display(), at + 1);
        }
    }
}

#[test]
fn scores_is_the_loop_of_dot_products() {
    let catalogue = course::catalogue();
    let step = step(&catalogue, "scores");
    assert_eq!((step.slug.as_str(), step.section.as_str()), ("scores", "3.3.1"));
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
    let catalogue = course::catalogue();
    let (first, _) = catalogue.step(1).expect("there is a first step").expect("it can be read");
    for name in ["step1", "Step1", "STEP 1", "step-1", &first.slug, &format!(" {} ", first.slug)] {
        assert_eq!(step(&catalogue, name).number, 1, "{name}");
    }
    assert_eq!(step(&catalogue, "softmax_naive").slug, "softmax-naive");
    let is_compact = |lesson: Result<&Lesson, _>| lesson.is_ok_and(|it| it.id == "compact-class");
    let number = (1 + catalogue.lessons().position(is_compact).expect("a lesson of the course")).to_string();
    for (name, id) in [
        ("3.3.1", "simple-self-attention"),
        ("simple-self-attention", "simple-self-attention"),
        ("3.4.2", "compact-class"),
        ("exercise 3.1", "compact-class"),
        (&number, "compact-class"),
        (&format!("Lesson {number}"), "compact-class"),
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
    let catalogue = course::catalogue();
    let last = format!("step{}", catalogue.total_steps());
    for (wrong, right) in [
        ("stp1", "step1"),
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
    assert!(lost.contains("`xyzzy`") && lost.contains(&format!("steps are step1 to {last},")), "{lost}");
    assert!(catalogue.find("").is_err());
    assert!(catalogue.find("step").is_err());
}

#[test]
fn preludes_have_what_is_needed_and_no_asides() {
    let catalogue = course::catalogue();
    let slugs = |name: &str| -> Vec<String> {
        let steps = catalogue.prelude(step(&catalogue, name)).expect("lessons are sound");
        steps.iter().map(|(step, _)| step.slug.clone()).collect()
    };
    assert_eq!(slugs("inputs"), Vec::<String>::new());
    assert_eq!(slugs("scores"), ["inputs", "query"]);
    let softmax = slugs("softmax");
    assert!(!softmax.contains(&"softmax-overflow".to_string()), "asides are left out: {softmax:?}");
    let loops = slugs("scores-loops");
    assert_eq!(loops.first().map(String::as_str), Some("inputs"), "3.3.2 goes on with 3.3.1");
    let causal = slugs("causal-contexts");
    assert!(causal.contains(&"widths".to_string()) && !causal.contains(&"sa-v2".to_string()), "{causal:?}");
    let Ok(Target::Lesson(lesson)) = catalogue.find("exercise 3.1") else {
        panic!("there is an exercise 3.1")
    };
    let carried =
        lesson.exercises.iter().find(|it| it.slug == "carry-weights").expect("it has that exercise");
    let before = catalogue.prelude_of(lesson, carried.after_steps).expect("sound");
    assert_eq!(before.last().map(|(step, _)| step.slug.as_str()), Some("same-seed"));
}

/// The rows of a table in `tests/golden`.
fn table(file: &str) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(folder().join("tests/golden").join(file)).expect(file);
    serde_json::from_str(&text).expect(file)
}

fn text<'r>(row: &'r serde_json::Value, key: &str) -> &'r str {
    row[key].as_str().unwrap_or_else(|| panic!("{key}: {row}"))
}

fn texts<'r>(row: &'r serde_json::Value, key: &str) -> Vec<&'r str> {
    let list = row[key].as_array().unwrap_or_else(|| panic!("{key}: {row}"));
    list.iter().map(|value| value.as_str().expect(key)).collect()
}

/// Where learners stumble: each point has a step that shows it, with its figures.
#[test]
fn stumbling_points_have_their_steps() {
    let catalogue = course::catalogue();
    let mut points = BTreeSet::new();
    for row in table("stumbling_points.json") {
        points.insert(row["point"].as_u64().expect("a number"));
        let (step, lesson) = step_and_lesson(&catalogue, text(&row, "step"));
        assert_eq!(lesson.id, text(&row, "lesson"));
        for shown in texts(&row, "shows") {
            let recorded = step.recorded.as_deref().expect("the step has an output");
            assert!(recorded.contains(shown), "{}: `{shown}` is not in:\n{recorded}", step.slug);
        }
    }
    assert_eq!(points, (1..=22).collect());
}

/// Each cell of the chapter has a step that shows its figures.
#[test]
fn cells_of_the_chapter_have_their_steps() {
    let catalogue = course::catalogue();
    for row in table("chapter_cells.json") {
        let step = step(&catalogue, text(&row, "step"));
        for figure in texts(&row, "figures") {
            let recorded = step.recorded.as_deref().expect("the step has an output");
            assert!(recorded.contains(figure), "{}: {figure}", step.slug);
        }
    }
}

/// All text of a step: prose, code, output, questions with their answers; without Markdown's signs.
fn text_of((step, lesson): LessonStep) -> String {
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

/// Each paragraph of the chapter that explains something has a step that says it in our own words.
#[test]
fn paragraphs_of_the_chapter_have_their_steps() {
    let catalogue = course::catalogue();
    for row in table("chapter_paragraphs.json") {
        let (step, lesson) = step_and_lesson(&catalogue, text(&row, "step"));
        let read = text_of((step, lesson));
        for words in texts(&row, "says") {
            assert!(
                read.contains(words),
                "{} ({}): `{words}` is not in:\n{read}",
                step.slug,
                text(&row, "about")
            );
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
        "{FRONT}```{{predict}}\nask: Sum?\nvalue: x\nright: Yes.\nwrong:\n  - value: y\n    because: No.\n```\n\n{CELL}"
    );
    let lesson = myst::parse("x.md", &text, 1).expect("sound");
    let asked = &lesson.steps[0].predictions[0];
    assert_eq!(asked.answer, RightAnswer::Value("x".to_string()));
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
        (format!("{FRONT}```{{code-cell python\nprint(1)\n```\n"), 15, "has no closing `}`", ""),
        (
            format!("{FRONT}```{{code-cell}} python\n:nmae: one\nprint(1)\n```\n"),
            16,
            "no option `:nmae:`",
            "name",
        ),
        (format!("{FRONT}```{{code-cell}} python\nprint(1)\n```\n"), 15, "needs a `:name:`", ""),
        (format!("{FRONT}```{{code-cell}} python\n:name: One\nprint(1)\n```\n"), 16, "lowercase letters", ""),
        (format!("{FRONT}{CELL}{CELL}"), 20, "occurs twice", ""),
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
            format!("{FRONT}```{{predict}}\nask: A?\nvalu: x\nright: y\n```\n\n{CELL}"),
            17,
            "no key `valu`",
            "value",
        ),
        (
            format!("{FRONT}```{{predict}}\nask: A?\nshape: x\nright: y\n```\n\n{CELL}"),
            17,
            "no key `shape`",
            "",
        ),
        (format!("{FRONT}```{{predict}}\nask: A?\nright: y\n```\n\n{CELL}"), 15, "one of `value`", ""),
        (
            format!("{FRONT}```{{predict}}\nask: A?\nright: y\nchoices:\n  - text: a\n```\n\n{CELL}"),
            15,
            "exactly one",
            "",
        ),
        (
            format!("{FRONT}```{{predict}}\nask: A?\ncode: x\nright: y\n```\n\n{CELL}"),
            15,
            "`code` needs `gives`",
            "",
        ),
        (
            format!("{FRONT}```{{predict}}\nask: A?\ncode: absent\ngives: x\nright: y\n```\n\n{CELL}"),
            15,
            "`absent` occurs 0 times in the cell",
            "",
        ),
        (format!("{FRONT}```{{predict}}\nask: A?\nvalue: x\n```\n\n{CELL}"), 15, "needs `right`", ""),
        (
            format!("{FRONT}{CELL}\n## Two\n\n```{{predict}}\nask: A?\nvalue: x\nright: y\n```\n"),
            22,
            "no code cell follows",
            "",
        ),
        (format!("{FRONT}{CELL}\n{hints}"), 20, "belongs to an {exercise}", ""),
        (format!("{FRONT}{CELL}\n## E\n\n{exercise}"), 22, "its task", ""),
        (format!("{FRONT}{CELL}\n## E\n\nDo.\n\n{exercise}"), 24, "at least two hints", ""),
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
