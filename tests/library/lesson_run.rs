//! Lessons run through the gate: outputs, invariants, predictions, exercises, terms.

use std::fs;
use std::path::Path;

use attn::lesson::compare::{TOLERANCE, Verdict, compare_step};
use attn::lesson::{Fault, Glossary, Lesson, Target, gate, myst, terms};
use attn::session::{Session, SessionOptions, with_large_stack};

use crate::course;

/// All faults that the gate reports, and the outputs that differ from the recorded ones.
fn faults(report: gate::LessonReport, file: &str) -> Vec<String> {
    let mut all: Vec<String> = report.faults.iter().map(ToString::to_string).collect();
    for ran in report.steps.iter().filter(|ran| !ran.step.varies) {
        if compare_step(ran.step.recorded.as_deref(), &ran.shown, TOLERANCE).verdict != Verdict::Same {
            all.push(format!("{}:{}: differs from what is recorded", file, ran.step.line));
        }
    }
    all
}

fn sound<T>(read: Result<T, Fault>) -> T {
    read.unwrap_or_else(|fault| panic!("{fault}"))
}

/// Attention can be written in many ways: each file of `tests/library/capstone` takes the place of the solution of
/// `my-attention`, and the checks accept it.
#[test]
fn right_ways_to_write_the_capstone_pass() {
    if crate::apart::ran() {
        return;
    }
    const SOLUTION: &str = "```{solution} python\n";
    let found = with_large_stack(|| {
        let catalogue = course::catalogue();
        let Ok(Target::Lesson(lesson)) = catalogue.find("blank-page") else { panic!("the lesson is there") };
        assert!(lesson.exercises[0].attempts.len() >= 12, "known mistakes are turned down by the gate");
        let glossary = sound(catalogue.glossary());
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/library/capstone");
        let mut found = Vec::new();
        for entry in fs::read_dir(folder).expect("the folder is there") {
            let path = entry.expect("a listed file can be read").path();
            let code = fs::read_to_string(&path).expect("a program is text");
            let start = lesson.text.find(SOLUTION).expect("the exercise has a solution") + SOLUTION.len();
            let end = start + lesson.text[start..].find("```").expect("a fence ends");
            let shown = "print(MyAttention.__name__)\n";
            let text = format!("{}{code}{shown}{}", &lesson.text[..start], &lesson.text[end..]);
            let own = sound(myst::parse(&path.display().to_string(), &text, lesson.steps[0].number));
            let report =
                gate::check(&catalogue, &own, &glossary, &|| Session::new(SessionOptions::default()));
            found.extend(faults(sound(report), &own.file));
        }
        found
    });
    assert!(found.is_empty(), "{}", found.join("\n"));
}

// ---------------------------------------------------------------- lessons with one thing made wrong

/// A slip: what is replaced by what; where in the text that comes of it the report has to point; its words.
type Slip = (&'static str, &'static str, &'static str, &'static str);

/// The faults that the gate reports in the lesson `id` with these slips in its text; and that text.
fn broken(id: &str, slips: &[Slip]) -> (Vec<String>, String) {
    let catalogue = course::catalogue();
    let Ok(Target::Lesson(lesson)) = catalogue.find(id) else { panic!("there is no lesson {id}") };
    let mut text = lesson.text.clone();
    for (old, new, ..) in slips {
        assert!(text.contains(old), "{} has no {old}", lesson.file);
        text = text.replacen(old, new, 1);
    }
    let found = match myst::parse("x.md", &text, lesson.steps[0].number) {
        Err(fault) => vec![fault.to_string()],
        Ok(lesson) => {
            let glossary = sound(catalogue.glossary());
            let report =
                gate::check(&catalogue, &lesson, &glossary, &|| Session::new(SessionOptions::default()));
            faults(sound(report), &lesson.file)
        }
    };
    (found, text)
}

fn reported(id: &str, slips: &[Slip]) {
    let (found, text) = broken(id, slips);
    for (_, new, at, words) in slips {
        let line = text[..text.find(at).expect(at)].matches('\n').count() + 1;
        let place = format!("x.md:{line}: ");
        let reported = found.iter().any(|t| t.starts_with(&place) && t.contains(words));
        assert!(reported, "{new}\nshould say {place}{words}\nand says\n{}", found.join("\n"));
    }
}

/// Slips that stop the reading: one at a time.
const UNREADABLE: &[(&str, Slip)] = &[
    (
        "simple-self-attention",
        (
            "```{hint}\nCounting starts",
            "```{output}\nCounting starts",
            "```{output}\nCounting",
            "right under",
        ),
    ),
    (
        "simple-self-attention",
        ("```{hint}\nA score is", "<!--\nA score is", "```{exercise} python", "needs at least two hints"),
    ),
    (
        "simple-self-attention",
        ("```{solution}", "```{soluton}", "```{soluton}", "no directive `{soluton}` (nearest: solution"),
    ),
    (
        "simple-self-attention",
        (
            "inputs: token feature",
            "inputs: tokn feature",
            ":axes: \"inputs: tokn",
            "no axis is called `tokn` (nearest: token",
        ),
    ),
    (
        "all-tokens",
        (
            ":view: map attn_weights, wrong_weights\n",
            ":view: mpa attn_weights\n",
            ":view: mpa",
            "no view is called `mpa` (nearest: map",
        ),
    ),
    (
        "all-tokens",
        (
            ":view: map attn_weights, wrong_weights\n",
            ":view: map attn_weights[\n",
            ":view: map attn_weights[",
            "is not a list of expressions",
        ),
    ),
    (
        "all-tokens",
        (
            ":view: map attn_weights, wrong_weights\n",
            ":view: dropped attn_weights\n",
            ":view: dropped",
            "takes two expressions",
        ),
    ),
];

/// Slips that show when the lesson runs: those of a row together.
const UNSOUND: &[(&str, &[Slip])] = &[
    (
        "a-head-learns",
        &[(
            "torch.manual_seed(1)\nfour = Reader(num_heads=4)\nprint(only_head(four, 2).attention.out_proj.weight[0].detach())\n```\n\n</details>",
            "```\n\n</details>",
            "import copy\n\ndef only_head(model, head):\n    model = copy.deepcopy(model)\n    layer = model.attention\n    start =",
            "the solution of `only-head` shows no result",
        )],
    ),
    (
        "simple-self-attention",
        &[
            (
                "0.9544, 1.4950, 1.4754, 0.8434",
                "0.9544, 1.4951, 1.4754, 0.8434",
                "for i, x_i in",
                "what is recorded",
            ),
            (
                "```{solution} python\nquery_5 = inputs[4]",
                "```{solution} python\nquery_5 = inputs[3]",
                "query_5 = inputs[3]",
                "the solution of `another-query` fails: AssertionError: these are not",
            ),
            (
                "context_vec_5 = query_5            #",
                "context_vec_5 = torch.softmax(inputs @ inputs[4], dim=0) @ inputs  #",
                "query_5 = inputs[1]",
                "the starter of `another-query` passes",
            ),
            (
                ":says: need softmax first",
                ":says: need hardmax first",
                "context_vec_5 = (inputs @ inputs[4])",
                "should get `need hardmax first` and gets AssertionError: the scores",
            ),
            (
                ":axes: \"inputs:",
                ":axes: \"imputs:",
                "import torch",
                "names `imputs`, which is not a tensor here (nearest: inputs)",
            ),
            (
                ":show: context_vec_2",
                ":show: context_vec",
                "query = inputs[1]\ncontext",
                "`:show:` names `context_vec`",
            ),
            (
                ":why: attn_scores_2[1]",
                ":why: attn_scores_2[7]",
                "for i, x_i in",
                "`:why: attn_scores_2[7]`: IndexError",
            ),
            (
                "attn_weights_2_tmp sums to 1",
                "attn_weights_2_tmp sums to 2",
                "attn_weights_2_tmp = ",
                "is off by 1.0000",
            ),
            (
                "  - value: inputs[0]\n",
                "  - value: (query)\n",
                "```{predict}",
                "the wrong code `(query)` computes the same as `query`",
            ),
            (
                "(glossary.md#embedding)",
                "(glossary.md#embeding)",
                "glossary.md#embeding",
                "no term `embeding` (nearest: embedding",
            ),
        ],
    ),
    (
        "simple-self-attention",
        &[
            (
                "```{solution} python\nquery_5 = inputs[4]",
                "```{solution} python\nprint(1)\nprint(query_5)",
                "print(1)",
                "NameError: name 'query_5' is not defined, in its line 2; the starter defines `query_5`, and is not run before",
            ),
            (
                "query_5 = inputs[5]\n",
                "query_5 = inputs[3 + 1]\n",
                "query_5 = inputs[3 + 1]\ncontext",
                "gets nothing: it passes",
            ),
            (
                "inputs: token feature",
                "inputs: token",
                "import torch",
                "has 1 names for `inputs`, which has 2 axes",
            ),
            (
                "gives: attn_scores_2\n",
                "gives: inptus\n",
                "```{predict}",
                "`gives: inptus` fails: With this the code stops: NameError",
            ),
        ],
    ),
    (
        "all-tokens",
        &[
            (
                ":show: attn_weights\n",
                ":view: map atn_weights\n",
                ":view: map atn",
                "NameError: name 'atn_weights' is not defined",
            ),
            (
                ":view: map attn_weights, wrong_weights\n",
                ":view: strip inputs, attn_weights\n",
                ":view: strip",
                "`attn_weights` does not have the numbers of `inputs`",
            ),
        ],
    ),
    (
        "all-tokens",
        &[
            (
                ":show: attn_weights\n",
                ":view: bars torch\n",
                ":view: bars",
                "`torch` is neither a dict of numbers nor a tensor",
            ),
            (
                ":view: map attn_weights, wrong_weights\n",
                ":view: cost attn_weights.tt()\n",
                ":view: cost",
                "AttributeError",
            ),
        ],
    ),
];

#[test]
fn every_slip_is_reported_with_file_and_line() {
    if crate::apart::ran() {
        return;
    }
    with_large_stack(|| {
        UNREADABLE.iter().for_each(|(id, slip)| reported(id, &[*slip]));
        UNSOUND.iter().for_each(|(id, slips)| reported(id, slips));
    });
}

#[test]
fn every_term_is_explained_where_it_is_first_linked() {
    let catalogue = course::catalogue();
    let lessons: Vec<&Lesson> = catalogue.lessons().map(sound).collect();
    let file = catalogue.glossary_file();
    let text = &file.text;
    let found_in = |text: &str| -> Vec<String> {
        match Glossary::parse(&file.path, text) {
            Ok(glossary) => {
                terms::in_glossary(&glossary, text, &lessons).iter().map(ToString::to_string).collect()
            }
            Err(fault) => vec![fault.to_string()],
        }
    };
    assert_eq!(found_in(text), [""; 0]);
    for term in sound(catalogue.glossary()).terms {
        let words = term.text.split_whitespace().count();
        assert!(words <= 70, "{}: {words} words are more than a few short sentences", term.name);
    }
    for (old, new, words) in [
        ("[scores](01", "[scors](01", "is explained in `scors`, and no step has that name (nearest: scores"),
        (
            "[softmax-naive](01-simple-self-attention.md#softmax)",
            "[context](01-simple-self-attention.md#the-context-vector-token-by-token)",
            "before or outside of `context`",
        ),
        ("md#softmax)", "md#sofmax)", "the link to `softmax-naive` leads to"),
        ("(#dot-product)", "(#dot-prodct)", "the glossary has no term `dot-prodct` (nearest: dot-product"),
        ("## stride\n", "## stridde\n", "no lesson uses the term `stridde`"),
        ("## stride\n", "## softmax\n", "the term `softmax` occurs twice"),
    ] {
        assert!(text.contains(old), "{old}");
        let found = found_in(&text.replacen(old, new, 1));
        let reported = found.iter().any(|t| t.starts_with(&format!("{}:", file.path)) && t.contains(words));
        assert!(reported, "{new} should say {words} and says {}", found.join("\n"));
    }
}
