//! Operations that compute each element from the operands' elements at the same index.

use crate::explain::account::{Account, SourceElement};
use crate::explain::calc::Calc;
use crate::explain::name::Name;
use crate::explain::storage_element::ElementCause;
use crate::explain::subject::{Subject, scalar};
use crate::explain::terms::figure;
use crate::kernel::rank::largest_magnitude_first;
use crate::tensor::descriptor::Binding;
use crate::tensor::explanation::{Explanation, Formula};
use crate::tensor::{Arg, DType, Tensor};

/// An element of a pointwise result.
pub(crate) fn account(subject: &Subject, formula: Formula) -> Option<Account> {
    let count = operands(subject, formula);
    if formula == Formula::Add
        && subject.made.before.is_some()
        && let Some(summed) = added_up(subject)
    {
        return Some(summed);
    }
    let values: Vec<f64> = (0..count).map(|place| subject.at(place)).collect::<Option<_>>()?;
    let names: Vec<Name> = (0..count).map(|place| subject.name_at(place)).collect();
    let (words, calc) = written(subject, formula, &names, &values)?;
    let links: Vec<_> = subject.met();
    // Of the state of an optimizer, each has its meaning.
    let is_state = |link: &SourceElement| match link.element.cause() {
        ElementCause::MadeBy(made) => {
            matches!(made.record.operation.explanation, Explanation::OptimizerState(_))
        }
        _ => false,
    };
    let follow = if links.iter().any(is_state) { links.len() } else { links.len().min(2) };
    Some(Account::words(words).figures(calc).from(links).following(follow))
}

/// How many of the arguments are operands, before options such as `alpha`.
fn operands(subject: &Subject, formula: Formula) -> usize {
    match formula {
        Formula::Add | Formula::Sub | Formula::ReverseSub => 2,
        Formula::Mul | Formula::Div | Formula::Pow | Formula::Pair => 2,
        _ => {
            let is_operand = |arg: &Arg| arg.tensor().is_some() || arg.number().is_some();
            subject.args.iter().take_while(|arg| is_operand(arg)).count().clamp(1, 3)
        }
    }
}

/// The formula in names and in figures.
fn written(subject: &Subject, formula: Formula, names: &[Name], values: &[f64]) -> Option<(String, Calc)> {
    let number = |at: usize| Calc::Number(values[at]);
    let (x, y) = (values.first().copied()?, values.get(1).copied().unwrap_or(0.0));
    let name = |at: usize| names.get(at).map(Name::to_string).unwrap_or_default();
    // Products, sums and comparisons are put in brackets next to any sign.
    let grouped = |at: usize| names.get(at).map(|name| name.within(Binding::Prefix)).unwrap_or_default();
    let signed = |sign: &str| format!("{} {sign} {}", grouped(0), grouped(1));
    let alpha = subject.number("alpha").unwrap_or(1.0);
    let rounded = matches!(subject.param("rounding_mode"), Some(Arg::Str(_)));
    let scaled = |factor: f64| match factor == 1.0 {
        true => number(1),
        false => Calc::Product(vec![Calc::Number(factor), number(1)]),
    };
    let scaled_name = |factor: f64| match factor == 1.0 {
        true => name(1),
        false => format!("{}·{}", figure(factor), grouped(1)),
    };
    let on_truth_values = subject.dtype == DType::Bool;
    // The function by its name; the operation itself computes the result.
    let by_name = |name: &str| -> Option<(String, Calc)> {
        let all = names.iter().map(Name::to_string).collect::<Vec<_>>().join(", ");
        let args: Vec<Calc> = (0..values.len()).map(number).collect();
        Some((format!("{name}({all})"), Calc::apply(subject.op(), args, on_scalars(subject)?)))
    };
    Some(match formula {
        Formula::Add => {
            (format!("{} + {}", name(0), scaled_name(alpha)), Calc::Sum(vec![number(0), scaled(alpha)]))
        }
        Formula::Sub => {
            let taken = if alpha == 1.0 { Calc::Number(-y) } else { scaled(-alpha) };
            (format!("{} - {}", name(0), scaled_name(alpha)), Calc::Sum(vec![number(0), taken]))
        }
        Formula::ReverseSub => {
            (format!("{} - {}", name(1), name(0)), Calc::Sum(vec![number(1), Calc::Number(-x * alpha)]))
        }
        Formula::Mul => (signed("·"), Calc::Product(vec![number(0), number(1)])),
        Formula::Div if rounded => by_name("div (rounded)")?,
        Formula::Div => (signed("/"), number(0).over(number(1))),
        Formula::Pow => (signed("^"), Calc::Power(Box::new(number(0)), Box::new(number(1)))),
        Formula::Square => {
            (format!("{}^2", grouped(0)), Calc::Power(Box::new(number(0)), Box::new(Calc::Number(2.0))))
        }
        Formula::Neg => (format!("-{}", grouped(0)), Calc::Product(vec![Calc::Number(-1.0), number(0)])),
        Formula::Reciprocal => (format!("1 / {}", grouped(0)), Calc::Number(1.0).over(number(0))),
        Formula::Rsqrt => (format!("1 / sqrt({})", name(0)), Calc::Number(1.0).over(Calc::sqrt(number(0)))),
        Formula::Sigmoid => {
            let below = Calc::Sum(vec![Calc::Number(1.0), Calc::exp(Calc::Number(-x))]);
            (format!("sigmoid({}): 1 / (1 + exp(-x))", name(0)), Calc::Number(1.0).over(below))
        }
        Formula::Silu => {
            let below = Calc::Sum(vec![Calc::Number(1.0), Calc::exp(Calc::Number(-x))]);
            (format!("silu({}): x / (1 + exp(-x))", name(0)), number(0).over(below))
        }
        Formula::Relu => {
            let kept = if x > 0.0 { "above 0: kept" } else { "not above 0: made 0" };
            let largest = Calc::apply("max", vec![Calc::Number(0.0), number(0)], x.max(0.0));
            (format!("relu({}), {kept}", name(0)), largest)
        }
        Formula::Gelu if matches!(subject.param("approximate"), Some(Arg::Str(how)) if **how == *"tanh") => {
            by_name(subject.op())?
        }
        Formula::Gelu => {
            let root = x / std::f64::consts::SQRT_2;
            let erf = Calc::apply("erf", vec![Calc::Number(root)], libm::erf(root));
            let share = Calc::Sum(vec![Calc::Number(1.0), erf]);
            let calc = Calc::Product(vec![Calc::Number(0.5), number(0), share]);
            (format!("gelu({}): 0.5·x·(1 + erf(x/sqrt(2)))", name(0)), calc)
        }
        Formula::Addcmul | Formula::Addcdiv => {
            let factor = subject.number("value").unwrap_or(1.0);
            let times = formula == Formula::Addcmul;
            let sign = if times { '·' } else { '/' };
            let words = format!("{} + {}·{} {sign} {}", name(0), figure(factor), grouped(1), grouped(2));
            let part = match times {
                true => Calc::Product(vec![Calc::Number(factor), number(1), number(2)]),
                false => Calc::Product(vec![Calc::Number(factor), number(1)]).over(number(2)),
            };
            (words, Calc::Sum(vec![number(0), part]))
        }
        Formula::Lerp => {
            let way = Calc::minus(y, x);
            let words = format!("{} + {}·({} - {})", name(0), name(2), name(1), name(0));
            (words, Calc::Sum(vec![number(0), Calc::Product(vec![number(2), way])]))
        }
        Formula::Compare => {
            let sign = subject.made.record.operation.sign()?.code();
            let given = on_scalars(subject)?;
            (signed(sign), Calc::Sign(sign, Box::new(number(0)), Box::new(number(1)), given))
        }
        Formula::Not if on_truth_values => {
            (format!("not {}", name(0)), Calc::apply("not", vec![truth(x)], f64::from(u8::from(x == 0.0))))
        }
        Formula::And | Formula::Or if on_truth_values => {
            let (word, holds) = match formula {
                Formula::And => ("and", x != 0.0 && y != 0.0),
                _ => ("or", x != 0.0 || y != 0.0),
            };
            let given = f64::from(u8::from(holds));
            (signed(word), Calc::Sign(word, Box::new(truth(x)), Box::new(truth(y)), given))
        }
        Formula::Larger | Formula::Smaller => {
            let word = if formula == Formula::Larger { "larger" } else { "smaller" };
            let args = (0..values.len()).map(number).collect();
            (
                format!("the {word} of {} and {}", name(0), name(1)),
                Calc::apply(subject.op(), args, on_scalars(subject)?),
            )
        }
        Formula::Clamp => {
            let given = on_scalars(subject)?;
            let held =
                if given == x { "within the bounds: kept" } else { "outside the bounds: set to the nearest" };
            let shown = subject.args.iter().filter_map(Arg::number).map(Calc::Number);
            let args = std::iter::once(number(0)).chain(shown).collect();
            (format!("{}({}), {held}", subject.op(), name(0)), Calc::apply(subject.op(), args, given))
        }
        // All others by their names.
        _ => by_name(subject.op())?,
    })
}

fn truth(value: f64) -> Calc {
    Calc::Truth(value != 0.0)
}

/// The operation's result for the one element of each operand.
fn on_scalars(subject: &Subject) -> Option<f64> {
    let is_nan_to_num =
        subject.made.record.operation.explanation == Explanation::Pointwise(Formula::NanToNum);
    let args = subject.replaced(|_, operand| {
        let (value, dtype) = (operand.value(&operand.broadcast(subject.index())), operand.tensor.dtype());
        // It replaces infinity by the largest number of the element's own dtype.
        if is_nan_to_num { Tensor::scalar(value, dtype) } else { scalar(value, dtype) }
    });
    let given = subject.run(args)?;
    given.tensors().first()?.item().ok()
}

/// Several `+=` on one element by one line, as one sum.
fn added_up(subject: &Subject) -> Option<Account> {
    let (mut parts, mut links) = (Vec::new(), Vec::new());
    let site = subject.made.record.site.clone()?;
    let mut element = subject.operand(0)?.at(subject.index());
    let first = parts_of(subject)?;
    parts.push(first.0);
    links.extend(first.1);
    loop {
        let ElementCause::MadeBy(made) = element.cause() else { break };
        if made.record.operation != subject.made.record.operation
            || made.record.site.as_ref() != Some(&site)
            || made.before.is_none()
        {
            break;
        }
        let value = element.value()?;
        let args = made.record.args();
        let before = Subject { args, made: &made, names: subject.names, value, dtype: subject.dtype };
        let Some(next) = parts_of(&before) else { break };
        parts.push(next.0);
        links.extend(next.1);
        element = made.operand(0)?.at(&made.index);
    }
    if parts.len() < 2 {
        return None;
    }
    let start = element.value()?;
    parts.reverse();
    links.reverse();
    let added = subject.names.added(&subject.made.record).unwrap_or_else(|| subject.called(1).to_string());
    let from = if start == 0.0 { String::new() } else { format!("{} and ", figure(start)) };
    let words = format!("{from}the sum of {added}, added {} times", parts.len());
    let sum = Calc::Sum(
        std::iter::once(start).filter(|&start| start != 0.0).chain(parts.clone()).map(Calc::Term).collect(),
    );
    let order = largest_magnitude_first(parts.into_iter().take(links.len()));
    let sorted: Vec<_> = order.into_iter().map(|at| links[at].clone()).collect();
    Some(Account::words(words).figures(sum).from(sorted).following(1).led("the largest of what was added"))
}

/// What one `+=` added, and the element it came from.
fn parts_of(subject: &Subject) -> Option<(f64, Option<SourceElement>)> {
    let alpha = subject.number("alpha").unwrap_or(1.0);
    Some((subject.at(1)? * alpha, subject.link_at(1)))
}
