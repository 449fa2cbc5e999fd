//! Judges code that the learner wrote for a blank by what the cell then computes, so every way of writing it counts.

use super::blank::{BLANK, Blank, packed};
use super::exercise::Prediction;
use super::judge::{Judgement, numbers_of, shape_of, value_words};
use crate::session::{Raised, Session};
use crate::syntax::{INVALID, parse_expression, parse_module, wording};
use crate::tensor::show::tuple_repr;

/// What a filled cell computes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Computed {
    Value {
        shape: Vec<usize>,
        numbers: Vec<f64>,
    },
    /// The error that it raised; a sentence.
    Raised(String),
}

impl Computed {
    /// Whether it is a tensor of more than one number.
    fn has_axes(&self) -> bool {
        matches!(self, Computed::Value { numbers, .. } if numbers.len() > 1)
    }
}

/// What else there is to say about an error of a session.
pub(crate) type Remarks<'a> = &'a dyn Fn(&Raised, &Session) -> String;

/// Runs a filled cell in `session`, which has the state before it.
pub(crate) fn run(blank: &Blank, code: &str, session: &mut Session, remarks: Remarks) -> Computed {
    let (raised, stops) = match session.run(code, "your code").error {
        Some(raised) => (raised, "With this the code stops"),
        None => match numbers_of(&blank.gives, session) {
            Ok(numbers) => {
                let shape = shape_of(&blank.gives, session).unwrap_or_default();
                return Computed::Value { shape, numbers };
            }
            Err(raised) if !is_uncalled(code) => (raised, "With this the code stops"),
            Err(raised) => (raised, "No line of the cell calls this yet. When it is called, it stops"),
        },
    };
    let said = format!("{stops}: {raised}");
    Computed::Raised(match remarks(&raised, session) {
        more if more.is_empty() => said,
        more => said.trim_end_matches('.').to_owned() + &more,
    })
}

/// Whether a cell defines functions or classes and names none of them again.
pub(crate) fn is_uncalled(code: &str) -> bool {
    let defined = code.lines().filter_map(|it| it.strip_prefix("class ").or(it.strip_prefix("def ")));
    let names: Vec<&str> = defined.filter_map(|it| it.split('(').next()).collect();
    !names.is_empty() && names.iter().all(|name| code.matches(name).count() == 1)
}

/// Checks that what was typed is Python in the place of the blank. Errors: a message that says what to type.
pub(crate) fn readable(blank: &Blank, code: &str, said: &str) -> Result<(), String> {
    if parse_module(&blank.filled(code, said)).is_ok() {
        return Ok(());
    }
    if said.trim().starts_with('.') {
        return Err(format!("Python cannot read this yet: the name before `{}` is missing.", said.trim()));
    }
    // A bracket too few or too many is named; of words that are no code there is nothing to say but this.
    match wording(said, ruff_python_parser::Mode::Module).filter(|wrong| !wrong.text.starts_with(INVALID)) {
        Some(wrong) => Err(format!("Python cannot read this yet: {}.", wrong.text)),
        None => {
            let said = said.trim();
            let end = said.chars().last().filter(|end| ".@*/+-=,".contains(*end));
            let is_code = said.contains(['@', '*', '/', '+', '=', '(', '[', '_']);
            Err(match (end, is_code) {
                (Some(end), true) => {
                    format!("Python cannot read this yet: something is missing after `{end}`.")
                }
                (None, true) => {
                    let line = blank.line(code, said);
                    format!("With this the line reads `{line}`, which Python cannot read.")
                }
                _ => format!("Type the Python code that belongs in the place of `{BLANK}`, and no more."),
            })
        }
    }
}

/// Judges what was typed for the blank of a cell. `run` runs a filled cell in a new state before the cell and returns what
/// [`run`] does. Errors: those of `run`.
pub(crate) fn judge<E>(
    asked: &Prediction,
    blank: &Blank,
    code: &str,
    said: &str,
    run: &mut dyn FnMut(&str) -> Result<Computed, E>,
) -> Result<Judgement, E> {
    if let Err(why) = readable(blank, code, said) {
        return Ok(Judgement::NotUnderstood { why });
    }
    if blank.is_hidden(code, said) {
        return Ok(Judgement::Right);
    }
    let own = packed(&blank.written(code, said));
    let wrong = |because: &str| Ok(Judgement::Wrong { because: because.to_owned() });
    if let Some(known) = asked.wrong.iter().find(|known| packed(&known.value) == own) {
        return wrong(&known.because);
    }
    let (truth, computed) = (run(code)?, run(&blank.filled(code, said))?);
    if same(&computed, &truth) {
        let is_copy =
            is_name(&own) && !is_name(&blank.hidden) && computed.has_axes() && blank.is_value_of_a_name(code);
        return match has_names(&blank.written(code, said)) || !has_names(&blank.hidden) {
            true if is_copy => wrong(&format!("`{own}` has this result already. Write how it is computed.")),
            true => Ok(Judgement::Right),
            false => wrong("That is right for these numbers only. Write it with names."),
        };
    }
    for known in &asked.wrong {
        if same(&computed, &run(&blank.filled(code, &known.value))?) {
            return wrong(&known.because);
        }
    }
    wrong(&difference(&computed, &truth))
}

/// Whether code is one name.
fn is_name(code: &str) -> bool {
    code.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// Whether an expression reads a variable: a number alone, in `torch.tensor(..)` too, does not.
fn has_names(code: &str) -> bool {
    let words = code.split(|c: char| !(c.is_alphanumeric() || "_.".contains(c)));
    let mut names = words.filter_map(|word| word.split('.').next()).filter(|word| !word.is_empty());
    let is_known = |it: &str| it.as_bytes()[0].is_ascii_digit() || ["torch", "math", "float"].contains(&it);
    parse_expression(code.trim()).is_ok() && !names.all(is_known)
}

/// Whether two cells compute the same, up to rounding. Errors are the same if their messages are.
pub(crate) fn same(one: &Computed, other: &Computed) -> bool {
    match (one, other) {
        (
            Computed::Value { shape, numbers },
            Computed::Value { shape: other_shape, numbers: other_numbers },
        ) => shape == other_shape && near(numbers, other_numbers),
        (Computed::Raised(one), Computed::Raised(other)) => one == other,
        _ => false,
    }
}

fn near(one: &[f64], other: &[f64]) -> bool {
    let is_near = |(one, other): (&f64, &f64)| {
        let finite = one.is_finite() && other.is_finite();
        let same = one == other || one.is_nan() && other.is_nan();
        same || finite && (one - other).abs() <= 1e-6 + 1e-5 * other.abs()
    };
    one.len() == other.len() && one.iter().zip(other).all(is_near)
}

/// In what a cell that computes something else differs from the right one.
fn difference(computed: &Computed, truth: &Computed) -> String {
    match (computed, truth) {
        (Computed::Raised(said), _) => said.clone(),
        (Computed::Value { shape, .. }, Computed::Value { shape: right, .. }) if shape != right => {
            format!("The result then has shape {}; it should be {}.", tuple_repr(shape), tuple_repr(right))
        }
        (Computed::Value { numbers, .. }, Computed::Value { numbers: right, .. }) => {
            let apart = |(own, right): &(&f64, &f64)| !near(&[**own], &[**right]);
            match numbers.iter().zip(right).find(apart) {
                Some((own, right)) => match (value_words(&[*own]), value_words(&[*right])) {
                    (own, right) if own == right => {
                        "It runs, and the result is nearly right, but rounded: write how it is computed, with names.".to_owned()
                    }
                    (own, right) => {
                        format!("It runs, but the result differs: {own} where {right} should be.")
                    }
                },
                None => String::new(),
            }
        }
        (_, Computed::Raised(_)) => "It runs, and it should raise an error here.".to_owned(),
    }
}
