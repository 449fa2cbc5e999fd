//! The way back through the records: from weights to their softmax, from scores to their product.
//! Follows what carries a tensor on; stops where something new is made of it.

use std::rc::Rc;

use super::axes::{self, Axis, Product};
use crate::tensor::index::Index;
use crate::tensor::{Arg, DType, Record, Tensor};

/// How long a way back may be, and how many records are looked at on it.
const LONG: usize = 24;
const LOOKED_AT: usize = 200;

/// One operation on the way: what it made, of what.
#[derive(Clone, Debug)]
pub(super) struct Link {
    /// The operation.
    pub record: Rc<Record>,
    /// The operand that it carried on.
    pub operand: Tensor,
    /// What it made.
    pub result: Tensor,
}

impl Link {
    /// The operation's name, in place or not.
    pub(super) fn op(&self) -> &str {
        self.record.op.trim_end_matches('_')
    }

    /// The other operand: what it was scaled or masked with.
    pub(super) fn other(&self) -> Option<Arg> {
        let args = self.record.args();
        let own = args.iter().position(|arg| arg.tensor().is_some_and(|tensor| tensor.is(&self.operand)));
        match (self.op(), own) {
            ("masked_fill", _) => args.get(1).cloned(),
            ("setitem", _) => mask_of(args.get(2)?),
            ("mul" | "div" | "add" | "sub", Some(0)) => args.get(1).cloned(),
            ("mul" | "add", Some(1)) => args.first().cloned(),
            ("where", _) => args.first().cloned(),
            _ => None,
        }
    }

    /// The number a scaling multiplies by.
    pub(super) fn factor(&self) -> Option<f64> {
        let number = |arg: &Arg| match arg {
            Arg::Tensor(tensor) if tensor.numel() == 1 => tensor.item().ok(),
            other => other.number(),
        };
        match self.op() {
            "mul" => number(&self.other()?),
            "div" => number(&self.other()?).map(|by| 1.0 / by),
            _ => None,
        }
    }

    /// What a masked element becomes.
    pub(super) fn fill(&self) -> Option<f64> {
        let args = self.record.args();
        match self.op() {
            "masked_fill" => match args.get(2)? {
                Arg::Tensor(tensor) if tensor.numel() == 1 => tensor.item().ok(),
                other => other.number(),
            },
            "tril" | "triu" => Some(0.0),
            "setitem" => mask_of(args.get(2)?).and(args.get(1)?.number()),
            // What stands in the other branch, where it is one number throughout.
            "where" => args.iter().skip(1).find_map(|branch| match branch {
                Arg::Tensor(tensor) if tensor.is(&self.operand) => None,
                Arg::Tensor(tensor) if tensor.numel() <= 1 << 20 => {
                    let values = tensor.to_f64_vec();
                    values.iter().all(|it| *it == values[0]).then(|| values.first().copied()).flatten()
                }
                other => other.number(),
            }),
            "mul" => is_zero_one(self.other()?.tensor()?).then_some(0.0),
            _ => None,
        }
    }

    /// Whether it drops elements at random, and did.
    pub(super) fn drops(&self) -> bool {
        self.op() == "dropout"
    }
}

/// The truth values that an index expression picks elements by.
fn mask_of(index: &Arg) -> Option<Arg> {
    let Arg::Index(parts) = index else { return None };
    parts.iter().find_map(|part| match part {
        Index::Tensor(mask) if mask.dtype() == DType::Bool => Some(Arg::Tensor(mask.clone())),
        _ => None,
    })
}

/// Whether a tensor is a mask of zeros and ones, with both in it.
pub(super) fn is_zero_one(tensor: &Tensor) -> bool {
    if tensor.numel() < 2 || tensor.numel() > 1 << 20 {
        return false;
    }
    let values = tensor.to_f64_vec();
    values.iter().all(|&it| it == 0.0 || it == 1.0) && values.contains(&0.0) && values.contains(&1.0)
}

/// A way back: the operations passed, nearest first, and the one that was looked for.
pub(super) struct Way {
    /// What carried it on, nearest first.
    pub links: Vec<Link>,
    /// The tensor at its end, and what made it.
    pub end: Tensor,
    /// The operation that was looked for.
    pub record: Rc<Record>,
}

/// The way back from a tensor to the first operation that `is_goal` knows.
pub(super) fn back(tensor: &Tensor, is_goal: &dyn Fn(&Record) -> bool) -> Option<Way> {
    let mut looked = 0;
    let mut links = Vec::new();
    let (end, record) = search(tensor, is_goal, &mut links, &mut looked)?;
    Some(Way { links, end, record })
}

fn search(
    tensor: &Tensor,
    is_goal: &dyn Fn(&Record) -> bool,
    links: &mut Vec<Link>,
    looked: &mut usize,
) -> Option<(Tensor, Rc<Record>)> {
    *looked += 1;
    if links.len() > LONG || *looked > LOOKED_AT {
        return None;
    }
    let record = tensor.origin()?;
    if is_goal(&record) {
        return Some((tensor.clone(), record));
    }
    for operand in axes::carried(&record) {
        links.push(Link { record: record.clone(), operand: operand.clone(), result: tensor.clone() });
        if let Some(found) = search(&operand, is_goal, links, looked) {
            return Some(found);
        }
        links.pop();
    }
    None
}

/// Where an axis of the first tensor of a way lies in the last one.
pub(super) fn axis_at_end(links: &[Link], axis: Axis) -> Option<Axis> {
    links
        .iter()
        .try_fold(axis, |axis, link| axes::before(&link.record, &link.operand, link.result.shape(), axis))
}

/// The way back over scalings by one number and changes of layout, as far as it goes.
pub(super) fn source(tensor: &Tensor) -> (Vec<Link>, Tensor) {
    let mut links: Vec<Link> = Vec::new();
    let mut at = tensor.clone();
    while links.len() < LONG {
        let Some(record) = at.origin() else { break };
        let Some(operand) = axes::carried(&record).into_iter().next() else { break };
        let link = Link { record, operand: operand.clone(), result: at.clone() };
        let is_layout = matches!(
            link.op(),
            "view"
                | "reshape"
                | "transpose"
                | "swapaxes"
                | "permute"
                | "T"
                | "t"
                | "mT"
                | "contiguous"
                | "clone"
                | "unsqueeze"
                | "squeeze"
                | "getitem"
                | "select"
                | "unflatten"
                | "flatten"
                | "to"
                | "float"
                | "split"
                | "chunk"
                | "unbind"
                | "movedim"
                | "detach"
        );
        if !is_layout && link.factor().is_none() {
            break;
        }
        links.push(link);
        at = operand;
    }
    (links, at)
}

/// The projection that a tensor is a result of: a product with a matrix that no product made, with or without a bias.
pub(super) fn projection(tensor: &Tensor) -> Option<Product> {
    let record = tensor.origin()?;
    if matches!(record.op, "add" | "add_") {
        return record.args().first().and_then(Arg::tensor).and_then(projection);
    }
    let product = Product::of(&record)?;
    let is_matrix = product.right.ndim() == 2 && !product.right.storage().same(product.left.storage());
    let (_, made) = source(&product.right);
    let from_product = made.origin().is_some_and(|record| Product::of(&record).is_some());
    (is_matrix && !from_product).then_some(product)
}
