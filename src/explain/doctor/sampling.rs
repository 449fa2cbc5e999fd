//! How a token is drawn: from which probabilities, at which temperature, among which words.

use std::rc::Rc;

use super::attention::{is_softmax, softmax_axis};
use super::flow::{
    Before, arg, axis_at_start, first_operands, mask_of, operand, operands, origin, source, trace_back,
};
use super::mistake::{Detector, Mistake, Observation, TracedCell, in_line};
use crate::explain::terms::figure;
use crate::ops::trace::Traced;
use crate::tensor::descriptor::{Descriptor, OpFamily};
use crate::tensor::explanation::{Explanation, Formula, Movement, OrderKind, RunningKind};
use crate::tensor::{Arg, DType, Record, Tensor};

pub(super) static DRAWN: Mistake = Mistake::new(
    ("A207", "drawn-from-wrong-axis"),
    "tokens are drawn from a softmax over another axis",
    "The probabilities of the next token sum to 1 over the vocabulary. Along another axis texts compete for a token; of one \
     text alone every token gets the same probability, and what is drawn is noise.",
    &[Detector::Step(drawn)],
);

/// Whether NumPy draws from what an operation takes.
pub(super) fn is_for_choice(step: &Traced) -> bool {
    step.inside().iter().any(|call| call.function.ends_with("choice"))
}

fn drawn(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    let is_multinomial = step.operation.called(step.in_place) == "multinomial";
    if !is_multinomial && !is_for_choice(step) {
        return None;
    }
    let weights = step.tensor(0)?.clone();
    if let Some(found) = multiplied_by_temperature(&weights, cell).or_else(|| scaled(step, &weights, cell)) {
        return Some(found);
    }
    let path = trace_back(&weights, &is_softmax).filter(|_| is_multinomial)?;
    let (ran, needed) = (softmax_axis(&path.record)?, axis_at_start(&path.steps, 1)?);
    let classes = *weights.shape().last()?;
    if ran == needed || classes < 2 {
        return None;
    }
    let observed = format!(
        "multinomial draws from {}, whose rows have {classes} classes. The softmax that made it ran along dim {} of {}: a row \
         does not sum to 1.",
        cell.name_of(&weights, "its input"),
        path.start.ndim().checked_sub(ran)?,
        crate::tensor::show::shape_in_formula(path.start.shape()),
    );
    Some(Observation::new(step.site(), observed, "F.softmax(logits, dim=-1)"))
}

/// Probabilities that are divided by one number, or multiplied: what is drawn from them is divided by their sum.
fn scaled(step: &Traced, weights: &Tensor, cell: &TracedCell) -> Option<Observation> {
    let record = origin(weights)?;
    let is_scaling =
        matches!(record.operation.explanation, Explanation::Pointwise(Formula::Mul | Formula::Div));
    let by = record.args().get(1)?.number().filter(|by| is_scaling && *by != 1.0)?;
    origin(&operand(&record, 0)?).filter(|it| is_softmax(it))?;
    let observed = format!(
        "{} is the result of a softmax, scaled by the number {}: {} divides it by its sum, and the number has no effect.",
        cell.name_of(weights, "What is drawn from"),
        figure(by),
        step.operation.called(step.in_place)
    );
    let found = Observation::new(record.site.clone(), observed, "softmax(logits / temperature, dim=-1)");
    Some(found.titled("the temperature comes after the softmax").because(
        "Logits that are divided by a temperature change the ratios of the probabilities. Probabilities that are all divided by \
         the same number keep them.",
    ))
}

pub(super) static FLAT: Mistake = Mistake::new(
    ("A209", "flat-place-misread"),
    "a place in a flattened table is divided by another width",
    "In a table that was flattened, place p is in row p // width and column p % width, where width is the size of a row: for beams \
     the vocabulary. With another number both the beam and the token are others than those that were chosen.",
    &[Detector::Step(misread)],
);

/// A place among the numbers of a flattened table, taken apart by something else than the size of its rows.
fn misread(step: &Traced, _: &TracedCell) -> Option<Observation> {
    let is_rounded = || step.args.get(2).is_some_and(|it| matches!(it, Arg::Str(_)));
    let named = match step.operation.called(step.in_place) {
        "remainder" | "fmod" => "%",
        "floor_divide" => "//",
        "div" if is_rounded() => "//",
        _ => return None,
    };
    let by = step.args.get(1)?.number()?;
    let places = step.tensor(0).filter(|it| !it.dtype().is_float())?;
    // The places may be cut, or in another shape.
    let (_, places) = source(places);
    let choice = origin(&places)?;
    let is_choice =
        is_order(choice.operation) || matches!(choice.operation.called(false), "argmax" | "multinomial");
    let flat = operand(&choice, 0).filter(|_| is_choice)?;
    let view = origin(&flat).filter(|it| {
        it.operation.family == OpFamily::View || it.operation.explanation == Explanation::Copy
    })?;
    let table = operand(&view, 0)?;
    let width = *table.shape().last()?;
    let joined = flat.shape().last()? / width.max(1);
    // Of several axes that were joined, their sizes are meant one after the other.
    let mut sizes = table.shape().iter().rev().scan(1, |product, size| {
        *product *= size;
        Some(*product)
    });
    if joined < 2 || sizes.any(|size| by == size as f64) {
        return None;
    }
    let observed = format!(
        "{} found places among {} numbers, a flattened table of rows of {width}; they are taken apart by {named} {}.",
        choice.operation.called(false),
        flat.shape().last()?,
        figure(by)
    );
    let fix = format!("row, column = place // {width}, place % {width}");
    Some(Observation::new(step.site(), observed, fix))
}

/// How many operations may stand between the logits and what is drawn from.
const MOST_BEFORE_DRAW: usize = 16;

/// Logits that are multiplied by what their line calls a temperature, where it would have to divide them.
fn multiplied_by_temperature(drawn_from: &Tensor, cell: &TracedCell) -> Option<Observation> {
    first_operands(drawn_from).take(MOST_BEFORE_DRAW).find_map(|(record, logits)| {
        let is_product = record.operation.explanation == Explanation::Pointwise(Formula::Mul);
        let by = record.args().get(1)?.number().filter(|by| is_product && *by != 1.0)?;
        let site = record.site.clone()?;
        let is_named = |line: &str| {
            let mut words = line.split(['*', '(', ')', ',']).map(str::trim);
            line.contains('*') && words.any(|it| it.starts_with("temperature") || it.ends_with("temperature"))
        };
        cell.line(&site).filter(|line| is_named(line))?;
        let observed = format!(
            "{} is multiplied by {}, which the line calls a temperature: a low one makes the probabilities more equal, and a high \
             one less.",
            cell.name_of(&logits, "The logits"),
            figure(by)
        );
        let found = Observation::new(Some(site), observed, "divide: softmax(logits / temperature, dim=-1)");
        Some(found.titled("the temperature multiplies").because(
            "With a temperature below 1 the likely words are to become more likely still, and with one above 1 less.",
        ))
    })
}

pub(super) static SORTED: Mistake = Mistake::new(
    ("A210", "sorted-mask"),
    "a mask in sorted order hides numbers that are not sorted",
    "Place i of sorted logits is the i-th largest, not word i. A mask of these places, on logits in the order of the \
     vocabulary, hides other words than those that were meant.",
    &[
        Detector::Step(unsorted),
        Detector::Step(too_few),
        Detector::Step(rank),
        Detector::Step(from_the_wrong_end),
    ],
);

/// The most operations between sorted numbers and what is drawn from them, and between what is drawn and where it is read.
const MOST_AFTER_SORT: usize = 12;

/// What is drawn from sorted numbers is a place in their order. It is read as a token, and the places that were sorted never are.
fn rank(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    if !matches!(step.operation.called(step.in_place), "multinomial" | "argmax") {
        return None;
    }
    let (drawn, from) = (step.result()?, step.tensor(0)?);
    let mut at = from.clone();
    for _ in 0..MOST_AFTER_SORT {
        let record = origin(&at)?;
        // A scatter writes into a tensor of its own, which has another order.
        if is_order(record.operation)
            || record.operation.explanation == Explanation::Moved(Movement::Rearranged)
        {
            break;
        }
        at = operand(&record, 0)?;
    }
    let sorting = cell.steps().find(|it| it.results.len() > 1 && it.made(&at) && is_order(it.operation))?;
    let places = sorting.results.get(1)?.tensor.as_ref()?;
    let comes_from = |tensor: &Tensor, first: &Tensor| {
        tensor.is(first) || Before::of(tensor, MOST_AFTER_SORT).any(|it| it.is(first))
    };
    let reads = |it: &Traced, what: &Tensor| {
        it.operands.iter().any(|it| it.tensor.as_ref().is_some_and(|it| comes_from(it, what)))
    };
    let is_read = cell.steps().any(|it| !std::ptr::eq(it, sorting) && reads(it, places));
    let is_token = |it: &&Traced| {
        let is_lookup = it.operation.explanation == Explanation::Moved(Movement::Embedded);
        let is_join =
            it.operation.family == OpFamily::Join && it.operands.iter().all(|it| !it.dtype.is_float());
        (is_lookup || is_join) && reads(it, drawn)
    };
    if is_read || !cell.steps().any(|it| is_token(&it)) {
        return None;
    }
    let observed = format!(
        "{} draws from numbers that were sorted{}, and what it returns, a place in their order, is read as a token. The places that \
         the sorted numbers come from are never read.",
        step.operation.called(step.in_place),
        in_line(sorting.site().as_ref())
    );
    let fix = "the token at that place: indices.gather(-1, choice)";
    let found =
        Observation::new(step.site(), observed, fix).titled("a place in sorted order is taken for a token");
    Some(
        found.because(
            "Place 0 of sorted logits is the likeliest word, whichever it is. Token 0 is another word.",
        ),
    )
}

fn is_order(operation: &Descriptor) -> bool {
    matches!(operation.explanation, Explanation::Ordered(OrderKind::Sort | OrderKind::TopK))
}

/// The most tensors that the search goes through.
const MOST: usize = 60;

/// A mask of the numbers below the k largest that leaves fewer than k in each row: the threshold is not the last of them.
fn too_few(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    if ![Explanation::MaskedFill, Explanation::Assignment].contains(&step.operation.explanation) {
        return None;
    }
    let operands: Vec<&Tensor> = step.operands.iter().filter_map(|it| it.tensor.as_ref()).collect();
    let of_index = step.args.get(2).and_then(mask_of).and_then(|it| it.tensor().cloned());
    let mask = operands.iter().copied().find(|it| it.dtype() == DType::Bool && it.ndim() > 0);
    let mask = &mask.cloned().or(of_index)?;
    let width = *mask.shape().last()?;
    let record = threshold_of(mask)?;
    let k = arg(&record, "k")?.number()? as usize;
    let kept = |row: &[bool]| row.iter().filter(|hidden| !**hidden).count();
    let fewest = mask.to_bool_vec().chunks(width).map(kept).max()?;
    if operand(&record, 0)?.shape().last() != Some(&width) || fewest == 0 || fewest >= k.min(width) {
        return None;
    }
    let observed = format!(
        "topk finds the {k} largest of {width} numbers, and {} then leaves {fewest} of them in sight.",
        cell.name_of(mask, "the mask")
    );
    let fix = "the smallest of the k is the last one: logits < values[..., -1:]";
    let found =
        Observation::new(step.site(), observed, fix).titled("a mask of the k largest numbers leaves fewer");
    Some(found.because(
        "topk sorts: place 0 is the largest of the k, and the last place the threshold that all k reach.",
    ))
}

/// The `topk` whose values a mask was compared with. What was computed from filtered logits is another mask.
fn threshold_of(mask: &Tensor) -> Option<Rc<Record>> {
    let mut walk = Before::of(mask, MOST);
    while let Some(tensor) = walk.next() {
        let Some(record) = origin(&tensor) else { continue };
        if record.operation.explanation == Explanation::Ordered(OrderKind::TopK) {
            return Some(record);
        }
        let is_part = record.operation.explanation == Explanation::Moved(Movement::LookedUp);
        let goes_on = tensor.dtype() == DType::Bool || record.operation.family == OpFamily::View || is_part;
        walk.go_on_with(operands(&record).into_iter().filter(|_| goes_on));
    }
    None
}

/// A sum from the least likely word up that is compared as one from the likeliest down.
fn from_the_wrong_end(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    if !matches!(step.operation.called(step.in_place), "gt" | "ge") {
        return None;
    }
    let summed = step.tensor(0)?;
    let all: Vec<Rc<Record>> =
        first_operands(summed).take(MOST_AFTER_SORT).map(|(record, _)| record).collect();
    let sum = all.iter().position(|it| it.operation.explanation == Explanation::Running(RunningKind::Sum))?;
    let sorted = |it: &&Rc<Record>| it.operation.explanation == Explanation::Ordered(OrderKind::Sort);
    let sort = all[sum..].iter().find(sorted).filter(|_| all[sum..].iter().any(|it| is_softmax(it)))?;
    if !matches!(arg(sort, "descending")?, Arg::Bool(false)) {
        return None;
    }
    let observed = format!(
        "{} sums probabilities that were sorted{} from the smallest up, and what comes after a part of the sum is removed: the \
         likeliest words.",
        cell.name_of(summed, "what is compared"),
        in_line(sort.site.as_ref())
    );
    let found = Observation::new(step.site(), observed, "logits.sort(dim=-1, descending=True)");
    Some(found.titled("top-p sums from the least likely word up").because(
        "Top-p keeps the likeliest words that together have the probability p. Summed from the other end, the tail is kept.",
    ))
}

fn unsorted(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    let by_mask = [Explanation::MaskedFill, Explanation::Assignment, Explanation::Moved(Movement::Chosen)];
    if !by_mask.contains(&step.operation.explanation) {
        return None;
    }
    let is_mask = |it: &&Tensor| it.dtype() == DType::Bool;
    let given: Vec<&Tensor> = step.operands.iter().filter_map(|it| it.tensor.as_ref()).collect();
    let mask = given.iter().copied().find(is_mask)?;
    let hidden = given.iter().copied().find(|it| !is_mask(it) && it.shape() == mask.shape())?;
    let mut walk = Before::of(mask, MOST);
    while let Some(tensor) = walk.next() {
        let Some(record) = origin(&tensor) else { continue };
        if record.operation.explanation == Explanation::Ordered(OrderKind::Sort) {
            let sorted = &operand(&record, 0)?;
            let is_of_hidden = is_made_of(sorted, hidden) || is_made_of(hidden, sorted);
            let line = in_line(record.site.as_ref());
            return is_of_hidden.then(|| {
                let observed = format!(
                    "{} was made of numbers that were sorted{line}, and hides elements of {}, which are not sorted.",
                    cell.name_of(mask, "the mask"),
                    cell.name_of(hidden, "the logits")
                );
                let fix = "bring the mask back with the places that sort returned: mask.scatter(-1, indices, mask)";
                Observation::new(step.site(), observed, fix)
            });
        }
        // Places that an index gives are in another order again; a threshold is one number of a row.
        let by_index = [Movement::LookedUp, Movement::Filled, Movement::Rearranged].map(Explanation::Moved);
        let keeps_places = !by_index.contains(&record.operation.explanation);
        walk.go_on_with(
            operands(&record).into_iter().filter(|it| keeps_places && it.shape() == mask.shape()),
        );
    }
    None
}

/// Whether a tensor was computed from another one in the same shape, without being sorted.
fn is_made_of(tensor: &Tensor, other: &Tensor) -> bool {
    const LONGEST: usize = 5;
    let keeps_order = |(record, before): &(Rc<Record>, Tensor)| {
        !matches!(record.operation.explanation, Explanation::Ordered(_)) && before.shape() == other.shape()
    };
    let mut before = first_operands(tensor).take(LONGEST).take_while(keeps_order);
    tensor.is(other) || before.any(|(_, before)| before.is(other))
}
