//! Which round of a loop gave a variable its value: in `total = total + x`, the second `total` is that of the round
//! before.

use ruff_python_ast::visitor::{Visitor, walk_stmt};
use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::{Ranged, TextRange};

use super::cell_source::{CellSource, EnclosingNodes};
use crate::tensor::Record;

/// How many rounds before the explained element another element got its value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rounds {
    /// The loop, or the function or the cell whose variable is bound again. All of a cell is `None`.
    scope: Option<TextRange>,
    pub(crate) count: usize,
}

impl Rounds {
    /// The rounds of a variable that is an operand of a call; `self` are those of the call's result.
    pub(super) fn before(
        &self,
        cell: &CellSource,
        around: &EnclosingNodes,
        record: &Record,
        name: &str,
    ) -> Rounds {
        let Some(call) = around.statements.last() else { return Rounds::default() };
        let scopes = scopes(around);
        let bound = |scope: Option<&Stmt>| bindings(cell, scope, name);
        // The statement gives the variable a new value, and the call reads the old one.
        let is_own = |range: &TextRange| *range == call.range() && !record.in_place;
        if bound(scopes[0]).iter().any(is_own) {
            return self.one_more(scopes[0]);
        }
        let is_carried = |scope: &&Option<&Stmt>| {
            let may_carry = match scope {
                Some(Stmt::FunctionDef(_)) => name.contains('.'),
                Some(_) => true,
                None => false,
            };
            let bound = bound(**scope);
            may_carry && !bound.is_empty() && bound.iter().all(|range| range.start() > call.start())
        };
        if let Some(scope) = scopes.iter().find(is_carried) {
            return self.one_more(*scope);
        }
        let is_same = |scope: &&Option<&Stmt>| scope.map(Ranged::range) == self.scope;
        let is_bound = |scope: &Option<&Stmt>| !bound(*scope).is_empty() || is_parameter(*scope, name);
        match self.count > 0 && scopes.iter().find(is_same).is_some_and(is_bound) {
            true => self.clone(),
            false => Rounds::default(),
        }
    }

    fn one_more(&self, scope: Option<&Stmt>) -> Rounds {
        let scope = scope.map(Ranged::range);
        let count = if scope == self.scope { self.count + 1 } else { 1 };
        Rounds { scope, count }
    }
}

/// The loops around a call, innermost first, then the function, or `None` for the cell.
fn scopes<'a>(around: &EnclosingNodes<'a>) -> Vec<Option<&'a Stmt>> {
    let mut scopes = Vec::new();
    for statement in around.statements.iter().rev() {
        match statement {
            Stmt::For(_) | Stmt::While(_) => scopes.push(Some(*statement)),
            Stmt::FunctionDef(_) => {
                scopes.push(Some(*statement));
                return scopes;
            }
            _ => {}
        }
    }
    scopes.push(None);
    scopes
}

/// Whether only loops around a call bind this name. It says which round it was, and little else.
pub(super) fn is_loop_variable(around: &EnclosingNodes, name: &str) -> bool {
    around.statements.iter().any(|statement| match statement {
        Stmt::For(looped) => {
            let mut names = Vec::new();
            names_in(&looped.target, &mut names);
            names.iter().any(|bound| bound == name)
        }
        _ => false,
    })
}

fn is_parameter(scope: Option<&Stmt>, name: &str) -> bool {
    match scope {
        Some(Stmt::FunctionDef(function)) => function.parameters.iter().any(|it| it.name().as_str() == name),
        _ => false,
    }
}

/// The statements in a scope that bind a variable or an attribute, without those in functions inside of it.
fn bindings(cell: &CellSource, scope: Option<&Stmt>, name: &str) -> Vec<TextRange> {
    let mut found = Bindings { cell, name, found: Vec::new() };
    match scope {
        Some(Stmt::FunctionDef(function)) => found.visit_body(&function.body),
        Some(looped) => found.visit_stmt(looped),
        None => cell.module().into_iter().for_each(|module| found.visit_body(&module.body)),
    }
    found.found
}

struct Bindings<'c> {
    cell: &'c CellSource,
    name: &'c str,
    found: Vec<TextRange>,
}

impl Bindings<'_> {
    fn binds(&self, target: &Expr) -> bool {
        match target {
            Expr::Tuple(tuple) => tuple.elts.iter().any(|element| self.binds(element)),
            target => self.cell.text_of(target) == self.name,
        }
    }
}

impl<'a> Visitor<'a> for Bindings<'_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        let is_bound = match statement {
            Stmt::Assign(assign) => assign.targets.iter().any(|target| self.binds(target)),
            Stmt::AnnAssign(assign) => self.binds(&assign.target),
            Stmt::AugAssign(assign) => self.binds(&assign.target),
            Stmt::For(looped) => self.binds(&looped.target),
            Stmt::FunctionDef(_) | Stmt::ClassDef(_) => return,
            _ => false,
        };
        if is_bound {
            self.found.push(statement.range());
        }
        walk_stmt(self, statement);
    }
}

/// The names that a target binds.
pub(super) fn names_in(target: &Expr, names: &mut Vec<String>) {
    match target {
        Expr::Name(name) => names.push(name.id.to_string()),
        Expr::Tuple(tuple) => tuple.elts.iter().for_each(|element| names_in(element, names)),
        _ => {}
    }
}
