//! Lessons are run by the engine and everything they claim is tried: outputs, invariants, predictions, exercises.

use attn::lesson::{Catalogue, Glossary, Lesson, gate, glossary, myst, terms};
use attn::session::{Session, SessionOptions, with_large_stack};

fn findings(lessons: std::ops::Range<usize>) -> Vec<String> {
    with_large_stack(move || {
        let catalogue = Catalogue::new();
        let glossary = Glossary::new().unwrap_or_else(|fault| panic!("{fault}"));
        let mut findings = Vec::new();
        for at in lessons {
            let lesson = catalogue.lesson(at).unwrap_or_else(|fault| panic!("{fault}"));
            let report =
                gate::check(&catalogue, lesson, &glossary, &|| Session::new(SessionOptions::default()))
                    .unwrap_or_else(|fault| panic!("{fault}"));
            findings.extend(report.findings.iter().map(ToString::to_string));
        }
        findings
    })
}

fn pass(lessons: std::ops::Range<usize>) {
    let found = findings(lessons);
    assert!(found.is_empty(), "{} findings:\n{}", found.len(), found.join("\n"));
}

#[test]
fn sections_3_3_and_3_4_pass_the_gate() {
    pass(0..4);
}

#[test]
fn the_other_lessons_pass_the_gate() {
    pass(4..Catalogue::new().len());
}

// ---------------------------------------------------------------- lessons with one thing made wrong

/// A slip: what is replaced by what; where in the text that comes of it the report has to point; its words.
type Slip = (&'static str, &'static str, &'static str, &'static str);

/// What the gate says of lesson `index` with these slips in its text; and that text.
fn broken(index: usize, slips: &[Slip]) -> (Vec<String>, String) {
    let catalogue = Catalogue::new();
    let sound = catalogue.lesson(index).unwrap_or_else(|fault| panic!("{fault}"));
    let mut text = sound.text.clone();
    for (old, new, ..) in slips {
        assert!(text.contains(old), "{} has no {old}", sound.file);
        text = text.replacen(old, new, 1);
    }
    let told = match myst::parse("x.md", &text, sound.steps[0].number) {
        Err(fault) => vec![fault.to_string()],
        Ok(lesson) => {
            let glossary = Glossary::new().unwrap_or_else(|fault| panic!("{fault}"));
            let report =
                gate::check(&catalogue, &lesson, &glossary, &|| Session::new(SessionOptions::default()));
            let report = report.unwrap_or_else(|fault| panic!("{fault}"));
            report.findings.iter().map(ToString::to_string).collect()
        }
    };
    (told, text)
}

fn named(index: usize, slips: &[Slip]) {
    let (told, text) = broken(index, slips);
    for (_, new, at, words) in slips {
        let line = text[..text.find(at).expect(at)].matches('\n').count() + 1;
        let place = format!("x.md:{line}: ");
        let found = told.iter().any(|t| t.starts_with(&place) && t.contains(words));
        assert!(found, "{new}\nshould say {place}{words}\nand says\n{}", told.join("\n"));
    }
}

/// Slips that stop the reading: one at a time.
const UNREADABLE: &[(usize, Slip)] = &[
    (
        0,
        (
            "```{hint}\nCounting starts",
            "```{output}\nCounting starts",
            "```{output}\nCounting",
            "right under",
        ),
    ),
    (0, ("```{hint}\nOnly the line", "<!--\nOnly the line", "```{exercise} python", "needs two hints")),
    (0, ("```{solution}", "```{soluton}", "```{soluton}", "no directive `{soluton}` (nearest: solution")),
    (
        0,
        (
            "inputs: token feature",
            "inputs: tokn feature",
            ":axes: \"inputs: tokn",
            "no axis is called `tokn` (nearest: token",
        ),
    ),
    (
        1,
        (
            ":view: map attn_weights\n",
            ":view: mpa attn_weights\n",
            ":view: mpa",
            "no view is called `mpa` (nearest: map",
        ),
    ),
    (
        1,
        (
            ":view: map attn_weights\n",
            ":view: map attn_weights[\n",
            ":view: map attn_weights[",
            "is not a list of expressions",
        ),
    ),
    (
        1,
        (
            ":view: map attn_weights\n",
            ":view: dropped attn_weights\n",
            ":view: dropped",
            "takes two expressions",
        ),
    ),
];

/// Slips that show when the lesson runs: those of a row together.
const UNSOUND: &[(usize, &[Slip])] = &[
    (
        0,
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
                ":minutes: 4\nquery_5 = inputs[1]",
                ":minutes: 4\nquery_5 = inputs[4]",
                "query_5 = inputs[4]\n",
                "the starter of `another-query` passes",
            ),
            (
                ":says: need softmax first",
                ":says: need hardmax first",
                "context_vec_5 = (inputs @ inputs[4])",
                "should hear `need hardmax first` and hears AssertionError: the scores",
            ),
            (
                ":axes: \"inputs:",
                ":axes: \"imputs:",
                "import torch",
                "names `imputs`, which is no tensor here (nearest: inputs)",
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
                "  - value: inputs @ inputs.T",
                "  - value: inputs @ query",
                "```{predict}",
                "the wrong answer `inputs @ query` is right",
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
        0,
        &[
            (
                "query_5 = inputs[5]\n",
                "query_5 = inputs[4]\n",
                "query_5 = inputs[4]\ncontext",
                "hears nothing: it passes",
            ),
            (
                "inputs: token feature",
                "inputs: token",
                "import torch",
                "gives `inputs` 1 names, and it has 2 axes",
            ),
            (
                "  - value: inputs @ inputs.T",
                "  - value: inptus",
                "```{predict}",
                "the wrong answer `inptus` fails: NameError",
            ),
        ],
    ),
    (
        1,
        &[
            (
                "[query](glossary.md#query)",
                "query",
                "per query",
                "first time in this lesson: write [query](glossary.md#query)",
            ),
            (
                ":view: map attn_weights\n",
                ":view: map atn_weights\n",
                ":view: map atn",
                "NameError: name 'atn_weights' is not defined",
            ),
            (
                ":view: map attn_weights, wrong_weights\n",
                ":view: strip inputs, attn_weights\n",
                ":view: strip",
                "`attn_weights` does not hold the numbers of `inputs`",
            ),
        ],
    ),
    (
        1,
        &[
            (
                ":view: map attn_weights\n",
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
fn every_slip_is_named_with_file_and_line() {
    with_large_stack(|| {
        UNREADABLE.iter().for_each(|(index, slip)| named(*index, &[*slip]));
        UNSOUND.iter().for_each(|(index, slips)| named(*index, slips));
    });
}

#[test]
fn every_term_is_explained_before_it_is_used() {
    let catalogue = Catalogue::new();
    let lessons: Vec<&Lesson> =
        catalogue.lessons().map(|l| l.unwrap_or_else(|fault| panic!("{fault}"))).collect();
    let (file, text) = glossary::embedded();
    let told = |text: &str| -> Vec<String> {
        match Glossary::parse(&file, text) {
            Ok(glossary) => {
                terms::in_glossary(&glossary, text, &lessons).iter().map(ToString::to_string).collect()
            }
            Err(fault) => vec![fault.to_string()],
        }
    };
    assert_eq!(told(&text), [""; 0]);
    for term in Glossary::parse(&file, &text).expect("it is sound").terms {
        let words = term.text.split_whitespace().count();
        assert!(words <= 70, "{}: {words} words are more than a few short sentences", term.name);
    }
    for (old, new, words) in [
        ("[scores](01", "[scors](01", "is first met in `scors`, and no step is called so (nearest: scores"),
        (
            "[softmax-naive](01-simple-self-attention.md#softmax)",
            "[context](01-simple-self-attention.md#the-context-vector-token-by-token)",
            "before or outside of `context`",
        ),
        ("md#softmax)", "md#sofmax)", "the link to `softmax-naive` leads to"),
        ("(#dot-product)", "(#dot-prodct)", "the glossary has no term `dot-prodct` (nearest: dot-product"),
        ("## stride\n", "## stridde\n", "no lesson uses the term `stridde`"),
        ("## stride\n", "## softmax\n", "the term `softmax` stands twice"),
    ] {
        assert!(text.contains(old), "{old}");
        let told = told(&text.replacen(old, new, 1));
        let found = told.iter().any(|t| t.starts_with("lessons/glossary.md:") && t.contains(words));
        assert!(found, "{new} should say {words} and says {}", told.join("\n"));
    }
}
