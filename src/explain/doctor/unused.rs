//! What a layer has or is given, and on which nothing depends.

use super::attention::Attention;
use super::flow::{is_parameter, source};
use super::mask::fused_visible;
use super::mistake::{Detector, Mistake, Observation, TracedCell, in_line};
use super::repeated::{Reach, RepeatedCall, is_last_of_attention};
use crate::ops::trace::Traced;
use crate::session::MatrixReport;
use crate::tensor::descriptor::{InPlace, OpFamily};
use crate::tensor::explanation::{Explanation, Formula};
use crate::tensor::{Arg, DType, Tensor};

pub(super) static MASKED_COPY: Mistake = Mistake::new(
    ("A106", "masked-copy-unused"),
    "scores are masked, and the masked copy is not used",
    "masked_fill returns a new tensor and leaves its input unchanged. The softmax that follows takes the scores \
     without a mask, and every token sees the future.",
    &[Detector::Cell(masked_copy), Detector::Step(dropped)],
);

/// A result that is computed on a line of its own and that nothing reads, where an operation in place may have been meant.
fn dropped(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    let op = step.operation;
    if op.family != OpFamily::Pointwise || op.in_place != InPlace::Twin || step.in_place {
        return None;
    }
    let site = step.site()?;
    let line = cell.line(&site)?.trim();
    let name = line.strip_suffix(')')?.split_once(&format!(".{}(", op.name))?.0;
    let is_name = name.split('.').all(|part| part.chars().all(|it| it.is_alphanumeric() || it == '_'));
    let at = cell.steps().position(|it| std::ptr::eq(it, step))?;
    let target = step.operands.first()?.tensor.as_ref()?;
    if !is_name || step.place()?.function == "<module>" || cell.is_used_after(step.result()?, at) {
        return None;
    }
    let is_read = cell.steps().skip(at + 1).any(|it| it.operands.iter().any(|it| it.is(target)));
    let observed = format!("{}() returns a new tensor, which nothing uses: {name} stays as it was.", op.name);
    let fix = format!("{name} = {line}, or {name}.{}_(...), with the underscore", op.name);
    let found = Observation::new(step.site(), observed, fix).titled("a result is computed and dropped");
    is_read.then(|| {
        found.because(
            "An operation without an underscore at the end of its name changes none of its operands.",
        )
    })
}

fn masked_copy(cell: &TracedCell) -> Vec<Observation> {
    let mut found = Vec::new();
    for (at, step) in cell.steps().enumerate() {
        if step.operation.explanation != Explanation::MaskedFill || step.in_place {
            continue;
        }
        let (Some(place), Some(scores), Some(copy)) = (
            step.place(),
            step.operands.first().and_then(|operand| operand.tensor.clone()),
            step.result().cloned(),
        ) else {
            continue;
        };
        // A later cell may use a copy that the cell itself binds to a name.
        if cell.is_used_after(&copy, at) || place.function == "<module>" && cell.names.knows(&copy) {
            continue;
        }
        let reader = cell.steps().skip(at + 1).find(|later| {
            let is_within = later.calls.iter().any(|it| it.activation == place.activation);
            let reads = || later.operands.iter().any(|it| it.is(&scores));
            is_within && !later.is_view && reads()
        });
        if let Some(reader) = reader {
            let name = cell.name_of(&scores, "the scores");
            let line = reader.site().map(|site| format!("line {}", site.line)).unwrap_or_default();
            let observed = format!(
                "masked_fill returned a masked copy of {name}, which nothing uses; {line} takes {name} itself."
            );
            let fix =
                format!("{name}.masked_fill_(...), with the underscore, or {name} = {name}.masked_fill(...)");
            found.push(Observation::new(step.site(), observed, fix));
        }
    }
    found
}

pub(super) static INPUT: Mistake = Mistake::implied(
    ("A404", "unused-input"),
    "an input has no effect on the output",
    "Cross-attention takes its queries from one sequence, its keys and values from the other. If the other is never \
     read, a decoder writes without looking at what it should translate or describe.",
    &["projection-mixed-up"],
    &[Detector::Reported],
);

pub(super) static MASK: Mistake = Mistake::implied(
    ("A108", "mask-missing"),
    "a mask is given and has no effect",
    "A mask says which keys a token may not see. If nothing depends on it, padding and later tokens get weight like \
     all others.",
    &["masked-copy-unused", "mask-leaks"],
    &[Detector::Reported, Detector::Cell(made_mask)],
);

/// An attention: the queries and keys of its scores, its weights if they are known, and whether it hides keys otherwise.
struct Pairs {
    size: [usize; 2],
    weights: Option<Tensor>,
    hides: bool,
}

pub(super) fn made_mask(cell: &TracedCell) -> Vec<Observation> {
    // Of tensors that are not kept it is not known what reads them.
    if cell.trace.lost() > 0 {
        return Vec::new();
    }
    let mut found = Vec::new();
    for step in &cell.trace.steps {
        let (Some(place), Some(pairs)) = (step.place(), pairs(step)) else { continue };
        let softmax_at = cell.steps().position(|it| std::ptr::eq(it, step)).unwrap_or(0);
        for (at, made) in cell.steps().enumerate() {
            // In the function of the attention or in one that it calls; in the program itself, before the attention.
            let is_within = match place.function {
                "<module>" => {
                    at < softmax_at && made.place().is_some_and(|it| it.activation == place.activation)
                }
                _ => made.calls.iter().any(|it| it.activation == place.activation),
            };
            if !is_within || made.in_place || made.operation.family == OpFamily::Random {
                continue;
            }
            let Some(tensor) = made.result().cloned() else { continue };
            let is_named = place.function != "<module>" && cell.names.knows(&tensor);
            if is_named || made.is_view && tensor.dtype() != DType::Bool || cell.is_used_after(&tensor, at) {
                continue;
            }
            if is_unread(&tensor, &pairs) {
                let observed = format!(
                    "A mask of {} queries and {} keys is made here, and nothing reads it: the attention{} does without.",
                    pairs.size[0],
                    pairs.size[1],
                    in_line(step.site().as_ref())
                );
                let fix =
                    "scores = scores.masked_fill(~seen, -torch.inf), before the softmax; or attn_mask=seen";
                let new = Observation::new(made.site(), observed, fix);
                found.push(new.titled("a mask is made and has no effect"));
            }
        }
    }
    found
}

/// The scores of an attention.
fn pairs(step: &Traced) -> Option<Pairs> {
    if step.operation.explanation == Explanation::Attention {
        let hides = matches!(step.args.get(5), Some(Arg::Bool(true))) || fused_visible(step).is_some();
        let rows = |at: usize| step.operand(at)?.shape().iter().rev().nth(1).copied();
        return Some(Pairs { size: [rows(0)?, rows(1)?], weights: None, hides });
    }
    let attention = Attention::of_softmax(step)?;
    attention.scores.as_ref()?;
    let &[.., queries, keys] = attention.weights.shape() else { return None };
    Some(Pairs { size: [queries, keys], weights: Some(attention.weights), hides: false })
}

/// Whether a tensor is a mask of these scores that has no effect on the weights.
fn is_unread(tensor: &Tensor, pairs: &Pairs) -> bool {
    let shape = tensor.shape();
    let is_of_pairs = shape.len() >= 2 && shape[shape.len() - 2..] == pairs.size && pairs.size[0] >= 3;
    if !is_of_pairs || tensor.dtype() != DType::Bool || pairs.hides || tensor.numel() > 1 << 20 {
        return false;
    }
    let is_seen = |kind: bool| has_weight(tensor, pairs, kind);
    let values = tensor.to_bool_vec();
    let varies = values.contains(&true) && values.contains(&false);
    varies && is_seen(true) && is_seen(false)
}

/// Whether some pairs of this kind have a weight that is not 0. A mask that stands for several matrices of weights is read for
/// each of them.
fn has_weight(mask: &Tensor, pairs: &Pairs, kind: bool) -> bool {
    let shape = mask.shape();
    let Some(weights) = &pairs.weights else { return true };
    let whole = weights.shape();
    let is_broadcast = shape.iter().rev().zip(whole.iter().rev()).all(|(a, b)| a == b || *a == 1);
    shape.len() <= whole.len() && is_broadcast && {
        let mask = mask.with_layout(mask.layout().broadcast_to(whole)).to_f64_vec();
        weights.to_f64_vec().iter().zip(mask).any(|(weight, mask)| *weight > 1e-6 && (mask != 0.0) == kind)
    }
}

pub(super) static PROJECTION: Mistake = Mistake::implied(
    ("A402", "projection-unused"),
    "a projection has no effect on the output",
    "Its gradient is zero, so it never learns. Queries and keys decide how much each token counts, the values are \
     what is averaged: attention needs all three.",
    &["projection-mixed-up", "mask-inverted"],
    &[Detector::Reported, Detector::Call(projection)],
);

/// Whether the call multiplies weights with values. A function that returns the weights needs no values.
fn has_values(call: &RepeatedCall, cell: &TracedCell) -> bool {
    cell.steps().any(|step| call.has(step) && is_last_of_attention(step))
}

fn projection(call: &RepeatedCall, cell: &TracedCell) -> Option<Observation> {
    let own = |name: &str| !call.is_outer || name.matches('.').count() <= 1;
    let (unused, instead) = in_place_of(call, own)
        .or_else(|| cancelled(call, own))
        .or_else(|| computed(call, cell, own))
        .or_else(|| by_name(call, cell))?;
    let observed = format!(
        "For the output of {} the gradient of {} is 0 everywhere{instead}.",
        call.function,
        unused.join(" and of ")
    );
    let fix = "weights = softmax(queries @ keys.transpose(-2, -1) / width**0.5), then weights @ values: each of the three \
     from its own projection";
    Some(Observation::new(call.site.clone(), observed, fix))
}

/// A layer that did not run, where another one of its kind ran twice with the same input.
fn in_place_of(call: &RepeatedCall, own: impl Fn(&str) -> bool) -> Option<(Vec<String>, String)> {
    let [unused, twice] = call.report.in_place_of.iter().find(|it| own(&it[0]))?;
    let instead = format!(", and {twice}, a layer of the same kind, is called twice with the same input");
    Some((vec![unused.clone()], instead))
}

/// The matrices that add the same number to all scores of a row.
fn cancelled(call: &RepeatedCall, own: impl Fn(&str) -> bool) -> Option<(Vec<String>, String)> {
    let cancels = call.report.untouched.iter().filter(|it| it.cancels && it.shape[0] > 1 && own(&it.name));
    let unused: Vec<String> = cancels.map(|it| it.name.clone()).collect();
    (!unused.is_empty()).then(|| {
        (unused, " but for rounding: what it adds to the scores of all keys is the same, and a softmax leaves that out. Additive attention has a tanh around the sum".to_owned())
    })
}

/// The matrices of layers that ran, of which nothing depends on the result.
fn computed(
    call: &RepeatedCall,
    cell: &TracedCell,
    own: impl Fn(&str) -> bool,
) -> Option<(Vec<String>, String)> {
    if !mixes(call) {
        return None;
    }
    let dead = || call.report.untouched.iter().filter(|it| it.dead && own(&it.name));
    let mut unused: Vec<String> = dead().filter(|it| it.is_whole()).map(|it| it.name.clone()).collect();
    // Where several matrices have such a part, it is a head that is switched off, not a part of a joined projection.
    let parts: Vec<&MatrixReport> = dead().filter(|it| is_part_of_joined(it)).collect();
    if let [part] = parts.as_slice()
        && has_values(call, cell)
    {
        unused.push(format!("{} of the {} rows of {}", part.rows, part.shape[0], part.name));
    }
    (!unused.is_empty()).then(|| (unused, ": its result is computed and used nowhere".to_owned()))
}

/// Whether the rows without an effect are one or two parts of a projection of queries, keys and values together.
fn is_part_of_joined(matrix: &MatrixReport) -> bool {
    let (rows, all) = (matrix.rows, matrix.shape[0]);
    matrix.shape.len() == 2 && rows > 1 && all > rows && all.is_multiple_of(rows) && all / rows <= 6
}

/// Whether tokens reach each other: of one token, queries and keys have no effect.
fn mixes(call: &RepeatedCall) -> bool {
    call.report.axes.iter().any(|axis| Reach::of(axis).mixes())
}

/// The projections of queries, keys or values without an effect, by their names.
fn by_name(call: &RepeatedCall, cell: &TracedCell) -> Option<(Vec<String>, String)> {
    let is_needed = if has_values(call, cell) { is_projection } else { is_of_scores };
    // A layer with one output is none of them: it may be called `v` for the value of a text.
    let whole = call.report.untouched.iter().filter(|it| it.is_whole() && it.shape[0] > 1);
    let unused: Vec<String> = whole.map(|it| it.name.clone()).filter(|it| is_needed(it)).collect();
    (!call.is_outer && mixes(call) && !unused.is_empty()).then(|| (unused, String::new()))
}

/// Whether a parameter's name is that of a query or key projection.
fn is_of_scores(name: &str) -> bool {
    let is_value = |part: &str| part.contains("value") || matches!(part, "v" | "wv");
    is_projection(name) && !name.to_lowercase().split(['.', '_']).any(is_value)
}

/// Whether a parameter's name is that of a query, key or value projection.
fn is_projection(name: &str) -> bool {
    let name = name.to_lowercase();
    let words = ["query", "queries", "key", "keys", "value", "values"];
    let letters = ["q", "k", "v", "wq", "wk", "wv", "qkv", "kqv"];
    name.split(|letter: char| !letter.is_ascii_alphabetic())
        .any(|part| words.iter().any(|word| part.contains(word)) || letters.contains(&part))
}

pub(super) static NO_RESIDUAL: Mistake = Mistake::implied(
    ("A406", "residual-missing"),
    "one part of a block has no way around it",
    "The residual connection keeps what a token was and gives the gradient a way back past each part. Where one part has \
     none, everything has to pass through it: tokens lose what they were, and deep models hardly train.",
    &["projection-unused"],
    &[Detector::Reported],
);

pub(super) static POSITIONS: Mistake = Mistake::new(
    ("A502", "no-positions"),
    "the positions are never added",
    "Attention treats its tokens as a set. Without positions a model cannot know their order, but for what a causal \
     mask reveals, and the table of positions never learns.",
    &[Detector::Call(positions), Detector::Step(one_for_all)],
);

/// One row of a table that has a row for each token, added to all tokens.
fn one_for_all(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    if step.operation.explanation != Explanation::Pointwise(Formula::Add) {
        return None;
    }
    let [tokens, row] = [0, 1].map(|at| step.tensor(at));
    // Of vectors without an axis of tokens each is a text of its own.
    let (&[_, .., count, width], row) = (tokens?.shape(), row?) else { return None };
    let (_, table) = source(row);
    let rows = table.numel() / width.max(1);
    let is_kept = is_parameter(&table) || table.is_leaf() && cell.name_of(&table, "").starts_with("self.");
    let is_row = row.numel() == width && table.shape().last() == Some(&width) && is_kept;
    if !is_row || count < 4 || rows < count {
        return None;
    }
    let observed = format!(
        "One of the {rows} rows of {} is added to all {count} tokens: every place gets the same.",
        cell.name_of(&table, "a table")
    );
    let found = Observation::new(step.site(), observed, "x = x + self.pos[:, : x.shape[1]]");
    Some(found.titled("all tokens get the same position"))
}

fn positions(call: &RepeatedCall, cell: &TracedCell) -> Option<Observation> {
    call.token_axis()?;
    let is_everywhere =
        |name: &str| call.function.ends_with(".forward") || is_unused_by_all(name, call, cell);
    let unused: Vec<&str> =
        call.report.untouched.iter().filter(|it| it.is_whole()).map(|it| it.name.as_str()).collect();
    let is_meant = |it: &&str| (is_of_positions(it) || is_read(it, call, cell)) && is_everywhere(it);
    // Nothing depends on tables of angles, although they are read.
    let kept = call.report.kept.iter().map(String::as_str).filter(|it| is_read(it, call, cell));
    let unused: Vec<&str> = unused.into_iter().filter(is_meant).chain(kept).collect();
    if unused.is_empty() {
        return None;
    }
    let observed = format!(
        "{} was run backward from its output: the gradient of {} is 0 everywhere.",
        call.function,
        unused.join(" and of ")
    );
    Some(Observation::new(
        call.site.clone(),
        observed,
        "x = self.tok(ids) + self.pos(torch.arange(ids.shape[1]))",
    ))
}

/// Whether a method other than `forward` takes the numbers of tokens, and no method of its class that ran uses the table.
/// A method that takes vectors may leave the positions to its caller.
fn is_unused_by_all(name: &str, call: &RepeatedCall, cell: &TracedCell) -> bool {
    let Some((class, _)) = call.function.rsplit_once('.') else { return false };
    let is_of_class = |it: &RepeatedCall| it.function.rsplit_once('.').is_some_and(|it| it.0 == class);
    let mut others = cell.calls.iter().filter_map(|it| RepeatedCall::of(it, cell.trace)).filter(is_of_class);
    !call.report.tokens.is_empty()
        && others.all(|it| it.report.untouched.iter().any(|it| it.name == name && it.is_whole()))
}

/// Whether an operation of the call itself reads a parameter that is in no layer: what is computed from it is not used.
fn is_read(name: &str, call: &RepeatedCall, cell: &TracedCell) -> bool {
    let own = format!("self.{name}");
    let reads = |step: &Traced| {
        let is_within = step.place().is_some_and(|it| it.activation == call.report.activation);
        is_within && step.operands.iter().any(|it| it.name.as_ref() == Some(&own))
    };
    !name.contains('.') && cell.steps().any(reads)
}

/// Whether a parameter's name is that of positions.
fn is_of_positions(name: &str) -> bool {
    let name = name.to_lowercase();
    name.split(['.', '_']).any(|part| part.starts_with("pos") || part == "wpe")
}
