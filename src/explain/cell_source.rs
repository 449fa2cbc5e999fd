//! The source of one cell: its syntax tree, and the part of it that a call stands in.

use std::cell::OnceCell;
use std::iter::successors;

use crate::syntax::parse_module;
use ruff_python_ast::token::TokenKind;
use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, ModModule, Stmt};
use ruff_python_parser::Parsed;
use ruff_text_size::{Ranged, TextRange, TextSize};

use crate::tensor::{SourcePosition, SourceRange};

/// A cell's source. It is parsed when it is first asked about.
pub(super) struct CellSource {
    pub(super) text: String,
    parsed: OnceCell<Option<Parsed<ModModule>>>,
    /// Where each line begins.
    lines: Vec<usize>,
    /// The comments, in order.
    comments: OnceCell<Vec<TextRange>>,
}

impl CellSource {
    pub(super) fn new(text: String) -> CellSource {
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        CellSource { text, parsed: OnceCell::new(), lines, comments: OnceCell::new() }
    }

    fn parsed(&self) -> Option<&Parsed<ModModule>> {
        self.parsed.get_or_init(|| parse_module(&self.text).ok()).as_ref()
    }

    /// Its syntax tree; `None` if it has an error.
    pub(super) fn module(&self) -> Option<&ModModule> {
        Some(self.parsed()?.syntax())
    }

    /// The statements and expressions that contain a range.
    pub(super) fn around(&self, range: TextRange) -> Option<EnclosingNodes<'_>> {
        let mut around = EnclosingNodes { range, statements: Vec::new(), expressions: Vec::new() };
        // Statements follow each other: only one of the module's can be around the range.
        let body = &self.module()?.body;
        let at = body.partition_point(|statement| statement.end() < range.end());
        around.visit_body(&body[at..body.len().min(at + 1)]);
        Some(around)
    }

    pub(super) fn text_of(&self, part: &impl Ranged) -> &str {
        &self.text[part.range()]
    }

    /// The line of an offset, from 1 on.
    pub(super) fn line_of(&self, offset: TextSize) -> usize {
        self.lines.partition_point(|&start| start <= offset.to_usize())
    }

    fn offset(&self, position: SourcePosition) -> Option<usize> {
        let line = position.line.checked_sub(1)?;
        let before = self.lines.get(line).copied().unwrap_or(self.text.len());
        let end = self.lines.get(line + 1).map_or(self.text.len(), |next| next - 1);
        let (line, column) = (&self.text[before..end], position.column.checked_sub(1)?);
        if line.is_ascii() {
            return (column <= line.len()).then_some(before + column);
        }
        let inside = line.char_indices().map(|(at, _)| at).chain([line.len()]).nth(column)?;
        Some(before + inside)
    }

    /// The range of a stretch.
    pub(super) fn range(&self, span: SourceRange) -> Option<TextRange> {
        let size = |position| TextSize::try_from(self.offset(position)?).ok();
        let (start, end) = (size(span.start)?, size(span.end)?);
        (start <= end).then(|| TextRange::new(start, end))
    }

    fn comments(&self) -> &[TextRange] {
        self.comments.get_or_init(|| {
            let tokens = self.parsed().into_iter().flat_map(|parsed| parsed.tokens().iter());
            tokens.filter(|token| token.kind() == TokenKind::Comment).map(Ranged::range).collect()
        })
    }

    /// A range on one line, without comments, and with `…` in place of each of the ranges in `shown`.
    pub(super) fn on_one_line(&self, range: TextRange, shown: &[TextRange]) -> String {
        let all = self.comments();
        let first = all.partition_point(|comment| comment.start() < range.start());
        let comments = all[first..].iter().take_while(|comment| comment.end() <= range.end());
        let comments = comments.map(|comment| (*comment, ""));
        // A range inside of another one is part of its `…`.
        let outer =
            |part: &&TextRange| !shown.iter().any(|other| other != *part && other.contains_range(**part));
        let mut cuts: Vec<(TextRange, &str)> =
            comments.chain(shown.iter().filter(outer).map(|part| (*part, "…"))).collect();
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

/// The statements and expressions that contain a range, outermost first.
pub(super) struct EnclosingNodes<'a> {
    range: TextRange,
    pub(super) statements: Vec<&'a Stmt>,
    pub(super) expressions: Vec<&'a Expr>,
}

impl<'a> EnclosingNodes<'a> {
    /// The expression that called an operation. The span of an attribute's operation (`keys.T`, `self.keys.T`) covers the
    /// first object only (`keys`, `self`).
    pub(super) fn attribute(&self, operation: &str) -> Option<&'a Expr> {
        self.expressions.iter().rev().copied().find(|expression| match expression {
            Expr::Attribute(attribute) => {
                let inside = |value: &&'a Expr| match value {
                    Expr::Attribute(inner) => Some(&*inner.value),
                    _ => None,
                };
                attribute.attr.as_str() == operation
                    && successors(Some(&*attribute.value), inside).any(|value| value.range() == self.range)
            }
            _ => false,
        })
    }
}

impl<'a> Visitor<'a> for EnclosingNodes<'a> {
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
