//! The names of tensors and their elements in a session: variables, parts of variables, or the expression that made a
//! tensor; and the lesson's names for axes and tokens.

use std::rc::Rc;

use super::code::CellSources;
use super::name::{Name, Transposition};
use super::rounds::Rounds;
use super::storage_element::{PastOperand, StorageElement};
use crate::ops::table;
use crate::tensor::descriptor::{OpFamily, OpNotation, ShapeRule, Sign};
use crate::tensor::explanation::{CastTo, ConstantKind, Explanation, Movement};
use crate::tensor::show::joined;
use crate::tensor::{Arg, Descriptor, Record, Site, Tensor};

/// The names that are bound in a session.
#[derive(Default)]
pub struct TensorNames {
    pub(super) bound: Vec<(String, Tensor)>,
    counters: Vec<String>,
    pub(super) code: CellSources,
    axes: Vec<(String, Vec<String>)>,
    tokens: Vec<String>,
}

/// The position of an element along one axis, in the lesson's words.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct AxisPlace {
    /// The axis: `query`.
    pub(crate) axis: String,
    /// The index along it.
    pub(crate) at: usize,
    /// The token at that index: `journey`.
    pub(crate) token: Option<String>,
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

    /// Whether only loops bind this name.
    pub(crate) fn is_counter(&self, name: &str) -> bool {
        self.counters.iter().any(|counter| counter == name)
    }

    /// The lesson's tokens.
    pub(crate) fn tokens(&self) -> &[String] {
        &self.tokens
    }

    /// The line that called an operation, as the learner wrote it.
    pub(crate) fn line(&self, site: &Site) -> Option<String> {
        self.code.line(site)
    }

    /// The name of a tensor: a variable, a part of one, or an expression of variables.
    pub(crate) fn of(&self, tensor: &Tensor) -> Name {
        self.known(tensor).unwrap_or_else(|| self.expression(tensor, DEPTH, &Rounds::default()))
    }

    /// Whether a tensor has a name without an expression being spelled out.
    pub(crate) fn knows(&self, tensor: &Tensor) -> bool {
        self.known(tensor).is_some()
    }

    /// The name of an operand of a call: its own, else as the learner wrote it in the call, else its expression.
    pub(crate) fn operand(&self, record: &Record, operand: &PastOperand) -> Name {
        let place = operand.place.0;
        let written = || self.code.operand(record, place).filter(|_| record.args()[place].tensor().is_some());
        let owned = || {
            let params = table::row_of(record.operation)?.params().get(record.form)?;
            let part = params.get(place)?.name;
            let is_parameter = matches!(part, "weight" | "bias");
            let module = self.code.module(record).filter(|_| is_parameter)?;
            Some(Name::Variable(format!("{module}.{part}")))
        };
        let known = self.known_in(record, operand);
        // Of an earlier round, the code does not say which one it was.
        let is_now = operand.rounds.values_since() == 0;
        let short = |name: &Name| is_now && name.to_string().len() <= SHORT;
        let known = known.or_else(|| written().filter(short)).or_else(owned);
        known.unwrap_or_else(|| {
            let spelled = self.expression(&operand.tensor, DEPTH, &operand.rounds);
            // The call says more than an expression with a part left out, however long it is.
            if spelled.is_elided() { written().unwrap_or(spelled) } else { spelled }
        })
    }

    /// The name of a number among the arguments: as it is written in the call, where that says more than the number.
    pub(crate) fn number(&self, record: &Record, place: usize, value: &Arg) -> Name {
        self.code.number(record, place).unwrap_or_else(|| value_name(value))
    }

    /// The variable that an operand of a call is, as the call names it. `None` if it is no variable there, or if a variable
    /// outside of the function says more.
    fn variable_in(&self, record: &Record, operand: &PastOperand) -> Option<String> {
        let (place, item) = operand.place;
        // An in-place operation keeps its target's name, which names the whole storage.
        let name = self.code.variable(record, place, item).filter(|_| !record.in_place || place > 0)?;
        let tensor = &operand.tensor;
        let is_own = match self.bound_to(tensor) {
            Some(Name::Variable(_)) => self.function(record).is_none(),
            Some(_) => false,
            None => match self.maker(tensor).filter(|_| !is_step(tensor, Some(record))) {
                // What another function calls it says more than a parameter, and less than a variable.
                Some((maker, _)) => {
                    self.function(&maker) == self.function(record) || self.code.binds(record, &name)
                }
                None => true,
            },
        };
        is_own.then_some(name)
    }

    /// The function that called an operation.
    fn function(&self, record: &Record) -> Option<String> {
        record.site.as_ref().and_then(|site| self.code.function(site))
    }

    /// The name of an operand of a call, without an expression being spelled out.
    fn known_in(&self, record: &Record, operand: &PastOperand) -> Option<Name> {
        let earlier = |name| Name::Variable(name).earlier(operand.rounds.values_since());
        let local = || self.local(&operand.tensor).filter(|_| !is_step(&operand.tensor, Some(record)));
        let variable = self.variable_in(record, operand).map(earlier);
        variable.or_else(|| self.bound_to(&operand.tensor)).or_else(|| local().map(earlier))
    }

    /// How many rounds of a loop before the explained element an operand of a call got its value.
    pub(crate) fn rounds(&self, record: &Record, operand: &PastOperand) -> Rounds {
        let tensor = &operand.tensor;
        let local = || self.local(tensor).filter(|_| !is_step(tensor, Some(record)));
        match self.variable_in(record, operand).or_else(local) {
            Some(name) => self.code.rounds(record, &name, &operand.rounds),
            None => operand.rounds.clone(),
        }
    }

    /// The name of an element of an operand of a call.
    pub(crate) fn element_of(&self, record: &Record, operand: &PastOperand, index: &[usize]) -> Name {
        if let Some(name) = self.variable_in(record, operand) {
            return Name::Variable(name).earlier(operand.rounds.values_since()).element(index);
        }
        let element = operand.at(index);
        // Its name in the function that returned it says less than the call of that function.
        let is_foreign = |(_, seen, _): &(String, Tensor, Rounds)| {
            self.maker(seen).is_some_and(|(maker, _)| self.function(&maker) != self.function(record))
        };
        let is_returned = self.holder(&element).is_none()
            && self.named(&element, Some(record)).is_ok_and(|named| is_foreign(&named));
        let returned = || self.code.returned(record, operand.place, operand.tensor.origin().as_deref());
        match is_returned.then(returned).flatten() {
            Some(call) if operand.rounds.is_now(&call.to_string()) => call.element(index),
            _ => self.element_in(&element, Some(record)),
        }
    }

    /// An element of an operand of a call, in the tensor that has its name, with the round that this is of.
    pub(crate) fn source(&self, record: &Record, operand: &PastOperand, index: &[usize]) -> StorageElement {
        let element = operand.at(index);
        if self.variable_in(record, operand).is_some() || self.holder(&element).is_some() {
            return element;
        }
        match self.named(&element, Some(record)) {
            Ok((_, tensor, rounds)) if rounds != element.rounds => {
                StorageElement { tensor, rounds, ..element }
            }
            _ => element,
        }
    }

    /// The name of an element: `attn_scores[1,2]`.
    pub(crate) fn element(&self, element: &StorageElement) -> Name {
        self.element_in(element, None)
    }

    /// The name of an element in a call. A tensor that the same line made on the way does not have the line's name.
    fn element_in(&self, element: &StorageElement, by: Option<&Record>) -> Name {
        let writes = element.rounds.writes;
        let (name, seen) = match (self.holder(element), self.named(element, by)) {
            (Some((name, bound)), _) => (Name::Variable(name.to_owned()).earlier(writes), bound.clone()),
            (None, Ok((name, seen, rounds))) => {
                (Name::Variable(name).earlier(rounds.values_since() + writes), seen)
            }
            (None, Err(seen)) => (self.expression(&seen, DEPTH, &element.rounds), seen),
        };
        name.element(&seen.layout().index_of(element.at).unwrap_or_default())
    }

    /// The variable that an element belongs to, with its tensor: one that is bound, or one that is or was local to a
    /// function. `None`: it belongs to an expression that has no name.
    pub(crate) fn variable(&self, element: &StorageElement) -> Option<(String, Tensor)> {
        self.named(element, None).ok().map(|(name, tensor, _)| (name, tensor))
    }

    /// The variable that an element belongs to, in a call, with its tensor and the round that this is of. Error: there is
    /// none; the tensor that the element's views are views of.
    fn named(
        &self,
        element: &StorageElement,
        by: Option<&Record>,
    ) -> Result<(String, Tensor, Rounds), Tensor> {
        let tensor = &element.tensor;
        let mut rounds = element.rounds.clone();
        if let Some((name, bound)) = self.holder(element) {
            return Ok((name.to_owned(), bound.clone(), rounds));
        }
        let mut seen = tensor.clone();
        for _ in 0..VIEWS {
            if let Some(name) = self.local(&seen).filter(|_| !is_step(&seen, by)) {
                return Ok((name, seen, rounds));
            }
            let Some((record, base)) = base_of(&seen) else { break };
            let operand = PastOperand { rounds, ..PastOperand::of_version(base, element.time) };
            rounds = self.rounds(&record, &operand);
            // The function that calls names what it sees.
            let is_here = by.is_some_and(|by| self.function(by) == self.function(&record));
            if is_here && let Some(name) = self.variable_in(&record, &operand) {
                return Ok((name, operand.tensor, rounds));
            }
            seen = operand.tensor;
        }
        if let Some(made) = tensor.storage().made()
            && let Some(name) = self.code.assigned(&made.record)
            && !is_step_of(&made.record, by)
            && made.layout().index_of(element.at).is_some()
        {
            return Ok((name, tensor.with_layout(made.layout()), element.rounds.clone()));
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
        // In a class, the axes of the batch and of heads come before the axes that the lesson names.
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
        self.maker(tensor).map(|(_, name)| name)
    }

    /// The operation whose statement gave a tensor a name, and the name.
    pub(super) fn maker(&self, tensor: &Tensor) -> Option<(Rc<Record>, String)> {
        // A parameter that a library class made, or a part of one, is not the object that the statement names.
        let is_parameter = |record: &Record| {
            let is_made = matches!(record.operation.family, OpFamily::Creation | OpFamily::Random);
            record.in_place || is_made || tensor.is_leaf() && tensor.requires_grad()
        };
        let named = |record: Rc<Record>| {
            let name = self.code.assigned(&record)?;
            (!is_parameter(&record) || self.code.module(&record).is_none()).then_some((record, name))
        };
        let made = || tensor.storage().made().filter(|made| made.layout() == *tensor.layout());
        tensor.origin().and_then(named).or_else(|| named(made()?.record))
    }

    /// The operation that made a tensor, applied to the names of its operands, so many operations deep. It ran in this
    /// round of a loop.
    fn expression(&self, tensor: &Tensor, depth: usize, rounds: &Rounds) -> Name {
        let Some(record) = tensor.origin() else { return UNKNOWN };
        let args = record.args();
        let operation = record.operation;
        if args.is_empty() && operation.notation == OpNotation::Attribute {
            return Name::Variable(operation.name.to_owned());
        }
        // Python calls these functions by their signs.
        let is_sign = matches!(operation.notation, OpNotation::Attribute | OpNotation::Subscript);
        if depth == 0 && is_sign {
            return Name::Elided;
        }
        if depth == 0 || args.is_empty() {
            return Name::Call(operation.name, Box::new(Name::Elided));
        }
        let name = |at: usize| match args.get(at) {
            Some(number) if number.number().is_some() => self.number(&record, at, number),
            Some(arg) => self.arg(&record, at, arg, (depth - 1, rounds)),
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

    /// The name of an argument of a call that an expression spells out.
    fn arg(&self, record: &Record, place: usize, arg: &Arg, (depth, rounds): (usize, &Rounds)) -> Name {
        let named = |(item, tensor): (usize, &Tensor)| {
            let mut operand = PastOperand::of_version(tensor.clone(), u64::MAX);
            operand.place = (place, item);
            operand.rounds = rounds.clone();
            operand.rounds = self.rounds(record, &operand);
            let known = self.known_in(record, &operand);
            known.unwrap_or_else(|| self.expression(tensor, depth, &operand.rounds))
        };
        match arg {
            Arg::Tensor(tensor) => named((0, tensor)),
            Arg::Tensors(tensors) => {
                let list = Name::List(tensors.iter().take(3).enumerate().map(named).collect());
                match tensors.len() <= 3 && list.to_string().len() <= 42 {
                    true => list,
                    false => Name::Value(format!("[{} tensors]", tensors.len())),
                }
            }
            value => value_name(value),
        }
    }
}

/// The text of an argument that is no tensor.
fn value_name(value: &Arg) -> Name {
    Name::Value(match value {
        Arg::Int(value) => value.to_string(),
        Arg::Float(value) => super::terms::figure(*value),
        Arg::Bool(value) => if *value { "True" } else { "False" }.to_owned(),
        Arg::Str(text) => format!("'{text}'"),
        Arg::DType(dtype) => dtype.name().to_owned(),
        Arg::Ints(values) => format!("({})", joined(values, ", ")),
        _ => return Name::Elided,
    })
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

/// Whether the call of an operation, or a call in it, made a tensor: a step on the way to the operation's result.
pub(super) fn is_step(tensor: &Tensor, by: Option<&Record>) -> bool {
    let made = || tensor.storage().made().map(|made| made.record);
    tensor.origin().or_else(made).is_some_and(|record| is_step_of(&record, by))
}

fn is_step_of(record: &Record, by: Option<&Record>) -> bool {
    let sites = by.and_then(|by| by.site.as_ref()).zip(record.site.as_ref());
    sites.is_some_and(|(call, part)| call.contains(part))
}

/// The operation that made a view, and the tensor that it is a view of.
pub(super) fn base_of(tensor: &Tensor) -> Option<(Rc<Record>, Tensor)> {
    let record = tensor.origin()?;
    let base = record.args().first()?.tensor()?.clone();
    (base.storage().same(tensor.storage()) && !base.is(tensor)).then_some((record, base))
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
        return Some(name.suffixed(format!("[{}]", joined(&index, ", "))));
    }
    None
}
