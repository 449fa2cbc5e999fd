//! Which statements of a cell bind a variable, and the parts that a cell is run in because of it.

use crate::syntax::parse_module;
use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::Ranged;

use super::change::root_of;

/// A part of a cell that is run separately.
pub(super) struct CellPart {
    /// Empty lines, then the code, so that lines have the numbers that they have in the cell.
    pub(super) source: String,
    /// The variables that its last statements bind, with the line.
    bound: Vec<(String, usize)>,
}

impl CellPart {
    /// The line that binds a variable.
    pub(super) fn binds(&self, variable: &str) -> Option<usize> {
        self.bound.iter().find(|(bound, _)| bound == variable).map(|(_, line)| *line)
    }
}

/// Splits a cell after each statement that binds one of these variables or writes into it.
pub(super) fn split(source: &str, variables: &[String]) -> Vec<CellPart> {
    let whole = |bound| vec![CellPart { source: source.to_owned(), bound }];
    let Ok(parsed) = parse_module(source) else {
        // A cell with notebook commands is not Python: the variables are set after the whole cell.
        let mentioned = variables.iter().filter(|name| source.contains(name.as_str()));
        return whole(mentioned.map(|name| (name.clone(), 1)).collect());
    };
    let line_of = |offset: usize| source[..offset].matches('\n').count();
    let mut parts = Vec::new();
    let mut start = 0;
    let mut bound: Vec<(String, usize)> = Vec::new();
    let body = &parsed.syntax().body;
    for (at, statement) in body.iter().enumerate() {
        let first = line_of(statement.start().to_usize());
        let here = variables.iter().filter(|name| binds(statement, name));
        bound.extend(here.map(|name| (name.clone(), first + 1)));
        let end = statement.end().to_usize();
        let next = body.get(at + 1).map(|next| next.start().to_usize());
        // Statements on one line stay together.
        let ends_line = next.is_none_or(|next| line_of(next) > line_of(end));
        if !bound.is_empty() && ends_line {
            let stop = match next {
                Some(_) => source[end..].find('\n').map_or(source.len(), |to| end + to + 1),
                None => source.len(),
            };
            parts.push(CellPart { source: padded(source, start, stop), bound: std::mem::take(&mut bound) });
            start = stop;
        }
    }
    if start < source.len() || parts.is_empty() {
        parts.push(CellPart { source: padded(source, start, source.len()), bound });
    }
    parts
}

/// Part of a source after as many empty lines as there are lines before it.
fn padded(source: &str, start: usize, stop: usize) -> String {
    "\n".repeat(source[..start].matches('\n').count()) + &source[start..stop]
}

/// Whether a statement of the cell binds a variable or writes into it.
fn binds(statement: &Stmt, name: &str) -> bool {
    let mut search = BindingSearch { name, found: false };
    search.visit_stmt(statement);
    search.found
}

struct BindingSearch<'n> {
    name: &'n str,
    found: bool,
}

impl Visitor<'_> for BindingSearch<'_> {
    fn visit_stmt(&mut self, statement: &Stmt) {
        match statement {
            Stmt::FunctionDef(function) => self.found |= function.name.as_str() == self.name,
            Stmt::ClassDef(class) => self.found |= class.name.as_str() == self.name,
            // An annotation alone binds nothing.
            Stmt::AnnAssign(assign) if assign.value.is_none() => {}
            other => walk_stmt(self, other),
        }
    }

    fn visit_expr(&mut self, expression: &Expr) {
        let target = match expression {
            Expr::Name(part) if part.ctx.is_store() => Some(expression),
            Expr::Attribute(part) if part.ctx.is_store() => Some(expression),
            Expr::Subscript(part) if part.ctx.is_store() => Some(expression),
            // `x.fill_(0)` writes into x.
            Expr::Call(call) => {
                call.func.as_attribute_expr().filter(|method| is_in_place(&method.attr)).map(|it| &*it.value)
            }
            // What a comprehension binds is its own.
            Expr::ListComp(_)
            | Expr::SetComp(_)
            | Expr::DictComp(_)
            | Expr::Generator(_)
            | Expr::Lambda(_) => return,
            _ => None,
        };
        self.found |= target.is_some_and(|target| root_of(target).as_deref() == Some(self.name));
        walk_expr(self, expression);
    }
}

/// Whether a method writes into what it is called on, by its name: `fill_`.
fn is_in_place(method: &str) -> bool {
    method.ends_with('_') && !method.starts_with('_')
}

/// The name of the last cell that binds this variable.
pub(super) fn last_binding(cells: &[(String, String)], name: &str) -> Option<String> {
    let has = |source: &str| {
        source.contains(name)
            && parse_module(source)
                .is_ok_and(|parsed| parsed.syntax().body.iter().any(|statement| binds(statement, name)))
    };
    cells.iter().rev().find(|(_, source)| has(source)).map(|(cell, _)| cell.clone())
}

/// The cell whose loop binds this variable last, and what the loop runs over.
pub(super) fn loop_over(cells: &[(String, String)], name: &str) -> Option<(String, String)> {
    let last = last_binding(cells, name)?;
    let (cell, source) = cells.iter().find(|(cell, _)| *cell == last)?;
    let parsed = parse_module(source).ok()?;
    match parsed.syntax().body.iter().rfind(|statement| binds(statement, name))? {
        Stmt::For(each) if root_of(&each.target).as_deref() == Some(name) => {
            Some((cell.clone(), source[each.iter.range()].to_owned()))
        }
        _ => None,
    }
}

/// The function or method that binds this name as a local variable.
pub(super) fn function_binding(source: &str, name: &str) -> Option<String> {
    fn within(body: &[Stmt], name: &str, path: &str) -> Option<String> {
        body.iter().find_map(|statement| match statement {
            Stmt::ClassDef(class) => within(&class.body, name, &format!("{path}{}.", class.name)),
            Stmt::FunctionDef(function) => {
                let parameter = function.parameters.iter().any(|parameter| parameter.name().as_str() == name);
                let binds = parameter || function.body.iter().any(|inner| binds(inner, name));
                binds.then(|| format!("{path}{}", function.name))
            }
            _ => None,
        })
    }
    within(&parse_module(source).ok()?.syntax().body, name, "")
}
