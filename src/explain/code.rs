//! The learner's code around an operation: the name given to its result, and its operands as they are written.

use std::cell::OnceCell;
use std::collections::HashMap;

use crate::syntax::parse_module;
use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, ModModule, Operator, Stmt};
use ruff_text_size::Ranged;

use super::name::{Name, Transposition};
use super::written_call::{WrittenCall, binding, called, operands, operator, same, transposed};
use crate::tensor::{Descriptor, Record, Site};

/// The sources of cells, by the cells' names.
#[derive(Default, Debug)]
pub(crate) struct CellSources {
    cells: HashMap<String, ParsedCell>,
}

#[derive(Debug)]
struct ParsedCell {
    source: String,
    /// Where its lines begin.
    starts: Vec<usize>,
    parsed: OnceCell<Option<ModModule>>,
}

impl CellSources {
    /// From the name and the source of each cell.
    pub(crate) fn new(cells: impl IntoIterator<Item = (String, String)>) -> CellSources {
        let cell = |(name, source): (String, String)| {
            let starts = source
                .split_inclusive('\n')
                .scan(0, |at, line| Some(std::mem::replace(at, *at + line.len())));
            let starts = starts.collect();
            (name, ParsedCell { source, starts, parsed: OnceCell::new() })
        };
        CellSources { cells: cells.into_iter().map(cell).collect() }
    }

    /// The line of code at a site.
    pub(crate) fn line(&self, site: &Site) -> Option<String> {
        let cell = self.cells.get(site.cell)?;
        let line = cell.source.lines().nth(site.line.checked_sub(1)?)?;
        // A statement on one line, without the comment after it.
        let statement =
            self.statement((site.cell, site.line)).map(|(cell, statement)| &cell.source[statement.range()]);
        Some(match statement {
            Some(text) if !text.contains('\n') => text.to_owned(),
            // Of a statement on several lines, the line that called.
            Some(_) => format!("{} …", line.trim()),
            None => line.trim().to_owned(),
        })
    }

    /// The function in which a site is: `CausalAttention.forward`; `None` at the top of a cell.
    pub(crate) fn function(&self, site: &Site) -> Option<String> {
        let cell = self.cells.get(site.cell)?;
        let mut path = Vec::new();
        let mut body = &cell.module()?.body[..];
        let mut in_function = false;
        while let Some(statement) = body.iter().find(|statement| cell.covers(*statement, site.line)) {
            body = match statement {
                Stmt::ClassDef(class) => {
                    path.push(class.name.to_string());
                    &class.body
                }
                Stmt::FunctionDef(function) => {
                    path.push(function.name.to_string());
                    in_function = true;
                    &function.body
                }
                _ => break,
            };
        }
        in_function.then(|| path.join("."))
    }

    /// Names that only loops bind. Such a name says which iteration it was, and little else.
    pub(crate) fn counters(&self) -> Vec<String> {
        let (mut counters, mut others) = (Vec::new(), Vec::new());
        for cell in self.cells.values() {
            let Some(module) = cell.module() else { continue };
            let mut bound = LoopNames { counters: &mut counters, others: &mut others };
            module.body.iter().for_each(|statement| bound.visit_stmt(statement));
        }
        counters.retain(|name| !others.contains(name));
        counters
    }

    /// The name that a statement gives to the result of this operation.
    pub(crate) fn assigned(&self, record: &Record) -> Option<String> {
        let (cell, statement) = self.statement(place(record)?)?;
        let (target, value) = match statement {
            Stmt::Assign(assign) => match assign.targets.as_slice() {
                [target] => (target, &*assign.value),
                _ => return None,
            },
            Stmt::AnnAssign(assign) => (&*assign.target, assign.value.as_deref()?),
            _ => return None,
        };
        let name = match target {
            Expr::Name(name) => name.id.to_string(),
            Expr::Attribute(_) => cell.text(target),
            _ => return None,
        };
        // `x.max(dim=-1).values` is a result of `max`.
        let value = match value {
            Expr::Attribute(field) if matches!(field.attr.as_str(), "values" | "indices") => &*field.value,
            value => value,
        };
        let outermost = match called(value) {
            // Of several calls of one operation on the line, it is not known which it was.
            WrittenCall::Op(op) => same(record.operation, op) && calls_in(statement, record.operation) == 1,
            // The result of a module or a function, not that of an operation among its arguments.
            WrittenCall::Other => !mentions(value, record.operation),
            WrittenCall::Nothing => false,
        };
        outermost.then_some(name)
    }

    /// What a line adds in place: `w * x` of `total += w * x`.
    pub(crate) fn added(&self, record: &Record) -> Option<String> {
        let (cell, statement) = self.statement(place(record)?)?;
        let Stmt::AugAssign(assign) = statement else { return None };
        let text = cell.text(&assign.value);
        (assign.op == Operator::Add && text.len() <= 48 && !text.contains('\n')).then_some(text)
    }

    /// The operand in this place as it is written in the call; `None` in a loop, where it names something else in each
    /// iteration.
    pub(crate) fn operand(&self, record: &Record, place: usize) -> Option<Name> {
        let (cell, call) = self.call(record)?;
        let name = cell.name(operands(call).get(place)?);
        let text = name.to_string();
        (text.len() <= 72 && !text.contains('\n')).then_some(name)
    }

    /// The same for a number, where the code says more than its value: `d_k**0.5`, but not `0.5`.
    pub(crate) fn number(&self, record: &Record, place: usize) -> Option<Name> {
        let (cell, call) = self.call(record)?;
        let says_more = operands(call).get(place).is_some_and(|written| cell.names_something(written));
        self.operand(record, place).filter(|_| says_more)
    }

    /// The operands of the one call of an operation on a line, as they are written; the elements of a list that a
    /// function takes count one by one. Empty where there is no call, or more than one.
    pub(crate) fn operands_of_call(&self, site: (&str, usize), op: &Descriptor) -> Vec<Name> {
        let Some((cell, statement)) = self.statement(site) else { return Vec::new() };
        if let Stmt::AugAssign(assign) = statement
            && operator(assign.op).is_some_and(|written| same(op, written))
        {
            return vec![cell.name(&assign.target), cell.name(&assign.value)];
        }
        let calls =
            |expression: &Expr| matches!(called(expression), WrittenCall::Op(written) if same(op, written));
        let Some(call) = cell.only(statement, site.1, calls) else { return Vec::new() };
        let listed = match operands(call).as_slice() {
            [Expr::List(list), ..] => list.elts.iter().collect(),
            [Expr::Tuple(tuple), ..] => tuple.elts.iter().collect(),
            all => all.to_vec(),
        };
        listed.into_iter().map(|operand| cell.name(operand)).collect()
    }

    /// What one of these methods is called on: `loss` of `loss.backward()`. `None` unless the line calls exactly one.
    pub(crate) fn receiver(&self, site: (&str, usize), methods: &[&str]) -> Option<Name> {
        let (cell, statement) = self.statement(site)?;
        let method = |expression: &'_ Expr| match expression {
            Expr::Call(call) => match &*call.func {
                Expr::Attribute(callee) => methods.contains(&callee.attr.as_str()),
                _ => false,
            },
            _ => false,
        };
        operands(cell.only(statement, site.1, method)?).first().map(|receiver| cell.name(receiver))
    }

    /// The module that a line calls: `self.W_query` of `self.W_query(x)`. `None` unless it calls exactly one.
    pub(crate) fn module(&self, record: &Record) -> Option<String> {
        let (cell, statement) = self.statement(place(record)?)?;
        let mut calls = Vec::new();
        each_expression(statement, &mut |expression| {
            if let (Expr::Call(call), WrittenCall::Other) = (expression, called(expression)) {
                calls.push(cell.text(&call.func));
            }
        });
        match calls.as_slice() {
            [only] => Some(only.clone()).filter(|text| text.len() <= 32 && !text.contains('(')),
            _ => None,
        }
    }

    /// The expression that called this operation; `None` if there are several.
    fn call(&self, record: &Record) -> Option<(&ParsedCell, &Expr)> {
        let (cell, statement) = self.statement(place(record)?)?;
        if cell.in_loop(statement) {
            return None;
        }
        let mut found = Vec::new();
        each_expression(statement, &mut |expression| {
            if matches!(called(expression), WrittenCall::Op(op) if same(record.operation, op)) {
                found.push(expression);
            }
        });
        match found.as_slice() {
            [only] => Some((cell, only)),
            _ => None,
        }
    }

    /// The innermost statement on a line of a cell.
    fn statement(&self, (cell, line): (&str, usize)) -> Option<(&ParsedCell, &Stmt)> {
        let cell = self.cells.get(cell)?;
        let mut search = StatementSearch { cell, line, found: None };
        cell.module()?.body.iter().for_each(|statement| search.visit_stmt(statement));
        search.found.map(|found| (cell, found))
    }
}

/// The cell and the line that called an operation.
fn place(record: &Record) -> Option<(&str, usize)> {
    record.site.as_ref().map(|site| (site.cell, site.line))
}

impl ParsedCell {
    fn module(&self) -> Option<&ModModule> {
        let parse = || parse_module(&self.source).ok().map(|parsed| parsed.into_syntax());
        self.parsed.get_or_init(parse).as_ref()
    }

    fn text(&self, expression: &Expr) -> String {
        self.source[expression.range()].to_owned()
    }

    /// An expression as it is written.
    fn name(&self, expression: &Expr) -> Name {
        let Some((of, axes)) = transposed(expression) else {
            return Name::Code(self.text(expression), binding(expression));
        };
        let after = &self.source[of.end().to_usize()..expression.end().to_usize()];
        let suffix = after.trim_start_matches(|letter: char| letter == ')' || letter.is_whitespace());
        Name::Transposed(Box::new(self.name(of)), Transposition { axes, suffix: suffix.to_owned() })
    }

    /// Whether an expression says more than its value: it has a name in it, or a number such as 1e-9.
    fn names_something(&self, expression: &Expr) -> bool {
        struct Literals<'c> {
            cell: &'c ParsedCell,
            only_plain_numbers: bool,
        }
        impl<'a> Visitor<'a> for Literals<'_> {
            fn visit_expr(&mut self, expression: &'a Expr) {
                let plain = match expression {
                    Expr::NumberLiteral(_) => !self.cell.text(expression).contains(char::is_alphabetic),
                    Expr::BinOp(_) | Expr::UnaryOp(_) => true,
                    _ => false,
                };
                self.only_plain_numbers &= plain;
                walk_expr(self, expression);
            }
        }
        // `float("inf")` is a way to write a number.
        if let Expr::Call(call) = expression
            && matches!(&*call.func, Expr::Name(name) if name.id == "float")
        {
            return false;
        }
        let mut literals = Literals { cell: self, only_plain_numbers: true };
        literals.visit_expr(expression);
        !literals.only_plain_numbers
    }

    /// The expression of a statement that includes the line and passes the test; `None` if there are several.
    fn only<'a>(&self, statement: &'a Stmt, line: usize, wanted: impl Fn(&Expr) -> bool) -> Option<&'a Expr> {
        let mut found = Vec::new();
        each_expression(statement, &mut |expression| {
            if self.covers(expression, line) && wanted(expression) {
                found.push(expression);
            }
        });
        match found.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// Whether a part of the code is at least partly on this line, counted from 1.
    fn covers(&self, part: &impl Ranged, line: usize) -> bool {
        let start = |line: usize| self.starts.get(line).copied().unwrap_or(usize::MAX);
        line > 0 && part.start().to_usize() < start(line) && part.end().to_usize() >= start(line - 1)
    }

    fn in_loop(&self, statement: &Stmt) -> bool {
        struct LoopSearch {
            at: ruff_text_size::TextRange,
            found: bool,
        }
        impl<'a> Visitor<'a> for LoopSearch {
            fn visit_stmt(&mut self, statement: &'a Stmt) {
                if statement.range().contains_range(self.at) {
                    self.found |= matches!(statement, Stmt::For(_) | Stmt::While(_));
                    walk_stmt(self, statement);
                }
            }
        }
        let mut loops = LoopSearch { at: statement.range(), found: false };
        if let Some(module) = self.module() {
            module.body.iter().for_each(|statement| loops.visit_stmt(statement));
        }
        loops.found
    }
}

/// Finds the innermost statement on a line.
struct StatementSearch<'a> {
    cell: &'a ParsedCell,
    line: usize,
    found: Option<&'a Stmt>,
}

impl<'a> Visitor<'a> for StatementSearch<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        if self.cell.covers(statement, self.line) {
            self.found = Some(statement);
            walk_stmt(self, statement);
        }
    }
}

struct LoopNames<'n> {
    counters: &'n mut Vec<String>,
    others: &'n mut Vec<String>,
}

impl<'a> Visitor<'a> for LoopNames<'_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::For(looped) => names_in(&looped.target, self.counters),
            Stmt::Assign(assign) => assign.targets.iter().for_each(|target| names_in(target, self.others)),
            Stmt::AugAssign(assign) => names_in(&assign.target, self.others),
            // Names that a function binds are local to it.
            Stmt::FunctionDef(_) | Stmt::ClassDef(_) => return,
            _ => {}
        }
        walk_stmt(self, statement);
    }
}

fn names_in(target: &Expr, names: &mut Vec<String>) {
    match target {
        Expr::Name(name) => names.push(name.id.to_string()),
        Expr::Tuple(tuple) => tuple.elts.iter().for_each(|element| names_in(element, names)),
        _ => {}
    }
}

/// Calls `each` on every expression of a simple statement.
fn each_expression<'a>(statement: &'a Stmt, each: &mut dyn FnMut(&'a Expr)) {
    struct EachExpression<'e, 'a>(&'e mut dyn FnMut(&'a Expr));
    impl<'a> Visitor<'a> for EachExpression<'_, 'a> {
        fn visit_stmt(&mut self, _: &'a Stmt) {}
        fn visit_expr(&mut self, expression: &'a Expr) {
            (self.0)(expression);
            walk_expr(self, expression);
        }
    }
    walk_stmt(&mut EachExpression(each), statement);
}

/// How many expressions of a statement call this operation.
fn calls_in(statement: &Stmt, op: &Descriptor) -> usize {
    let mut count = 0;
    each_expression(statement, &mut |expression| {
        count += usize::from(matches!(called(expression), WrittenCall::Op(written) if same(op, written)));
    });
    count
}

fn mentions(value: &Expr, op: &Descriptor) -> bool {
    let Expr::Call(call) = value else { return false };
    struct Mentions<'o>(&'o Descriptor, bool);
    impl<'a> Visitor<'a> for Mentions<'_> {
        fn visit_expr(&mut self, expression: &'a Expr) {
            self.1 |= matches!(called(expression), WrittenCall::Op(op) if same(self.0, op));
            walk_expr(self, expression);
        }
    }
    let mut mentions = Mentions(op, false);
    call.arguments.args.iter().for_each(|arg| mentions.visit_expr(arg));
    mentions.1
}
