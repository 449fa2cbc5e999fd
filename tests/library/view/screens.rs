//! What the screens show: one step of the chapter, odd and large tensors, a check, a listing, and
//! the like. The figures of the weights are the chapter's.

use std::time::Duration;

use attn::explain::errors::{Clash, ClashOperand, ErrorExplanation, Fix};
use attn::explain::what_if::{AppliedChange, AxisLabels, ChangedTensor, WhatIf};
use attn::explain::{TensorNames, why};
use attn::lesson::compare::Verdict;
use attn::lesson::exercise::{Exercise, RightAnswer};
use attn::lesson::progress::{ExerciseHelp, GivenAnswer, Progress, ProgressChange};
use attn::lesson::states::StopState;
use attn::lesson::{Course, Lesson, Prediction, Step, Term};
use attn::session::{Session, SessionOptions};
use attn::tensor::DType;
use attn::view::bench::{BenchReport, BenchRow, bench};
use attn::view::check::{CheckedCell, CheckedFile, report};
use attn::view::code::code;
use attn::view::compare::what_if;
use attn::view::errors::{ErrorNote, error};
use attn::view::glossary::entries;
use attn::view::heat::{Bar, bars, beside};
use attn::view::learn::{Ending, KeyHelp, answered, ending, footer, help, hint, labelled_code, task};
use attn::view::listing::{Listing, list};
use attn::view::panel::{LessonPlace, lesson_head};
use attn::view::pick::marked;
use attn::view::picture::picture;
use attn::view::progress_line::{progress, working};
use attn::view::prose::prose;
use attn::view::quiz::{AnswerVerdict, QuestionKind, question, reply};
use attn::view::run::{cell, finished};
use attn::view::storage::{StorageView, storage};
use attn::view::table::figure;
use attn::view::why::explanation;
use attn::view::{Check, Figure, Look, Panel, Picture, Text, panel};

const TOKENS: [&str; 6] = ["Your", "journey", "starts", "with", "one", "step"];

const WEIGHTS: [f64; 36] = [
    0.2098, 0.2006, 0.1981, 0.1242, 0.1220, 0.1452, 0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581, 0.1390,
    0.2369, 0.2326, 0.1242, 0.1108, 0.1565, 0.1435, 0.2074, 0.2046, 0.1462, 0.1263, 0.1720, 0.1526, 0.1958,
    0.1975, 0.1367, 0.1879, 0.1295, 0.1385, 0.2184, 0.2128, 0.1420, 0.0988, 0.1896,
];

/// A tensor of the given kind; axes named token, query or key bear the tokens.
pub fn tensor(name: &str, dtype: &str, shape: &[usize], values: &[f64], axes: &[&str]) -> Figure {
    let text = |v: &f64| match dtype {
        "bool" => if *v != 0.0 { " True" } else { "False" }.to_string(),
        "int64" => format!("{v:4.0}"),
        _ if v.is_nan() => "nan".to_string(),
        _ if v.is_infinite() => "  -inf".to_string(),
        _ => format!("{v:.4}"),
    };
    let tokens = |axis: &&str| {
        let named = ["token", "query", "key"].contains(axis);
        named.then(|| TOKENS.map(str::to_string).to_vec())
    };
    Figure {
        name: name.into(),
        dtype: dtype.into(),
        shape: shape.to_vec(),
        values: values.to_vec(),
        texts: values.iter().map(text).collect(),
        axes: axes.iter().map(|a| a.to_string()).collect(),
        labels: axes.iter().map(tokens).collect(),
    }
}

fn causal(fill: f64) -> Vec<f64> {
    let cell = |(at, w): (usize, &f64)| if at % 6 > at / 6 { fill } else { *w };
    WEIGHTS.iter().enumerate().map(cell).collect()
}

pub fn step() -> Panel {
    Panel {
        section: "3.3.2".into(),
        title: "All tokens at once".into(),
        number: 16,
        total: 58,
        slug: "row-softmax".into(),
        prose: "Each row of `attn_scores` is turned into weights by itself: `dim=-1` runs the \
                softmax **along the keys**, so that $\\sum_j \\alpha_{ij} = 1$ for each query.\n"
            .into(),
        code: "# along the last axis\nattn_weights = torch.softmax(attn_scores, dim=-1)\n\
               for i, row in enumerate(attn_weights):\n    print(f\"{i}:\", row.sum())\n"
            .into(),
        stdout: "0: tensor(1.0000)\n1: tensor(1.)\n".into(),
        result: Some("torch.Size([6, 6])".into()),
        figures: vec![
            tensor("attn_weights", "float32", &[6, 6], &WEIGHTS, &["query", "key"]),
            tensor("row_1", "float32", &[6], &WEIGHTS[6..12], &["key"]),
        ],
        checks: vec![
            Check { text: "every row sums to 1".into(), is_true: true, deviation: Some("6e-8".into()) },
            Check {
                text: "attn_weights is zero above the diagonal".into(),
                is_true: false,
                deviation: Some("0.2333".into()),
            },
        ],
        worked: vec![
            "[1,2] 0.2333 = exp(1.4754 - 1.4950) / Σj exp(attn_scores[1,j] - 1.4950)".into(),
            "             = 0.9806 / 4.2034".into(),
        ],
        after: "\"journey\" gives itself and \"starts\" almost the same share: together nearly half \
                of all it has to give."
            .into(),
        remarks: vec!["Row 0 is the query \"Your\".".into()],
        ..Panel::default()
    }
}

fn mishap() -> ErrorNote {
    ErrorNote {
        kind: "RuntimeError".into(),
        message: "mat1 and mat2 shapes cannot be multiplied (6x2 and 6x2)".into(),
        interrupted: false,
        column: None,
        line: Some(3),
        source: Some("    scores = queries @ keys".into()),
        inside: None,
        explanation: ErrorExplanation {
            clash: Some(Clash {
                text: "queries @ keys".into(),
                between: "@".into(),
                operands: [
                    operand("queries", &[6, 2], &["query", "d_out"], 1),
                    operand("keys", &[6, 2], &["key", "d_out"], 0),
                ],
                rule: "2 and 6 must be equal".into(),
            }),
            remarks: vec!["keys was made in step24, line 2: keys = inputs @ W_key".into()],
            fixes: vec![Fix {
                code: "queries @ keys.T".into(),
                shapes: "(6,2) @ (2,6) -> (6,6)".into(),
                reason: "every row of queries meets every row of keys".into(),
            }],
        },
    }
}

/// A fault of syntax in a line that is wrapped on a narrow screen, and one of indentation.
fn slips(look: Look) -> Text {
    let note = |kind: &str, message: &str, source: &str, column: usize| ErrorNote {
        kind: kind.into(),
        message: message.into(),
        line: Some(4),
        column: Some(column),
        source: Some(source.into()),
        ..ErrorNote::default()
    };
    let long = "    context_vec_2 = torch.zeros(query.shape) x + attn_weights_2 @ inputs";
    let mut text = error(&note("SyntaxError", "invalid syntax", long, 46), look);
    let short = "   one_to_journey = weights[0, 4, 1]";
    let message = "unindent does not match any outer indentation level";
    text.section(error(&note("IndentationError", message, short, 4), look));
    text
}

fn operand(name: &str, shape: &[usize], axes: &[&str], clash: usize) -> ClashOperand {
    let axes = axes.iter().map(|axis| (*axis).to_owned()).collect();
    ClashOperand { name: name.into(), shape: shape.to_vec(), axes, clash: Some(clash) }
}

fn odd() -> Vec<Figure> {
    let mut gap = causal(f64::NEG_INFINITY);
    gap[0] = f64::NAN;
    let mask: Vec<f64> = gap.iter().map(|v| f64::from(v.is_infinite())).collect();
    let long: Vec<f64> = (0..40).map(f64::from).collect();
    vec![
        tensor("masked", "float32", &[6, 6], &gap, &["query", "key"]),
        tensor("mask", "bool", &[6, 6], &mask, &["query", "key"]),
        tensor("by_head", "float32", &[2, 6, 2], &WEIGHTS[..24], &["head", "token", "d_out"]),
        tensor("ids", "int64", &[2, 3], &[1.0, 20.0, 300.0, 4.0, 5.0, 6.0], &[]),
        tensor("steps", "int64", &[40], &long, &[]),
        tensor("ones", "float32", &[2, 2], &[1.0; 4], &[]),
        tensor("score", "float32", &[], &[1.8524], &[]),
        tensor("none", "float32", &[0, 3], &[], &["token", "feature"]),
    ]
}

fn large() -> Vec<Figure> {
    let wave = |r: usize, c: usize| match c > r {
        true => 0.0,
        false => (1.0 + ((r - c) as f64 / 9.0).cos()) / (r as f64 + 2.0),
    };
    let one: Vec<f64> = (0..128 * 128).map(|i| wave(i / 128, i % 128)).collect();
    let turn = |i: usize| {
        let (head, r, c) = (i / 1024, i % 1024 / 32, i % 32);
        ((r as f64 - c as f64) * (head as f64 + 1.0) / 15.0).cos()
    };
    let many: Vec<f64> = (0..4 * 1024).map(turn).collect();
    let bare = |mut figure: Figure| {
        figure.texts.clear();
        figure.labels.clear();
        figure
    };
    vec![
        bare(tensor("weights", "float32", &[128, 128], &one, &["query", "key"])),
        bare(tensor("heads", "float32", &[4, 32, 32], &many, &["head", "query", "key"])),
        bare(tensor("flat", "float32", &[4096], &many, &[])),
    ]
}

fn figures(all: &[Figure], look: Look) -> Text {
    let mut text = Text::new();
    for one in all {
        text.section(figure(one, look));
    }
    text
}

fn checked() -> Vec<CheckedFile> {
    let rows =
        |row: &str| format!("tensor([[0.2098, 0.2006, 0.1981, 0.1242, 0.1220, 0.1452],\n        {row}])");
    let differing = |title: &str, line, recorded: &str, actual: &str| CheckedCell {
        title: title.into(),
        line: Some(line),
        verdict: Verdict::Differs,
        recorded: recorded.into(),
        actual: actual.into(),
        remark: None,
    };
    let good = CheckedFile {
        file: "lessons/01-simple.md".into(),
        cells: vec![CheckedCell::default(); 12],
        ..CheckedFile::default()
    };
    let mut bad = CheckedFile {
        file: "lessons/02-all.md".into(),
        cells: vec![
            differing(
                "step16 row-softmax",
                41,
                &rows("[0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581]"),
                &rows("[0.1385, 0.2378, 0.2333, 0.1240, 0.1082, 0.1581]"),
            ),
            differing("step17 sums", 60, "tensor(1.0000)\n", "tensor(0.9999)\nand more\n"),
            CheckedCell::default(),
        ],
        faults: vec!["line 12: this exercise has one hint and needs two".into()],
        instead: None,
        hint: Some("random dropout: try --random mkl".into()),
    };
    bad.cells[1].remark = Some("The sum is taken in another order.".into());
    vec![good, bad]
}

/// Three lessons, and a learner who has done the first and part of the second.
fn chapter() -> (Vec<Lesson>, Progress) {
    let mut progress = Progress::default();
    let mut lesson = |section: &str, title: &str, first: usize, count: usize, done: usize| {
        let mut lesson = Lesson::default();
        (lesson.id, lesson.number, lesson.minutes) = (title.into(), first, 10 + first as u32 / 2);
        (lesson.section, lesson.title) = (section.into(), title.into());
        lesson.steps.resize_with(count, Step::default);
        for (at, step) in lesson.steps.iter_mut().enumerate() {
            step.number = first + at;
            step.slug = format!("{}-{at}", ["inputs", "scores", "softmax"][at % 3]);
            if at < done {
                progress.apply(&ProgressChange::Done(title.into(), step.slug.clone()));
            }
        }
        lesson.exercises.resize_with((first / 10).min(2), Exercise::default);
        for (exercise, slug) in lesson.exercises.iter_mut().zip(["another-query", "one-function"]) {
            exercise.slug = slug.into();
        }
        if done > 0 {
            let (skipped, tried) = ("another-query".into(), "one-function".into());
            progress.apply(&ProgressChange::Helped(title.into(), skipped, ExerciseHelp::Skip));
            progress.apply(&ProgressChange::Tried(title.into(), tried, "1".into(), false));
        }
        for (ask, right) in [("one", Some(true)), ("two", Some(false)), ("three", None)] {
            let step = lesson.steps.last_mut().expect("a lesson has steps");
            step.predictions.push(Prediction {
                ask: ask.into(),
                answer: RightAnswer::Value("x".into()),
                wrong: Vec::new(),
                right: String::new(),
                review: None,
                line: 0,
            });
            if let Some(right) = right {
                let answer = GivenAnswer { text: "1".into(), right };
                progress.apply(&ProgressChange::Answered(
                    title.into(),
                    step.slug.clone(),
                    ask.into(),
                    answer,
                ));
            }
        }
        lesson
    };
    let lessons = vec![
        lesson("3.3.1", "Simple self-attention", 1, 12, 12),
        lesson("3.3.2", "All tokens at once", 13, 8, 5),
        lesson("3.4.1", "Trainable weights", 21, 11, 0),
    ];
    (lessons, progress)
}

fn listed(steps: bool, look: Look) -> Text {
    let (lessons, progress) = chapter();
    let listing = Listing {
        course: &Course::default(),
        lessons: &lessons.iter().collect::<Vec<_>>(),
        progress: &progress,
        here: 13,
        next: Some("step18".into()),
    };
    list(&listing, steps, look)
}

const MARKDOWN: &str = "# Trainable weights

A score is a *dot product* over the root of the width, as in
`scores / keys.shape[-1] ** 0.5`; see [the page](https://example.org/page).

1. First a **query**, in a sentence that is long enough to go on to a second line of its item.
2. Then a key:
   - inner one
   - inner two

> A remark that stands apart, long enough to need more than one line on a narrow screen.

| matrix | shape | makes |
|---|---|---|
| `W_query` | (3, 2) | queries |
| `W_key` | (3, 2) | keys, one for *each* token |

```python
x = torch.ones(2)  # ones
```
";

const CODE: &str = "class SelfAttention(nn.Module):
    \"\"\"One head.\"\"\"
    def forward(self, x, mask=None):  # (tokens, d_in)
        scores = self.W_query(x) @ self.W_key(x).transpose(-2, -1) / self.d_out ** 0.5
        print(f\"{scores.shape} from\", 'a string that is longer than a narrow screen is wide')
        return torch.softmax(scores, dim=-1) @ self.W_value(x) if True else 1_000.5
%timeit 3 +* unfinished(
";

fn ran() -> Panel {
    Panel {
        code: (1..=9).map(|i| format!("x{i} = {i}\n")).collect(),
        stdout: "hello\ttab \u{1b}[31mred\nloading 10%\rloading 99%\n".into(),
        result: Some("tensor([1, 2, 3])".into()),
        error: Some(mishap()),
        remarks: vec!["%matplotlib was skipped: Jupyter's word, not Python's.".into()],
        ..Panel::default()
    }
}

/// Every screen, by name, drawn for a look.
pub fn screens(look: Look) -> Vec<(&'static str, Text)> {
    let mut cell = cell("cell 4", &ran(), Duration::from_millis(2345), look);
    cell.append(finished(12, 1, Duration::from_secs(75), look));
    let causal = tensor("causal", "float32", &[6, 6], &causal(0.0), &["query", "key"]);
    let mut maps = beside(&[step().figures[0].clone(), causal], look);
    let bar = |name: &str, value: f64| Bar { name: name.into(), value, text: format!("{value:.1}") };
    maps.section(bars(&[bar("d_k 3", 3.1), bar("d_k 768", 768.2), bar("d_k 100", 101.0)], look));
    vec![
        ("panel", panel(&step(), look)),
        ("odd", figures(&odd(), look)),
        ("large", figures(&large(), look)),
        ("maps", maps),
        ("check", report(&checked(), look)),
        ("list", listed(false, look)),
        ("steps", listed(true, look)),
        ("prose", prose(MARKDOWN, look)),
        ("code", code(CODE, look)),
        ("cell", cell),
        ("error", error(&mishap(), look)),
        ("slips", slips(look)),
        ("what-if", changed(look)),
        ("why", explained(look)),
        ("storage", strips(look)),
        ("pictures", pictures(look)),
        ("glossary", glossary(look)),
        ("quiz", asked(look)),
        ("learn", walked(look)),
        ("bench", measured(look)),
    ]
}

fn walked(look: Look) -> Text {
    let keys = [
        ("Enter", "run it"),
        ("p", "back"),
        ("w", "why"),
        ("e", "edit"),
        ("l", "list"),
        ("?", "help"),
        ("r", "run again"),
        ("q", "quit"),
    ];
    let place = LessonPlace {
        lesson: (1, 14),
        title: "Simple self-attention".into(),
        section: "3.3.1".into(),
        at: (4, 13),
        words: "step 4".into(),
        slug: "scores".into(),
    };
    let mut text = lesson_head(&place, look);
    text.section(task(
        &LessonPlace {
            title: "Exercise: Let another token ask".into(),
            at: (13, 13),
            words: "13 of 13, 4 min".into(),
            slug: "another-query".into(),
            ..place.clone()
        },
        "Compute the context vector of \"one\" and call it `context_vec_5`. The starter still lets \"journey\" ask.",
        "query_5 = inputs[1]\nprint(context_vec_5)",
        look,
    ));
    text.section(hint(2, 2, "Counting starts at 0: \"Your\" is row 0, so the fifth token is row 4.", look));
    text.section(labelled_code("A solution:", "query_5 = inputs[4]", look));
    text.section(answered("(6, 3)", look));
    text.append(reply(AnswerVerdict::Right, "Yes: one score for each of the six keys.", look));
    let results =
        [("seen", "11 of 11 steps"), ("predictions", "3 of 5 right at the first try, 1 on a later try")];
    let made = Ending {
        place: LessonPlace { at: (13, 13), words: "the end of this lesson".into(), ..place },
        summary: "One word looks at all six, weighs them, and becomes a blend of them.".into(),
        left: vec![
            (StopState::Wrong, "What is the shape of `attn_scores_2`?".into()),
            (StopState::Open, "The fix: subtract the maximum".into()),
        ],
        results: results.map(|(name, result)| (name.into(), result.into())).into(),
        next: "**Next: 3.3.2 All tokens at once**, 8 steps, about 12 minutes.".into(),
    };
    text.section(ending(&made, look));
    text.section(footer(&keys, look));
    let means = |(keys, line, here): (&[&str], &str, bool)| KeyHelp {
        keys: keys.iter().map(|key| (*key).into()).collect(),
        word: keys[1].into(),
        line: line.into(),
        here,
    };
    let rows = [
        (&["Enter", "n", "on", "next"][..], "Continue: run the cell, or go to the next step", true),
        (&["h", "hint"], "Show a hint; each says more than the one before", false),
    ];
    text.section(help(&rows.map(means), "A key each. Nothing goes on by itself.", look));
    text.section(marked(
        &tensor("attn_weights", "float32", &[6, 6], &WEIGHTS, &["query", "key"]),
        &[1, 2],
        4,
        look,
    ));
    text
}

fn changed(look: Look) -> Text {
    let change = AppliedChange {
        place: "inputs[1,0]".into(),
        description: "\"journey\", feature 0".into(),
        before: "0.55".into(),
        after: "0.9".into(),
        cells: vec!["step1".into()],
        remarks: Vec::new(),
    };
    let words: Vec<String> = "Your journey starts with one step".split(' ').map(str::to_string).collect();
    let difference = |name: &str, before: Vec<f64>, after: Vec<f64>, largest_at| ChangedTensor {
        name: name.into(),
        cell: None,
        dtype: DType::Float32,
        shape: vec![1, 6],
        labels: AxisLabels {
            axes: vec!["query".into(), "key".into()],
            labels: vec![Some(vec!["journey".into()]), Some(words.clone())],
        },
        differing: (0..6).filter(|at| (before[*at] - after[*at]).abs() > 0.0).collect(),
        before,
        after,
        largest_at,
    };
    let weights = difference(
        "attn_weights",
        vec![0.1385, 0.2379, 0.2333, 0.124, 0.1082, 0.1581],
        vec![0.1261, 0.3093, 0.2229, 0.1048, 0.1109, 0.126],
        1,
    );
    let odd = difference(
        "masked",
        vec![1.0, f64::NEG_INFINITY, f64::NAN, 0.5, 0.0, 2.0],
        vec![1.0, f64::NEG_INFINITY, f64::NAN, f64::INFINITY, 1e-9, 2.0],
        3,
    );
    let what = WhatIf {
        changes: vec![change],
        differences: vec![odd, weights],
        unchanged: vec!["d_in".into(), "ca.W_query.weight".into(), "ca.W_key.weight".into()],
        summary: vec!["A sentence on what changed.".into()],
        ..WhatIf::default()
    };
    what_if(&what, look)
}

/// The embeddings of the chapter's sentence, and simple attention over them.
const CELL: &str = "\
import torch
inputs = torch.tensor(
    [[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64], [0.22, 0.58, 0.33], [0.77, 0.25, 0.10], [0.05, 0.80, 0.55]]
)
attn_scores = inputs @ inputs.T
attn_weights = torch.softmax(attn_scores, dim=-1)
";

fn explained(look: Look) -> Text {
    let mut session = Session::new(SessionOptions::default());
    session.run(CELL, "step15");
    let variables = session.variables().into_iter().map(|variable| (variable.name, variable.value));
    let axes = [("inputs", "token feature"), ("attn_scores", "query key"), ("attn_weights", "query key")];
    let split = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let axes = axes.map(|(name, axes)| (name.to_owned(), split(axes)));
    let names = TensorNames::new(variables).with_code(session.sources());
    let names = names.with_axes(axes, split("Your journey starts with one step"));
    let mut explained = why(names.get("attn_weights").expect("the cell binds it"), &[1, 2], &names);
    explained.open(2, &names);
    explanation(&explained, look)
}

fn strips(look: Look) -> Text {
    let strip = |name: &str, facts: &str, tokens: &[usize]| StorageView {
        name: name.into(),
        facts: facts.into(),
        tokens: tokens.to_vec(),
        run: 2,
        page: 6,
    };
    let all = [
        strip("x", "(token 3, d_out 4), strides (4, 1)", &[0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]),
        strip(
            "x.view(3, 2, 2).transpose(0, 1)",
            "(head 2, token 3, head_dim 2), strides (2, 4, 1), not contiguous",
            &[0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2],
        ),
    ];
    let tokens = ["Your", "journey", "starts"].map(str::to_string);
    let mut text = storage(&all, &tokens, look);
    // There is no bar with `--plain`.
    if !look.plain {
        text.line(progress("1,024 tokens", 0.43, look));
        text.line(working("step91 gpt2-timed", Duration::from_millis(1700)));
    }
    text
}

fn pictures(look: Look) -> Text {
    let weights = step().figures[0].clone();
    let causal = tensor("causal", "float32", &[6, 6], &causal(0.0), &["query", "key"]);
    let drop = |(at, w): (usize, &f64)| if at % 3 == 1 { 0.0 } else { w * 1.25 };
    let after: Vec<f64> = causal.values.iter().enumerate().map(drop).collect();
    let after = tensor("dropped", "float32", &[6, 6], &after, &["query", "key"]);
    let two: Vec<f64> = WEIGHTS[..18].iter().chain(&WEIGHTS[18..]).copied().collect();
    let heads = tensor("heads", "float32", &[2, 3, 6], &two, &["head", "row", "key"]);
    let bar = |name: &str, value: f64| (name.to_string(), value);
    let strip = |name: &str, facts: &str, tokens: &[usize]| StorageView {
        name: name.into(),
        facts: facts.into(),
        tokens: tokens.to_vec(),
        run: 2,
        page: 6,
    };
    let all = [
        Picture::Maps(vec![weights.clone()]),
        Picture::Maps(vec![weights, causal.clone()]),
        Picture::Maps(vec![heads]),
        Picture::Maps(vec![large()[0].clone()]),
        Picture::Triangle(vec![causal.clone()]),
        Picture::Dropped(Box::new((causal, after))),
        Picture::Strips {
            strips: vec![
                strip("x", "(token 3, d_out 4), strides (4, 1)", &[0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]),
                strip("right", "(2, 3, 2), not contiguous", &[0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2]),
            ],
            tokens: Vec::new(),
            legend: "Each sign tells which token of x the number belongs to, 0 the first.".into(),
        },
        Picture::Bars("counts".into(), vec![bar("W_query.weight", 589_824.0), bar("out_proj.bias", 768.0)]),
        Picture::Bars("variances".into(), vec![bar("d_k 3", 3.05), bar("d_k 768", 776.94), bar("none", 0.0)]),
        Picture::Costs(vec![
            ("with_table()".into(), Duration::from_micros(181_300), 154_140_672),
            ("without_table()".into(), Duration::from_micros(84_000), 6_291_456),
        ]),
    ];
    let mut text = Text::new();
    all.iter().for_each(|one| text.section(picture(one, look)));
    text
}

fn glossary(look: Look) -> Text {
    let term = |name: &str, also: &[&str], text: &str| {
        let mut term = Term::default();
        (term.name, term.text) = (name.into(), text.into());
        term.also.extend(also.iter().map(ToString::to_string));
        term
    };
    let score = "How well a key fits a query: their [dot product](#dot-product). All scores of a text \
                 have the [shape](#shape) (query, key).";
    let score = term("attention score", &["score", "logit"], score);
    let head = term("head", &[], "One attention among several, with `W_query` of its own.");
    let all = [(&score, "3.3.1, step3 scores".to_owned()), (&head, "3.6.1, step68 class-wrapper".to_owned())];
    entries("The words of the field, as the chapter uses them.", &all, look)
}

fn asked(look: Look) -> Text {
    let mut text = question(
        "what is the shape of `attn_scores = inputs @ inputs.T`?",
        &[],
        QuestionKind::Prediction,
        look,
    );
    let because = "(6, 3) is the shape of `inputs`. Each of the 6 rows meets each of the 6 columns of \
                   `inputs.T`, and every meeting gives one number.";
    text.append(reply(AnswerVerdict::NotYet, because, look));
    text.append(reply(AnswerVerdict::Right, "(query 6, key 6).", look));
    text.append(reply(AnswerVerdict::Right, "", look));
    let choices = ["It stays the same.", "Each **row** sums to 1."].map(str::to_string);
    text.section(question("Which of these holds afterwards?", &choices, QuestionKind::Prediction, look));
    text
}

fn measured(look: Look) -> Text {
    let row = |tokens, name: &str, micros, megabytes| BenchRow {
        tokens,
        name: name.into(),
        median: Duration::from_micros(micros),
        best: Duration::from_micros(micros * 9 / 10),
        megabytes,
    };
    let text = BenchReport {
        layer: "Multi-head attention, 768 wide, 12 heads, batch of 1, float32, forward".into(),
        machine: "a processor, 2 threads".into(),
        rows: vec![
            row(256, "three loops", 1_020_000, None),
            row(1024, "fused", 20_500, Some(60.0)),
            row(1024, "fused, causal", 17_300, Some(1060.4)),
            row(4096, "fused", 240_000, Some(112.0)),
        ],
        scores: Some((4096, 12)),
        skipped: vec![
            "16384 tokens, materialised: left out, it needs 36 GB, more than half of what there is".into(),
        ],
    };
    bench(&text, look)
}
