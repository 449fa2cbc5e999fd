//! Two implementations of attention that the code compares, with a tolerance, and whose results differ.

use super::attention::is_softmax;
use super::axes::axis_of;
use super::flow::{Before, is_parameter, operands, origin};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use super::repeated::of_computed;
use super::scores_as_weights::numbers;
use crate::explain::terms::figure;
use crate::ops::trace::{Traced, TracedTensor};
use crate::tensor::descriptor::OpFamily;
use crate::tensor::explanation::{Explanation, Formula, Movement, SoftmaxKind};
use crate::tensor::{DType, Record, Site, Tensor};
use std::collections::HashSet;
use std::rc::Rc;

pub(super) static MISTAKE: Mistake = Mistake::new(
    ("A902", "results-differ"),
    "two ways to compute the same attention are compared, and differ",
    "A comparison with a tolerance says that both are meant to be the same up to rounding. They are computed from the \
     same tensors, so one of the two has a mistake: in its mask, its scale, its softmax or its order of axes.",
    &[Detector::Cell(detect)],
);

/// The largest matrix that is compared with others.
const MOST_SHARED: usize = 1 << 20;
/// The most tensors that a search examines.
const MOST_TENSORS: usize = 2000;

fn detect(cell: &TracedCell) -> Vec<Observation> {
    let agreeing = agreeing(cell);
    cell.steps().filter_map(|step| differing(step, cell, &agreeing)).collect()
}

/// The lines of comparisons of tensors that are equal up to rounding: what else these compare is meant to be equal too.
fn agreeing(cell: &TracedCell) -> HashSet<(&'static str, usize)> {
    let agrees = |step: &&Traced| {
        let far = by_difference(step, cell).and_then(|(left, right, ..)| distance(left, right));
        far.is_some_and(|(far, size)| far <= 1e-5 * size && size > 0.0)
    };
    cell.steps().filter(agrees).filter_map(|step| Some(line_of(&step.site()?))).collect()
}

fn line_of(site: &Site) -> (&'static str, usize) {
    (site.cell, site.line)
}

/// Whether the line of a comparison says that both are equal, or writes the difference as one that is rounding.
fn says_equal(step: &Traced, cell: &TracedCell, compared: [&TracedTensor; 2]) -> bool {
    let is_power = |line: &str| {
        line.match_indices("e}").any(|(at, _)| line[..at].ends_with(|it: char| it.is_ascii_digit()))
    };
    let is_exact = |line: &str| {
        (is_power(line) || decimals(line) >= EXACT) && !NEAR.iter().any(|word| line.contains(word))
    };
    lines_of(step, cell).any(|line| EQUAL.iter().any(|word| line.contains(word)))
        || lines_of(step, cell).any(is_exact) && !compared.into_iter().any(is_rounded)
}

/// With so many decimals a difference is written by who expects rounding.
const EXACT: usize = 6;
/// Words that say of what is compared that it is near at most.
const NEAR: [&str; 4] = ["approx", "quant", "int8", "random feature"];

/// The most decimals to which a line of code rounds a number: `{far:.8f}`, `round(far, 8)`.
fn decimals(line: &str) -> usize {
    let number = |text: &str, end: char| {
        let digits: String = text.trim_start().chars().take_while(char::is_ascii_digit).collect();
        text.trim_start()[digits.len()..].starts_with(end).then(|| digits.parse().ok()).flatten()
    };
    let formatted = line.match_indices(":.").filter_map(|(at, _)| number(&line[at + 2..], 'f'));
    let rounded = line.contains("round(").then(|| line.match_indices(',')).into_iter().flatten();
    formatted.chain(rounded.filter_map(|(at, _)| number(&line[at + 1..], ')'))).max().unwrap_or(0)
}

/// Whether something was rounded on the way to a tensor, or kept in fewer bits.
fn is_rounded(compared: &TracedTensor) -> bool {
    let rounds = |tensor: Tensor| {
        let record = origin(&tensor)?;
        let is_narrow = matches!(tensor.dtype(), DType::Float16 | DType::BFloat16);
        (is_narrow || record.operation.called(false) == "round").then_some(())
    };
    compared.tensor.as_ref().is_some_and(|it| Before::of(it, MOST_TENSORS).find_map(rounds).is_some())
}

fn differing(
    step: &Traced,
    cell: &TracedCell,
    agreeing: &HashSet<(&'static str, usize)>,
) -> Option<Observation> {
    let (left, right, [relative, absolute], is_named) =
        with_tolerances(step).or_else(|| by_difference(step, cell))?;
    let is_known = step.site().is_some_and(|site| agreeing.contains(&line_of(&site)));
    let is_named = is_named || is_known || says_equal(step, cell, [left, right]);
    let far =
        distance(left, right).filter(|(far, size)| *far > absolute.max(1e-3) + relative.max(1e-3) * size)?.0;
    let of = |traced: &TracedTensor| Some(Origins::of(traced.tensor.as_ref()?));
    let (first, second) = (of(left)?, of(right)?);
    if let Some(found) = in_pieces([left, right], [&first, &second], cell, step, far) {
        return Some(found);
    }
    if !is_named {
        return None;
    }
    // One function that was called twice, on other inputs or with another mask, is no second implementation.
    let is_known = !first.sites.is_empty() && !second.sites.is_empty();
    let other_products = first.products.is_disjoint(&second.products);
    // Both may call one function for the softmax.
    let are_products = !first.products.is_empty() && !second.products.is_empty();
    let is_apart = if first.sites.is_disjoint(&second.sites) {
        is_known || other_products
    } else {
        are_products && other_products
    };
    let is_of_same = first.leaves.is_subset(&second.leaves)
        || second.leaves.is_subset(&first.leaves)
        || first.inputs() == second.inputs() && share_weights(&first, &second);
    let shares = !first.leaves.is_disjoint(&second.leaves);
    // A function with a gradient of its own shows what it takes, and not what it computes.
    let is_computed = first.is_computed && second.is_computed;
    let has_lines = [&first, &second].iter().any(|it| !it.sites.is_empty() || !it.products.is_empty());
    if !is_computed || !has_lines || !is_apart || !is_of_same || !shares {
        return None;
    }
    let line = |origins: &Origins| {
        let first = origins.sites.iter().chain(&origins.products).map(|(_, line)| *line).min();
        first.map(|line| format!(" (attention in line {line})")).unwrap_or_default()
    };
    let observed = format!(
        "{}{} and {}{} are computed from the same tensors and compared: they differ \
         by up to {}.",
        name_of(left, "the first result", cell)?,
        line(&first),
        name_of(right, "the second result", cell)?,
        line(&second),
        figure(far)
    );
    let fix = "compare the steps of both, one by one: scores, scale, mask, softmax, product with the values";
    Some(Observation::new(step.site(), observed, fix))
}

/// Two tensors that are compared, the relative and the absolute tolerance, and whether the code names one.
type Compared<'c> = (&'c TracedTensor, &'c TracedTensor, [f64; 2], bool);

/// A question about whole tensors that takes two tolerances. Who names one expects rounding, and nothing else.
fn with_tolerances(step: &Traced) -> Option<Compared<'_>> {
    if step.operation.family != OpFamily::Query || step.operation.explanation != Explanation::Whole {
        return None;
    }
    let tolerances = [step.args.get(2)?.number()?, step.args.get(3)?.number()?];
    let is_named = tolerances != [1e-5, 1e-8];
    Some((step.operand(0)?, step.operand(1)?, tolerances, is_named))
}

/// The largest element of a difference: `(a - b).abs().max()`. A tolerance may stand in the same line: `< 1e-4`.
fn by_difference<'c>(step: &Traced, cell: &'c TracedCell) -> Option<Compared<'c>> {
    if !matches!(step.operation.explanation, Explanation::Extreme { .. })
        || !step.results.first()?.shape().is_empty()
    {
        return None;
    }
    let made = |tensor: &Tensor| cell.steps().rev().find(|step| step.made(tensor));
    let magnitude = made(step.tensor(0)?).filter(|it| it.operation.family == OpFamily::Pointwise)?;
    let difference = made(magnitude.tensor(0)?)
        .filter(|it| it.operation.explanation == Explanation::Pointwise(Formula::Sub))?;
    let bound = |line: &str| {
        let after = line.split('<').skip(1).map(|it| it.trim_start_matches(['=', ' ']));
        let number = |it: &str| {
            it.split(|letter: char| !letter.is_ascii_alphanumeric() && !".-".contains(letter))
                .next()?
                .parse()
                .ok()
        };
        after.filter_map(number).find(|it: &f64| *it > 0.0 && *it <= 0.1)
    };
    let named = lines_of(step, cell).find_map(bound);
    Some((difference.operand(0)?, difference.operand(1)?, [0.0, named.unwrap_or(0.0)], named.is_some()))
}

/// Words that say of what is compared that it is meant to be equal.
const EQUAL: [&str; 5] = ["==", "reference", "match", "equal", "agree"];

/// The line of a comparison, and the line that calls the function that compares.
fn lines_of<'c>(step: &Traced, cell: &'c TracedCell) -> impl Iterator<Item = &'c str> {
    let own = step.calls.iter().rev().filter(|call| !call.library).take(2);
    own.filter_map(|call| cell.line(&call.site()))
}

/// What the code or the cell calls one side of the comparison.
fn name_of(side: &TracedTensor, otherwise: &str, cell: &TracedCell) -> Option<String> {
    side.name.clone().or_else(|| Some(cell.name_of(side.tensor.as_ref()?, otherwise)))
}

/// A text in one piece that is compared with the outputs of its parts, joined along the tokens: these are computed from nothing
/// that the whole was not computed from.
fn in_pieces(
    compared: [&TracedTensor; 2],
    origins: [&Origins; 2],
    cell: &TracedCell,
    step: &Traced,
    far: f64,
) -> Option<Observation> {
    let joined = |it: &TracedTensor| {
        let record = origin(it.tensor.as_ref()?)?;
        let is_joined = record.operation.explanation == Explanation::Moved(Movement::Joined);
        let ndim = it.shape().len();
        let axis = axis_of(record.args().get(1), ndim).filter(|_| is_joined)?;
        let parts = operands(&record);
        (axis > 1 && axis < ndim && parts.len() > 1).then_some(parts)
    };
    for (pieces, whole) in [(0, 1), (1, 0)] {
        let (Some(parts), None) = (joined(compared[pieces]), joined(compared[whole])) else { continue };
        let is_piece = |part: &Tensor| {
            let found = Origins::of(part);
            !found.leaves.is_empty() && found.leaves.is_subset(&origins[whole].leaves)
        };
        if origins[whole].sites.is_empty() && origins[whole].products.is_empty()
            || !parts.iter().all(is_piece)
        {
            continue;
        }
        let observed = format!(
            "{} and the outputs of {} parts of the same text, joined, are compared: they differ by up to {}.",
            name_of(compared[whole], "The output of a whole text", cell)?,
            parts.len(),
            figure(far)
        );
        let fix = "look at what a token sees in each: the mask, the positions, and what is kept from one part to the next";
        let found = Observation::new(step.site(), observed, fix)
            .titled("a text in one piece and in parts is compared, and differs");
        return Some(found.because(
            "A comparison with a tolerance says that both are meant to be the same up to rounding. What the first part leaves for \
             the second, in a cache or a state, is not what the whole text has there.",
        ));
    }
    None
}

/// How far two tensors are apart at most, and the largest element of the second.
fn distance(left: &TracedTensor, right: &TracedTensor) -> Option<(f64, f64)> {
    if left.shape() != right.shape() || !left.dtype.is_float() || !right.dtype.is_float() {
        return None;
    }
    let (left, right) = (left.floats()?, right.floats()?);
    let pairs = || left.iter().zip(&right);
    let is_finite = pairs().all(|(left, right)| left.is_finite() && right.is_finite());
    let far = pairs().map(|(left, right)| (left - right).abs()).fold(0.0, f64::max);
    is_finite.then_some((far, pairs().map(|(_, right)| right.abs()).fold(0.0, f64::max)))
}

/// What a tensor was computed from.
#[derive(Default)]
struct Origins {
    /// The lines of the attention in it.
    sites: HashSet<(String, usize)>,
    /// The lines of products of computed tensors, where there is no softmax.
    products: HashSet<(String, usize)>,
    /// The numbers of the tensors that nothing computed.
    leaves: HashSet<usize>,
    /// Those that are trained, and the matrices among them.
    trained: HashSet<usize>,
    weights: Vec<Tensor>,
    /// Whether an operation computed it.
    is_computed: bool,
}

/// Whether a matrix of one equals a matrix of the other, or some rows of it: then weights were copied.
fn share_weights(first: &Origins, second: &Origins) -> bool {
    let rows = |it: &Tensor| -> Vec<Vec<u64>> {
        let width = it.shape()[1].max(1);
        it.to_f64_vec().chunks(width).map(|row| row.iter().map(|it| it.to_bits()).collect()).collect()
    };
    let of_second: HashSet<Vec<u64>> = second.weights.iter().flat_map(rows).collect();
    let is_known = |it: &Tensor| {
        let rows = rows(it);
        let varies = rows.iter().flatten().any(|it| *it != rows[0][0]);
        rows.len() > 1 && varies && rows.iter().all(|row| of_second.contains(row))
    };
    first.weights.iter().any(is_known)
}

impl Origins {
    /// The leaves that are not trained.
    fn inputs(&self) -> HashSet<usize> {
        &self.leaves - &self.trained
    }

    fn of(tensor: &Tensor) -> Origins {
        let mut found = Origins::default();
        let (mut walk, mut literals) = (Before::of(tensor, MOST_TENSORS), HashSet::new());
        while let Some(tensor) = walk.next() {
            let is_made = |record: &Rc<Record>| {
                matches!(record.operation.family, OpFamily::Creation | OpFamily::Random)
                    || operands(record).is_empty()
            };
            match origin(&tensor) {
                Some(record) if is_made(&record) => {
                    let number = Rc::as_ptr(&record) as usize;
                    let is_random = record.operation.family == OpFamily::Random;
                    found.leaves.extend(is_random.then_some(number));
                    let is_literal = record.operation.explanation == Explanation::Literal;
                    literals.extend((is_literal && tensor.numel() > 1).then_some(number));
                    walk.go_on_with([]);
                }
                Some(record) => {
                    found.is_computed = true;
                    if let Some(Site { cell, line, .. }) = attention_site(&record) {
                        found.sites.insert((cell.to_owned(), line));
                    }
                    let is_product = of_computed(&record).is_some();
                    if let Some(site) = record.site.as_ref().filter(|_| is_product) {
                        found.products.insert((site.cell.to_owned(), site.line));
                    }
                }
                None if tensor.dtype().is_float() && tensor.numel() > 1 => {
                    found.leaves.insert(tensor.storage().address());
                    let is_trained = is_parameter(&tensor);
                    found.trained.extend(is_trained.then(|| tensor.storage().address()));
                    let is_matrix = is_trained && tensor.ndim() == 2 && tensor.numel() <= MOST_SHARED;
                    found.weights.extend(is_matrix.then_some(tensor));
                }
                None => {}
            }
        }
        // Numbers in the program are inputs where it has no others, and constants elsewhere.
        if found.leaves.is_empty() {
            found.leaves = literals;
        }
        found
    }
}

fn attention_site(record: &Record) -> Option<Site> {
    let is_attention = record.operation.explanation == Explanation::Attention
        || record.operation.explanation == Explanation::Pointwise(Formula::Exp)
        || is_softmax(record);
    record.site.clone().filter(|_| is_attention)
}

/// A nan that an operation returns although no operand has one.
pub(super) static NAN: Mistake = Mistake::implied(
    ("A901", "nan"),
    "an operation returns nan",
    "0/0, inf - inf and the like are nan. Everything computed from a nan is nan too, up to the loss, and training \
     stops making progress.",
    &["scores-as-weights"],
    &[Detector::Once(nan)],
);

/// Only the first one: the others follow from it.
fn nan(cell: &TracedCell) -> Option<Observation> {
    cell.steps().find_map(|step| first_nan(step, cell))
}

fn has_nan(tensor: &TracedTensor) -> bool {
    numbers(tensor).is_some_and(|values| values.iter().any(|it| it.is_nan()))
}

fn first_nan(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    // A softmax of a hidden row is a mistake of its own, and values that the code states are not computed.
    if matches!(
        step.operation.explanation,
        Explanation::Softmax(SoftmaxKind::Weights)
            | Explanation::Literal
            | Explanation::Constant(_)
            | Explanation::Assignment
            | Explanation::MaskedFill
    ) {
        return None;
    }
    let result = step.results.iter().find(|result| has_nan(result))?;
    if step.operands.iter().any(has_nan) {
        return None;
    }
    let origin = crate::explain::first_nan(result.tensor.as_ref()?, cell.names)?;
    let fix = match step.operation.explanation {
        Explanation::Pointwise(Formula::Div) if origin.operands.iter().any(|it| it.is_infinite()) => {
            "exp exceeds the range of floats: subtract the largest score first, as torch.softmax does"
        }
        Explanation::Pointwise(Formula::Div) => "make sure that the divisor is never 0",
        Explanation::Pointwise(Formula::Log | Formula::Sqrt | Formula::Rsqrt) => {
            "make sure that its input is never below 0: clamp(min=1e-8)"
        }
        _ => "check its operands: one of them is infinite, or outside of the operation's domain",
    };
    let name = step.operation.called(step.in_place);
    Some(Observation::new(step.site(), format!("{name} returned nan: {}.", origin.because), fix))
}
