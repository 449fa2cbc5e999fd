//! The pictures of `:view:`: which they are, and the tensors, numbers and times that they are of.
//! Expressions are any expressions; the session works them out. How a picture looks is the view's.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use ruff_python_ast::Expr;
use ruff_text_size::Ranged;
use rustpython_vm::{AsObject, PyObjectRef, VirtualMachine, builtins::PyDict};

use super::Step;
use crate::ops::nearest;
use crate::session::{Raised, Session};
use crate::tensor::{Arg, Tensor, layout::row_major, peak_memory};
use crate::torch::tensor_value;

/// A picture that a step asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Its word in [`super::vocabulary::VIEWS`].
    pub kind: &'static str,
    /// What it shows.
    pub expressions: Vec<String>,
    /// The line that asks for it.
    pub line: usize,
}

/// What a picture is of.
#[derive(Debug)]
pub enum Drawn {
    /// Heat maps by one scale.
    Maps(Vec<Named>),
    /// Which elements are seen.
    Triangle(Vec<Named>),
    /// Before and after dropout.
    Dropped(Named, Named),
    /// One storage, read in several ways.
    Strips(Strips),
    /// A name and a number each, and what they are of.
    Bars(String, Vec<(String, f64)>),
    /// What working things out took.
    Costs(Vec<Cost>),
}

/// A tensor and the expression that gave it.
#[derive(Clone, Debug)]
pub struct Named {
    /// The expression.
    pub name: String,
    /// Its tensor.
    pub tensor: Tensor,
}

/// Ways of reading one storage.
#[derive(Debug)]
pub struct Strips {
    /// Which axis of the first tensor tells tokens apart.
    pub axis: usize,
    /// What is told apart: `token`, or another name of that axis, or `row`.
    pub unit: String,
    /// How many there are.
    pub tokens: usize,
    /// The readings.
    pub strips: Vec<Strip>,
}

/// One way of reading it.
#[derive(Debug)]
pub struct Strip {
    /// The expression and its tensor.
    pub of: Named,
    /// The token of each element, in the order in which it is read.
    pub owners: Vec<usize>,
    /// Whether its numbers lie in a storage of their own.
    pub copied: bool,
}

/// What it took to work an expression out.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    /// The expression.
    pub name: String,
    /// The better of two times.
    pub time: Duration,
    /// The most bytes that tensors held meanwhile, beyond those that were there.
    pub bytes: u64,
}

/// Beyond this, an expression is not worked out a second time for a better time.
const LONG: Duration = Duration::from_secs(1);

impl View {
    /// The view `kind` of comma-separated expressions. Errors: what is wrong with them.
    pub fn new(kind: &str, expressions: &str, line: usize) -> Result<View, String> {
        let known = super::vocabulary::VIEWS.iter().find(|word| word.name == kind);
        let kind = known.map(|word| word.name).ok_or_else(|| format!("no view is called `{kind}`"))?;
        let source = format!("({expressions},)");
        let unread = |_| format!("`{expressions}` is not a list of expressions");
        let parsed = ruff_python_parser::parse_expression(&source).map_err(unread)?;
        let parts = match parsed.expr() {
            Expr::Tuple(tuple) => tuple.elts.iter().map(|part| source[part.range()].to_owned()).collect(),
            _ => Vec::new(),
        };
        let view = View { kind, expressions: parts, line };
        let count = view.expressions.len();
        match (kind, count) {
            ("dropped", 2) | ("bars", 1) => Ok(view),
            ("dropped", _) => {
                Err(format!("`dropped` takes two expressions, before and after; here are {count}"))
            }
            ("bars", _) => Err(format!("`bars` takes one expression; here are {count}")),
            (_, 0) => Err(format!("`{kind}` lacks what it is to show")),
            _ => Ok(view),
        }
    }

    /// Works the picture's expressions out in the state after its step. Binds nothing.
    /// Errors: what is wrong, with the nearest right name where a name is unknown.
    pub fn drawn(&self, step: &Step, session: &mut Session) -> Result<Drawn, String> {
        session.with_rng_restored(|session| match self.kind {
            "map" => self.tensors(session).map(Drawn::Maps),
            "triangle" => self.tensors(session).map(Drawn::Triangle),
            "dropped" => self.pair(session),
            "strip" => self.strips(step, session).map(Drawn::Strips),
            "bars" => self.bars(session),
            _ => self
                .expressions
                .iter()
                .map(|one| cost(one, session))
                .collect::<Result<_, _>>()
                .map(Drawn::Costs),
        })
    }

    fn tensors(&self, session: &mut Session) -> Result<Vec<Named>, String> {
        self.expressions.iter().map(|one| tensor(one, session)).collect()
    }

    fn pair(&self, session: &mut Session) -> Result<Drawn, String> {
        let mut both = self.tensors(session)?.into_iter();
        let (Some(before), Some(after)) = (both.next(), both.next()) else {
            return Err("`dropped` takes two expressions".to_owned());
        };
        if before.tensor.shape() != after.tensor.shape() {
            return Err(format!("`{}` and `{}` have different shapes", before.name, after.name));
        }
        Ok(Drawn::Dropped(before, after))
    }

    fn strips(&self, step: &Step, session: &mut Session) -> Result<Strips, String> {
        let all = self.tensors(session)?;
        let base = all[0].tensor.clone();
        let named = step.axes.iter().find(|axes| axes.tensor == all[0].name);
        let is_token = |name: &String| matches!(name.as_str(), "token" | "query" | "key");
        let axis = named.and_then(|axes| axes.axes.iter().position(is_token)).unwrap_or(0);
        let unit = named.and_then(|axes| axes.axes.get(axis)).map_or("row", String::as_str).to_owned();
        let tokens = *base.shape().get(axis).ok_or_else(|| format!("`{}` has no axes", all[0].name))?;
        let mut strips = Vec::new();
        for of in all {
            let places = places(&of.tensor, &base, 8).ok_or_else(|| {
                format!("`{}` does not hold the numbers of `{}`", of.name, self.expressions[0])
            })?;
            let owner = |place: &usize| base.layout().index_of(*place).map(|index| index[axis]);
            let owners: Option<Vec<usize>> = places.iter().map(owner).collect();
            let owners = owners.ok_or_else(|| format!("`{}` holds numbers of its own", of.name))?;
            let copied = !of.tensor.storage().same(base.storage());
            strips.push(Strip { of, owners, copied });
        }
        Ok(Strips { axis, unit, tokens, strips })
    }

    fn bars(&self, session: &mut Session) -> Result<Drawn, String> {
        let name = &self.expressions[0];
        let read = |value: &PyObjectRef, vm: &VirtualMachine| match value.downcast_ref::<PyDict>() {
            Some(dict) => dict
                .into_iter()
                .map(|(key, value)| {
                    let key = key.str(vm).ok()?.as_wtf8().to_string_lossy().into_owned();
                    Some((key, number(&value, vm)?))
                })
                .collect(),
            None => {
                let tensor = tensor_value(value, vm)?;
                let numbers = tensor.to_f64_vec();
                Some(numbers.into_iter().enumerate().map(|(at, v)| (at.to_string(), v)).collect())
            }
        };
        let bars: Option<Vec<(String, f64)>> =
            session.evaluate(name, read).map_err(|raised| explained(&raised, session))?;
        match bars {
            Some(bars) if !bars.is_empty() => Ok(Drawn::Bars(name.clone(), bars)),
            _ => Err(format!("`{name}` is neither a dict of numbers nor a tensor")),
        }
    }
}

fn number(value: &PyObjectRef, vm: &VirtualMachine) -> Option<f64> {
    match tensor_value(value, vm) {
        Some(tensor) => tensor.item().ok(),
        None => value.as_object().try_float(vm).ok().map(|number| number.to_f64()),
    }
}

fn tensor(expression: &str, session: &mut Session) -> Result<Named, String> {
    match session.tensor(expression) {
        Ok(Some(tensor)) => Ok(Named { name: expression.to_owned(), tensor }),
        Ok(None) => Err(format!("`{expression}` is no tensor")),
        Err(raised) => Err(explained(&raised, session)),
    }
}

/// What was raised; for an unknown name, with those that are like it.
fn explained(raised: &Raised, session: &Session) -> String {
    let said = format!("{}: {}", raised.kind, raised.message);
    let unknown = raised.message.split('\'').nth(1).filter(|_| raised.kind == "NameError");
    let near = unknown.map(|name| nearest(name, session.names(), 3)).unwrap_or_default();
    match near.is_empty() || said.contains("Did you mean") {
        true => said,
        false => format!("{said} (nearest: {})", near.join(", ")),
    }
}

/// Where in the storage of `base` each element of `tensor` comes from, in the order in which it is read.
fn places(tensor: &Tensor, base: &Tensor, depth: usize) -> Option<Vec<usize>> {
    let layout = tensor.layout();
    let own: Vec<usize> = (0..layout.numel()).map(|flat| layout.position(flat)).collect();
    if tensor.storage().same(base.storage()) {
        return Some(own);
    }
    // A copy: what it copied says where its numbers are from.
    let record = tensor.origin().filter(|_| depth > 0)?;
    let args = record.args();
    let Some(Arg::Tensor(source)) = args.first() else {
        return None;
    };
    if source.storage().same(tensor.storage()) {
        // A view of a copy: its places in the copy, followed from there.
        let from = places(source, base, depth - 1)?;
        let at: HashMap<usize, usize> =
            (0..source.numel()).map(|flat| (source.layout().position(flat), from[flat])).collect();
        return own.iter().map(|place| at.get(place).copied()).collect();
    }
    let copies =
        matches!(record.op.trim_end_matches('_'), "contiguous" | "clone" | "reshape" | "flatten" | "detach");
    let same_count = source.numel() == tensor.numel();
    if !(copies && same_count) {
        return None;
    }
    // Each of these copies reads its source row by row, whatever the shape of the result.
    let from = places(source, base, depth - 1)?;
    let strides = row_major(tensor.shape());
    let in_order = |flat: usize| {
        let index = tensor.layout().index_of(own[flat])?;
        let place: usize = index.iter().zip(&strides).map(|(at, stride)| at * stride).sum();
        from.get(place).copied()
    };
    (0..tensor.numel()).map(in_order).collect()
}

fn cost(expression: &str, session: &mut Session) -> Result<Cost, String> {
    let mut once = || {
        let start = Instant::now();
        let (worked, bytes) = peak_memory(|| session.evaluate(expression, |_, _| ()));
        (start.elapsed(), bytes, worked)
    };
    let (mut time, bytes, worked) = once();
    if let Err(raised) = worked {
        return Err(explained(&raised, session));
    }
    if time < LONG {
        time = time.min(once().0);
    }
    Ok(Cost { name: expression.to_owned(), time, bytes })
}
