//! The learner's own code for what ran: the expression, and what its value is bound to.
//! The interpreter's parser says what is what; sources are never changed.

use std::collections::HashMap;

use ruff_python_ast::token::TokenKind;
use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, ModModule, Stmt};
use ruff_python_parser::{Parsed, parse_module};
use ruff_text_size::{Ranged, TextRange, TextSize};

use crate::ops::trace::{Called, Span, Spot};

/// The cells' sources, by the names they ran under.
#[derive(Default)]
pub struct Sources {
    cells: HashMap<String, Source>,
}

struct Source {
    text: String,
    parsed: Option<Parsed<ModModule>>,
}

/// The code of an operation.
#[derive(Debug, Default)]
pub(super) struct Code {
    /// In full, on one line.
    pub(super) text: String,
    /// With `…` for the parts that rows before have told.
    pub(super) short: Option<String>,
}

/// What rows before have told of the statement that runs.
#[derive(Debug, Default)]
pub(super) struct Told {
    statement: Option<(u64, TextRange)>,
    parts: Vec<TextRange>,
}

impl Sources {
    /// These cells, each with the name it ran under; a later one takes the place of an earlier one of its name.
    pub fn new(cells: impl IntoIterator<Item = (String, String)>) -> Sources {
        let source = |(name, text): (String, String)| {
            let parsed = parse_module(&text).ok();
            (name, Source { text, parsed })
        };
        Sources { cells: cells.into_iter().map(source).collect() }
    }

    /// The text of a stretch of a cell, on one line; nothing where the cell is unknown.
    pub fn text(&self, cell: &str, span: Span) -> String {
        let Some(source) = self.cells.get(cell) else { return String::new() };
        source.range(span).map_or_else(String::new, |range| source.line(range, &[]))
    }

    /// The code of what `call` was running: an operation (in place or not), or a call where `op` is empty.
    pub(super) fn code(
        &self,
        call: &Called,
        activation: u64,
        op: &str,
        in_place: bool,
        seen: &mut Told,
    ) -> Code {
        let Some(source) = self.cells.get(call.cell) else { return Code::default() };
        let Some(range) = source.range(call.span) else { return Code::default() };
        let Some(parsed) = &source.parsed else {
            return Code { text: source.line(range, &[]), short: None };
        };
        let mut finder = Finder { range, statements: Vec::new(), expressions: Vec::new() };
        finder.visit_body(&parsed.syntax().body);
        let statement = finder.statements.last().copied();
        let place = statement.map(|statement| (activation, statement.range()));
        if place != seen.statement {
            *seen = Told { statement: place, parts: Vec::new() };
        }
        let (node, whole) = stretch(range, op, in_place, statement, &finder.expressions);
        let told = |part: &&TextRange| node.contains_range(**part) && **part != node;
        let parts: Vec<TextRange> = seen.parts.iter().filter(told).copied().collect();
        // An operation that runs again is a new pass of a loop: nothing is told yet.
        match seen.parts.contains(&node) {
            true => seen.parts = vec![node],
            false => seen.parts.push(node),
        }
        let text = source.line(whole, &[]);
        let short = (!parts.is_empty()).then(|| source.line(whole, &parts));
        Code { text, short }
    }
}

impl Source {
    fn offset(&self, spot: Spot) -> Option<usize> {
        let before: usize =
            self.text.split_inclusive('\n').take(spot.line.checked_sub(1)?).map(str::len).sum();
        let line = self.text[before..].split('\n').next()?;
        let column = spot.column.checked_sub(1)?;
        let inside = line.char_indices().map(|(at, _)| at).chain([line.len()]).nth(column)?;
        Some(before + inside)
    }

    fn range(&self, span: Span) -> Option<TextRange> {
        let size = |spot| TextSize::try_from(self.offset(spot)?).ok();
        let (start, end) = (size(span.start)?, size(span.end)?);
        (start <= end).then(|| TextRange::new(start, end))
    }

    /// A stretch on one line, without comments; `…` for each of the stretches in `told`.
    fn line(&self, range: TextRange, told: &[TextRange]) -> String {
        let comments = self.parsed.iter().flat_map(|parsed| parsed.tokens().iter());
        let comments = comments.filter(|token| token.kind() == TokenKind::Comment).map(Ranged::range);
        let comments = comments.filter(|comment| range.contains_range(*comment)).map(|comment| (comment, ""));
        // Of two that overlap, the outer one stands for both.
        let outer =
            |part: &&TextRange| !told.iter().any(|other| other != *part && other.contains_range(**part));
        let mut cuts: Vec<(TextRange, &str)> =
            comments.chain(told.iter().filter(outer).map(|part| (*part, "…"))).collect();
        cuts.sort_by_key(|(cut, _)| cut.start());
        cuts.dedup();
        let mut text = String::new();
        let mut at = range.start();
        for (cut, instead) in cuts {
            if cut.start() >= at {
                text.push_str(&self.text[TextRange::new(at, cut.start())]);
                text.push_str(instead);
                at = cut.end();
            }
        }
        text.push_str(&self.text[TextRange::new(at, range.end())]);
        let words: Vec<&str> = text.split_whitespace().collect();
        match text.contains('\n') {
            true => {
                words.join(" ").replace("( ", "(").replace(" )", ")").replace("[ ", "[").replace(" ]", "]")
            }
            false => text.trim().to_owned(),
        }
    }
}

/// The expression that ran, and the stretch of code that is shown for it.
fn stretch(
    range: TextRange,
    op: &str,
    in_place: bool,
    statement: Option<&Stmt>,
    expressions: &[&Expr],
) -> (TextRange, TextRange) {
    // An attribute's own operation (`keys.T`) is marked at what it is an attribute of.
    let attribute = expressions.iter().rev().find_map(|expression| match expression {
        Expr::Attribute(attribute) if attribute.value.range() == range && attribute.attr.as_str() == op => {
            Some(attribute.range)
        }
        _ => None,
    });
    let node = attribute.unwrap_or(range);
    let up_to = |start: TextSize| TextRange::new(start, node.end().max(start));
    let whole = match statement {
        // What is written into a part is marked at the value.
        Some(Stmt::Assign(assign))
            if op == "setitem" && assign.targets.iter().any(Expr::is_subscript_expr) =>
        {
            assign.range
        }
        Some(Stmt::Assign(assign)) if assign.value.range() == node && assign.targets.iter().all(is_name) => {
            up_to(assign.range.start())
        }
        Some(Stmt::AnnAssign(assign)) if assign.value.as_ref().is_some_and(|value| value.range() == node) => {
            up_to(assign.range.start())
        }
        Some(Stmt::AugAssign(assign)) if in_place && assign.value.range().contains_range(node) => {
            assign.range
        }
        Some(Stmt::AugAssign(assign)) if in_place && assign.target.range().contains_range(node) => {
            assign.range
        }
        // What `x[i] *= 2` reads first is marked at its last index.
        Some(Stmt::AugAssign(assign)) if op == "getitem" && assign.target.range().contains_range(node) => {
            return (assign.target.range(), assign.target.range());
        }
        Some(Stmt::Return(returned))
            if returned.value.as_ref().is_some_and(|value| value.range() == node) =>
        {
            up_to(returned.range.start())
        }
        Some(Stmt::For(looped)) if op == "unbind" && looped.iter.range().contains_range(node) => {
            TextRange::new(looped.range.start(), looped.iter.end())
        }
        _ => node,
    };
    // What an in-place statement covers is not told as a part of anything.
    if in_place && whole != node { (whole, whole) } else { (node, whole) }
}

/// Whether a target only binds names: what is written into a part is an operation of its own.
fn is_name(target: &Expr) -> bool {
    match target {
        Expr::Tuple(tuple) => tuple.elts.iter().all(is_name),
        Expr::Name(_) | Expr::Attribute(_) | Expr::Starred(_) => true,
        _ => false,
    }
}

/// The statements and expressions around a stretch, outermost first.
struct Finder<'a> {
    range: TextRange,
    statements: Vec<&'a Stmt>,
    expressions: Vec<&'a Expr>,
}

impl<'a> Visitor<'a> for Finder<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        if statement.range().contains_range(self.range) {
            self.statements.push(statement);
            walk_stmt(self, statement);
        }
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        if expression.range().contains_range(self.range) {
            self.expressions.push(expression);
            walk_expr(self, expression);
        }
    }
}
