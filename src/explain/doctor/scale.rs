//! Scores that are not divided by the root of the head's width.
//! Source: Vaswani et al. 2017, 3.2.1: scores of width d are divided by the root of d.

use super::attention::{Attention, Scores, is_softmax, record_of};
use super::axes::{Product, is_product, size};
use super::flow::{
    self, FlowStep, arg, is_parameter, operands, origin, projection, rearranged, source, trace_back,
};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use crate::explain::terms::figure;
use crate::ops::trace::Traced;
use crate::tensor::descriptor::OpFamily;
use crate::tensor::explanation::{Explanation, Formula, Movement, ProductKind};
use crate::tensor::{Arg, Record, Tensor};

pub(super) static MISTAKE: Mistake = Mistake::new(
    ("A203", "scale"),
    "scores are not scaled by the root of the head's width",
    "A score is a sum of as many products as a head is wide, so its spread grows with the root of that width. \
     Divided by that root, the scores of every head have the same spread; with another scale the softmax is too \
     even or too sharp, and the layer learns badly.",
    &[Detector::Weights(detect), Detector::Step(of_fused)],
);

/// What to do about scores that are divided by the root of the width twice.
pub(super) const ONCE: &str = "divide once";

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-4 * b.abs()
}

fn detect(attention: &Attention, cell: &TracedCell) -> Option<Observation> {
    let scores = attention.scores.as_ref().filter(|_| attention.context.is_some())?;
    // Logits, whose last matrix was drawn and scaled: its gradient meets it again, as weights meet values.
    let is_drawn = |it: &Tensor| {
        let (_, start) = source(it);
        start.ndim() == 2 && origin(&start).is_some_and(|it| it.operation.family == OpFamily::Random)
    };
    if is_drawn(&scores.product.right) && !is_drawn(&scores.product.left) {
        return None;
    }
    // Random features are products of one projection.
    if !is_softmax(&attention.softmax) && !is_projected(scores) {
        return None;
    }
    // Scores that are sums of products have a scale of their own.
    let is_sum = attention.before.iter().any(|step| added_product(step).is_some());
    let width = width_of_sum(attention, scores);
    if width < 2 || scores.record.operation.explanation == Explanation::Linear {
        return None;
    }
    if scores.sources.iter().all(is_normalised) {
        return None;
    }
    let scalings: Vec<(&FlowStep, f64)> = uncapped(&attention.before)
        .into_iter()
        .chain(scores.paths.iter().flatten())
        .filter_map(|step| Some((step, step.factor()?)))
        .collect();
    let factors: Vec<(&FlowStep, f64)> =
        scalings.iter().copied().filter(|(_, factor)| *factor != 1.0).collect();
    let within = factor_within(&scores.record);
    let scale: f64 = within * factors.iter().map(|(_, factor)| factor).product::<f64>();
    let root = (width as f64).sqrt();
    if near(scale, 1.0 / root) {
        return None;
    }
    let queries = cell.name_of(&scores.product.left, "the queries");
    let keys = cell.name_of(&scores.product.right, "the keys");
    let head = format!("{queries} and {keys} are multiplied over {width} features");
    let site = factors.first().and_then(|(step, _)| step.record.site.clone());
    let site = site.or_else(|| scores.record.site.clone());
    let divide = format!("divide by the root of {width}, the head's width: scores / {width}**0.5");
    let cancel = !factors.is_empty() && near(scale, 1.0);
    if factors.is_empty() || cancel {
        // Without projections, the example only introduces attention. Scaling after the softmax is another mistake.
        let is_late = attention.context.iter().flat_map(|it| &it.after).any(|step| step.factor().is_some());
        if is_late
            || !is_projected(scores)
            || (!cancel && !scalings.is_empty())
            || within != 1.0
            || is_scaled_before(scores)
        {
            return None;
        }
        // Scores with a learned bias (T5), and attention over the places of an image, are not scaled by design.
        // A line that adds such a bias in one call is not scaled in the others either.
        let learns = |it: &Attention| {
            let line = |of: &Scores| of.record.site.as_ref().map(|site| (site.cell, site.line));
            let own = it.scores.as_ref().filter(|own| line(own) == line(scores));
            own.is_some_and(|own| it.before.iter().any(|step| adds_learned(step, own)))
        };
        let others = || cell.steps().filter_map(Attention::of_softmax);
        if learns(attention) || is_of_image(scores) || others().any(|it| learns(&it)) {
            return None;
        }
        let cancels = if cancel { "; the factors cancel" } else { "" };
        let observed = format!("{head}{cancels}, and their scores reach the softmax unscaled.");
        return Some(Observation::new(site, observed, divide));
    }
    let is_root = |(_, factor): &(&FlowStep, f64)| near(*factor, 1.0 / root);
    if near(scale, 1.0 / width as f64) && factors.len() == 2 && factors.iter().all(is_root) {
        let line = |(step, _): &(&FlowStep, f64)| Some(format!("line {}", step.record.site.as_ref()?.line));
        let lines: Vec<String> = factors.iter().filter_map(line).collect();
        let lines = lines.join(" and ");
        let observed = format!("{head}; their scores are divided by the root of {width} twice ({lines}).");
        return Some(Observation::new(site, observed, ONCE));
    }
    let divided = format!("{head}; their scores are divided by {}", figure(1.0 / scale));
    let others: Vec<(f64, &str)> = other_widths(scores)
        .into_iter()
        .chain([(scores.product.width(), "the width of one part of it")])
        .filter(|(other, _)| *other != width && *other > 1 && (!is_sum || *other == scores.product.width()))
        .map(|(other, what)| (other as f64, what))
        .collect();
    let left = &scores.product.left;
    let heads = size(left, 3).filter(|_| left.ndim() == 4).map(|count| (count, "the number of heads"));
    let tokens = size(left, 2).map(|count| (count, "the number of tokens"));
    let counts = heads.into_iter().chain(tokens).filter(|(count, _)| *count > 1);
    let counts = counts.map(|(count, what)| (count as f64, what));
    let mut of_root = others.iter().copied().chain(counts);
    let multiplies = |by: f64| by > 1.0 && (near(scale, by) || near(scale, by.sqrt()));
    // A number of the learner's own: without a norm before the product, scores grow with the width, and are made larger still.
    let is_larger = || factors.iter().all(|(_, factor)| *factor > 1.0) && is_projected(scores);
    let observed = if let Some((other, what)) = of_root.find(|(other, _)| near(scale, 1.0 / other.sqrt())) {
        format!("{divided}, the root of {other}, {what}; a head is {width} wide.")
    } else if near(scale, 1.0 / width as f64) {
        format!("{divided}, that is by {width} itself and not by its root.")
    } else if multiplies(width as f64) || others.iter().any(|(other, _)| multiplies(*other)) || is_larger() {
        format!("{head}; their scores are multiplied by {}, not divided.", figure(scale))
    } else {
        return None;
    };
    Some(Observation::new(site, observed, divide))
}

/// Fused attention whose scale, with what queries and keys are multiplied by before, is none that attention has.
fn of_fused(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    let record = record_of(step).filter(|it| it.operation.explanation == Explanation::Attention)?;
    let asked = arg(&record, "scale")?.number();
    // A line that adds a learned bias in one call is not scaled in the others either (T5).
    let line = |step: &Traced| step.site().map(|site| (site.cell, site.line));
    let adds = |step: &Traced| step.tensor(3).is_some_and(is_learned);
    let is_same = |it: &&Traced| it.operation.explanation == Explanation::Attention && line(it) == line(step);
    let learns = adds(step) || asked.is_some() && cell.steps().filter(is_same).any(adds);
    let product = Product::over_features(step.tensor(0)?.clone(), step.tensor(1)?.clone());
    let scores = Scores::new(record, product);
    let width = scores.product.width();
    let root = (width as f64).sqrt();
    let before: Vec<f64> = scores.paths.iter().flatten().filter_map(FlowStep::factor).collect();
    let scale = asked.unwrap_or(1.0 / root) * before.iter().product::<f64>();
    let is_other = learns
        || width < 2
        || near(scale, 1.0 / root)
        || scores.sources.iter().any(is_normalised)
        || is_scaled_before(&scores) && before.is_empty()
        || !is_projected(&scores)
        || is_of_image(&scores);
    if is_other {
        return None;
    }
    let names =
        [&scores.product.left, &scores.product.right].map(|it| cell.name_of(it, "the queries or keys"));
    let head = format!("{} and {} are multiplied over {width} features", names[0], names[1]);
    let is_root = |it: &f64| near(*it, 1.0 / root);
    let wider = other_widths(&scores)
        .into_iter()
        .find(|(other, _)| *other != width && near(scale, 1.0 / (*other as f64).sqrt()));
    let observed = match wider {
        _ if near(scale, 1.0) => format!("{head}, and their scores reach the softmax unscaled."),
        Some((other, what)) => {
            let by = figure(1.0 / scale);
            format!(
                "{head}; their scores are divided by {by}, the root of {other}, {what}; a head is {width} wide."
            )
        }
        // The operation divides by the root itself.
        None if asked.is_none() && before.iter().all(is_root) => {
            format!(
                "{head}; their scores are divided by the root of {width} twice: before, and by the operation itself."
            )
        }
        None if scale > 1.0 && asked.is_some_and(|it| near(it, root) || near(it, width as f64)) => {
            format!("{head}; their scores are multiplied by {}, not divided.", figure(scale))
        }
        None => return None,
    };
    let fix =
        "leave `scale` out, and queries as they are: the operation divides by the root of the head's width";
    Some(Observation::new(step.site(), observed, fix))
}

/// Whether queries or keys are normalised before their product: another scale is then right.
fn is_normalised(source: &Tensor) -> bool {
    let Some(record) = origin(source) else { return false };
    matches!(
        record.operation.explanation,
        Explanation::UnitLength
            | Explanation::Normalisation(_)
            | Explanation::Pointwise(Formula::Mul | Formula::Div)
    )
}

/// The number by which the product itself multiplies: `alpha` of `baddbmm`.
pub(super) fn factor_within(product: &Record) -> f64 {
    match product.operation.explanation {
        Explanation::Product(ProductKind::Added) => {
            product.args().get(4).and_then(Arg::number).unwrap_or(1.0)
        }
        _ => 1.0,
    }
}

/// Whether a step adds numbers that are learned, such as a bias for each distance. Those that are computed from the queries
/// are scores too.
fn adds_learned(step: &FlowStep, scores: &Scores) -> bool {
    let queries = rearranged(&scores.product.left).1;
    let is_of_queries = |other: &Tensor| {
        let product = trace_back(other, &is_product).and_then(|path| Product::of(&path.record));
        product.is_some_and(|it| [it.left, it.right].iter().any(|part| rearranged(part).1.is(&queries)))
    };
    step.explanation() == Explanation::Pointwise(Formula::Add)
        && step
            .other()
            .is_some_and(|other| other.tensor().is_some_and(|it| is_learned(it) && !is_of_queries(it)))
}

/// Whether a tensor is a parameter or made from one, and by no product; also where no gradient is asked for.
fn is_learned(tensor: &Tensor) -> bool {
    let has_parameter =
        |record: &Record| Product::of(record).is_none() && operands(record).iter().any(is_parameter);
    tensor.requires_grad() || trace_back(tensor, &has_parameter).is_some()
}

/// The product of computed tensors whose result a step adds.
pub(super) fn added_product(step: &FlowStep) -> Option<Product> {
    let other = step.other().and_then(|other| other.tensor().cloned())?;
    let made = trace_back(&other, &is_product)?.record;
    let is_added = step.explanation() == Explanation::Pointwise(Formula::Add)
        && made.operation.explanation != Explanation::Linear;
    Product::of(&made).filter(|it| is_added && flow::origin(&it.left).is_some() && step.operand.ndim() > 2)
}

/// How many features the scores are sums over. Two products over different numbers of features are the parts of one, as the
/// rotated part of a head and the other one; where the numbers are equal, the second is a bias that depends on the query.
fn width_of_sum(attention: &Attention, scores: &Scores) -> usize {
    let own = scores.product.width();
    let added = attention.before.iter().filter_map(added_product).map(|it| it.width());
    own + added.filter(|it| *it != own).sum::<usize>()
}

/// The steps without those that cap scores, cap * tanh(scores / cap), or that stretch what tanh returned.
fn uncapped(before: &[FlowStep]) -> Vec<&FlowStep> {
    let is_tanh = |step: &FlowStep| step.explanation() == Explanation::Pointwise(Formula::Tanh);
    let Some(at) = before.iter().position(is_tanh) else {
        return before.iter().collect();
    };
    let cap: f64 = before[..at].iter().filter_map(FlowStep::factor).product();
    let mut inner: Vec<&FlowStep> = before[at + 1..].iter().collect();
    if let Some(divides) = inner.iter().position(|step| step.factor().is_some_and(|it| near(it, 1.0 / cap))) {
        inner.remove(divides);
    }
    inner
}

/// Whether the input of a projection is an image with its height and width flattened, and there are no heads: such blocks
/// (non-local networks, SAGAN) have no scale in their papers.
fn is_of_image(scores: &Scores) -> bool {
    let is_image = |source: &Tensor| {
        let input = projection(source).map(|projection| flow::source(&projection.left).1);
        input.is_some_and(|input| input.ndim() == 4)
    };
    scores.product.left.ndim() <= 3 && scores.sources.iter().any(is_image)
}

/// Whether queries and keys are two different projections, or two parts of one.
fn is_projected(scores: &Scores) -> bool {
    let [query, key] = &scores.sources;
    let is_same = query.storage().same(key.storage())
        && scores.product.left.layout().offset == scores.product.right.layout().offset;
    let is_gate = |step: &FlowStep| {
        let made = step.other().and_then(|it| origin(it.tensor()?));
        made.is_some_and(|it| it.operation.explanation == Explanation::Pointwise(Formula::Sigmoid))
    };
    let is_of_projection = |tensor: &Tensor| {
        let (path, start) = rearranged(tensor);
        // The state of a recurrent layer is no projection.
        if path.iter().any(is_gate) {
            return false;
        }
        projection(&start).is_some() || origin(&start).is_some_and(|it| beside_parameter(&it).is_some())
    };
    !is_same && is_of_projection(query) && is_of_projection(key)
}

/// What a product multiplies with a parameter. A projection may be an einsum, or a product with its matrix on the left.
fn beside_parameter(made: &Record) -> Option<Vec<Tensor>> {
    let is_product = Product::of(made).is_some() || made.operation.explanation == Explanation::Einsum;
    let is_weight = |it: &Tensor| is_parameter(&flow::source(it).1);
    let (weights, others): (Vec<Tensor>, Vec<Tensor>) = operands(made).into_iter().partition(is_weight);
    (is_product && !weights.is_empty()).then_some(others)
}

/// Whether queries or keys are scaled or normalised before they are rotated or repeated.
fn is_scaled_before(scores: &Scores) -> bool {
    scores.sources.iter().any(|source| {
        let (steps, start) = rearranged(source);
        let changes =
            |step: &FlowStep| step.factor().is_some_and(|factor| factor != 1.0) || step.divides_by_tensor();
        steps.iter().any(changes) || is_normalised(&start) && projection(&start).is_none()
    })
}

/// Widths that may be mistaken for the head's.
fn other_widths(scores: &Scores) -> Vec<(usize, &'static str)> {
    let mut found = Vec::new();
    for source in &scores.sources {
        found.extend(size(source, 1).map(|all| (all, "the width of all heads together")));
        let (path, start) = rearranged(source);
        let joined = path.iter().filter(|step| step.explanation() == Explanation::Moved(Movement::Joined));
        found
            .extend(joined.filter_map(|step| Some((size(&step.operand, 1)?, "the width of one part of it"))));
        if let Some(projection) = projection(source).or_else(|| projection(&start)) {
            let (steps, whole) = flow::source(&projection.left);
            // Queries that were cut into heads and then meet the matrix of the keys (multi-head latent attention) keep the scale
            // of their own width.
            if projection.left.ndim() > whole.ndim() && flow::projection(&whole).is_some() {
                continue;
            }
            let wider = steps.iter().map(|step| &step.operand).chain([&projection.left, &whole]);
            found.extend(wider.filter_map(|it| Some((size(it, 1)?, "the width of the layer's input"))));
        } else if let Some(inputs) = origin(&start).and_then(|it| beside_parameter(&it)) {
            found.extend(
                inputs.iter().filter_map(|it| Some((size(it, 1)?, "the width of the layer's input"))),
            );
        }
    }
    // As where the width of the layer is divided by the number of key heads, of which there are fewer.
    let head = scores.product.width().max(1);
    let wholes: Vec<usize> = found.iter().map(|(whole, _)| *whole).collect();
    let is_part = |part: usize| {
        part.is_multiple_of(head) && wholes.iter().any(|whole| *whole > part && whole.is_multiple_of(part))
    };
    let largest = wholes.iter().copied().max().unwrap_or(0);
    let parts: Vec<usize> = (2 * head..largest).filter(|part| is_part(*part)).collect();
    found.extend(parts.into_iter().map(|part| (part, "the width of several heads together")));
    found
}
