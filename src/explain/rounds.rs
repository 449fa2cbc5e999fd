//! Which round of a loop gave a variable its value: in `total = total + x`, the second `total` is that of the round
//! before.

use ruff_python_ast::helpers::any_over_expr;
use ruff_python_ast::visitor::{Visitor, walk_stmt};
use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::{Ranged, TextRange};

use super::cell_source::{CellSource, EnclosingNodes};
use crate::tensor::Record;

/// How long before the explained element another element got its value.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct Rounds {
    /// The loop, or the function whose attribute is bound again in each call.
    scope: Option<TextRange>,
    /// How many rounds or calls ago.
    count: usize,
    /// The variable that was bound again since in the same round, and how often.
    rebound: Option<(String, usize)>,
    /// How many operations have computed a new value of the element in place since.
    pub(super) writes: usize,
}

impl Rounds {
    /// Whether an expression of the code has had no other value since.
    pub(super) fn is_now(&self, code: &str) -> bool {
        self.count == 0 && self.rebound.as_ref().is_none_or(|(name, _)| !code.contains(name.as_str()))
    }

    /// How many values the variable has had since.
    pub(super) fn values_since(&self) -> usize {
        self.count + self.rebound.as_ref().map_or(0, |rebound| rebound.1)
    }

    /// The rounds of a variable that is an operand of a call; `self` are the rounds of the call's result.
    pub(super) fn before(
        &self,
        cell: &CellSource,
        around: &EnclosingNodes,
        record: &Record,
        name: &str,
    ) -> Rounds {
        let Some(call) = around.statements.last() else { return Rounds::default() };
        let scopes = scopes(around);
        let bound = |scope: &Stmt| bindings(cell, scope, name);
        // An in-place operation binds no new tensor.
        let is_own = |range: &TextRange| *range == call.range() && !record.in_place;
        let is_after = |range: &TextRange| range.start() > call.start() || is_own(range);
        let is_carried = |scope: &&&Stmt| {
            let bound = bound(scope);
            let may_carry = !scope.is_function_def_stmt() || name.contains('.');
            // What another branch binds, this call does not read in the same round.
            let mut bound = bound.iter().filter(|range| !is_in_other_branch(around, call, range)).peekable();
            may_carry && bound.peek().is_some() && bound.all(is_after)
        };
        if let Some(scope) = scopes.iter().find(is_carried) {
            let scope = Some(scope.range());
            let count = if scope == self.scope { self.count + 1 } else { 1 };
            return Rounds { scope, count, ..Rounds::default() };
        }
        let same = scopes.iter().find(|scope| Some(scope.range()) == self.scope);
        let base = match same.is_some_and(|scope| !bound(scope).is_empty() || is_parameter(scope, name)) {
            true => Rounds { rebound: None, ..self.clone() },
            false => Rounds::default(),
        };
        // The statement gives the variable a new value, and the call reads the old one.
        let binds = |statement: &Stmt| Bindings::of(cell, name).bind(statement);
        if !record.in_place && binds(call) {
            let known = self.rebound.as_ref().filter(|rebound| rebound.0 == name);
            let times = known.map_or(1, |rebound| rebound.1 + 1);
            return Rounds { rebound: Some((name.to_owned(), times)), ..base };
        }
        base
    }
}

/// Whether the function around a call, or the cell, binds a variable or an attribute; a parameter does not count.
pub(super) fn binds(cell: &CellSource, around: &EnclosingNodes, name: &str) -> bool {
    match around.statements.iter().rev().find(|it| it.is_function_def_stmt()) {
        Some(function) => !bindings(cell, function, name).is_empty(),
        None => true,
    }
}

/// The loops around a call, innermost first, then the function.
fn scopes<'a>(around: &EnclosingNodes<'a>) -> Vec<&'a Stmt> {
    let mut scopes = Vec::new();
    for statement in around.statements.iter().rev().copied() {
        match statement {
            Stmt::For(_) | Stmt::While(_) => scopes.push(statement),
            Stmt::FunctionDef(_) => {
                scopes.push(statement);
                break;
            }
            _ => {}
        }
    }
    scopes
}

/// Whether an `if` around a call has the range in another branch than the call.
fn is_in_other_branch(around: &EnclosingNodes, call: &Stmt, range: &TextRange) -> bool {
    around.statements.iter().any(|statement| match statement {
        Stmt::If(branches) if branches.range().contains_range(*range) && *statement != call => {
            let branch = |part: TextRange| {
                branches.elif_else_clauses.iter().position(|clause| clause.range().contains_range(part))
            };
            branch(*range) != branch(call.range())
        }
        _ => false,
    })
}

/// Whether only loops around a call bind this name. It says which round it was, and little else.
pub(super) fn is_loop_variable(around: &EnclosingNodes, name: &str) -> bool {
    let is_bound = |part: &Expr| part.as_name_expr().is_some_and(|it| it.id == name);
    let mut loops = around.statements.iter().filter_map(|statement| statement.as_for_stmt());
    loops.any(|looped| any_over_expr(&looped.target, &is_bound))
}

fn is_parameter(scope: &Stmt, name: &str) -> bool {
    match scope {
        Stmt::FunctionDef(function) => function.parameters.iter().any(|it| it.name().as_str() == name),
        _ => false,
    }
}

/// The statements in a loop or a function that bind a variable or an attribute, without those in functions inside of it.
fn bindings(cell: &CellSource, scope: &Stmt, name: &str) -> Vec<TextRange> {
    let mut found = Bindings::of(cell, name);
    match scope {
        Stmt::FunctionDef(function) => found.visit_body(&function.body),
        looped => found.visit_stmt(looped),
    }
    found.found
}

struct Bindings<'c> {
    cell: &'c CellSource,
    name: &'c str,
    found: Vec<TextRange>,
}

impl<'c> Bindings<'c> {
    fn of(cell: &'c CellSource, name: &'c str) -> Bindings<'c> {
        Bindings { cell, name, found: Vec::new() }
    }

    fn is_target(&self, target: &Expr) -> bool {
        match target {
            Expr::Tuple(tuple) => tuple.elts.iter().any(|element| self.is_target(element)),
            target => self.cell.text_of(target) == self.name,
        }
    }

    fn bind(&self, statement: &Stmt) -> bool {
        match statement {
            Stmt::Assign(assign) => assign.targets.iter().any(|target| self.is_target(target)),
            Stmt::AnnAssign(assign) => self.is_target(&assign.target),
            Stmt::AugAssign(assign) => self.is_target(&assign.target),
            Stmt::For(looped) => self.is_target(&looped.target),
            _ => false,
        }
    }
}

impl<'a> Visitor<'a> for Bindings<'_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        if matches!(statement, Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
            return;
        }
        if self.bind(statement) {
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
        Expr::List(list) => list.elts.iter().for_each(|element| names_in(element, names)),
        _ => {}
    }
}
