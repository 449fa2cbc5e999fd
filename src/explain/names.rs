//! The names of tensors and their elements in a session: variables, parts of variables, or the expression that made a
//! tensor; and the lesson's names for axes and tokens.

use std::collections::HashSet;
use std::rc::Rc;

use super::code::CellSources;
use super::name::{Name, Transposition};
use super::storage_element::StorageElement;
use crate::ops::table;
use crate::tensor::descriptor::{OpNotation, ShapeRule, Sign};
use crate::tensor::explanation::{CastTo, ConstantKind, Explanation, Movement};
use crate::tensor::{Arg, Descriptor, Record, Site, Tensor};

/// The names that are bound in a session.
#[derive(Default, Debug)]
pub struct TensorNames {
    bound: Vec<(String, Tensor)>,
    counters: Vec<String>,
    code: CellSources,
    axes: Vec<(String, Vec<String>)>,
    tokens: Vec<String>,
}

/// The position of an element along one axis, in the lesson's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AxisPlace {
    /// The axis: `query`.
    pub(crate) axis: String,
    /// The index along it.
    pub(crate) at: usize,
    /// The token at that index: `journey`.
    pub(crate) token: Option<String>,
}

/// A tensor to which a function gave a name.
#[derive(Clone, Debug)]
pub(crate) struct LocalTensor {
    /// The function: `CausalAttention.forward`.
    pub(crate) function: String,
    /// The name in it: `attn_scores`.
    pub(crate) name: String,
    /// The tensor.
    pub(crate) tensor: Tensor,
}

/// How many operations deep an expression is spelled out.
const DEPTH: usize = 3;

/// The longest operand that is shown as it is written in a call.
const SHORT: usize = 32;

/// The name of a tensor that no variable holds and no recorded operation made.
pub(crate) const UNKNOWN: Name = Name::Words("a tensor");

/// How many views of views are followed to the tensor that owns the elements.
const VIEWS: usize = 32;

impl TensorNames {
    /// The names of these variables.
    pub fn new(variables: impl IntoIterator<Item = (String, Tensor)>) -> TensorNames {
        TensorNames { bound: variables.into_iter().collect(), ..TensorNames::default() }
    }

    /// Adds the cells' sources, for names inside functions and names that only loops bind.
    pub fn with_code(mut self, cells: impl IntoIterator<Item = (String, String)>) -> TensorNames {
        self.code = CellSources::new(cells);
        self.counters = self.code.counters();
        let counters = &self.counters;
        self.bound.sort_by_key(|(name, _)| counters.contains(name));
        self
    }

    /// Adds the lesson's names for axes, and its tokens.
    pub fn with_axes(
        mut self,
        axes: impl IntoIterator<Item = (String, Vec<String>)>,
        tokens: Vec<String>,
    ) -> TensorNames {
        self.axes = axes.into_iter().collect();
        self.tokens = tokens;
        self
    }

    /// The variable of this name.
    pub fn get(&self, name: &str) -> Option<&Tensor> {
        self.bound.iter().find(|(bound, _)| bound == name).map(|(_, tensor)| tensor)
    }

    /// All names, loop variables last.
    pub(crate) fn all(&self) -> impl Iterator<Item = &str> {
        self.bound.iter().map(|(name, _)| name.as_str())
    }

    /// The names of the axes of a variable, as the lesson gives them; of a tensor inside a class, those without the axes
    /// of the batch and of the heads. Empty if it names none.
    pub(crate) fn axes_of(&self, name: &str) -> &[String] {
        self.axes.iter().find(|(named, _)| named == name).map(|(_, axes)| axes.as_slice()).unwrap_or_default()
    }

    /// The names of axes that the lesson uses.
    pub(crate) fn axis_names(&self) -> impl Iterator<Item = &str> {
        self.axes.iter().flat_map(|(_, axes)| axes.iter().map(String::as_str)).chain(["batch", "head"])
    }

    /// Whether only loops bind this name.
    pub(crate) fn is_counter(&self, name: &str) -> bool {
        self.counters.iter().any(|counter| counter == name)
    }

    /// The lesson's tokens.
    pub(crate) fn tokens(&self) -> &[String] {
        &self.tokens
    }

    /// The tensors that functions gave a name to, as far as the tensors of the session were computed from them: those of
    /// an earlier call first.
    pub(crate) fn locals(&self) -> Vec<LocalTensor> {
        let mut found: Vec<LocalTensor> = Vec::new();
        let mut seen: HashSet<*const Record> = HashSet::new();
        let mut open: Vec<(Tensor, bool)> =
            self.bound.iter().rev().map(|(_, tensor)| (tensor.clone(), false)).collect();
        while let Some((tensor, is_done)) = open.pop() {
            let made = || tensor.storage().made().map(|made| made.record);
            let Some(record) = tensor.origin().or_else(made) else { continue };
            if is_done {
                let function = record.site.as_ref().and_then(|site| self.code.function(site));
                let name = self.local(&tensor);
                if let (Some(function), Some(name)) = (function, name) {
                    found.push(LocalTensor { function, name, tensor });
                }
            } else if seen.insert(Rc::as_ptr(&record)) {
                open.push((tensor, true));
                let args = record.args();
                let operands: Vec<Tensor> = args.iter().flat_map(Arg::tensors).cloned().collect();
                open.extend(operands.into_iter().rev().map(|operand| (operand, false)));
            }
        }
        found
    }

    /// The line that called an operation, as the learner wrote it.
    pub(crate) fn line(&self, site: &Site) -> Option<String> {
        self.code.line(site)
    }

    /// The name of a tensor: a variable, a part of one, or an expression of variables.
    pub(crate) fn of(&self, tensor: &Tensor) -> Name {
        self.known(tensor).unwrap_or_else(|| self.expression(tensor, DEPTH))
    }

    /// Whether a tensor has a name without an expression being spelled out.
    pub(crate) fn knows(&self, tensor: &Tensor) -> bool {
        self.known(tensor).is_some()
    }

    /// The name of an operand of a call: its own, else as the learner wrote it in the call, else its expression.
    pub(crate) fn operand(&self, record: &Record, place: usize, tensor: &Tensor) -> Name {
        let written = || self.code.operand(record, place);
        let owned = || {
            let params = table::row_of(record.operation)?.params().get(record.form)?;
            let part = params.get(place)?.name;
            let is_parameter = matches!(part, "weight" | "bias");
            let module = self.code.module(record).filter(|_| is_parameter)?;
            Some(Name::Variable(format!("{module}.{part}")))
        };
        let known = match on_one_line(tensor, Some(record)) {
            true => self.bound_to(tensor),
            false => self.known(tensor),
        };
        let short = |name: &Name| name.to_string().len() <= SHORT;
        let known = known.or_else(|| written().filter(short)).or_else(owned);
        known.unwrap_or_else(|| {
            let spelled = self.expression(tensor, DEPTH);
            // The call says more than an expression with a part left out, however long it is.
            if spelled.is_elided() { written().unwrap_or(spelled) } else { spelled }
        })
    }

    /// The name of a number among the arguments: as it is written in the call, where that says more than the number.
    pub(crate) fn number(&self, record: &Record, place: usize, value: &Arg) -> Name {
        self.code.number(record, place).unwrap_or_else(|| self.arg(value, 0))
    }

    /// The name of an element: `attn_scores[1,2]`.
    pub(crate) fn element(&self, element: &StorageElement) -> Name {
        self.element_in(element, None)
    }

    /// The name of an element in a call. A tensor that the same line made on the way does not have the line's name.
    pub(crate) fn element_in(&self, element: &StorageElement, by: Option<&Record>) -> Name {
        let (name, seen) = self.named(element, by).map_or_else(
            |seen| (self.expression(&seen, DEPTH), seen),
            |(name, seen)| (Name::Variable(name), seen),
        );
        name.element(&seen.layout().index_of(element.at).unwrap_or_default())
    }

    /// The variable that an element belongs to, with its tensor: one that is bound, or one that is or was local to a
    /// function. `None`: it belongs to an expression that has no name.
    pub(crate) fn variable(&self, element: &StorageElement) -> Option<(String, Tensor)> {
        self.named(element, None).ok()
    }

    /// The variable that an element belongs to, in a call. Error: there is none; the tensor that the element's views
    /// are views of.
    fn named(&self, element: &StorageElement, by: Option<&Record>) -> Result<(String, Tensor), Tensor> {
        let tensor = &element.tensor;
        if let Some((name, bound)) = self.holder(element) {
            return Ok((name.to_owned(), bound.clone()));
        }
        let mut seen = tensor.clone();
        for _ in 0..VIEWS {
            if let Some(name) = self.local(&seen).filter(|_| !on_one_line(&seen, by)) {
                return Ok((name, seen));
            }
            match base_of(&seen) {
                Some(base) => seen = base,
                None => break,
            }
        }
        if let Some(made) = tensor.storage().made()
            && let Some(name) = self.code.assigned(&made.record)
            && by.is_none_or(|by| by.site.is_none() || by.site != made.record.site)
            && made.layout().index_of(element.at).is_some()
        {
            return Ok((name, tensor.with_layout(made.layout())));
        }
        Err(seen)
    }

    /// The position of an element along each axis that the lesson names; empty if it names none.
    pub(crate) fn place(&self, element: &StorageElement) -> Vec<AxisPlace> {
        let local = || self.local(&element.tensor).map(|name| (name, element.tensor.clone()));
        let holder = self.holder(element).map(|(name, bound)| (name.to_owned(), bound.clone()));
        let Some((name, bound)) = holder.or_else(local) else { return Vec::new() };
        let Some((_, axes)) = self.axes.iter().find(|(named, _)| *named == name) else { return Vec::new() };
        let Some(index) = bound.layout().index_of(element.at).filter(|index| index.len() >= axes.len())
        else {
            return Vec::new();
        };
        // In a class, the axes of the batch and of heads come before those that the lesson names.
        let skip = index.len() - axes.len();
        if skip > 0 && self.get(&name).is_some_and(|bound| bound.storage().same(element.tensor.storage())) {
            return Vec::new();
        }
        let (index, sizes) = (index[skip..].to_vec(), bound.shape()[skip..].to_vec());
        let place = |(axis, (at, size)): (&String, (usize, &usize))| {
            let of_tokens = matches!(axis.as_str(), "token" | "query" | "key") && *size == self.tokens.len();
            AxisPlace { axis: axis.clone(), at, token: of_tokens.then(|| self.tokens[at].clone()) }
        };
        axes.iter().zip(index.into_iter().zip(&sizes)).map(place).collect()
    }

    /// The variable that names an element, and its tensor.
    fn holder(&self, element: &StorageElement) -> Option<(&str, &Tensor)> {
        let tensor = &element.tensor;
        let exact = self.bound.iter().find(|(_, bound)| bound.is(tensor));
        let sees = |bound: &&(String, Tensor)| {
            bound.1.storage().same(tensor.storage()) && bound.1.layout().contains(element.at)
        };
        // The largest variable that contains it; of equally large ones, the first that was bound.
        let widest = || self.bound.iter().filter(sees).rev().max_by_key(|(_, bound)| bound.numel());
        let exact = exact.filter(|(name, _)| !self.counters.contains(name));
        exact.or_else(widest).map(|(name, bound)| (name.as_str(), bound))
    }

    /// What a line adds in place, as it is written.
    pub(crate) fn added(&self, record: &Record) -> Option<String> {
        self.code.added(record)
    }

    fn known(&self, tensor: &Tensor) -> Option<Name> {
        self.bound_to(tensor).or_else(|| self.local(tensor).map(Name::Variable))
    }

    /// The variable that a tensor is bound to, or is part of.
    fn bound_to(&self, tensor: &Tensor) -> Option<Name> {
        let variable = |name: &str| Name::Variable(name.to_owned());
        let same = |bound: &&(String, Tensor)| bound.1.is(tensor) && !self.counters.contains(&bound.0);
        if let Some((name, _)) = self.bound.iter().find(same) {
            return Some(variable(name));
        }
        let sharing = || self.bound.iter().filter(|(_, bound)| bound.storage().same(tensor.storage()));
        // A row of a matrix is named as a row even if another variable is that row.
        let mut wide: Vec<&(String, Tensor)> = sharing().collect();
        wide.sort_by_key(|(_, bound)| std::cmp::Reverse(bound.ndim()));
        let alike =
            || sharing().find(|(_, bound)| bound.layout() == tensor.layout()).map(|(name, _)| variable(name));
        let part = || wide.iter().find_map(|(name, bound)| part_of(variable(name), bound, tensor));
        part().or_else(alike)
    }

    /// The name that its statement gave it, which may be local to a function.
    fn local(&self, tensor: &Tensor) -> Option<String> {
        let made = || {
            let made = tensor.storage().made().filter(|made| made.layout() == *tensor.layout())?;
            self.code.assigned(&made.record)
        };
        tensor.origin().and_then(|origin| self.code.assigned(&origin)).or_else(made)
    }

    /// The operation that made a tensor, applied to the names of its operands, so many operations deep.
    fn expression(&self, tensor: &Tensor, depth: usize) -> Name {
        let Some(record) = tensor.origin() else { return UNKNOWN };
        let args = record.args();
        let operation = record.operation;
        if depth == 0 || args.is_empty() {
            return Name::Call(operation.name, Box::new(Name::Elided));
        }
        let name = |at: usize| match args.get(at) {
            Some(number) if number.number().is_some() => self.number(&record, at, number),
            Some(arg) => self.arg(arg, depth - 1),
            None => Name::Value(String::new()),
        };
        if record.in_place && keeps_its_target(operation) {
            return name(0);
        }
        match operation.notation {
            OpNotation::Infix(sign) | OpNotation::Symbol(sign) if args.len() >= 2 => {
                return Name::Infix(Box::new(name(0)), sign, Box::new(name(1)));
            }
            OpNotation::Prefix(sign) => return Name::Prefix(sign, Box::new(name(0))),
            OpNotation::Subscript => return Name::ElidedPart(Box::new(name(0))),
            OpNotation::Infix(_) | OpNotation::Symbol(_) | OpNotation::Call | OpNotation::Attribute => {}
        }
        match (operation.shapes, args.get(1), args.get(2)) {
            (ShapeRule::Reversed, ..) => return name(0).transposed(Transposition::matrix()),
            (ShapeRule::Swapped, Some(Arg::Int(a)), Some(Arg::Int(b))) => {
                return name(0).transposed(Transposition::of(*a, *b));
            }
            _ => {}
        }
        match (operation.explanation, operation.shapes) {
            (Explanation::Linear, _) => {
                let weight = name(1).transposed(Transposition::matrix());
                Name::Infix(Box::new(name(0)), Sign::MatMul, Box::new(weight))
            }
            // The same elements in the same order have the same name.
            (Explanation::Copy | Explanation::Cast(CastTo::Asked), ShapeRule::Same | ShapeRule::Reshaped) => {
                name(0)
            }
            (Explanation::Cast(CastTo::Named), _) => name(0).suffixed(format!(".{}()", operation.name)),
            // Parts with one axis less are the elements along that axis.
            (Explanation::Moved(Movement::Part), _)
                if args[0].tensor().is_some_and(|whole| whole.ndim() == tensor.ndim() + 1) =>
            {
                name(0).suffixed(format!("[{}]", tensor.output_index()))
            }
            _ => Name::Call(operation.name, Box::new(name(0))),
        }
    }

    fn arg(&self, arg: &Arg, depth: usize) -> Name {
        Name::Value(match arg {
            Arg::Tensor(tensor) => {
                return self.known(tensor).unwrap_or_else(|| self.expression(tensor, depth));
            }
            Arg::Tensors(tensors) => {
                let list = Name::List(tensors.iter().take(3).map(|tensor| self.of(tensor)).collect());
                match tensors.len() <= 3 && list.to_string().len() <= 42 {
                    true => return list,
                    false => format!("[{} tensors]", tensors.len()),
                }
            }
            Arg::Int(value) => value.to_string(),
            Arg::Float(value) => super::terms::figure(*value),
            Arg::Bool(value) => if *value { "True" } else { "False" }.to_owned(),
            Arg::Str(text) => format!("'{text}'"),
            Arg::DType(dtype) => dtype.name().to_owned(),
            Arg::Ints(values) => {
                let texts: Vec<String> = values.iter().map(i64::to_string).collect();
                format!("({})", texts.join(", "))
            }
            _ => return Name::Elided,
        })
    }
}

/// Whether a tensor keeps its name after this operation wrote to it.
fn keeps_its_target(operation: &Descriptor) -> bool {
    matches!(
        operation.explanation,
        Explanation::Assignment
            | Explanation::CopyFrom
            | Explanation::MaskedFill
            | Explanation::Constant(ConstantKind::Fill)
    )
}

/// Whether a tensor was made on the line that calls this operation: a step on the way to what the line names.
fn on_one_line(tensor: &Tensor, by: Option<&Record>) -> bool {
    let Some(by) = by else { return false };
    let made = || tensor.storage().made().map(|made| made.record);
    let site = tensor.origin().or_else(made).and_then(|record| record.site.clone());
    site.is_some() && site == by.site
}

/// The tensor that a view is a view of.
fn base_of(tensor: &Tensor) -> Option<Tensor> {
    let record = tensor.origin()?;
    let base = record.args().first()?.tensor()?.clone();
    (base.storage().same(tensor.storage()) && !base.is(tensor)).then_some(base)
}

/// `name[i]`, `name[:, i]` or `name.T`, where a tensor is that part of a variable.
fn part_of(name: Name, bound: &Tensor, tensor: &Tensor) -> Option<Name> {
    let (whole, part) = (bound.layout(), tensor.layout());
    if whole == part {
        return None;
    }
    if whole.ndim() == 2 && *part == whole.transpose(0, 1) {
        return Some(name.transposed(Transposition::matrix()));
    }
    if part.ndim() + 1 == whole.ndim() {
        for axis in 0..whole.ndim() {
            let found = (0..whole.shape[axis]).find(|&at| whole.select(axis, at) == *part);
            if let Some(at) = found {
                return Some(name.suffixed(format!("[{}{at}]", ":, ".repeat(axis))));
            }
        }
    }
    if part.ndim() == 0 {
        let index = whole.index_of(part.offset)?;
        let texts: Vec<String> = index.iter().map(usize::to_string).collect();
        return Some(name.suffixed(format!("[{}]", texts.join(", "))));
    }
    None
}
