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
    /// The options of an object that its own `__init__` neither reads nor keeps, and where their numbers are.
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
        if let Stmt::FunctionDef(function) = statement
            && function.name.as_str() == "__init__"
        {
            self.ignored.extend(ignored(&function.parameters, &function.body));
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
