//! Losses, attention and heads whose sizes do not fit.

use super::evidence::Evidence;
use super::explanation::{Clash, ClashOperand, ErrorExplanation, Fix};
use super::operands::{called, histories, operand};
use super::scratch::tuple;
use super::shape_clash::{broadcast, padding};
use crate::explain::name::Name;
use crate::ops::Failed;
use crate::ops::value::Value;
use crate::tensor::descriptor::OpFamily;
use crate::tensor::{Arg, ErrorFact, Tensor};

pub(super) fn explain(evidence: &Evidence) -> Option<ErrorExplanation> {
    match evidence.case.raised.fact.as_deref() {
        Some(ErrorFact::TargetSizes) => targets(evidence.failed?, evidence),
        Some(ErrorFact::UnevenHeads { width, heads }) => Some(uneven_heads(*width, *heads)),
        _ => attention(evidence.failed?, evidence),
    }
}

/// Targets that are not one class for each row of scores: the classes of `(batch, tokens, classes)` are in the last axis,
/// and a loss reads them from axis 1.
fn targets(failed: &Failed, evidence: &Evidence) -> Option<ErrorExplanation> {
    let [scores, target] = [0, 1].map(|at| failed.args.get(at).and_then(Arg::tensor).cloned());
    let (scores, target) = (scores?, target?);
    let (leading, classes) = scores.shape().split_at(scores.ndim().checked_sub(1).filter(|ndim| *ndim > 0)?);
    let [a, b] = [(&scores, 0), (&target, 1)].map(|(tensor, at)| {
        called(tensor, at, evidence, Name::Words(if at == 0 { "scores" } else { "targets" }))
    });
    let operands = [operand(&a, &scores, evidence), operand(&b, &target, evidence)];
    let rows: usize = leading.iter().product();
    let rule = match scores.ndim() {
        2 => format!("{rows} rows of {} scores take {rows} classes", classes[0]),
        _ => format!("axis 1 of {a} is read as the classes: {}", scores.shape()[1]),
    };
    let mut remarks = histories(&[&scores, &target], evidence);
    let is_last = scores.ndim() > 2 && (target.shape() == leading || target.shape() == [rows]);
    if is_last {
        remarks.push(format!(
            "Here the last axis of {a} has the classes, one row of {} for each token.",
            classes[0]
        ));
    }
    let mut fixes = Vec::new();
    let is_flat = target.ndim() == 1 || scores.ndim() == 2 || is_last;
    if is_flat && target.numel() == rows {
        let flat = |name: &Name, tensor: &Tensor, sizes: &str, shape: &[usize]| {
            let word = if tensor.layout().view(shape).is_some() { "view" } else { "reshape" };
            match tensor.shape() == shape {
                true => name.clone(),
                false => name.clone().suffixed(format!(".{word}({sizes})")),
            }
        };
        let shapes = [vec![rows, classes[0]], vec![rows]];
        let code = [
            flat(&a, &scores, &format!("-1, {}", classes[0]), &shapes[0]),
            flat(&b, &target, "-1", &shapes[1]),
        ];
        // A loss over fewer classes fits in the same way, unless each has its weight.
        let has_weight = failed.args.iter().skip(2).any(|arg| arg.tensor().is_some());
        let width = if has_weight { classes[0] } else { classes[0].min(2) };
        let mut args = failed.args.clone();
        args[0] = Arg::Tensor(Tensor::zeros([rows, width], scores.dtype()).ok()?);
        args[1] = Arg::Tensor(Tensor::zeros([rows], target.dtype()).ok()?);
        if failed.again(args).is_ok() {
            let [scores, target] = shapes.map(|shape| tuple(&shape));
            fixes.push(Fix {
                code: format!("{}, {}", code[0], code[1]),
                shapes: format!("{scores} with {target}"),
                reason: "one class for each row".to_owned(),
            });
        }
    }
    let text = format!("{}({a}, {b})", failed.op.name);
    let clash = Some(Clash { text, between: "with".to_owned(), operands, rule });
    Some(ErrorExplanation { clash, remarks, fixes })
}

/// Attention whose heads, widths or mask do not fit. (.., H, T, D), (.., H, S, D), (.., H, S, E), mask (.., T, S)
fn attention(failed: &Failed, evidence: &Evidence) -> Option<ErrorExplanation> {
    const MASK: usize = 3;
    const SHARED_HEADS: usize = 7;
    if failed.op.family != OpFamily::Attention {
        return None;
    }
    let tensor = |at: usize| failed.args.get(at).and_then(Arg::tensor).cloned();
    let (query, key, value) = (tensor(0)?, tensor(1)?, tensor(2)?);
    let (rows, ndim) = (query.ndim().checked_sub(2)?, query.ndim());
    if key.ndim() != ndim || value.ndim() != ndim {
        return None;
    }
    let shown = |tensor: &Tensor, at: usize, word: &'static str| {
        operand(&called(tensor, at, evidence, Name::Words(word)), tensor, evidence)
    };
    let clash =
        |text: String, [mut left, mut right]: [ClashOperand; 2], axes: (usize, usize), rule: String| {
            (left.clash, right.clash) = (Some(axes.0), Some(axes.1));
            Some(Clash { text, between: "with".to_owned(), operands: [left, right], rule })
        };
    let heads_clash = |axes: (usize, usize)| {
        let operands = [shown(&query, 0, "query"), shown(&key, 1, "key")];
        let text = format!("{}({}, {})", failed.op.name, operands[0].name, operands[1].name);
        let rule = format!("{} and {} must be equal", query.shape()[axes.0], key.shape()[axes.1]);
        let remarks = histories(&[&query, &key], evidence);
        ErrorExplanation { clash: clash(text, operands, axes, rule), remarks, fixes: Vec::new() }
    };
    let (wide, narrow) = (query.shape(), key.shape());
    if wide[ndim - 1] != narrow[ndim - 1] {
        return Some(heads_clash((ndim - 1, ndim - 1)));
    }
    let shares = matches!(failed.args.get(SHARED_HEADS), Some(Arg::Bool(true)));
    if let Some((a, b)) = broadcast(&wide[..rows], &narrow[..rows]).filter(|_| !shares) {
        let mut found = heads_clash((a, b));
        // The numbers of heads count; the other sizes need not be large.
        let small = |tensor: &Tensor| {
            let size = |(at, size): (usize, &usize)| if at + 1 == rows { *size } else { (*size).min(2) };
            Tensor::zeros(tensor.shape().iter().enumerate().map(size).collect::<Vec<_>>(), tensor.dtype())
                .ok()
        };
        let mut args = failed.args.clone();
        for (at, tensor) in [&query, &key, &value].into_iter().enumerate() {
            args[at] = Arg::Tensor(small(tensor)?);
        }
        args[MASK] = Arg::None;
        args[SHARED_HEADS] = Arg::Bool(true);
        if a + 1 == rows && matches!(failed.again(args), Ok(Value::Tensor(_))) {
            let mut result = wide.to_vec();
            result[ndim - 1] = value.shape()[ndim - 1];
            found.fixes.push(Fix {
                code: "enable_gqa=True".to_owned(),
                shapes: format!("{} with {} -> {}", tuple(wide), tuple(narrow), tuple(&result)),
                reason: format!(
                    "each head of keys and values serves {} heads of queries",
                    wide[a] / narrow[b]
                ),
            });
        }
        return Some(found);
    }
    let mask = tensor(MASK)?;
    let mut scores = wide.to_vec();
    scores[ndim - 1] = narrow[rows];
    let (a, b) = broadcast(&scores, mask.shape())?;
    let scores_shown =
        ClashOperand { name: "scores".to_owned(), shape: scores.clone(), ..Default::default() };
    let operands = [scores_shown, shown(&mask, MASK, "mask")];
    let text = format!("scores with {}", operands[1].name);
    let rule = format!("{} and {} must be equal, or one of them 1", scores[a], mask.shape()[b]);
    let mut found = ErrorExplanation {
        clash: clash(text, operands, (a, b), rule),
        remarks: histories(&[&mask], evidence),
        fixes: Vec::new(),
    };
    if let Some(suffix) = padding(mask.shape(), &scores) {
        let name = called(&mask, MASK, evidence, Name::Words("mask"));
        let mut shape = scores.clone();
        shape[1..ndim - 1].fill(1);
        found.fixes.push(Fix {
            code: format!("attn_mask={}", name.suffixed(suffix)),
            shapes: format!("{} with {}", tuple(&scores), tuple(&shape)),
            reason: "the same keys for every query of a text".to_owned(),
        });
    }
    Some(found)
}

/// A width that cannot be divided among the heads: the nearest numbers that can.
fn uneven_heads(width: usize, heads: usize) -> ErrorExplanation {
    let remark = format!("Each head gets an equal part of the width, and {width} / {heads} is not whole.");
    let divisors = (1..=width).filter(|heads| width.is_multiple_of(*heads));
    let nearest = divisors.min_by_key(|divisor| divisor.abs_diff(heads));
    let fewer = nearest
        .map(|heads| Fix::new(format!("num_heads={heads}"), format!("heads of width {}", width / heads)));
    let part = width.div_ceil(heads);
    let wider = Fix::new(format!("embed_dim={}", part * heads), format!("{heads} heads of width {part}"));
    ErrorExplanation::new(vec![remark], fewer.into_iter().chain([wider]).collect())
}
