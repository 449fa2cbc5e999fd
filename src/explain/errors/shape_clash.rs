//! Two operands whose shapes do not fit: where they clash, and what would fit.
//! How shapes combine is read from the operation's descriptor.

use std::rc::Rc;

use super::evidence::Evidence;
use super::explanation::{Clash, ErrorExplanation, Fix};
use super::operands::{called, histories, operand};
use super::scratch::{ScratchShapes, tuple};
use smallvec::smallvec;

use crate::explain::name::{Name, Transposition};
use crate::ops::Failed;
use crate::ops::table::METHOD;
use crate::ops::value::Value;
use crate::tensor::descriptor::{Binding, ShapeRule, Sign};
use crate::tensor::explanation::Explanation;
use crate::tensor::{Arg, DType, Layout, Record, Tensor};

pub(super) fn explain(evidence: &Evidence) -> Option<ErrorExplanation> {
    let failed = evidence.failed?;
    let pair = ClashingPair::of(failed)?;
    let (left, right) = pair.clash?;
    let names = pair.names(evidence);
    let mut operands = [operand(&names[0], &pair.left, evidence), operand(&names[1], &pair.right, evidence)];
    operands[0].clash = Some(left);
    operands[1].clash = Some(right);
    let is_linear = failed.op.explanation == Explanation::Linear;
    if is_linear {
        // A layer multiplies by its weight transposed.
        let weight = &mut operands[1];
        weight.shape.reverse();
        weight.axes.clear();
        weight.clash = Some(0);
    }
    let sizes = (pair.left.shape()[left], pair.right.shape()[right]);
    let exception = match pair.rule {
        ShapeRule::Stack => ": stack makes a new axis; along one that is there, cat joins",
        _ if pair.is_joined() => ": only the axis along which they are joined may differ",
        ShapeRule::Broadcast(..) => ", or one of them 1",
        // Unlike bmm, @ repeats batch axes of size 1.
        ShapeRule::MatrixProduct(..)
            if failed.op.operator() == Some(Sign::MatMul) && left + 2 < pair.left.ndim() =>
        {
            ", or one of them 1"
        }
        _ => "",
    };
    let rule = format!("{} and {} must be equal{exception}", sizes.0, sizes.1);
    let (a, b) = (&operands[0].name, &operands[1].name);
    // Between commas an operand needs no brackets.
    let argument = |name: &String, place: usize| match evidence.written.get(place) {
        Some(written) if written.clone().bracketed().to_string() == *name => written.to_string(),
        _ => name.clone(),
    };
    let text = match failed.op.operator() {
        _ if is_linear => format!("{a} @ {b}.T"),
        Some(sign) if failed.in_place => format!("{a} {}= {b}", sign.code()),
        Some(sign) => format!("{a} {} {b}", sign.code()),
        None if pair.is_joined() => format!("{}([{a}, {b}])", failed.op.name),
        None => {
            let (a, b) = (argument(a, pair.places.0), argument(b, pair.places.1));
            format!("{}({a}, {b})", failed.op.called(failed.in_place))
        }
    };
    let between = match (failed.op.operator(), pair.rule) {
        (Some(sign), _) => sign.code(),
        (None, ShapeRule::MatrixProduct(..) | ShapeRule::LastAxes(..)) => "@",
        (None, _) => "with",
    };
    let mut remarks = histories(&[&pair.left, &pair.right], evidence);
    if is_linear {
        remarks.push(format!(
            "A Linear layer keeps its weight as (out, in): this one takes rows of {} numbers and gives rows of {}.",
            pair.right.shape()[pair.right.ndim() - 1],
            pair.right.shape()[0]
        ));
    }
    remarks.extend(pair.reversed(evidence).into_iter().flatten().map(|(name, base)| {
        format!("{name}.T reverses all {} axes of {name}, batch included.", base.ndim())
    }));
    let fixes = pair.fixes(failed, evidence);
    let clash = Clash { text, between: between.to_owned(), operands, rule };
    Some(ErrorExplanation { clash: Some(clash), remarks, fixes })
}

/// Two operands, and the axes in which they clash.
struct ClashingPair {
    rule: ShapeRule,
    left: Tensor,
    right: Tensor,
    clash: Option<(usize, usize)>,
    /// Their places among the arguments; of joined tensors, in the list.
    places: (usize, usize),
}

/// Returns the axes of two shapes that should be equal and are not.
type ClashFinder = fn(&[usize], &[usize]) -> Option<(usize, usize)>;

impl ClashingPair {
    fn of(failed: &Failed) -> Option<ClashingPair> {
        let rule = failed.op.shapes;
        let argument = |place: usize| failed.args.get(place)?.tensor().cloned();
        let (places, clash): (_, ClashFinder) = match rule {
            ShapeRule::Broadcast(left, right) => ((left, right), broadcast),
            ShapeRule::MatrixProduct(left, right) => ((left, right), product),
            ShapeRule::LastAxes(left, right) => ((left, right), last),
            ShapeRule::Join | ShapeRule::Stack => {
                let dim = match rule {
                    ShapeRule::Join => failed.args.get(1).and_then(Arg::number),
                    _ => None,
                };
                let (left, axis, right, place) = joined(failed.args.first()?.tensors(), dim)?;
                let (clash, places) = (Some((axis, axis)), (0, place));
                return Some(ClashingPair { rule, left, right, clash, places });
            }
            _ => return None,
        };
        let (left, right) = (argument(places.0)?, argument(places.1)?);
        let clash = clash(left.shape(), right.shape());
        Some(ClashingPair { rule, left, right, clash, places })
    }

    fn is_joined(&self) -> bool {
        matches!(self.rule, ShapeRule::Join | ShapeRule::Stack)
    }

    fn names(&self, evidence: &Evidence) -> [Name; 2] {
        let other = |word: &str| Name::Variable(word.to_owned());
        [
            called(&self.left, self.places.0, evidence, other("left")),
            called(&self.right, self.places.1, evidence, other("right")),
        ]
    }

    /// The sizes of the last two axes of the first operand, `a`, as code: inside a function they are another text's next time.
    fn sizes(&self, a: &Name, evidence: &Evidence) -> [String; 2] {
        let in_function =
            evidence.case.raised.frames.last().is_some_and(|frame| frame.function != "<module>");
        let (shape, count) = (self.left.shape(), self.left.ndim());
        [-2_isize, -1].map(|at| match (in_function, a) {
            (true, Name::Variable(name)) => format!("{name}.shape[{at}]"),
            _ => shape[count.saturating_add_signed(at)].to_string(),
        })
    }

    /// For each operand that is the `.T` of more than two axes: what it is of, and its name.
    fn reversed(&self, evidence: &Evidence) -> [Option<(Name, Tensor)>; 2] {
        [(&self.left, self.places.0), (&self.right, self.places.1)].map(|(tensor, place)| {
            let record = tensor.origin().filter(|record| record.operation.shapes == ShapeRule::Reversed)?;
            let base = record.args().first()?.tensor().filter(|base| base.ndim() > 2)?.clone();
            let written = evidence.written.get(place).and_then(|name| {
                Some(Name::Code(name.to_string().strip_suffix(".T")?.to_owned(), Binding::Primary))
            });
            let name = match written {
                Some(written) if !evidence.names.knows(&base) => written,
                _ => evidence.names.of(&base),
            };
            Some((name, base))
        })
    }

    /// Changes that work, tried on zeros of these shapes.
    fn fixes(&self, failed: &Failed, evidence: &Evidence) -> Vec<Fix> {
        if self.is_joined() {
            return self.joins(failed, evidence);
        }
        let Some(mut trial) = Trial::new(failed, self.places) else { return Vec::new() };
        let zeros = (trial.scratch.zeros(&self.left), trial.scratch.zeros(&self.right));
        let (Some(left), Some(right)) = zeros else { return Vec::new() };
        let [a, b] = self.names(evidence);
        let reversed = self.reversed(evidence);
        if reversed.iter().any(Option::is_some) {
            for is_turned in [true, false] {
                let without = |at: usize, name: &Name, tensor: &Tensor| {
                    let Some((base, whole)) = &reversed[at] else {
                        return Some((name.clone(), tensor.clone()));
                    };
                    let zeros = trial.scratch.zeros(whole)?;
                    match is_turned {
                        true => turned(&zeros).map(|(by, turned)| (base.clone().transposed(by), turned)),
                        false => Some((base.clone(), zeros)),
                    }
                };
                let operands = (without(0, &a, &left), without(1, &b, &right));
                let (Some((a, left)), Some((b, right))) = operands else { break };
                let reason = if is_turned { "exchanges the last two axes alone" } else { "" };
                if trial.offer([(&a, &left), (&b, &right)], reason) {
                    break;
                }
            }
            return trial.found;
        }
        match self.rule {
            ShapeRule::MatrixProduct(..)
                if [&self.left, &self.right].into_iter().any(has_heads_after_tokens) =>
            {
                let moved = |whole: &Tensor, name: &Name, zeros: &Tensor| match has_heads_after_tokens(whole)
                {
                    true => {
                        let layout = zeros.layout().transpose(1, 2);
                        (name.clone().transposed(Transposition::of(1, 2)), zeros.with_layout(layout))
                    }
                    false => (name.clone(), zeros.clone()),
                };
                let (a, left) = moved(&self.left, &a, &left);
                let (b, right) = moved(&self.right, &b, &right);
                let turned = turned(&right).map(|(by, turned)| (b.clone().transposed(by), turned));
                let mut rights = [Some((b, right.clone())), turned];
                if left.shape() == right.shape() {
                    rights.reverse();
                }
                let reason = "the heads before the tokens";
                let fits = |(b, right): &(Name, Tensor)| trial.offer([(&a, &left), (b, right)], reason);
                rights.iter().flatten().any(fits);
            }
            ShapeRule::MatrixProduct(..) => {
                let same = left.shape() == right.shape() && left.ndim() == 2;
                let meets =
                    if same { format!("every row of {a} meets every row of {b}") } else { String::new() };
                let fits = turned(&right).is_some_and(|(by, turned)| {
                    trial.offer([(&a, &left), (&b.clone().transposed(by), &turned)], &meets)
                });
                if !fits {
                    if let Some((by, turned)) = turned(&left) {
                        trial.offer([(&a.clone().transposed(by), &turned), (&b, &right)], "");
                    }
                    trial.offer([(&b, &right), (&a, &left)], "the other way round");
                }
                if failed.op.operator() != Some(Sign::MatMul) {
                    let reason = format!("@ takes what {} does not", failed.op.name);
                    trial.multiply([(&a, &left), (&b, &right)], &reason);
                }
            }
            ShapeRule::LastAxes(..) => {
                if let Some((by, turned)) = turned(&left) {
                    trial.offer([(&a.clone().transposed(by), &turned), (&b, &right)], "");
                }
            }
            _ => {
                if self.is_padding(&mut trial, [(&a, &left), (&b, &right)]) {
                    return trial.found;
                }
                if failed.op.operator() == Some(Sign::Mul) {
                    let reason = "* multiplies element by element, @ multiplies matrices";
                    trial.multiply([(&a, &left), (&b, &right)], reason);
                }
                // Scores of the heads of one token: the tokens, as many as the mask has, are still before the heads.
                if let &[_, tokens, heads, others] = left.shape()
                    && heads == others
                    && heads != tokens
                    && right.shape() == [tokens, tokens]
                {
                    let code =
                        ".transpose(1, 2) of queries, keys and values, before their product".to_owned();
                    let shapes = format!("scores (b,{heads},{tokens},{tokens})");
                    return vec![Fix { code, shapes, reason: "the heads before the tokens".to_owned() }];
                }
                // A mask that is too large is cut; one that is too small cannot be fixed here.
                if let Some((text, cut)) = cut(&right, &left, self.sizes(&a, evidence)) {
                    trial.offer([(&a, &left), (&b.clone().suffixed(text), &cut)], "");
                }
                for (axis, suffix, wider) in widened(&right) {
                    trial.offer([(&a, &left), (&wide_name(&self.right, &b, axis, suffix), &wider)], "");
                }
                for (axis, suffix, wider) in widened(&left) {
                    trial.offer([(&wide_name(&self.left, &a, axis, suffix), &wider), (&b, &right)], "");
                }
                if let Some((by, turned)) = turned(&right) {
                    trial.offer([(&a, &left), (&b.clone().transposed(by), &turned)], "");
                }
            }
        }
        trial.found.truncate(2);
        trial.found
    }

    /// Offers a mask of tokens for each text, widened to scores. Whether it can be nothing else.
    fn is_padding(&self, trial: &mut Trial, [(a, left), (b, right)]: [(&Name, &Tensor); 2]) -> bool {
        let widened = |mask: &Tensor, name: &Name, scores: &Tensor, zeros: &Tensor| {
            let suffix = padding(mask.shape(), scores.shape())?;
            let mut shape = zeros.shape().to_vec();
            let last = shape.len() - 1;
            shape[1..last].fill(1);
            Some((name.clone().suffixed(suffix), Tensor::zeros(shape, mask.dtype()).ok()?))
        };
        let reason = "the same keys for every query of a text";
        if let Some((name, wide)) = widened(&self.right, b, &self.left, left) {
            return trial.offer([(a, left), (&name, &wide)], reason) && self.right.dtype() == DType::Bool;
        }
        if let Some((name, wide)) = widened(&self.left, a, &self.right, right) {
            return trial.offer([(&name, &wide), (b, right)], reason) && self.left.dtype() == DType::Bool;
        }
        false
    }

    /// Other dimensions to join along.
    fn joins(&self, failed: &Failed, evidence: &Evidence) -> Vec<Fix> {
        let Some(tensors) = failed.args.first().map(|arg| arg.tensors().to_vec()) else { return Vec::new() };
        let scratch = ScratchShapes::new(&tensors);
        let zeros: Option<Vec<Tensor>> = tensors.iter().map(|tensor| scratch.zeros(tensor)).collect();
        let Some(zeros) = zeros else { return Vec::new() };
        let name = |(at, tensor)| called(tensor, at, evidence, Name::Elided);
        let names: Vec<Name> = tensors.iter().enumerate().map(name).collect();
        let list = if names.len() > 4 { Name::List(vec![Name::Elided]) } else { Name::List(names.clone()) };
        let mut found = Vec::new();
        for dim in 0..tensors[0].ndim() {
            let args = vec![Arg::Tensors(zeros.clone()), Arg::Int(dim as i64)];
            if failed.instead("cat", 0, args).is_ok() {
                let size: usize = tensors.iter().map(|tensor| tensor.shape()[dim]).sum();
                let mut shape = tensors[0].shape().to_vec();
                shape[dim] = size;
                let code = format!("torch.cat({list}, dim={dim})");
                found.push(Fix { code, shapes: format!("-> {}", tuple(&shape)), reason: String::new() });
            }
        }
        if found.is_empty()
            && let [first, second] = zeros.as_slice()
            && let Some((by, turned)) = turned(second)
        {
            let mut args = vec![Arg::Tensors(vec![first.clone(), turned])];
            args.extend(failed.args.iter().skip(1).cloned());
            if failed.again(args).is_ok() {
                let list = Name::List(vec![names[0].clone(), names[1].clone().transposed(by)]);
                let code = format!("torch.{}({list})", failed.op.name);
                found.push(Fix::new(code, ""));
            }
        }
        found
    }
}

/// Tries fixes on zeros and keeps those that work.
struct Trial<'t> {
    failed: &'t Failed,
    places: (usize, usize),
    scratch: ScratchShapes,
    zeros: Vec<Arg>,
    found: Vec<Fix>,
    most: usize,
}

impl<'t> Trial<'t> {
    fn new(failed: &'t Failed, places: (usize, usize)) -> Option<Trial<'t>> {
        let scratch = ScratchShapes::new(failed.args.iter().flat_map(Arg::tensors));
        let zeros = scratch.args(&failed.args)?;
        let most = failed.args.iter().flat_map(Arg::tensors).map(Tensor::ndim).max().unwrap_or(0);
        Some(Trial { failed, places, scratch, zeros, found: Vec::new(), most })
    }

    /// Tries the call with these in place of its operands; keeps it as a fix where it works.
    fn offer(&mut self, operands: [(&Name, &Tensor); 2], reason: &str) -> bool {
        let mut args = self.zeros.clone();
        args[self.places.0] = Arg::Tensor(operands[0].1.clone());
        args[self.places.1] = Arg::Tensor(operands[1].1.clone());
        let Ok(Value::Tensor(result)) = self.failed.again(args) else { return false };
        // A fix should not add a dimension to the result.
        if result.ndim() > self.most {
            return false;
        }
        // A write in place cannot change the shape of its target.
        if self.failed.in_place && result.shape() != operands[0].1.shape() {
            return false;
        }
        let [(a, _), (b, _)] = operands;
        let operator = self.failed.op.operator();
        let code = match operator {
            _ if self.failed.op.explanation == Explanation::Linear => a.to_string(),
            Some(sign) if self.failed.in_place => format!("{a} {}= {b}", sign.code()),
            Some(sign) => format!("{a} {} {b}", sign.code()),
            None => self.call(a, b),
        };
        let between = operator.map_or("with", Sign::code);
        self.keep(code, between, [operands[0].1, operands[1].1, &result], reason);
        true
    }

    /// The call with these names for its two operands, its numbers as they were.
    fn call(&self, a: &Name, b: &Name) -> String {
        let name = self.failed.op.called(self.failed.in_place);
        let is_method = self.failed.row().is_in(METHOD);
        let mut given = Vec::new();
        for (at, arg) in self.failed.args.iter().enumerate() {
            given.push(match arg {
                _ if at == self.places.0 => a.to_string(),
                _ if at == self.places.1 => b.to_string(),
                Arg::Float(number) if number.is_infinite() => {
                    format!("{}torch.inf", if *number < 0.0 { "-" } else { "" })
                }
                Arg::Float(number) => format!("{number:?}"),
                Arg::Int(number) => number.to_string(),
                Arg::Bool(true) => "True".to_owned(),
                Arg::Bool(false) => "False".to_owned(),
                Arg::None => continue,
                _ => "...".to_owned(),
            });
        }
        // Trailing arguments that are False by default are left out.
        while given.last().is_some_and(|last| last == "False") {
            given.pop();
        }
        match is_method && self.places.0 == 0 {
            true => format!("{}.{name}({})", a.within(Binding::Primary), given[1..].join(", ")),
            false => format!("torch.{name}({})", given.join(", ")),
        }
    }

    /// Tries the matrix product in place of the call.
    fn multiply(&mut self, operands: [(&Name, &Tensor); 2], reason: &str) {
        let args = operands.iter().map(|(_, tensor)| Arg::Tensor((*tensor).clone())).collect();
        if let Ok(Value::Tensor(result)) = self.failed.instead("matmul", 0, args) {
            let code = format!("{} @ {}", operands[0].0, operands[1].0);
            self.keep(code, "@", [operands[0].1, operands[1].1, &result], reason);
        }
    }

    fn keep(&mut self, code: String, between: &str, tensors: [&Tensor; 3], reason: &str) {
        let sizes = tensors.map(|tensor| self.scratch.shape(tensor).map(|shape| tuple(&shape)));
        let shapes = match sizes {
            [Some(left), Some(right), Some(result)] => format!("{left} {between} {right} -> {result}"),
            _ => String::new(),
        };
        let fix = Fix { code, shapes, reason: reason.to_owned() };
        if !self.found.contains(&fix) {
            self.found.push(fix);
        }
    }
}

/// The batch axes of a matrix product that do not fit, or else the axes inside of it that should be equal.
fn product(left: &[usize], right: &[usize]) -> Option<(usize, usize)> {
    let a = left.len().checked_sub(1)?;
    let b = if right.len() == 1 { 0 } else { right.len().checked_sub(2)? };
    let (lead_a, lead_b) = (left.len().saturating_sub(2), right.len().saturating_sub(2));
    // PyTorch's message speaks of the batch axes where both clash.
    let batch = broadcast(&left[..lead_a], &right[..lead_b]);
    batch.or_else(|| (left[a] != right[b]).then_some((a, b)))
}

fn last(left: &[usize], right: &[usize]) -> Option<(usize, usize)> {
    let (a, b) = (left.len().checked_sub(1)?, right.len().checked_sub(1)?);
    (left[a] != right[b]).then_some((a, b))
}

/// The index that makes a mask (B, S) one of scores (B, T, S) or (B, H, T, S), if it has these sizes.
pub(super) fn padding(mask: &[usize], scores: &[usize]) -> Option<&'static str> {
    match (mask, scores) {
        ([texts, keys], [batch, _, last]) if (texts, keys) == (batch, last) => Some("[:, None, :]"),
        ([texts, keys], [batch, _, _, last]) if (texts, keys) == (batch, last) => Some("[:, None, None, :]"),
        _ => None,
    }
}

/// The first axes from the right that are neither equal nor 1.
pub(super) fn broadcast(left: &[usize], right: &[usize]) -> Option<(usize, usize)> {
    let pairs = (1..=left.len().min(right.len())).map(|back| (left.len() - back, right.len() - back));
    pairs.into_iter().find(|&(a, b)| left[a] != right[b] && left[a] != 1 && right[b] != 1)
}

/// The first tensor of a list, the axis in which another differs from it, that other and its place.
fn joined(tensors: &[Tensor], dim: Option<f64>) -> Option<(Tensor, usize, Tensor, usize)> {
    let first = tensors.first()?;
    let dim = dim.map(|dim| if dim < 0.0 { dim + first.ndim() as f64 } else { dim } as usize);
    let other = tensors.iter().enumerate().find_map(|(at, tensor)| {
        let shapes = first.shape().iter().zip(tensor.shape()).enumerate();
        let axis = shapes.filter(|(axis, _)| Some(*axis) != dim).find(|(_, (a, b))| a != b)?.0;
        Some((tensor.clone(), axis, at))
    });
    let (other, axis, at) = other?;
    Some((first.clone(), axis, other, at))
}

/// Whether a view split the last axis of (batch, tokens, width) into heads, and nothing moved them before the tokens.
fn has_heads_after_tokens(tensor: &Tensor) -> bool {
    let Some(record) = tensor.origin().filter(|record| record.operation.shapes == ShapeRule::Reshaped) else {
        return false;
    };
    let args = record.args();
    let base = args.first().and_then(Arg::tensor).map_or(&[][..], Tensor::shape);
    tensor.ndim() == 4 && base.len() == 3 && base[..2] == tensor.shape()[..2]
}

/// The last two dimensions exchanged, and how that is written.
fn turned(tensor: &Tensor) -> Option<(Transposition, Tensor)> {
    let ndim = tensor.ndim();
    let layout = (ndim >= 2).then(|| tensor.layout().transpose(ndim - 2, ndim - 1))?;
    let by = if ndim == 2 { Transposition::matrix() } else { Transposition::of(-2, -1) };
    Some((by, tensor.with_layout(layout)))
}

/// The name of a tensor with a new dimension: one that a reduction has just dropped, it keeps.
fn wide_name(tensor: &Tensor, name: &Name, axis: usize, suffix: String) -> Name {
    let drops = |record: Rc<Record>| {
        let Some(&Arg::Int(dim)) = record.args().get(1) else { return false };
        let dim = if dim < 0 { dim + tensor.ndim() as i64 + 1 } else { dim };
        record.operation.shapes == ShapeRule::Reduced && dim == axis as i64
    };
    let call = match name {
        Name::Code(code, _) if tensor.origin().is_some_and(drops) => code.strip_suffix(')'),
        _ => None,
    };
    match call {
        Some(call) => Name::Code(format!("{call}, keepdim=True)"), Binding::Primary),
        None => name.clone().suffixed(suffix),
    }
}

/// The tensor with a new dimension of size 1, at each place: the axis and the suffix that says so.
fn widened(tensor: &Tensor) -> Vec<(usize, String, Tensor)> {
    let ndim = tensor.ndim();
    let places = (0..=ndim).rev().map(|axis| {
        let text = if axis == ndim { ".unsqueeze(-1)".to_owned() } else { format!(".unsqueeze({axis})") };
        (axis, text, tensor.with_layout(tensor.layout().unsqueeze(axis)))
    });
    let mut places: Vec<_> = places.filter(|_| ndim < 4).collect();
    if ndim == 1 {
        let size = tensor.shape()[0];
        let column = Layout { shape: smallvec![size, 1, 1], strides: smallvec![1, 1, 1], offset: 0 };
        places.push((ndim, ".view(-1, 1, 1)".to_owned(), tensor.with_layout(column)));
    }
    places
}

/// The first rows and columns of a mask that is larger than what it masks; `sizes` says how many in code.
fn cut(mask: &Tensor, masked: &Tensor, sizes: [String; 2]) -> Option<(String, Tensor)> {
    let (have, want) = (mask.shape(), masked.shape());
    if have.len() != 2 || want.len() < 2 || mask.dtype() != DType::Bool {
        return None;
    }
    let (rows, columns) = (want[want.len() - 2], want[want.len() - 1]);
    if have[0] < rows || have[1] < columns {
        return None;
    }
    let text = format!("[:{}, :{}]", sizes[0], sizes[1]);
    Some((text, mask.with_layout(mask.layout().slice(0, 0, rows, 1).slice(1, 0, columns, 1))))
}
