//! What an operation takes: products, and bytes moved.
//! Counted from shapes, as one counts on paper; what the kernel really does may be less.

use crate::ops::trace::Traced;
use crate::tensor::Arg;

/// What operations take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Multiplications, divisions, exponentials and roots, each counted as one.
    pub products: u64,
    /// Bytes of operands read and of results written; none where nothing is moved.
    pub bytes: u64,
}

impl std::ops::Add for Cost {
    type Output = Cost;

    fn add(self, other: Cost) -> Cost {
        Cost { products: self.products + other.products, bytes: self.bytes + other.bytes }
    }
}

/// What this operation took. A view takes nothing.
pub fn cost(ran: &Traced) -> Cost {
    if ran.is_view || ran.error.is_some() {
        return Cost::default();
    }
    let read: usize = ran.operands.iter().map(|tensor| tensor.bytes()).sum();
    let written: usize = ran.results.iter().map(|tensor| tensor.bytes()).sum();
    let bytes = match ran.op {
        // What is not read: the old values under what is filled, what is drawn or copied over.
        "setitem" => 2 * ran.operand(1).map_or(0, |source| source.bytes()),
        "fill_" | "zero_" | "copy_" | "normal_" | "uniform_" => {
            written + ran.operand(1).map_or(0, |it| it.bytes())
        }
        _ => read + written,
    };
    Cost { products: products(ran), bytes: bytes as u64 }
}

/// The products of one operation: of a matrix product, one for each element and each term of its sum.
fn products(ran: &Traced) -> u64 {
    let made: u64 = ran.results.first().map_or(0, |result| result.layout.numel() as u64);
    let shape = |at: usize| ran.operand(at).map_or(&[][..], |operand| operand.shape());
    let count = |at: usize| shape(at).iter().product::<usize>() as u64;
    let last = |at: usize| shape(at).last().copied().unwrap_or(1) as u64;
    match ran.op.trim_end_matches('_') {
        "matmul" | "mm" | "mv" | "bmm" | "linear" | "inner" => made * last(0),
        "dot" | "vdot" => count(0),
        "addmm" | "baddbmm" | "addmv" => made * last(1),
        "outer" | "ger" => made,
        "einsum" => einsum(ran),
        "mul" | "div" | "floor_divide" | "remainder" | "exp" | "log" | "sqrt" | "rsqrt" | "reciprocal"
        | "tanh" | "sigmoid" | "gelu" | "silu" => made,
        // An exponential and a division for each element.
        "softmax" | "log_softmax" | "softmin" => 2 * made,
        "pow" => match ran.args.get(1).and_then(Arg::number) {
            Some(power) if power.fract() == 0.0 && power.abs() >= 1.0 => {
                made * (power.abs() as u64 - 1).max(1)
            }
            _ => made,
        },
        "square" => made,
        "mean" => made,
        // A square for each element, then a division.
        "var" | "std" => count(0) + made,
        // Square, scale and weight of each element.
        "layer_norm" | "rms_norm" => 3 * made,
        // Dropout that drops nothing hands back what it was given, as a view does.
        "dropout" => made,
        "scaled_dot_product_attention" => {
            let (queries, keys) = (shape(0), shape(1));
            let [.., tokens, width] = queries else { return 0 };
            let pages = queries[..queries.len() - 2].iter().product::<usize>() as u64;
            let keys = keys.iter().rev().nth(1).copied().unwrap_or(1) as u64;
            // Scores, scale, softmax, and the weighted sum.
            pages * *tokens as u64 * keys * (*width as u64 + 1 + 2 + last(2))
        }
        _ => 0,
    }
}

/// One product for each setting of all the letters.
fn einsum(ran: &Traced) -> u64 {
    let Some(Arg::Str(equation)) = ran.args.first() else { return 0 };
    let inputs = equation.split("->").next().unwrap_or_default();
    let mut sizes: Vec<(char, usize)> = Vec::new();
    for (letters, operand) in inputs.split(',').zip(&ran.operands) {
        for (letter, size) in letters.chars().filter(|letter| letter.is_alphabetic()).zip(operand.shape()) {
            if sizes.iter().all(|(known, _)| *known != letter) {
                sizes.push((letter, *size));
            }
        }
    }
    let factors = ran.operands.len().saturating_sub(1) as u64;
    sizes.iter().map(|(_, size)| *size as u64).product::<u64>() * factors
}
