//! Heads split off by a view alone: what is called a head is then some tokens, not some features.

use super::attention::Attention;
use super::axes::Axis;
use super::flow::{Link, projection, source};
use super::{Find, Mistake, Run, Seen};

pub(super) static MISTAKE: Mistake = Mistake {
    name: "heads-by-view-alone",
    title: "heads are split by a view without a transpose",
    why: "A view goes through memory in order, and there one token's features lie side by side. To give each head its \
          own features of all tokens, the features are split first, and then the head's axis is brought before the tokens'.",
    find: Find::Attention(find),
};

fn find(attention: &Attention, run: &Run) -> Option<Seen> {
    attention.used.as_ref()?;
    let scores = attention.scores.as_ref()?;
    let free = [scores.product.free.0, scores.product.free.1];
    for (way, free) in scores.ways.iter().zip(free) {
        if let Some(seen) = free.and_then(|free| split(way, free, run)) {
            return Some(seen);
        }
    }
    // The values may be the only ones that were split so.
    let used = attention.used.as_ref()?;
    let (way, _) = source(attention.values()?);
    let summed = if used.left { used.product.summed.1 } else { used.product.summed.0 };
    split(&way, summed, run)
}

/// A view on the way to a product that took tokens for heads; `tokens` is the axis that the product takes for the tokens.
fn split(way: &[Link], tokens: Axis, run: &Run) -> Option<Seen> {
    let mut axis = Some(tokens);
    for link in way {
        let (given, made) = (link.operand.shape(), link.result.shape());
        if matches!(link.op(), "view" | "reshape" | "unflatten")
            && let Some(at) = axis.and_then(|axis| made.len().checked_sub(axis))
            && let Some(what) = mixed(given, made, at)
        {
            let other = if projection(&link.operand).is_some() { "the projection" } else { "the tensor" };
            let name = run.called(&link.operand, other);
            let saw = format!("{name} {} is viewed as {}: {what}.", tuple(given), tuple(made));
            return Some(Seen::new(link.record.site.clone(), saw, fix(given, made)));
        }
        axis = axis.and_then(|axis| super::axes::before(&link.record, &link.operand, made, axis));
    }
    None
}

/// What a view took for heads, where that is wrong; `at` is the axis it hands on as the tokens'.
fn mixed(given: &[usize], made: &[usize], at: usize) -> Option<String> {
    match (given, made) {
        // (b, T, C) as (b, H, T, D), and axis 2 goes on as the tokens'.
        (&[b, t, c], &[b2, h, t2, d]) if b == b2 && t == t2 && h * d == c && h > 1 && t > 1 && at == 2 => {
            Some(cut(h, t))
        }
        (&[t, c], &[h, t2, d]) if t == t2 && h * d == c && h > 1 && t > 1 && at == 1 => Some(cut(h, t)),
        (&[b, t, c], &[bh, t2, d])
            if t == t2 && b > 0 && bh > b && bh % b == 0 && (bh / b) * d == c && at == 1 =>
        {
            Some(cut(bh / b, t))
        }
        // (b, T, C) as (b, T, H, D), and the heads' axis goes on as the tokens'.
        (&[b, t, c], &[b2, t2, h, d]) if b == b2 && t == t2 && h * d == c && h > 1 && t > 1 && at == 2 => {
            Some(format!(
                "its {h} heads then take the place of its {t} tokens, and scores compare the heads of one token"
            ))
        }
        (&[t, c], &[t2, h, d]) if t == t2 && h * d == c && h > 1 && t > 1 && at == 1 => Some(format!(
            "its {h} heads then take the place of its {t} tokens, and scores compare the heads of one token"
        )),
        _ => None,
    }
}

/// What head 0 holds when memory is cut into as many pieces as there are heads.
fn cut(heads: usize, tokens: usize) -> String {
    let held = tokens.div_ceil(heads);
    let which =
        if held == 1 { "token 0 alone".to_owned() } else { format!("tokens 0 to {} alone", held - 1) };
    format!(
        "head 0 of {heads} then holds all features of {which}, not its own features of all {tokens} tokens"
    )
}

fn fix(given: &[usize], made: &[usize]) -> String {
    match (given, made) {
        (&[_, t, c], &[b, _, _, d]) => format!("x.view({b}, {t}, {}, {d}).transpose(1, 2)", c / d.max(1)),
        (&[b, t, c], &[_, _, d]) => {
            let h = c / d.max(1);
            format!("x.view({b}, {t}, {h}, {d}).transpose(1, 2).reshape({}, {t}, {d})", b * h)
        }
        (&[t, c], &[_, _, d]) => format!("x.view({t}, {}, {d}).transpose(0, 1)", c / d.max(1)),
        _ => "split the features, then transpose".to_owned(),
    }
}

pub(super) fn tuple(shape: &[usize]) -> String {
    let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
    format!("({})", sizes.join(","))
}
