//! Judges an answer to a prediction by its meaning, and selects the remark on it.
//! A session evaluates the expressions after the cell has run. A wrong answer is a value, not an error.
//!
//! A number is right in any rounding to two digits or more (one of two decimals as it is), a choice by its letter or its words.
//! If an answer also fits a usual mistake, the nearer of the two counts.

use rustpython_vm::{PyObjectRef, VirtualMachine};

use super::answer::{self, TypedNumber};
use super::choice::chosen;
use super::closeness::{Closeness, fit, within_one_unit};
use super::exercise::{Choice, Prediction, RightAnswer};
use super::invariant::Invariant;
use super::number_words::number_word;
use crate::numpy::tensor_value;
use crate::session::{Raised, Session};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// The answer is right; [`Prediction::right`] is the remark.
    Right,
    Wrong {
        /// The remark (Markdown): what it would be right for; empty for an unknown mistake.
        because: String,
    },
    /// It is not an answer to this question, or is rounded too far to judge.
    NotUnderstood {
        /// What an answer looks like.
        why: String,
    },
}

const SENTENCE_WANTED: &str = "Answer in a sentence of your own; then compare it.";
const NUMBER_WANTED: &str =
    "Type a number: 0.25, or 1/4, or 25%. Where several are asked for, type all: 0.3, 12.";

/// Checks that a text is an answer to the question; needs no session, so it works before the cell runs.
/// Errors: a message about what an answer looks like.
pub(crate) fn readable(asked: &Prediction, said: &str) -> Result<(), String> {
    if gives_up(said) {
        return Err(GIVEN_UP.to_owned());
    }
    match &asked.answer {
        RightAnswer::Value(_) if readings(asked, said).is_empty() && answer::named_size(said).is_none() => {
            Err(NUMBER_WANTED.to_owned())
        }
        RightAnswer::Choice(choices) => chosen(choices, said).map(|_| ()),
        RightAnswer::Open(_) if said.split_whitespace().count() < 3 => Err(SENTENCE_WANTED.to_owned()),
        _ => Ok(()),
    }
}

/// The reply to a learner who does not know (Markdown).
pub(crate) const GIVEN_UP: &str = "`s` shows the answer, with the reason. A guess is welcome, too.";

/// Whether a text says that the learner does not know.
pub(crate) fn gives_up(said: &str) -> bool {
    const WORDS: [&str; 8] =
        ["idk", "dunno", "i dont know", "i do not know", "dont know", "no idea", "no clue", "not sure"];
    let said = said.to_lowercase().replace(['\'', '’'], "");
    WORDS.contains(&said.trim_matches(|c: char| !c.is_alphanumeric()))
}

/// Judges an answer in the state after the prediction's cell; code for a blank is judged by `super::filled::judge`. Binds no variable; the random stream does not move.
/// Errors: the exception of the lesson's own expression.
pub fn judge(asked: &Prediction, said: &str, session: &mut Session) -> Result<Judgement, Raised> {
    if let Err(why) = readable(asked, said) {
        return Ok(Judgement::NotUnderstood { why });
    }
    match &asked.answer {
        RightAnswer::Choice(choices) => Ok(of_choice(choices, said)),
        RightAnswer::Code(_) => Ok(Judgement::NotUnderstood { why: String::new() }),
        RightAnswer::Open(_) => Ok(Judgement::Right),
        RightAnswer::Value(expr) => {
            let truth = numbers_of(expr, session)?;
            let wrong = known(asked, session);
            let mut readings = readings(asked, said);
            if let (true, Some(calculation)) = (readings.is_empty(), answer::named_size(said)) {
                match size_of(&calculation, session) {
                    Ok(size) => readings.push(vec![TypedNumber::exact(size as f64)]),
                    Err(name) => {
                        let why = format!("`{name}` is not a number here. {NUMBER_WANTED}");
                        return Ok(Judgement::NotUnderstood { why });
                    }
                }
            }
            Ok(of_value(&readings, &truth, &wrong))
        }
    }
}

/// The readings of an answer as numbers, also without the words that the question has: `50 million` as 50 where it asks for
/// millions, `7 words` as 7 where it asks for words.
fn readings(asked: &Prediction, said: &str) -> Vec<Vec<TypedNumber>> {
    let (ask, lower) = (asked.ask.to_lowercase(), said.to_lowercase());
    let is_asked_for = |word: &&str| {
        let word = word.trim_end_matches([',', '.', '?', '!']);
        let is_name = word.len() > 1 && word.starts_with(char::is_alphabetic) && number_word(word).is_none();
        is_name && ask.contains(word)
    };
    let own: Vec<&str> = lower.split_whitespace().filter(|word| !is_asked_for(word)).collect();
    let own = own.join(" ");
    let own = if ask.contains('%') { own.replace('%', " ") } else { own };
    let mut readings = answer::numbers(said);
    readings.extend(answer::numbers(&own));
    readings.dedup();
    readings
}

/// Judges an answer to a question with choices; needs no session.
pub fn of_choice(choices: &[Choice], said: &str) -> Judgement {
    match chosen(choices, said) {
        Ok(at) if choices[at].right => Judgement::Right,
        Ok(at) => Judgement::Wrong { because: choices[at].because.clone() },
        Err(why) => Judgement::NotUnderstood { why },
    }
}

/// The right answer as text: `(6, 2)`, `0.2333`, the text of the choice. Needs the state after the cell.
/// Errors: the exception of the lesson's own expression.
pub fn truth(asked: &Prediction, session: &mut Session) -> Result<String, Raised> {
    match &asked.answer {
        RightAnswer::Value(expr) => numbers_of(expr, session).map(|values| value_words(&values)),
        _ => Ok(stated(asked).expect("only numbers are computed")),
    }
}

/// The right answer as text, if the lesson states it.
pub(crate) fn stated(asked: &Prediction) -> Option<String> {
    match &asked.answer {
        RightAnswer::Choice(choices) => {
            choices.iter().find(|choice| choice.right).map(|choice| choice.text.clone())
        }
        RightAnswer::Code(blank) => Some(format!("`{}`", blank.hidden)),
        RightAnswer::Open(answer) => Some(answer.clone()),
        RightAnswer::Value(_) => None,
    }
}

/// The shape of an expression's value: of a tensor, or the sizes in a tuple.
/// Errors: the exception that it raised, or that it has no shape.
pub(crate) fn shape_of(expr: &str, session: &mut Session) -> Result<Vec<usize>, Raised> {
    let read = |value: &PyObjectRef, vm: &VirtualMachine| match tensor_value(value) {
        Some(tensor) => Some(tensor.shape().to_vec()),
        None => value.try_to_value::<Vec<usize>>(vm).ok(),
    };
    session.with_rng_restored(|session| session.evaluate(expr, read))?.ok_or_else(|| nothing(expr, "shape"))
}

/// The numbers of an expression's value: one, or all numbers of a tensor or a list.
/// Errors: the exception that it raised, or that it has no numbers.
pub(crate) fn numbers_of(expr: &str, session: &mut Session) -> Result<Vec<f64>, Raised> {
    let read = |value: &PyObjectRef, vm: &VirtualMachine| match tensor_value(value) {
        Some(tensor) => Some(tensor.to_f64_vec()),
        None => match value.try_float(vm) {
            Ok(number) => Some(vec![number.to_f64()]),
            Err(_) => value.try_to_value::<Vec<f64>>(vm).ok(),
        },
    };
    session.with_rng_restored(|session| session.evaluate(expr, read))?.ok_or_else(|| nothing(expr, "number"))
}

/// How far a statement is from being true.
pub(crate) fn deviation(invariant: &Invariant, session: &mut Session) -> Result<f64, Raised> {
    numbers_of(&invariant.deviation(), session).map(|far| far[0])
}

fn nothing(expr: &str, what: &str) -> Raised {
    Raised::new("TypeError", format!("`{expr}` has no {what}"))
}

/// The values of the usual wrong answers, with their remarks; one whose expression raises is left out (the gate
/// reports it).
fn known<'p>(asked: &'p Prediction, session: &mut Session) -> Vec<(Vec<f64>, &'p str)> {
    let mut values = |expr: &str| numbers_of(expr, session).ok();
    asked.wrong.iter().filter_map(|wrong| Some((values(&wrong.value)?, wrong.because.as_str()))).collect()
}

/// The whole number that a name or a calculation with names is. Errors: the text, if it is none.
fn size_of(calculation: &str, session: &mut Session) -> Result<usize, String> {
    let read = |value: &PyObjectRef, vm: &VirtualMachine| value.try_to_value::<usize>(vm).ok();
    let found = session.with_rng_restored(|session| session.evaluate(calculation, read));
    found.ok().flatten().ok_or_else(|| calculation.to_owned())
}

fn of_value(said: &[Vec<TypedNumber>], truth: &[f64], wrong: &[(Vec<f64>, &str)]) -> Judgement {
    let ask = |why: &str| Judgement::NotUnderstood { why: why.to_owned() };
    let mut asked = None;
    let mut remark = None;
    let mut counts = Vec::new();
    for reading in said {
        if reading.len() != truth.len() {
            counts.push(reading.len());
            continue;
        }
        let right = fit(reading, truth);
        let mistakes = wrong.iter().filter(|(other, _)| other.len() == reading.len() && other != truth);
        let mistake = mistakes.map(|(other, because)| (fit(reading, other), other, *because));
        let mistake = mistake.filter(|(fits, ..)| *fits > Closeness::Rough).max_by_key(|(fits, ..)| *fits);
        match (right, mistake) {
            (Closeness::Off, None) => {}
            (Closeness::Off | Closeness::Rough, Some((.., because))) => remark = remark.or(Some(because)),
            (Closeness::Rough, None) => asked = Some(MORE_DIGITS),
            (_, Some((fits, ..))) if fits == right => asked = Some(ONE_MORE_DIGIT),
            (_, Some((fits, _, because))) if fits > right => match within_one_unit(reading, truth) {
                true => asked = Some(ONE_MORE_DIGIT),
                false => remark = remark.or(Some(because)),
            },
            _ => return Judgement::Right,
        }
    }
    match (asked, remark) {
        (Some(why), _) => return ask(why),
        (None, Some(because)) => return Judgement::Wrong { because: because.to_owned() },
        (None, None) => {}
    }
    if counts.len() == said.len() {
        return ask(&match truth.len() {
            1 => "Type one number.".to_owned(),
            many => format!("Type {many} numbers."),
        });
    }
    let negated = |reading: &Vec<TypedNumber>| {
        let negated: Vec<TypedNumber> =
            reading.iter().map(|n| TypedNumber { value: -n.value, ..*n }).collect();
        negated.len() == truth.len() && fit(&negated, truth) > Closeness::Rough
    };
    let because = match said.iter().any(negated) {
        true => "The size is right and the sign is not.".to_owned(),
        false => String::new(),
    };
    Judgement::Wrong { because }
}

const MORE_DIGITS: &str = "That is close. Type it with two digits or more, and two decimals in full.";
const ONE_MORE_DIGIT: &str =
    "With so few digits it may be the answer, rounded, or a usual mistake. Say it with one digit more.";

/// `0.2333`, `21`, `[0.3061, 0.8210]`.
pub(crate) fn value_words(values: &[f64]) -> String {
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
