//! Numbers with a fraction, such as a coefficient or a rate, that a program binds to a name and that nothing in it reads.

use std::collections::HashSet;

use ruff_python_ast::helpers::any_over_body;
use ruff_python_ast::visitor::{Visitor, walk_expr, walk_parameters, walk_stmt};
use ruff_python_ast::{Expr, Number, ParameterWithDefault, Parameters, Stmt};
use ruff_text_size::{Ranged, TextSize};

use crate::syntax::{line, parse_module};

/// What reads every field of an object.
const READ_ALL: [&str; 6] = ["asdict", "astuple", "vars", "fields", "getattr", "__dict__"];

/// The names of a program.
#[derive(Default)]
struct Names<'a> {
    /// Those that a cell binds to a number with a fraction, and where.
    bound: Vec<(&'a str, TextSize)>,
    read: HashSet<&'a str>,
    /// The options of an object that its own `__init__` neither reads nor keeps, and what a function computes and does not read.
    ignored: Vec<(&'a str, TextSize)>,
}

impl<'a> Names<'a> {
    fn bind(&mut self, name: &'a str, value: Option<&Expr>) {
        if let Some(Expr::NumberLiteral(number)) = value
            && matches!(number.value, Number::Float(_))
        {
            self.bound.push((name, number.start()));
        }
    }
}

impl<'a> Visitor<'a> for Names<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        if let Stmt::FunctionDef(function) = statement {
            if function.name.as_str() == "__init__" {
                self.ignored.extend(ignored(&function.parameters, &function.body));
            }
            self.ignored.extend(unused(&function.body));
        }
        let (targets, value) = match statement {
            Stmt::Assign(it) => (&it.targets[..], Some(&*it.value)),
            Stmt::AnnAssign(it) => (std::slice::from_ref(&*it.target), it.value.as_deref()),
            _ => (&[][..], None),
        };
        if let [Expr::Name(name)] = targets {
            self.bind(&name.id, value);
        }
        // `self.rate = rate` passes the number on to what reads `.rate`.
        if let ([Expr::Attribute(held)], Some(Expr::Name(given))) = (targets, value)
            && held.attr.as_str() == given.id.as_str()
        {
            return;
        }
        walk_stmt(self, statement);
    }

    fn visit_parameters(&mut self, parameters: &'a Parameters) {
        parameters.iter_non_variadic_params().for_each(|it| self.bind(it.name(), it.default.as_deref()));
        walk_parameters(self, parameters);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Name(it) if it.ctx.is_load() => drop(self.read.insert(&it.id)),
            Expr::Attribute(it) if it.ctx.is_load() => drop(self.read.insert(&it.attr)),
            _ => {}
        }
        walk_expr(self, expression);
    }
}

/// The parameters with a number as default that no line of a function has.
fn ignored<'a>(parameters: &'a Parameters, body: &'a [Stmt]) -> Vec<(&'a str, TextSize)> {
    let has = |name: &str| any_over_body(body, &|it| it.as_name_expr().is_some_and(|it| it.id == name));
    let with_number = |it: &'a ParameterWithDefault| match it.default.as_deref() {
        Some(Expr::NumberLiteral(number)) => Some((it.name().as_str(), number.start())),
        _ => None,
    };
    let all = parameters.args.iter().chain(&parameters.kwonlyargs).filter_map(with_number);
    all.filter(|(name, _)| !has(name) && !has("locals")).collect()
}

/// What a function binds to names, and whether it returns something.
#[derive(Default)]
struct Locals<'a> {
    /// Each with where it may be read from: behind the statement, or everywhere within a loop.
    computed: Vec<(&'a str, TextSize, TextSize)>,
    loops: usize,
    /// Names that are written into, or that belong to an outer function.
    kept: HashSet<&'a str>,
    returns: bool,
}

impl<'a> Visitor<'a> for Locals<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::ClassDef(_) => return,
            Stmt::FunctionDef(_) => {
                // It may read everything when it is called.
                self.computed.iter_mut().for_each(|it| it.2 = TextSize::default());
                self.loops += 1;
                return;
            }
            Stmt::For(_) | Stmt::While(_) => {
                self.loops += 1;
                walk_stmt(self, statement);
                self.loops -= 1;
                return;
            }
            Stmt::Return(it) => self.returns |= it.value.is_some(),
            Stmt::AugAssign(it) => self.kept.extend(it.target.as_name_expr().map(|it| it.id.as_str())),
            Stmt::Global(it) => self.kept.extend(it.names.iter().map(|it| it.as_str())),
            Stmt::Nonlocal(it) => self.kept.extend(it.names.iter().map(|it| it.as_str())),
            Stmt::Assign(it) => {
                if let ([Expr::Name(name)], true) = (&it.targets[..], is_computed(&it.value)) {
                    let from = if self.loops > 0 { TextSize::default() } else { it.end() };
                    self.computed.push((&name.id, name.start(), from));
                }
            }
            _ => {}
        }
        walk_stmt(self, statement);
    }
}

/// Whether an expression is a function of a module, such as `torch.arange(n)`, or a method of a variable, and not a part of an
/// object, which may keep what it is given. What ends in `_` writes into a tensor.
fn is_computed(value: &Expr) -> bool {
    let Expr::Call(call) = value else { return value.is_bin_op_expr() || value.is_compare_expr() };
    let Expr::Attribute(function) = &*call.func else { return false };
    let mut at = &*function.value;
    while let Expr::Attribute(outer) = at {
        at = &*outer.value;
    }
    let is_tensor = |name: &str| matches!(name, "torch" | "F" | "np");
    let has_effect = function.attr.ends_with('_') || function.attr.contains("seed");
    !has_effect && at.as_name_expr().is_some_and(|it| is_tensor(&it.id))
}

/// The values that a function with a result computes, binds to a name and never reads.
fn unused(body: &[Stmt]) -> Vec<(&str, TextSize)> {
    let mut locals = Locals::default();
    locals.visit_body(body);
    let reads = |name: &str, from: TextSize| {
        any_over_body(body, &|it| {
            it.as_name_expr().is_some_and(|it| it.id == name && it.ctx.is_load() && it.start() >= from)
        })
    };
    let is_unread = |(name, _, from): &(&str, TextSize, TextSize)| {
        locals.returns
            && !locals.kept.contains(name)
            && !reads(name, *from)
            && !reads("locals", TextSize::default())
    };
    locals.computed.iter().copied().filter(is_unread).map(|(name, at, _)| (name, at)).collect()
}

/// The names that the program's own cells bind so, each with its cell and its line; a module that was imported may be read by
/// other programs. Nothing if a cell cannot be parsed.
pub(super) fn unread(sources: &[(String, String)]) -> Vec<(&str, usize, String)> {
    let parse = |(_, text): &(String, String)| parse_module(text).ok();
    let Some(parsed) = sources.iter().map(parse).collect::<Option<Vec<_>>>() else { return Vec::new() };
    let (mut names, mut bound, mut ignored) = (Names::default(), Vec::new(), Vec::new());
    for ((cell, text), module) in sources.iter().zip(&parsed) {
        names.visit_body(&module.syntax().body);
        let placed =
            |(name, at): (&'_ str, TextSize)| (cell.as_str(), line(text, at.into()), name.to_owned());
        let (own, options) = (names.bound.drain(..), names.ignored.drain(..));
        if !cell.ends_with(".py") {
            bound.extend(own.map(placed));
            ignored.extend(options.map(placed));
        }
    }
    let all_are_read = READ_ALL.iter().any(|it| names.read.contains(it));
    bound.retain(|(.., name)| !all_are_read && !names.read.contains(name.as_str()));
    bound.extend(ignored);
    bound.sort();
    bound.dedup();
    bound.retain(|(.., name)| !name.starts_with('_'));
    bound
}
