//! Every prediction of the course, answered in many spellings: no right answer is refused, no wrong one is accepted,
//! and an answer that a usual mistake would give too, in so few digits, is asked for another digit.

use attn::lesson::choice::meant;
use attn::lesson::exercise::{Choice, RightAnswer};
use attn::lesson::judge::{Judgement, judge, of_choice};
use attn::lesson::{Catalogue, Prediction};
use attn::session::{Session, SessionOptions, with_large_stack};

use crate::course;

/// What is found wrong, one line each, and the number of answers that were judged.
#[derive(Default)]
struct Report {
    wrong: Vec<String>,
    judged: usize,
    ties: usize,
}

/// What an answer should be judged as.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Expected {
    Right,
    /// Another digit is asked for.
    Tie,
    /// Anything but right.
    NotRight,
}

impl Report {
    fn judge(&mut self, asked: &Prediction, said: &str, expected: Expected, session: &mut Session) {
        let judgement = judge(asked, said, session).expect("the lesson's own expressions run");
        let fits = match (expected, &judgement) {
            (Expected::Right, Judgement::Right) => true,
            (Expected::Tie, Judgement::NotUnderstood { why }) => why.contains("one digit more"),
            (Expected::NotRight, judgement) => *judgement != Judgement::Right,
            _ => false,
        };
        self.judged += 1;
        self.ties += usize::from(expected == Expected::Tie);
        if !fits {
            self.wrong.push(format!(
                "line {} `{}`: `{said}` is {judgement:?}, not {expected:?}",
                asked.line, asked.ask
            ));
        }
    }
}

/// The numbers of an expression, as Python prints them.
fn numbers(expression: &str, session: &mut Session) -> Option<Vec<f64>> {
    let code = format!("[float(x) for x in torch.as_tensor({expression}, dtype=torch.float64).flatten()]");
    let printed = session.run(&code, "spelling").result?;
    let inner = printed.trim_start_matches('[').trim_end_matches(']');
    inner.split(',').map(|number| number.trim().parse().ok()).collect()
}

/// A whole number with a sign between groups of three digits.
fn grouped(number: u64, sign: char) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(sign);
        }
        out.push(digit);
    }
    out
}

fn whole_spellings(number: u64) -> Vec<String> {
    let mut all = vec![
        number.to_string(),
        format!("{number}."),
        format!("{number}.0"),
        format!("about {number}"),
        format!("= {number}"),
        format!("tensor({number})"),
        format!("`{number}`"),
        format!("{number}!"),
        format!("1 * {number}"),
        format!("{number} / 1"),
        format!("2 * {number} - {number}"),
    ];
    if number >= 1000 {
        all.extend([
            grouped(number, ','),
            grouped(number, '_'),
            grouped(number, ' '),
            format!("1 x {}", grouped(number, ',')),
        ]);
    }
    all.extend(
        (2..number)
            .find(|factor| number.is_multiple_of(*factor))
            .map(|factor| format!("{factor} x {}", number / factor)),
    );
    all
}

/// Spellings of a number with this many decimals.
fn rounded_spellings(value: f64, decimals: usize) -> Vec<String> {
    let plain = format!("{value:.decimals$}");
    let mut all = vec![
        plain.clone(),
        format!("about {plain}"),
        format!("~{plain}"),
        format!("tensor({plain})"),
        plain.replace('.', ","),
        plain.replace('-', "−"),
        format!("({plain})"),
        format!("{plain}?"),
    ];
    if let Some(fraction) = plain.strip_prefix("0.") {
        all.push(format!(".{fraction}"));
    }
    if decimals >= 2 {
        let percent = decimals - 2;
        all.extend([format!("{:.percent$}%", value * 100.0), format!("{:.percent$} percent", value * 100.0)]);
    }
    all
}

fn significant(text: &str) -> usize {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    digits.trim_start_matches('0').len()
}

fn value_spellings(asked: &Prediction, expression: &str, report: &mut Report, session: &mut Session) {
    let Some(truth) = numbers(expression, session) else { panic!("line {}: no value", asked.line) };
    let mistakes: Vec<f64> = asked
        .wrong
        .iter()
        .filter_map(|wrong| numbers(&wrong.value, session))
        .filter(|it| it.len() == 1)
        .map(|it| it[0])
        .collect();
    let [truth] = truth.as_slice() else {
        let list = |values: Vec<f64>| values.iter().map(|value| format!("{value:.5}")).collect::<Vec<_>>();
        for said in [list(truth.clone()).join(", "), format!("[{}]", list(truth.clone()).join(" "))] {
            report.judge(asked, &said, Expected::Right, session);
        }
        let other = list(truth.iter().map(|value| value * 1.1 + 0.5).collect()).join(", ");
        report.judge(asked, &other, Expected::NotRight, session);
        return;
    };
    let truth = *truth;
    let whole = truth.fract() == 0.0 && truth >= 0.0;
    if whole {
        for said in whole_spellings(truth as u64) {
            report.judge(asked, &said, Expected::Right, session);
        }
    } else {
        for decimals in 1..=8 {
            let spelled = |value: f64| format!("{value:.decimals$}");
            if significant(&spelled(truth)) < 2 {
                continue;
            }
            let tie = mistakes.iter().any(|it| *it != truth && spelled(*it) == spelled(truth));
            // A number of two decimals is not rounded.
            let is_cut = (truth * 100.0).fract() == 0.0 && spelled(truth).parse() != Ok(truth);
            let expected = match (is_cut, tie) {
                (true, _) => Expected::NotRight,
                (_, true) => Expected::Tie,
                _ => Expected::Right,
            };
            for said in rounded_spellings(truth, decimals) {
                // Rounding as binary fractions may differ in the last digit of a percentage.
                report.judge(asked, &said, expected, session);
            }
        }
    }
    let others = [
        truth * 1.02 + 0.002,
        truth + 1.0,
        truth - 1.0,
        -truth - 0.01,
        truth * 10.0 + 0.1,
        truth / 10.0 + 0.3,
        0.5 * truth + 17.0,
    ];
    for other in mistakes.into_iter().chain(others) {
        if (other - truth).abs() <= 1e-4 * truth.abs().max(1.0) {
            continue;
        }
        for said in [
            format!("{other:.6}"),
            format!("{other:.7}"),
            format!("{:.6}%", other * 100.0),
            format!("tensor({other:.6})"),
            format!("{other:e}"),
        ] {
            report.judge(asked, &said, Expected::NotRight, session);
        }
    }
}

fn choice_spellings(asked: &Prediction, report: &mut Report, session: &mut Session) {
    let RightAnswer::Choice(choices) = &asked.answer else { return };
    for (at, choice) in choices.iter().enumerate() {
        let letter = char::from(b'a' + at as u8);
        let expected = if choice.right { Expected::Right } else { Expected::NotRight };
        let text = choice.text.replace(['`', '*'], "");
        for said in [
            letter.to_string(),
            letter.to_uppercase().to_string(),
            format!("{letter})"),
            format!("({letter})"),
            format!("{letter}."),
            choice.text.clone(),
            text.clone(),
            text.to_uppercase(),
            format!("{text}."),
            format!("\"{text}\""),
            format!("  {text}  "),
        ] {
            report.judge(asked, &said, expected, session);
        }
        if text.starts_with('(') && text.contains(|c: char| c.is_ascii_digit()) {
            let sizes: Vec<&str> = text.trim_matches(['(', ')']).split(", ").collect();
            if sizes.len() > 1 {
                report.judge(asked, &sizes.join(","), expected, session);
                report.judge(asked, &sizes.join("x"), expected, session);
            }
        }
        // A number without its last zeros is the same number.
        if let (true, Ok(number)) = (text.contains('.'), text.parse::<f64>()) {
            report.judge(asked, &number.to_string(), expected, session);
            if number < 1.0 {
                report.judge(asked, &format!("{}%", number * 100.0), expected, session);
            }
        }
    }
    for said in ["", "z", "maybe", "12345.678", "I do not know", "?"] {
        report.judge(asked, said, Expected::NotRight, session);
    }
}

fn spell(catalogue: &Catalogue, remainder: usize) -> Report {
    let mut report = Report::default();
    for lesson in catalogue.lessons().skip(remainder).step_by(2) {
        let lesson = lesson.expect("the lessons can be read");
        let mut session = Session::new(SessionOptions::default());
        let first = lesson.steps.first().expect("a lesson has steps");
        for (step, _) in catalogue.prelude(first).expect("what it needs can be read") {
            session.run(&step.code, &step.slug);
        }
        for step in &lesson.steps {
            session.run(&step.code, &step.slug);
            for asked in &step.predictions {
                match &asked.answer {
                    RightAnswer::Value(expression) => {
                        value_spellings(asked, expression, &mut report, &mut session);
                    }
                    RightAnswer::Choice(_) => choice_spellings(asked, &mut report, &mut session),
                    RightAnswer::Code(_) | RightAnswer::Open(_) => {}
                }
            }
        }
    }
    report
}

#[track_caller]
fn holds(remainder: usize) {
    let report = with_large_stack(move || spell(&course::catalogue(), remainder));
    assert!(
        report.wrong.is_empty(),
        "{} of {}:\n{}",
        report.wrong.len(),
        report.judged,
        report.wrong.join("\n")
    );
    assert!(report.judged > 500, "{} answers", report.judged);
}

#[test]
fn right_spellings_are_accepted_and_wrong_ones_are_not_in_lessons_at_even_places() {
    if crate::apart::ran() {
        return;
    }
    holds(0);
}

#[test]
fn right_spellings_are_accepted_and_wrong_ones_are_not_in_lessons_at_odd_places() {
    if crate::apart::ran() {
        return;
    }
    holds(1);
}

#[test]
fn the_words_of_a_choice_select_it_and_no_other() {
    for lesson in course::catalogue().lessons() {
        let lesson = lesson.expect("the lessons can be read");
        for asked in lesson.steps.iter().flat_map(|step| &step.predictions) {
            let RightAnswer::Choice(choices) = &asked.answer else { continue };
            for choice in choices {
                let expected = match choice.right {
                    true => Judgement::Right,
                    false => Judgement::Wrong { because: choice.because.clone() },
                };
                for words in [&choice.text].into_iter().chain(&choice.also) {
                    for said in [words.clone(), words.to_uppercase(), format!("{words}, I think.")] {
                        assert_eq!(of_choice(choices, &said), expected, "{}: `{said}`", asked.ask);
                    }
                    let denied = format!("that is not {words}");
                    // An answer that denies something itself is not denied by one more "not".
                    let denies = |word: &str| ["no", "not", "none", "nothing", "never"].contains(&word);
                    if choice.right && !words.to_lowercase().split(|c: char| !c.is_alphabetic()).any(denies) {
                        assert_ne!(
                            of_choice(choices, &denied),
                            Judgement::Right,
                            "{}: `{denied}`",
                            asked.ask
                        );
                    }
                }
            }
        }
    }
}

/// What learners typed and what a tutor would expect them to type: all are right.
#[test]
fn a_learners_own_words_are_understood() {
    let own: [(&str, &[&str]); 7] = [
        ("10 is added to each of the six scores", &["nothing", "the same", "unchanged"]),
        (
            "What would go wrong in training",
            &["gradient vanishes", "the gradients vanish", "softmax is too sharp"],
        ),
        ("What is the context vector of", &["weighted average", "a weighted sum", "blend of the embeddings"]),
        ("Why does a stable softmax", &["overflow", "it prevents overflow", "to avoid overflows"]),
        ("What does `eval()` do to dropout", &["off", "turns it off", "it disables dropout"]),
        ("After the causal mask", &["1 and zeros", "one hot"]),
        ("What is the output projection for", &["mixing the heads", "it combines heads"]),
    ];
    let catalogue = course::catalogue();
    for (ask, all) in own {
        let choices = choices(&catalogue, ask);
        for said in all {
            assert_eq!(of_choice(choices, said), Judgement::Right, "{ask}: `{said}`");
        }
    }
}

/// The choices of the question of the course that begins with these words.
fn choices<'c>(catalogue: &'c Catalogue, ask: &str) -> &'c [Choice] {
    let lessons = catalogue.lessons().map(|lesson| lesson.expect("the lessons can be read"));
    let mut questions = lessons.flat_map(|lesson| &lesson.steps).flat_map(|step| &step.predictions);
    let asked = questions.find(|asked| asked.ask.starts_with(ask)).expect("a question of the course");
    let RightAnswer::Choice(choices) = &asked.answer else { panic!("{ask}: choices") };
    choices
}

/// Answers that select no choice, and the choices that the learner is asked about, from 0.
#[test]
fn an_unknown_answer_is_near_to_the_choice_that_shares_its_words_or_its_number() {
    /// A question, and answers with the choices that each may mean.
    type Asked = (&'static str, &'static [(&'static str, &'static [usize])]);
    let near: [Asked; 17] = [
        ("In a row of scores for", &[("the two embeddings are similar", &[1])]),
        ("The words come in a different order", &[("nothing, only the row moves", &[0])]),
        ("Why does a stable softmax", &[("because exp of a big number is inf", &[2])]),
        ("Why are there two matrices", &[("asymmetry, who asks matters", &[0])]),
        ("`sa_v1.W_query` is (3, 2)", &[("shapes do not match", &[1])]),
        ("With seed 123 for both", &[("no", &[1, 2]), ("what", &[])]),
        (
            "With hidden scores set to 0",
            &[("5/6", &[2]), ("0.83", &[2]), ("0.803", &[2]), ("0.5", &[1, 2]), ("500", &[])],
        ),
        ("In the second layer, the second", &[("the word before it", &[1])]),
        ("The feed-forward network reads", &[("just that token's row", &[0])]),
        ("Without the shortcut, attention", &[("they get more alike", &[0])]),
        (
            "The logits are divided by 5",
            &[
                ("they become more likely and together they get most of it", &[1]),
                ("they get less likely", &[2]),
            ],
        ),
        ("The model reads a text of 70", &[("it stops with an error", &[0])]),
        ("The text gets one more word", &[("none of them changes", &[2])]),
        (
            "Only the queries are rotated",
            &[("they change, the angle between them is no longer the distance", &[0, 1])],
        ),
        ("The loop divides the blend once", &[("each block would be weighted equally", &[1])]),
        ("Softmax is read in blocks", &[("the old sum and blend are rescaled", &[0]), ("banana", &[])]),
        ("A weight of 0.99, of 0.5", &[("0.52", &[1]), ("0.09", &[2])]),
    ];
    let catalogue = course::catalogue();
    for (ask, all) in near {
        let choices = choices(&catalogue, ask);
        for (said, expected) in all {
            assert_eq!(meant(choices, said), *expected, "{ask}: `{said}`");
        }
    }
}
