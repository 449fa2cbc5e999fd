//! What the learner wrote where an operation ran: the name its result was given, its operands as they stand there.
//! Reads the sources of cells with the Python parser; runs nothing.

use std::cell::OnceCell;
use std::collections::HashMap;

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, ModModule, Operator, Stmt, UnaryOp};
use ruff_python_parser::parse_module;
use ruff_text_size::Ranged;

use crate::ops::table;
use crate::tensor::{Record, Site};

/// The sources of the cells that ran, by the names they ran under.
#[derive(Default, Debug)]
pub struct Code {
    cells: HashMap<String, Cell>,
}

#[derive(Debug)]
struct Cell {
    source: String,
    parsed: OnceCell<Option<ModModule>>,
}

impl Code {
    /// These cells: name and source.
    pub fn new(cells: impl IntoIterator<Item = (String, String)>) -> Code {
        let cell = |(name, source)| (name, Cell { source, parsed: OnceCell::new() });
        Code { cells: cells.into_iter().map(cell).collect() }
    }

    /// The line that called an operation, as it stands in its cell.
    pub fn line(&self, site: &Site) -> Option<String> {
        let cell = self.cells.get(site.cell)?;
        let line = cell.source.lines().nth(site.line.checked_sub(1)?)?;
        // A statement on one line, without the comment after it.
        let statement = self.statement(site).map(|(cell, statement)| &cell.source[statement.range()]);
        Some(match statement {
            Some(text) if !text.contains('\n') => text.to_owned(),
            // Of a statement on several lines, the one that called.
            Some(_) => format!("{} …", line.trim()),
            None => line.trim().to_owned(),
        })
    }

    /// Names that only the loops of these cells bind: they say what turn of the loop it was, no more.
    pub fn counters(&self) -> Vec<String> {
        let (mut counters, mut others) = (Vec::new(), Vec::new());
        for cell in self.cells.values() {
            let Some(module) = cell.module() else { continue };
            let mut bound = Bound { counters: &mut counters, others: &mut others };
            module.body.iter().for_each(|statement| bound.visit_stmt(statement));
        }
        counters.retain(|name| !others.contains(name));
        counters
    }

    /// The name that the statement gave to the result of this operation, if it gave it one.
    pub fn assigned(&self, record: &Record) -> Option<String> {
        let (cell, statement) = self.statement(record.site.as_ref()?)?;
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
            // Of several calls of one operation on the line, nothing tells which it was.
            Called::Op(op) => same(record.op, op) && calls_in(statement, record.op) == 1,
            // A module's or a function's result: not that of an operation among its arguments.
            Called::Other => !mentions(value, record.op),
            Called::Nothing => false,
        };
        outermost.then_some(name)
    }

    /// What a line adds in place, as it is written: `w * x` of `total += w * x`.
    pub fn added(&self, record: &Record) -> Option<String> {
        let (cell, statement) = self.statement(record.site.as_ref()?)?;
        let Stmt::AugAssign(assign) = statement else { return None };
        let text = cell.text(&assign.value);
        (assign.op == Operator::Add && text.len() <= 48 && !text.contains('\n')).then_some(text)
    }

    /// What stands in an operand's place where the operation was called; nothing inside a loop, where it would name
    /// another thing at each turn.
    pub fn operand(&self, record: &Record, place: usize) -> Option<String> {
        let (cell, expression) = self.call(record)?;
        let text = cell.text(operands(expression).get(place)?);
        Some(text).filter(|text| text.len() <= 72 && !text.contains('\n'))
    }

    /// What was called where an operation ran inside a module: `self.W_query` of `self.W_query(x)`.
    pub fn module(&self, record: &Record) -> Option<String> {
        let (cell, statement) = self.statement(record.site.as_ref()?)?;
        let mut calls = Vec::new();
        each_expression(statement, &mut |expression| {
            if let (Expr::Call(call), Called::Other) = (expression, called(expression)) {
                calls.push(cell.text(&call.func));
            }
        });
        match calls.as_slice() {
            [only] => Some(only.clone()).filter(|text| text.len() <= 32 && !text.contains('(')),
            _ => None,
        }
    }

    /// The one expression of the line that called this operation.
    fn call(&self, record: &Record) -> Option<(&Cell, &Expr)> {
        let (cell, statement) = self.statement(record.site.as_ref()?)?;
        if cell.in_loop(statement) {
            return None;
        }
        let mut found = Vec::new();
        each_expression(statement, &mut |expression| {
            if matches!(called(expression), Called::Op(op) if same(record.op, op)) {
                found.push(expression);
            }
        });
        match found.as_slice() {
            [only] => Some((cell, only)),
            _ => None,
        }
    }

    /// The innermost statement on a line.
    fn statement(&self, site: &Site) -> Option<(&Cell, &Stmt)> {
        let cell = self.cells.get(site.cell)?;
        let module = cell.module()?;
        let mut search = Search { cell, line: site.line, found: None };
        module.body.iter().for_each(|statement| search.visit_stmt(statement));
        search.found.map(|found| (cell, found))
    }
}

impl Cell {
    fn module(&self) -> Option<&ModModule> {
        let parse = || parse_module(&self.source).ok().map(|parsed| parsed.into_syntax());
        self.parsed.get_or_init(parse).as_ref()
    }

    fn text(&self, expression: &Expr) -> String {
        self.source[expression.range()].to_owned()
    }

    /// The lines that something spans, from 1 on.
    fn lines(&self, ranged: &impl Ranged) -> (usize, usize) {
        let line = |at: usize| self.source.as_bytes()[..at].iter().filter(|&&byte| byte == b'\n').count() + 1;
        (line(ranged.start().to_usize()), line(ranged.end().to_usize()))
    }

    fn in_loop(&self, statement: &Stmt) -> bool {
        struct Loops {
            at: ruff_text_size::TextRange,
            found: bool,
        }
        impl<'a> Visitor<'a> for Loops {
            fn visit_stmt(&mut self, statement: &'a Stmt) {
                let looped = matches!(statement, Stmt::For(_) | Stmt::While(_));
                self.found |= looped && statement.range().contains_range(self.at);
                walk_stmt(self, statement);
            }
        }
        let mut loops = Loops { at: statement.range(), found: false };
        if let Some(module) = self.module() {
            module.body.iter().for_each(|statement| loops.visit_stmt(statement));
        }
        loops.found
    }
}

/// Finds the innermost statement on a line.
struct Search<'a> {
    cell: &'a Cell,
    line: usize,
    found: Option<&'a Stmt>,
}

impl<'a> Visitor<'a> for Search<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        let (first, last) = self.cell.lines(statement);
        if (first..=last).contains(&self.line) {
            self.found = Some(statement);
            walk_stmt(self, statement);
        }
    }
}

struct Bound<'n> {
    counters: &'n mut Vec<String>,
    others: &'n mut Vec<String>,
}

impl<'a> Visitor<'a> for Bound<'_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::For(looped) => names_in(&looped.target, self.counters),
            Stmt::Assign(assign) => assign.targets.iter().for_each(|target| names_in(target, self.others)),
            Stmt::AugAssign(assign) => names_in(&assign.target, self.others),
            // What a function binds is its own.
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
    struct Each<'e, 'a>(&'e mut dyn FnMut(&'a Expr));
    impl<'a> Visitor<'a> for Each<'_, 'a> {
        fn visit_stmt(&mut self, _: &'a Stmt) {}
        fn visit_expr(&mut self, expression: &'a Expr) {
            (self.0)(expression);
            walk_expr(self, expression);
        }
    }
    walk_stmt(&mut Each(each), statement);
}

/// How many expressions of a statement call this operation.
fn calls_in(statement: &Stmt, op: &str) -> usize {
    let mut count = 0;
    each_expression(statement, &mut |expression| {
        count += usize::from(matches!(called(expression), Called::Op(written) if same(op, written)));
    });
    count
}

fn mentions(value: &Expr, op: &str) -> bool {
    let Expr::Call(call) = value else { return false };
    struct Mentions<'o>(&'o str, bool);
    impl<'a> Visitor<'a> for Mentions<'_> {
        fn visit_expr(&mut self, expression: &'a Expr) {
            self.1 |= matches!(called(expression), Called::Op(op) if same(self.0, op));
            walk_expr(self, expression);
        }
    }
    let mut mentions = Mentions(op, false);
    call.arguments.args.iter().for_each(|arg| mentions.visit_expr(arg));
    mentions.1
}

/// What an expression calls.
enum Called<'a> {
    /// An operation of this name.
    Op(&'a str),
    /// A function or a module of some other name.
    Other,
    /// Nothing.
    Nothing,
}

fn called(expression: &Expr) -> Called<'_> {
    match expression {
        Expr::BinOp(both) => match both.op {
            Operator::Add => Called::Op("add"),
            Operator::Sub => Called::Op("sub"),
            Operator::Mult => Called::Op("mul"),
            Operator::Div => Called::Op("div"),
            Operator::MatMult => Called::Op("matmul"),
            Operator::Pow => Called::Op("pow"),
            _ => Called::Nothing,
        },
        Expr::UnaryOp(one) if one.op == UnaryOp::USub => Called::Op("neg"),
        Expr::Subscript(_) => Called::Op("getitem"),
        Expr::Attribute(attribute) if matches!(attribute.attr.as_str(), "T" | "mT") => Called::Op("T"),
        Expr::Call(call) => {
            let name = match &*call.func {
                Expr::Attribute(attribute) => attribute.attr.as_str(),
                Expr::Name(name) => name.id.as_str(),
                _ => return Called::Other,
            };
            // `self.dropout(x)` has the name of an operation and is none.
            let owned = matches!(&*call.func, Expr::Attribute(it) if matches!(&*it.value, Expr::Name(own) if own.id == "self"));
            match table::find(name) {
                Some(_) if !owned => Called::Op(name),
                _ => Called::Other,
            }
        }
        _ => Called::Nothing,
    }
}

/// Whether a record's operation is the one that is written so.
fn same(recorded: &str, written: &str) -> bool {
    let plain = |name: &str| name.trim_end_matches('_').to_owned();
    let (recorded, written) = (plain(recorded), plain(written));
    let family = |name: &str| match name {
        "t" | "T" => "T".to_owned(),
        "sub" | "rsub" => "sub".to_owned(),
        "matmul" | "mm" | "bmm" | "mv" => "matmul".to_owned(),
        other => {
            table::ALIASES.iter().find(|alias| alias.0 == other).map_or(other, |alias| alias.1).to_owned()
        }
    };
    family(&recorded) == family(&written)
}

/// The operands of a call as they are written, the receiver of a method first.
fn operands(expression: &Expr) -> Vec<&Expr> {
    match expression {
        Expr::BinOp(both) => vec![&both.left, &both.right],
        Expr::UnaryOp(one) => vec![&one.operand],
        Expr::Subscript(part) => vec![&part.value],
        Expr::Attribute(attribute) => vec![&attribute.value],
        Expr::Call(call) => {
            let mut all = Vec::new();
            if let Expr::Attribute(attribute) = &*call.func
                && !is_module(&attribute.value)
            {
                all.push(&*attribute.value);
            }
            all.extend(call.arguments.args.iter());
            all
        }
        _ => Vec::new(),
    }
}

/// Whether a name is that of a module of functions: `torch`, `F`, `torch.nn.functional`.
fn is_module(expression: &Expr) -> bool {
    match expression {
        Expr::Name(name) => matches!(name.id.as_str(), "torch" | "F" | "nn" | "functional"),
        Expr::Attribute(attribute) => is_module(&attribute.value),
        _ => false,
    }
}
