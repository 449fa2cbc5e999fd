//! An answer to a prediction, judged by meaning, and what to say to it.
//! The session works the expressions out once the cell has run; a wrong answer is a value.
//!
//! A number counts as right in any rounding that says two digits; a shape in any spelling; a choice by its
//! letter or by its words. Where an answer fits a usual mistake as well, the nearer of the two decides.

use crate::tensor::show::tuple_repr;
use rustpython_vm::{PyObjectRef, VirtualMachine};

use super::answer::{self, Number, Size};
use super::exercise::{Answer, Choice, Prediction};
use crate::session::{Raised, Session};
use crate::torch::tensor_value;

/// How an answer stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is right; [`Prediction::right`] has the words.
    Right,
    /// It is not.
    Wrong {
        /// What it would have been right for (Markdown); empty if nothing is known of it.
        because: String,
    },
    /// It cannot be read as an answer to this question, or is said too roughly to tell.
    NotUnderstood {
        /// What is wanted instead.
        why: String,
    },
}

const SHAPE_WANTED: &str = "A shape is the size of each axis: (6, 2), or 6x2.";
const NUMBER_WANTED: &str = "A number is wanted: 0.25, or 1/4, or 25%.";

/// Whether an answer can be read at all; asks no session, so it may be asked before the cell runs.
/// Errors: what is wanted instead.
pub fn readable(asked: &Prediction, said: &str) -> Result<(), String> {
    match &asked.answer {
        Answer::Shape(_) if answer::shapes(said).is_empty() => Err(SHAPE_WANTED.to_owned()),
        Answer::Value { .. } if answer::numbers(said).is_empty() => Err(NUMBER_WANTED.to_owned()),
        Answer::Choice(choices) => chosen(choices, said).map(|_| ()),
        _ => Ok(()),
    }
}

/// Judges an answer in the state after the prediction's cell. Binds nothing; the random stream stays as it was.
/// Errors: what the lesson's own expression raised.
pub fn judge(asked: &Prediction, said: &str, session: &mut Session) -> Result<Verdict, Raised> {
    if let Err(why) = readable(asked, said) {
        return Ok(Verdict::NotUnderstood { why });
    }
    match &asked.answer {
        Answer::Choice(choices) => Ok(match chosen(choices, said) {
            Ok(at) if choices[at].right => Verdict::Right,
            Ok(at) => Verdict::Wrong { because: choices[at].because.clone() },
            Err(why) => Verdict::NotUnderstood { why },
        }),
        Answer::Shape(expr) => {
            let truth = shape_of(expr, session)?;
            let wrong = known(asked, session, shape_of);
            let mut sizes = Vec::new();
            for reading in answer::shapes(said) {
                match resolved(&reading, session) {
                    Ok(shape) => sizes.push(shape),
                    Err(why) => return Ok(Verdict::NotUnderstood { why }),
                }
            }
            Ok(of_shape(&sizes, &truth, &wrong))
        }
        Answer::Value { expr, tolerance } => {
            let truth = numbers_of(expr, session)?;
            let wrong = known(asked, session, numbers_of);
            Ok(of_value(&answer::numbers(said), &truth, &wrong, *tolerance))
        }
    }
}

/// The right answer in words: `(6, 2)`, `0.2333`, the text of the choice. In the state after the cell.
/// Errors: what the lesson's own expression raised.
pub fn truth(asked: &Prediction, session: &mut Session) -> Result<String, Raised> {
    match &asked.answer {
        Answer::Shape(expr) => shape_of(expr, session).map(|shape| tuple_repr(&shape)),
        Answer::Value { expr, .. } => numbers_of(expr, session).map(|values| value_words(&values)),
        Answer::Choice(choices) => {
            let right = choices.iter().find(|choice| choice.right);
            Ok(right.map(|choice| choice.text.clone()).unwrap_or_default())
        }
    }
}

/// The shape of what an expression gives: of a tensor, or the sizes in a tuple.
/// Errors: what it raised, or that it has no shape.
pub fn shape_of(expr: &str, session: &mut Session) -> Result<Vec<usize>, Raised> {
    let read = |value: &PyObjectRef, vm: &VirtualMachine| match tensor_value(value, vm) {
        Some(tensor) => Some(tensor.shape().to_vec()),
        None => value.try_to_value::<Vec<usize>>(vm).ok(),
    };
    session.with_rng_restored(|session| session.evaluate(expr, read))?.ok_or_else(|| nothing(expr, "shape"))
}

/// The numbers of what an expression gives: one, or those of a tensor or a list. Errors: as above.
pub fn numbers_of(expr: &str, session: &mut Session) -> Result<Vec<f64>, Raised> {
    let read = |value: &PyObjectRef, vm: &VirtualMachine| match tensor_value(value, vm) {
        Some(tensor) => Some(tensor.to_f64_vec()),
        None => match value.try_float(vm) {
            Ok(number) => Some(vec![number.to_f64()]),
            Err(_) => value.try_to_value::<Vec<f64>>(vm).ok(),
        },
    };
    session.with_rng_restored(|session| session.evaluate(expr, read))?.ok_or_else(|| nothing(expr, "number"))
}

fn nothing(expr: &str, what: &str) -> Raised {
    Raised::new("TypeError", format!("`{expr}` has no {what}"))
}

type Known<'p, T> = Vec<(T, &'p str)>;

/// The usual wrong answers with their remarks; one that cannot be worked out here is passed over.
fn known<'p, T>(
    asked: &'p Prediction,
    session: &mut Session,
    work: fn(&str, &mut Session) -> Result<T, Raised>,
) -> Known<'p, T> {
    let one = |wrong: &'p super::exercise::Wrong| {
        work(&wrong.value, session).ok().map(|found| (found, wrong.because.as_str()))
    };
    asked.wrong.iter().filter_map(one).collect()
}

fn resolved(reading: &[Size], session: &mut Session) -> Result<Vec<usize>, String> {
    let size = |size: &Size| match size {
        Size::Number(number) => Ok(*number),
        Size::Name(name) => session
            .evaluate(name, |value, vm| value.try_to_value::<usize>(vm).ok())
            .ok()
            .flatten()
            .ok_or_else(|| format!("`{name}` is no size here. {SHAPE_WANTED}")),
    };
    reading.iter().map(size).collect()
}

fn of_shape(said: &[Vec<usize>], truth: &[usize], wrong: &Known<Vec<usize>>) -> Verdict {
    if said.iter().any(|shape| shape == truth) {
        return Verdict::Right;
    }
    if let Some((_, because)) = wrong.iter().find(|(shape, _)| said.contains(shape)) {
        return Verdict::Wrong { because: (*because).to_owned() };
    }
    let Some(shape) = said.first() else {
        return Verdict::NotUnderstood { why: SHAPE_WANTED.to_owned() };
    };
    let sorted = |shape: &[usize]| {
        let mut sizes = shape.to_vec();
        sizes.sort_unstable();
        sizes
    };
    let met = shape.iter().zip(truth).filter(|(a, b)| a == b).count();
    let because = match (shape.len(), truth.len()) {
        (have, want) if have != want => {
            format!("{} has {}. Here there {}.", tuple_repr(shape), axes(have), are(want))
        }
        _ if sorted(shape) == sorted(truth) => "These are the sizes, in another order.".to_owned(),
        _ if met > 0 => {
            format!("{met} of the {} sizes {} right.", truth.len(), if met == 1 { "is" } else { "are" })
        }
        _ => String::new(),
    };
    Verdict::Wrong { because }
}

fn axes(count: usize) -> String {
    if count == 1 { "one axis".to_owned() } else { format!("{count} axes") }
}

fn are(count: usize) -> String {
    if count == 1 { "is one".to_owned() } else { format!("are {count}") }
}

/// How well a number fits another.
#[derive(Clone, Copy, PartialEq)]
enum Fit {
    Right,
    /// It would be right, said with one digit.
    Rough,
    Off,
}

fn of_value(said: &[Vec<Number>], truth: &[f64], wrong: &Known<Vec<f64>>, tolerance: Option<f64>) -> Verdict {
    let mut rough = false;
    let mut counts = Vec::new();
    for reading in said {
        if reading.len() != truth.len() {
            counts.push(reading.len());
            continue;
        }
        let fit = fit(reading, truth, tolerance);
        // What fits a usual mistake as well is judged by what it is nearer to.
        let nearer = |other: &[f64]| apart(reading, other) < apart(reading, truth);
        let mistake = wrong.iter().find(|(other, _)| {
            other.len() == reading.len()
                && self::fit(reading, other, None) == Fit::Right
                && (fit == Fit::Off || nearer(other))
        });
        match (fit, mistake) {
            (_, Some((_, because))) => return Verdict::Wrong { because: (*because).to_owned() },
            (Fit::Right, None) => return Verdict::Right,
            (Fit::Rough, None) => rough = true,
            (Fit::Off, None) => {}
        }
    }
    if rough {
        return Verdict::NotUnderstood { why: "That is near. Say it with two digits or more.".to_owned() };
    }
    if counts.len() == said.len() {
        let wanted = if truth.len() == 1 {
            "One number is".to_owned()
        } else {
            format!("{} numbers are", truth.len())
        };
        return Verdict::NotUnderstood { why: format!("{wanted} wanted here.") };
    }
    let turned = |reading: &Vec<Number>| {
        let turned: Vec<Number> = reading.iter().map(|n| Number { value: -n.value, ..*n }).collect();
        turned.len() == truth.len() && fit(&turned, truth, tolerance) == Fit::Right
    };
    let because = match said.iter().any(turned) {
        true => "The size is right and the sign is not.".to_owned(),
        false => String::new(),
    };
    Verdict::Wrong { because }
}

fn apart(said: &[Number], truth: &[f64]) -> f64 {
    said.iter().zip(truth).map(|(n, t)| (n.value - t).abs()).fold(0.0, f64::max)
}

fn fit(said: &[Number], truth: &[f64], tolerance: Option<f64>) -> Fit {
    let fits: Vec<Fit> = said.iter().zip(truth).map(|(n, t)| one_fits(n, *t, tolerance)).collect();
    match () {
        () if fits.contains(&Fit::Off) => Fit::Off,
        () if fits.contains(&Fit::Rough) => Fit::Rough,
        () => Fit::Right,
    }
}

fn one_fits(said: &Number, truth: f64, tolerance: Option<f64>) -> Fit {
    let value = said.value;
    if truth.is_nan() || value.is_nan() || truth.is_infinite() || value.is_infinite() {
        let same = (truth.is_nan() && value.is_nan()) || truth == value;
        return if same { Fit::Right } else { Fit::Off };
    }
    let off = (value - truth).abs();
    let rounding = 1e-6 * truth.abs().max(1e-3);
    // What is printed has four decimals, and sums of floats may miss in the last of them.
    let printed = if truth.abs() >= 1e-3 { 6e-5 * truth.abs().max(1.0) } else { 0.0 };
    if off <= rounding || tolerance.is_some_and(|most| off <= most) {
        return Fit::Right;
    }
    let whole = truth.fract() == 0.0;
    if !whole && off <= printed {
        return Fit::Right;
    }
    if said.step == 0.0 {
        return if !whole && off <= 2e-3 * truth.abs() { Fit::Right } else { Fit::Off };
    }
    let rounded = off <= said.step / 2.0 + rounding;
    // 0.226 for 0.2268: cut off, where another would have rounded.
    let cut = truth.abs() > value.abs() && off < said.step && said.digits >= 2;
    match (rounded || (cut && !whole), said.digits) {
        (false, _) => Fit::Off,
        (true, 0 | 1) => Fit::Rough,
        (true, _) => Fit::Right,
    }
}

/// Which of the choices is meant: by letter, by its words, by its number. Errors: what is wanted instead.
pub fn chosen(choices: &[Choice], said: &str) -> Result<usize, String> {
    let said = plain(said);
    let texts: Vec<String> = choices.iter().map(|choice| plain(&choice.text)).collect();
    let letters: Vec<String> =
        (0..choices.len()).map(|at| char::from(b'a' + (at % 26) as u8).to_string()).collect();
    if let Some(at) = texts.iter().position(|text| *text == said) {
        return Ok(at);
    }
    if let Some(at) = letters.iter().position(|letter| *letter == said) {
        return Ok(at);
    }
    let only = |fits: &dyn Fn(&str) -> bool| {
        let mut found = (0..texts.len()).filter(|at| fits(&texts[*at]));
        found.next().filter(|_| found.next().is_none())
    };
    let within = |text: &str| format!(" {text} ").contains(&format!(" {said} "));
    if !said.is_empty() {
        let at = only(&within)
            .or_else(|| only(&|text| text.starts_with(&said)))
            .or_else(|| only(&|text| format!(" {said} ").contains(&format!(" {text} "))));
        if let Some(at) = at {
            return Ok(at);
        }
        // The third of three, where no choice speaks of a 3.
        let place = said.parse::<usize>().ok().filter(|at| (1..=choices.len()).contains(at));
        if let Some(at) = place.filter(|_| !texts.iter().any(|text| within(text))) {
            return Ok(at - 1);
        }
        let close = |text: &str| strsim::normalized_damerau_levenshtein(text, &said) >= 0.75;
        if let Some(at) = only(&close) {
            return Ok(at);
        }
    }
    let (last, rest) = letters
        .split_last()
        .map_or((String::new(), String::new()), |(last, rest)| (last.clone(), rest.join(", ")));
    Err(format!("Say {rest} or {last}, or the words of the answer."))
}

/// Words in small letters, without Markdown's signs and without punctuation at their ends.
fn plain(text: &str) -> String {
    let text = text.to_lowercase().replace(['*', '`', '"'], "");
    let word = |word: &str| {
        word.trim_matches(|c: char| !c.is_alphanumeric() && !"-.±".contains(c))
            .trim_end_matches('.')
            .to_owned()
    };
    let words: Vec<String> = text.split_whitespace().map(word).filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// `0.2333`, `21`, `[0.3061, 0.8210]`.
pub fn value_words(values: &[f64]) -> String {
    let one = |value: f64| match value {
        v if v.is_nan() => "nan".to_owned(),
        v if v.is_infinite() => if v > 0.0 { "inf" } else { "-inf" }.to_owned(),
        v if v.fract() == 0.0 => format!("{v:.0}"),
        v if v.abs() < 1e-3 => format!("{v:.3e}"),
        v => format!("{v:.4}"),
    };
    match values {
        [value] => one(*value),
        all => {
            let words: Vec<String> = all.iter().map(|value| one(*value)).collect();
            format!("[{}]", words.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lesson::exercise::Wrong;
    use crate::session::{SessionOptions, with_large_stack};

    fn asked(answer: Answer, wrong: &[(&str, &str)]) -> Prediction {
        let wrong =
            wrong.iter().map(|(value, because)| Wrong { value: (*value).into(), because: (*because).into() });
        Prediction { ask: "?".into(), answer, wrong: wrong.collect(), right: "Yes.".into(), line: 1 }
    }

    /// The verdict in a word or two, in a session that has `w` and `q`.
    fn verdicts(asked: &Prediction, said: &[&str]) -> Vec<String> {
        let (asked, said) = (asked.clone(), said.iter().map(ToString::to_string).collect::<Vec<_>>());
        with_large_stack(move || {
            let mut session = Session::new(SessionOptions::default());
            session.run(
                "import torch\nw = torch.tensor([0.22639, 0.25069, -0.5])\nq = torch.zeros(6, 2)\nd_out = 2",
                "state",
            );
            let word = |verdict: Verdict| match verdict {
                Verdict::Right => "right".to_owned(),
                Verdict::Wrong { because } => format!("wrong: {because}"),
                Verdict::NotUnderstood { why } => format!("? {why}"),
            };
            let judged = |said: &String| match judge(&asked, said, &mut session) {
                Ok(verdict) => word(verdict),
                Err(raised) => format!("raised {}", raised.message),
            };
            said.iter().map(judged).collect()
        })
    }

    fn all(asked: &Prediction, said: &[&str], wanted: &str) {
        for (said, verdict) in said.iter().zip(verdicts(asked, said)) {
            assert!(verdict.starts_with(wanted), "`{said}`: {verdict}, and not {wanted}");
        }
    }

    #[test]
    fn shapes_are_judged_by_their_sizes() {
        let asked = asked(Answer::Shape("q".into()), &[("q.T", "turned"), ("(6, 3)", "too wide")]);
        all(&asked, &["(6,2)", "6x2", "torch.Size([6, 2])", "6 by 2", "(6, d_out)"], "right");
        all(&asked, &["2x6", "[2, 6]"], "wrong: turned");
        all(&asked, &["6,3"], "wrong: too wide");
        all(&asked, &["6", "(6, 2, 1)"], "wrong: (6");
        all(&asked, &["(6, 6)"], "wrong: 1 of the 2 sizes is right");
        all(&asked, &["", "dunno", "(6, d_model)"], "? ");
    }

    #[test]
    fn numbers_are_judged_in_any_sensible_rounding() {
        let asked = asked(
            Answer::Value { expr: "w[0]".into(), tolerance: None },
            &[("w[1]", "without the root"), ("torch.rand(1)", "a draw")],
        );
        all(
            &asked,
            &["0.2264", "0.23", ".226", "0.22639", "2.264e-1", "22.6%", "0,2264", "tensor(0.2264)", "0.2263"],
            "right",
        );
        all(&asked, &["0.2507", "0.25", "25%"], "wrong: without the root");
        all(&asked, &["0.2"], "? That is near");
        all(&asked, &["-0.2264"], "wrong: The size is right and the sign");
        all(&asked, &["0.3", "7", "0.2364"], "wrong: ");
        all(&asked, &["[0.2264, 0.1]"], "? One number");
        all(&asked, &["what", ""], "? A number");
        let count = asked_count();
        all(&count, &["12", "12.", "twelve", "12.0", "2*6"], "right");
        all(&count, &["11", "13", "10", "12.4"], "wrong");
    }

    fn asked_count() -> Prediction {
        asked(Answer::Value { expr: "q.numel()".into(), tolerance: None }, &[])
    }

    #[test]
    fn choices_go_by_letter_or_words() {
        let choice =
            |text: &str, right| Choice { text: text.into(), right, because: format!("because {text}") };
        let asked = asked(
            Answer::Choice(vec![
                choice("about 0.17, one sixth", false),
                choice("about **0.97**", true),
                choice("it grows", false),
            ]),
            &[],
        );
        all(&asked, &["b", "B", "b)", "(b)", "about 0.97", "0.97", "2"], "right");
        all(&asked, &["c", "grows", "it grows.", "it grow"], "wrong: because it grows");
        all(&asked, &["", "d", "about", "maybe"], "? Say a, b or c");
    }

    #[test]
    fn judging_draws_no_random_numbers() {
        with_large_stack(|| {
            let mut session = Session::new(SessionOptions::default());
            session.run("import torch\ntorch.manual_seed(1)\nfirst = torch.rand(1).item()", "state");
            session.run("torch.manual_seed(1)", "state");
            let asked = asked(Answer::Value { expr: "torch.rand(3)".into(), tolerance: None }, &[]);
            assert!(truth(&asked, &mut session).is_ok_and(|words| words.starts_with('[')));
            let outcome = session.run("torch.rand(1).item() == first", "state");
            assert_eq!(outcome.result.as_deref(), Some("True"));
        });
    }
}
