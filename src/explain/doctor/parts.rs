//! What of a program can run if the whole cannot: its imports, classes and functions, without the statements that use
//! data, other packages or a GPU. Lines stay where they are.

use crate::syntax::{line as line_of, parse_module};
use ruff_python_ast::helpers::any_over_expr;
use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::Ranged;

/// The program's imports, definitions and plain constants; everything else is left out.
pub(crate) fn definitions(source: &str) -> Option<String> {
    let body = parse_module(source).ok()?.into_syntax().body;
    let mut kept = source.to_owned();
    for statement in body.iter().rev().filter(|statement| !is_definition(statement)) {
        kept = replaced(&kept, statement, "");
    }
    Some(kept)
}

/// The program without the statement that raised in this line. An import is replaced: its names are bound to something
/// that can be called and inherited from.
pub(crate) fn without(source: &str, line: usize) -> Option<String> {
    let body = parse_module(source).ok()?.into_syntax().body;
    let statement = body.iter().find(|statement| {
        let range = statement.range();
        (line_of(source, range.start().into())..=line_of(source, range.end().into())).contains(&line)
    })?;
    Some(replaced(source, statement, &in_place_of(statement)))
}

fn is_definition(statement: &Stmt) -> bool {
    match statement {
        Stmt::Import(_) | Stmt::ImportFrom(_) | Stmt::FunctionDef(_) | Stmt::ClassDef(_) => true,
        Stmt::Assign(assign) => is_plain(&assign.value),
        Stmt::AnnAssign(assign) => assign.value.as_deref().is_none_or(is_plain),
        Stmt::Try(block) => block.body.iter().all(|it| matches!(it, Stmt::Import(_) | Stmt::ImportFrom(_))),
        _ => false,
    }
}

/// Whether an expression calls nothing.
fn is_plain(expression: &Expr) -> bool {
    !any_over_expr(expression, &Expr::is_call_expr)
}

/// The source with a statement replaced by a line of text; the lines after it keep their numbers.
fn replaced(source: &str, statement: &Stmt, by: &str) -> String {
    let (start, end) = (usize::from(statement.range().start()), usize::from(statement.range().end()));
    let lines = "\n".repeat(source[start..end].matches('\n').count());
    let by = if by.is_empty() { "pass" } else { by };
    format!("{}{by}{lines}{}", &source[..start], &source[end..])
}

/// What is run in place of a statement that raises.
fn in_place_of(statement: &Stmt) -> String {
    match statement {
        Stmt::Import(import) => {
            let names = import.names.iter().map(|it| {
                let name = it.asname.as_ref().unwrap_or(&it.name);
                format!("_made_up as {}", name.split('.').next().unwrap_or_default())
            });
            format!("import {}", names.collect::<Vec<_>>().join(", "))
        }
        Stmt::ImportFrom(import) => {
            let names = import.names.iter().filter(|it| it.name.as_str() != "*").map(|it| {
                let name = it.asname.as_ref().unwrap_or(&it.name);
                format!("Absent as {name}")
            });
            let names: Vec<String> = names.collect();
            match names.is_empty() {
                true => String::new(),
                false => format!("from _made_up import {}", names.join(", ")),
            }
        }
        _ => String::new(),
    }
}
