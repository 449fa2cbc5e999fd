//! The learner's code around an operation: the name given to its result, and its operands as they are written.

use std::collections::HashMap;

use ruff_python_ast::helpers::any_over_expr;
use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, Operator, Stmt};
use ruff_text_size::Ranged;

use super::cell_source::{CellSource, EnclosingNodes};
use super::name::{Name, Transposition};
use super::rounds::{Rounds, names_in};
use super::written_call::{
    WrittenCall, binding, called, may_return_itself, operands, operator, same, transposed,
};
use crate::ops::schema::Type;
use crate::ops::table;
use crate::tensor::{Arg, Descriptor, Record, Site};

/// The sources of cells, by the names that they ran under; of two cells of one name, the later one counts.
#[derive(Default)]
pub struct CellSources {
    pub(super) cells: HashMap<String, CellSource>,
}

/// A call of an operation in the source.
struct SourceCall<'a> {
    cell: &'a CellSource,
    around: EnclosingNodes<'a>,
    /// The expression; `None` if the interpreter calls the operation for a statement, as for `+=`.
    expression: Option<&'a Expr>,
}

impl CellSources {
    /// From the name and the source of each cell.
    pub fn new(cells: impl IntoIterator<Item = (String, String)>) -> CellSources {
        CellSources { cells: cells.into_iter().map(|(name, text)| (name, CellSource::new(text))).collect() }
    }

    /// The line of code at a site.
    pub(crate) fn line(&self, site: &Site) -> Option<String> {
        let cell = self.cells.get(site.cell)?;
        let line = cell.text.lines().nth(site.line.checked_sub(1)?)?;
        // A statement on one line, without the comment after it.
        let statement =
            self.statement((site.cell, site.line)).map(|(cell, statement)| &cell.text[statement.range()]);
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
        let around = cell.around(cell.range(site.span)?)?;
        let is_in_function = around.statements.iter().any(|it| it.is_function_def_stmt());
        let path = around.statements.iter().filter_map(|statement| match statement {
            Stmt::ClassDef(class) => Some(class.name.as_str()),
            Stmt::FunctionDef(function) => Some(function.name.as_str()),
            _ => None,
        });
        is_in_function.then(|| path.collect::<Vec<_>>().join("."))
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
        let call = self.call(record)?;
        let (target, value) = match call.around.statements.last()? {
            Stmt::Assign(assign) => match assign.targets.as_slice() {
                [target] => (target, &*assign.value),
                _ => return None,
            },
            Stmt::AnnAssign(assign) => (&*assign.target, assign.value.as_deref()?),
            _ => return None,
        };
        let name = match target {
            Expr::Name(_) | Expr::Attribute(_) => call.cell.text_of(target),
            _ => return None,
        };
        may_be_result(value, call.expression?).then(|| name.to_owned())
    }

    /// The variable or the attribute that is the operand in this place, as the call names it; of a list, its element
    /// `item`: `rows[2]`. `None`: the operand is another expression, or a variable of a loop, which says little.
    pub(crate) fn variable(&self, record: &Record, place: usize, item: usize) -> Option<String> {
        let call = self.call(record)?;
        let (operand, is_list) = call.item(record, place, item)?;
        let is_path = |mut part: &Expr| {
            while let Expr::Attribute(attribute) = part {
                part = &attribute.value;
            }
            part.is_name_expr()
        };
        let is_named = is_path(operand) && !matches!(called(operand), WrittenCall::Op(_));
        let name = call.cell.text_of(operand);
        let name =
            (is_named && !super::rounds::is_loop_variable(&call.around, name)).then(|| name.to_owned());
        if is_list { name.map(|list| format!("{list}[{item}]")) } else { name }
    }

    /// The call of a function or a module that the operand in this place is, as it is written: `split(keys)`.
    /// `made` is the operation that made its tensor: a method of this name is not a function of the learner.
    pub(crate) fn returned(
        &self,
        record: &Record,
        (place, item): (usize, usize),
        made: Option<&Record>,
    ) -> Option<Name> {
        let call = self.call(record)?;
        let (operand, is_list) = call.item(record, place, item)?;
        let text = call.cell.text_of(operand);
        let is_returned = match called(operand) {
            WrittenCall::Other => !is_list,
            WrittenCall::Op(op) => {
                operand.is_call_expr() && made.is_some_and(|made| !same(made.operation, op))
            }
            WrittenCall::Nothing => false,
        };
        (is_returned && text.len() <= 48 && !text.contains('\n')).then(|| call.cell.name(operand))
    }

    /// Whether the code around a call binds a variable, other than as a parameter.
    pub(crate) fn binds(&self, record: &Record, name: &str) -> bool {
        self.call(record).is_some_and(|call| super::rounds::binds(call.cell, &call.around, variable_of(name)))
    }

    /// How many rounds before the explained element a variable got its value, for an operand of a call; `rounds` are
    /// those of the call's result.
    pub(crate) fn rounds(&self, record: &Record, name: &str, rounds: &Rounds) -> Rounds {
        let call = self.call(record);
        call.map_or_else(Rounds::default, |call| {
            rounds.before(call.cell, &call.around, record, variable_of(name))
        })
    }

    /// What a line adds in place: `w * x` of `total += w * x`.
    pub(crate) fn added(&self, record: &Record) -> Option<String> {
        let (cell, statement) = self.statement(place(record)?)?;
        let Stmt::AugAssign(assign) = statement else { return None };
        let text = cell.text_of(&*assign.value);
        let is_short = text.len() <= 48 && !text.contains('\n');
        (assign.op == Operator::Add && is_short).then(|| text.to_owned())
    }

    /// The operand in this place as it is written in the call.
    pub(crate) fn operand(&self, record: &Record, place: usize) -> Option<Name> {
        let call = self.call(record)?;
        let name = call.cell.name(call.operand(record, place)?);
        let text = name.to_string();
        (text.len() <= 72 && !text.contains('\n')).then_some(name)
    }

    /// The same for a number, where the code says more than its value: `d_k**0.5`, but not `0.5`.
    pub(crate) fn number(&self, record: &Record, place: usize) -> Option<Name> {
        let call = self.call(record)?;
        let says_more = call.operand(record, place).is_some_and(|it| call.cell.names_something(it));
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
        let Some(call) = cell.only(statement, site.1, |it| calls(it, op)) else { return Vec::new() };
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
        let method = |expression: &'_ Expr| {
            let callee = expression.as_call_expr().and_then(|call| call.func.as_attribute_expr());
            callee.is_some_and(|callee| methods.contains(&callee.attr.as_str()))
        };
        operands(cell.only(statement, site.1, method)?).first().map(|receiver| cell.name(receiver))
    }

    /// The module that a call calls: `self.W_query` of `self.W_query(x)`.
    pub(crate) fn module(&self, record: &Record) -> Option<String> {
        let call = self.call(record)?;
        let expression = call.expression?;
        let Expr::Call(written) = expression else { return None };
        let text = call.cell.text_of(&*written.func);
        let is_module = matches!(called(expression), WrittenCall::Other);
        (is_module && text.len() <= 32 && !text.contains('(')).then(|| text.to_owned())
    }

    /// The call of an operation in the source.
    fn call(&self, record: &Record) -> Option<SourceCall<'_>> {
        let site = record.site.as_ref()?;
        let cell = self.cells.get(site.cell)?;
        let range = cell.range(site.span)?;
        let around = cell.around(range)?;
        let whole = |expression: &&Expr| expression.range() == range;
        let exact = around.expressions.last().copied().filter(whole);
        let expression = around.attribute(record.operation.name).or(exact);
        Some(SourceCall { cell, around, expression })
    }

    /// The innermost statement on a line of a cell.
    fn statement(&self, (cell, line): (&str, usize)) -> Option<(&CellSource, &Stmt)> {
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

/// The variable of an element of a list: `rows` of `rows[2]`.
fn variable_of(name: &str) -> &str {
    name.split_once('[').map_or(name, |(list, _)| list)
}

impl<'a> SourceCall<'a> {
    /// The operand in this place; of several, the one with this number, or the list that has it.
    fn item(&self, record: &Record, place: usize, item: usize) -> Option<(&'a Expr, bool)> {
        let operand = self.operand(record, place)?;
        let args = record.args();
        let Some(Arg::Tensors(tensors)) = args.get(place) else { return Some((operand, false)) };
        match operand {
            Expr::List(list) => return Some((list.elts.get(item)?, false)),
            Expr::Tuple(tuple) => return Some((tuple.elts.get(item)?, false)),
            _ => {}
        }
        // The tensors may also stand one after the other.
        let params = table::row_of(record.operation).and_then(|row| row.params().get(record.form));
        let may_be_apart = params.is_some_and(|params| params[place].kind == Type::Several);
        match self.expression.map(operands).unwrap_or_default().get(place..) {
            Some(apart) if may_be_apart && apart.len() == tensors.len() => Some((apart[item], false)),
            _ => Some((operand, true)),
        }
    }

    /// The operand in this place as it is written; `None` if the expression calls a module or another function.
    fn operand(&self, record: &Record, place: usize) -> Option<&'a Expr> {
        if let Some(Stmt::AugAssign(assign)) = self.around.statements.last()
            && self.expression.is_none_or(|it| it.range() == assign.value.range())
            && operator(assign.op).is_some_and(|written| same(record.operation, written))
            && (record.in_place || !self.expression.is_some_and(|it| calls(it, record.operation)))
        {
            return [&*assign.target, &*assign.value].get(place).copied();
        }
        let call = self.expression.filter(|it| calls(it, record.operation))?;
        let named = || {
            let name = table::row_of(record.operation)?.params().get(record.form)?.get(place)?.name;
            Some(&call.as_call_expr()?.arguments.find_keyword(name)?.value)
        };
        operands(call).get(place).copied().or_else(named)
    }
}

impl CellSource {
    /// An expression as it is written.
    fn name(&self, expression: &Expr) -> Name {
        let Some((of, axes)) = transposed(expression) else {
            return Name::Code(self.text_of(expression).to_owned(), binding(expression));
        };
        let after = &self.text[of.end().to_usize()..expression.end().to_usize()];
        let suffix = after.trim_start_matches(|letter: char| letter == ')' || letter.is_whitespace());
        Name::Transposed(Box::new(self.name(of)), Transposition { axes, suffix: suffix.to_owned() })
    }

    /// Whether an expression says more than its value: it has a name in it, or a number such as 1e-9.
    fn names_something(&self, expression: &Expr) -> bool {
        // `float("inf")` is a way to write a number.
        if let Expr::Call(call) = expression
            && matches!(&*call.func, Expr::Name(name) if name.id == "float")
        {
            return false;
        }
        any_over_expr(expression, &|part| match part {
            Expr::NumberLiteral(_) => self.text_of(part).contains(char::is_alphabetic),
            part => !matches!(part, Expr::BinOp(_) | Expr::UnaryOp(_)),
        })
    }

    /// The expression of a statement that includes the line and passes the test; `None` if there are several.
    fn only<'a>(&self, statement: &'a Stmt, line: usize, wanted: impl Fn(&Expr) -> bool) -> Option<&'a Expr> {
        let mut found = Vec::new();
        each_expression(statement, &mut |expression| {
            let (first, last) = self.lines(expression);
            if (first..=last).contains(&line) && wanted(expression) {
                found.push(expression);
            }
        });
        match found.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// The first and the last line, counted from 1.
    fn lines(&self, ranged: &impl Ranged) -> (usize, usize) {
        (self.line_of(ranged.start()), self.line_of(ranged.end()))
    }
}

/// Finds the innermost statement on a line.
struct StatementSearch<'a> {
    cell: &'a CellSource,
    line: usize,
    found: Option<&'a Stmt>,
}

impl<'a> Visitor<'a> for StatementSearch<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        let (first, last) = self.cell.lines(statement);
        if (first..=last).contains(&self.line) {
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
            // Names that a function binds are local to it.
            Stmt::FunctionDef(_) | Stmt::ClassDef(_) => return,
            _ => {}
        }
        walk_stmt(self, statement);
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

/// Whether an expression calls this operation.
fn calls(expression: &Expr, op: &Descriptor) -> bool {
    matches!(called(expression), WrittenCall::Op(written) if same(op, written))
}

/// Whether the value of an expression can be what a call in it returns: `x.max(dim=-1)` in `x.max(dim=-1).values`,
/// `softmax(x)` in `softmax(x).to(dtype)`, which returns its own tensor if that has the dtype.
fn may_be_result(value: &Expr, call: &Expr) -> bool {
    let through = match value {
        _ if value.range() == call.range() => return true,
        Expr::Attribute(field) if matches!(field.attr.as_str(), "values" | "indices") => &field.value,
        Expr::Call(method) if may_return_itself(value) => match &*method.func {
            Expr::Attribute(callee) => &callee.value,
            _ => return false,
        },
        _ => return false,
    };
    may_be_result(through, call)
}
