//! The cost of an operation: multiplications, and bytes read and written.
//! Costs are counted from the shapes; the kernel may do less.

use std::collections::BTreeMap;

use crate::ops::trace::Traced;
use crate::tensor::Arg;
use crate::tensor::descriptor::CostRule;
use crate::tensor::explanation::Explanation;
use crate::tensor::ops::einsum::spelled;

/// The cost of one or more operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Multiplications, divisions, roots and other functions of a number, each counted as one.
    pub(crate) multiplications: u64,
    /// How many operations there were whose multiplications are not counted.
    pub(crate) uncounted: u64,
    /// Bytes of operands read and of results written.
    pub(crate) bytes: u64,
}

impl std::ops::Add for Cost {
    type Output = Cost;

    fn add(self, other: Cost) -> Cost {
        Cost {
            multiplications: self.multiplications + other.multiplications,
            uncounted: self.uncounted + other.uncounted,
            bytes: self.bytes + other.bytes,
        }
    }
}

/// The cost of an operation. A view costs nothing.
pub(crate) fn cost(ran: &Traced) -> Cost {
    if ran.is_view || ran.error.is_some() {
        return Cost::default();
    }
    let read: usize = ran.operands.iter().map(|operand| operand.bytes()).sum();
    let written: usize = ran.results.iter().map(|result| result.bytes()).sum();
    let source = ran.operand(1).map_or(0, |source| source.bytes());
    let bytes = match ran.operation.explanation {
        // The result is the whole tensor; only a part of it is written.
        Explanation::Assignment => 2 * source,
        _ if ran.in_place && ran.operation.overwrites => source + written,
        _ => read + written,
    };
    let uncounted = u64::from(ran.operation.cost == CostRule::Uncounted);
    Cost { multiplications: multiplications(ran), uncounted, bytes: bytes as u64 }
}

fn multiplications(ran: &Traced) -> u64 {
    let shape = |at: usize| ran.operand(at).map_or(&[][..], |operand| operand.shape());
    let count = |at: usize| shape(at).iter().product::<usize>() as u64;
    let last = |at: usize| shape(at).last().copied().unwrap_or(1) as u64;
    let results: u64 = ran.results.first().map_or(0, |result| result.layout.numel() as u64);
    match ran.operation.cost {
        CostRule::Free | CostRule::Uncounted => 0,
        CostRule::PerResult(each) => each * results,
        CostRule::MatrixProduct(left) => results * last(left),
        CostRule::Spread => count(0) + results,
        CostRule::Power => match ran.args.get(1).and_then(Arg::number) {
            Some(power) if power.fract() == 0.0 && power.abs() >= 1.0 => {
                results * (power.abs() as u64 - 1).max(1)
            }
            _ => results,
        },
        CostRule::Einsum => einsum(ran),
        CostRule::Attention => {
            let (queries, keys) = (shape(0), shape(1));
            let [.., tokens, width] = queries else { return 0 };
            let matrices = queries[..queries.len() - 2].iter().product::<usize>() as u64;
            let keys = keys.iter().rev().nth(1).copied().unwrap_or(1) as u64;
            // Scores, scaling, softmax, and the weighted sum.
            matrices * *tokens as u64 * keys * (*width as u64 + 1 + 2 + last(2))
        }
    }
}

/// One multiplication for each combination of indices and each operand after the first.
fn einsum(ran: &Traced) -> u64 {
    let Some(Arg::Str(equation)) = ran.args.first() else { return 0 };
    let ndims = ran.operands.iter().map(|operand| operand.shape().len());
    let Ok((inputs, _)) = spelled(equation, ndims) else { return 0 };
    let mut sizes: BTreeMap<usize, usize> = BTreeMap::new();
    for (&label, &size) in inputs.iter().zip(&ran.operands).flat_map(|(own, it)| own.iter().zip(it.shape())) {
        sizes.entry(label).and_modify(|known| *known = size.max(*known)).or_insert(size);
    }
    let factors = ran.operands.len().saturating_sub(1);
    (sizes.into_values().product::<usize>() * factors) as u64
}
