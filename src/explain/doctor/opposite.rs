//! A mask of the opposite convention: the past is hidden, and the future is seen.

use super::attention::Attention;
use super::{Find, Mistake, Run, Seen};
use crate::ops::trace::Traced;
use crate::tensor::{Arg, DType, Site, Tensor};

pub(super) static MISTAKE: Mistake = Mistake {
    name: "mask-inverted",
    title: "the mask hides the past and shows the future",
    why: "A causal mask lets token i see the keys 0 to i. Turned round, a token is predicted from what comes after it, \
          and the last one sees itself alone, or nothing.",
    find: Find::Run(find),
};

/// What a square table of "hidden" looks like.
#[derive(Clone, Copy, PartialEq)]
enum Pattern {
    /// Only the past is hidden.
    Past,
    /// The past and the token itself are hidden.
    PastAndItself,
    /// The future and the token itself are hidden.
    FutureAndItself,
}

fn find(run: &Run) -> Vec<Seen> {
    let mut found = Vec::new();
    for step in &run.trace.steps {
        match step.op {
            "softmax" => {
                found.extend(Attention::softmax(step).and_then(|attention| of_scores(&attention, run)))
            }
            "scaled_dot_product_attention" => found.extend(of_fused(step, run)),
            _ => {}
        }
    }
    found
}

/// A softmax whose scores are hidden the wrong way round.
fn of_scores(attention: &Attention, run: &Run) -> Option<Seen> {
    // Along another axis the table lies turned: then rows are not the ones that look.
    let input = attention.input().filter(|_| attention.axis == 1)?;
    let size = square(&input)?;
    let values = last_matrix(&input, size)?;
    let pattern = pattern(size, |at| values[at] <= -1e9)?;
    let link =
        attention.before.iter().find(|link| matches!(link.op(), "masked_fill" | "add" | "where" | "setitem"));
    let mask = link
        .and_then(|link| link.other())
        .and_then(|mask| mask.tensor().map(|mask| run.called(mask, "the mask")));
    let site = link.and_then(|link| link.record.site.clone()).or_else(|| attention.site());
    Some(told(pattern, size, mask.unwrap_or_else(|| "the mask".to_owned()), site))
}

/// A boolean mask handed to fused attention, where True means keep.
fn of_fused(step: &Traced, run: &Run) -> Option<Seen> {
    let mask = step.args.get(3).and_then(Arg::tensor)?;
    let size = square(mask)?;
    let values = last_matrix(mask, size)?;
    let hidden = |at: usize| match mask.dtype() {
        DType::Bool => values[at] == 0.0,
        _ => values[at] <= -1e9,
    };
    let pattern = pattern(size, hidden)?;
    let name = run.called(mask, "attn_mask");
    let mut seen = told(pattern, size, name.clone(), step.site());
    if mask.dtype() == DType::Bool && pattern != Pattern::FutureAndItself {
        seen.fix = format!(
            "True means \"keep\" for F.scaled_dot_product_attention (and \"hide\" for nn.MultiheadAttention): hand it \
             ~{name}, or is_causal=True"
        );
    }
    Some(seen)
}

fn told(pattern: Pattern, size: usize, mask: String, site: Option<Site>) -> Seen {
    let (saw, fix) = match pattern {
        Pattern::Past => (
            format!(
                "{mask} hides every key before the token's own and none after it: token 0 sees all {size}, token {} only \
                 itself.",
                size - 1
            ),
            "hide what lies above the diagonal: torch.triu(torch.ones(T, T), diagonal=1).bool()",
        ),
        Pattern::PastAndItself => (
            format!(
                "{mask} hides the token's own key and every one before it, and none after: token 0 sees tokens 1 to {}, \
                 token {} none.",
                size - 1,
                size - 1
            ),
            "it is inverted: True stands where the token may look. Use ~mask, or torch.triu(..., diagonal=1).bool()",
        ),
        Pattern::FutureAndItself => (
            format!(
                "{mask} hides the diagonal too: no token sees itself, token 0 sees nothing, token 1 only token 0."
            ),
            "diagonal=1 begins above the diagonal: torch.triu(torch.ones(T, T), diagonal=1).bool()",
        ),
    };
    let mut seen = Seen::new(site, saw, fix);
    if pattern == Pattern::FutureAndItself {
        seen.why =
            Some("A token is to know at least itself; with nothing to see, the first row of weights is nan.");
    }
    seen
}

/// The size of the last two axes, if they are alike and more than one.
fn square(tensor: &Tensor) -> Option<usize> {
    match tensor.shape() {
        [.., rows, columns] if rows == columns && *rows > 1 && tensor.numel() <= 1 << 22 => Some(*rows),
        _ => None,
    }
}

fn last_matrix(tensor: &Tensor, size: usize) -> Option<Vec<f64>> {
    let values = tensor.to_f64_vec();
    let start = values.len().checked_sub(size * size)?;
    Some(values[start..].to_vec())
}

fn pattern(size: usize, hidden: impl Fn(usize) -> bool) -> Option<Pattern> {
    let all =
        |is: fn(usize, usize) -> bool| (0..size * size).all(|at| hidden(at) == is(at / size, at % size));
    if all(|row, column| column < row) {
        Some(Pattern::Past)
    } else if all(|row, column| column <= row) {
        Some(Pattern::PastAndItself)
    } else if all(|row, column| column >= row) {
        Some(Pattern::FutureAndItself)
    } else {
        None
    }
}
