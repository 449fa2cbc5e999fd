//! Answers to predictions: how they are parsed and judged.

use attn::lesson::Prediction;
use attn::lesson::answer::numbers;
use attn::lesson::exercise::{Choice, RightAnswer, WrongAnswer};
use attn::lesson::judge::{Judgement, judge, truth};
use attn::lesson::typed_shape::{TypedSize, shape};
use attn::session::{Session, SessionOptions, with_large_stack};

fn sizes(all: &[usize]) -> Vec<TypedSize> {
    all.iter().map(|size| TypedSize::Number(*size)).collect()
}

#[test]
fn shapes_are_parsed_in_any_usual_spelling() {
    for text in [
        "(6,2)",
        "6x2",
        "6 x 2",
        "[6, 2]",
        "torch.Size([6, 2])",
        "6,2",
        "6 by 2",
        "6×2",
        "6*2",
        "6 2",
        "(6, 2).",
        "query 6, key 2",
        "6 queries by 2 features",
        "the shape is (6, 2)",
        "token 6 d_out 2",
        "(6,2,)",
        "6X2",
        "torch.size([6,2])",
        "tensor of shape 6x2",
    ] {
        assert_eq!(shape(text), Some(sizes(&[6, 2])), "{text}");
    }
    assert_eq!(shape("2x6x4"), Some(sizes(&[2, 6, 4])));
    for text in ["(6,)", "6", "six", "Six.", "a vector of six", "a vector of length 6"] {
        assert_eq!(shape(text), Some(sizes(&[6])), "{text}");
    }
    for text in
        ["six by two", "six queries, two features", "T=6, d_out=2", "T = 6 d_out = 2", "token: 6, d_out: 2"]
    {
        assert_eq!(shape(text), Some(sizes(&[6, 2])), "{text}");
    }
    assert_eq!(shape("12 x 1,024 x 1,024"), Some(sizes(&[12, 1024, 1024])));
    let product = |text: &str| TypedSize::Name(text.into());
    assert_eq!(shape("(2,6,2*2)"), Some(vec![TypedSize::Number(2), TypedSize::Number(6), product("2*2")]));
    assert_eq!(shape("6 x num_heads*d_out"), Some(vec![TypedSize::Number(6), product("num_heads*d_out")]));
    assert_eq!(shape("(d_in, 2)"), Some(vec![TypedSize::Name("d_in".into()), TypedSize::Number(2)]));
    assert_eq!(shape("1, 12, 1,024, 1,024"), Some(sizes(&[1, 12, 1024, 1024])));
    for text in ["", "no idea", "6.5, 2", "6 - ", "2**2, 6", "-6, 2", "what?", "6 bananas"] {
        assert_eq!(shape(text), None, "{text}");
    }
}

#[test]
fn numbers_are_parsed_with_the_place_of_their_last_digit() {
    if crate::apart::ran() {
        return;
    }
    for (text, value, step) in [
        ("0.23", 0.23, 0.01),
        (".2333", 0.2333, 1e-4),
        ("2.333e-1", 0.2333, 1e-4),
        ("23%", 0.23, 0.01),
        ("23 percent", 0.23, 0.01),
        ("about 0.23", 0.23, 0.01),
        ("~0.23", 0.23, 0.01),
        ("tensor(0.2333)", 0.2333, 1e-4),
        ("tensor(0.2333, grad_fn=<SelectBackward0>)", 0.2333, 1e-4),
        ("-0.0739", -0.0739, 1e-4),
        ("−0.0739", -0.0739, 1e-4),
        ("21", 21.0, 1.0),
        ("2.", 2.0, 1.0),
        ("590000", 590_000.0, 1e4),
        ("2.36 million", 2.36e6, 1e4),
        ("590k", 590e3, 1e3),
        ("1/6", 1.0 / 6.0, 0.0),
        ("2**0.5", 2f64.sqrt(), 0.0),
        ("root of 64", 8.0, 0.0),
        ("sqrt(768/12)", 8.0, 0.0),
        ("768 * 768", 589_824.0, 0.0),
        ("768 x 768", 589_824.0, 0.0),
        ("1/(1-0.2)", 1.25, 0.0),
        ("eight", 8.0, 1.0),
        ("five thousand", 5000.0, 1000.0),
        ("six times seven", 42.0, 0.0),
        ("12 x 1,024", 12_288.0, 0.0),
        ("3 x 2 = 6", 6.0, 1.0),
        ("2x", 2.0, 1.0),
    ] {
        let read = numbers(text);
        let near = read.iter().any(|n| {
            n.len() == 1
                && (n[0].value - value).abs() <= 1e-9 * value.abs()
                && (n[0].step - step).abs() < 1e-12 * step.max(1.0)
        });
        assert!(near, "{text}: {read:?}");
    }
    let values = |text: &str| -> Vec<Vec<f64>> {
        numbers(text).into_iter().map(|list| list.into_iter().map(|n| n.value).collect()).collect()
    };
    assert!(values("589,824").contains(&vec![589_824.0]));
    assert!(values("589 824").contains(&vec![589_824.0]));
    assert!(values("0,2333").contains(&vec![0.2333]));
    assert!(values("[0.31, 0.82]").contains(&vec![0.31, 0.82]));
    assert!(values("0.31 0.82").contains(&vec![0.31, 0.82]));
    for text in ["", "what", "0.2.3", "1/0", "import os", "2 **", "(1", "one hundred", "twenty-one"] {
        assert!(
            numbers(text).iter().all(|n| n.len() == 1 && n[0].value == 1.0),
            "{text}: {:?}",
            numbers(text)
        );
    }
}

fn asked(answer: RightAnswer, wrong: &[(&str, &str)]) -> Prediction {
    let wrong = wrong
        .iter()
        .map(|(value, because)| WrongAnswer { value: (*value).into(), because: (*because).into() });
    Prediction {
        ask: "?".into(),
        answer,
        wrong: wrong.collect(),
        right: "Yes.".into(),
        review: None,
        line: 1,
    }
}

/// The judgements in a word or two, in a session that has `w` and `q`.
fn judgements(asked: &Prediction, said: &[&str]) -> Vec<String> {
    let (asked, said) = (asked.clone(), said.iter().map(ToString::to_string).collect::<Vec<_>>());
    with_large_stack(move || {
        let mut session = Session::new(SessionOptions::default());
        session.run(
            "import torch\nw = torch.tensor([0.22639, 0.25069, -0.5])\nq = torch.zeros(6, 2)\nd_out = 2",
            "state",
        );
        let word = |judgement: Judgement| match judgement {
            Judgement::Right => "right".to_owned(),
            Judgement::Wrong { because } => format!("wrong: {because}"),
            Judgement::NotUnderstood { why } => format!("? {why}"),
        };
        let judged = |said: &String| match judge(&asked, said, &mut session) {
            Ok(judgement) => word(judgement),
            Err(raised) => format!("raised {}", raised.message),
        };
        said.iter().map(judged).collect()
    })
}

fn all(asked: &Prediction, said: &[&str], expected: &str) {
    for (said, judgement) in said.iter().zip(judgements(asked, said)) {
        assert!(judgement.starts_with(expected), "`{said}`: {judgement}, not {expected}");
    }
}

#[test]
fn numbers_are_judged_in_any_sensible_rounding() {
    if crate::apart::ran() {
        return;
    }
    let asked = asked(
        RightAnswer::Value("w[0]".into()),
        &[("w[1]", "without the root"), ("torch.rand(1)", "a draw")],
    );
    all(
        &asked,
        &["0.2264", "0.23", ".226", "0.22639", "2.264e-1", "22.6%", "0,2264", "tensor(0.2264)", "0.2263"],
        "right",
    );
    all(&asked, &["0.2507", "0.25", "25%"], "wrong: without the root");
    all(&asked, &["0.2"], "? That is close");
    all(&asked, &["-0.2264"], "wrong: The size is right and the sign");
    all(&asked, &["0.3", "7", "0.2364"], "wrong: ");
    all(&asked, &["[0.2264, 0.1]"], "? Type one number");
    all(&asked, &["what", ""], "? Type a number");
    let near = self::asked(RightAnswer::Value("w[0]".into()), &[("w[0] + 0.0019", "the plain share")]);
    all(&near, &["0.23", "23%"], "? With so few digits");
    all(&near, &["0.226", "0.2264", "22.6%"], "right");
    all(&near, &["0.228", "0.2283"], "wrong: the plain share");
    let count = asked_count();
    all(&count, &["q_rows * 2", "T"], "? `");
    all(&count, &["6*d_out", "d_out * 6", "6 x d_out"], "right");
    all(&count, &["d_out", "7*d_out"], "wrong");
    all(&count, &["12", "12.", "twelve", "12.0", "2*6", "3² + 3", "2³ + 4", "2 squared * 3"], "right");
    all(&count, &["11", "13", "10", "12.4"], "wrong");
}

fn asked_count() -> Prediction {
    asked(RightAnswer::Value("q.numel()".into()), &[])
}

#[test]
fn choices_go_by_letter_or_words() {
    if crate::apart::ran() {
        return;
    }
    let choice = |text: &str, right| Choice {
        text: text.into(),
        also: Vec::new(),
        right,
        because: format!("because {text}"),
    };
    let asked = asked(
        RightAnswer::Choice(vec![
            choice("about 0.17, one sixth", false),
            choice("about **0.97**", true),
            choice("it grows", false),
        ]),
        &[],
    );
    all(&asked, &["b", "B", "b)", "(b)", "about 0.97", "0.97", "2"], "right");
    all(&asked, &["c", "grows", "it grows.", "it grow"], "wrong: because it grows");
    all(&asked, &["", "d", "about", "maybe", "it shrinks"], "? ");
    let columns = self::asked(
        RightAnswer::Choice(vec![
            choice("only the first two", false),
            Choice { also: vec!["all".into(), "no".into()], ..choice("all four", true) },
            choice("no, a column stays", false),
        ]),
        &[],
    );
    all(&columns, &["all", "all 4 of them", "four", "no"], "right");
    all(&columns, &["all three", "all 3 of them", "it sees all three"], "? ");
    let kept = self::asked(
        RightAnswer::Choice(vec![
            choice("0.3800", false),
            choice("0.7599, always", false),
            choice("0.3800 or 0, at random", true),
        ]),
        &[],
    );
    all(&kept, &["0.38", ".38", "38%", "0.3800"], "wrong: because 0.3800");
    all(&kept, &["c", "0.38 or 0, at random", "at random"], "right");
    let shapes = self::asked(
        RightAnswer::Choice(vec![choice("(3, 2)", false), choice("(2, 3)", true), choice("(3,)", false)]),
        &[],
    );
    all(&shapes, &["(2, 3)", "2,3", "2x3", "2 by 3", "[2, 3]", "b"], "right");
    all(&shapes, &["3, 2", "3x2"], "wrong: because (3, 2)");
    all(&shapes, &["2x4", "2,3,1"], "? ");
    let columns = self::asked(
        RightAnswer::Choice(vec![
            Choice { also: vec!["vertical".into()], ..choice("each column, over the queries", true) },
            choice("each row, over the keys", false),
            choice("the same, in rows 3, 4 and 5", false),
        ]),
        &[],
    );
    all(&columns, &["columns", "the columns", "Every column", "queries", "I think it's vertical"], "right");
    all(&columns, &["rows over keys", "a key"], "wrong: because each row");
    all(&columns, &["not the columns", "rows 4 and 5", "not the same", "not vertical"], "? ");
    all(&columns, &["idk", "I don't know.", "i dont know", "no idea"], "? `s` shows the answer");
    all(&asked_count(), &["idk", "no idea"], "? `s` shows the answer");
}

#[test]
fn judging_draws_no_random_numbers() {
    if crate::apart::ran() {
        return;
    }
    with_large_stack(|| {
        let mut session = Session::new(SessionOptions::default());
        session.run("import torch\ntorch.manual_seed(1)\nfirst = torch.rand(1).item()", "state");
        session.run("torch.manual_seed(1)", "state");
        let asked = asked(RightAnswer::Value("torch.rand(3)".into()), &[]);
        assert!(truth(&asked, &mut session).is_ok_and(|words| words.starts_with('[')));
        let outcome = session.run("torch.rand(1).item() == first", "state");
        assert_eq!(outcome.result.as_deref(), Some("True"));
    });
}
