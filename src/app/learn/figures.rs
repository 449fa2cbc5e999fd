//! The tensors of a step from which a number can be chosen.

use std::ops::Range;

use ruff_python_ast::Stmt;
use ruff_python_ast::token::TokenKind;
use ruff_text_size::Ranged;

use super::super::cells::workspace::Workspace;
use crate::lesson::Step;
use crate::syntax::parse_module;
use crate::view::Figure;

/// The most tensors of a step that can be chosen from.
const MOST: usize = 24;

/// The tensors to choose from: those whose tables the step shows, then the others that its code names outside of the
/// functions and classes that it defines.
pub(super) fn figures(step: &Step, shown: Vec<Figure>, workspace: &Workspace) -> Vec<Figure> {
    let mut figures = shown;
    let names = workspace.names();
    let is_letter = |c: char| c.is_alphanumeric() || "_.".contains(c);
    let code = run_at_once(&step.code);
    for word in code.split(|c: char| !is_letter(c)).filter(|word| !word.is_empty()) {
        if !figures.iter().any(|figure| figure.name == word)
            && let Some(tensor) = names.get(word)
        {
            figures.push(workspace.labelled_figure(word, tensor));
        }
    }
    figures.retain(|figure| figure.has_values() && figure.count() > 0);
    figures.truncate(MOST);
    figures
}

/// Code without its texts and comments, whose words are no names, and without the functions and classes that it defines.
fn run_at_once(code: &str) -> String {
    let Ok(parsed) = parse_module(code) else { return code.to_owned() };
    let is_text = |kind| matches!(kind, TokenKind::String | TokenKind::FStringMiddle | TokenKind::Comment);
    let texts = parsed.tokens().iter().filter(|token| is_text(token.kind())).map(Ranged::range);
    let defines = |statement: &&Stmt| matches!(statement, Stmt::FunctionDef(_) | Stmt::ClassDef(_));
    let defined = parsed.syntax().body.iter().filter(defines).map(Ranged::range);
    let mut names = code.to_owned();
    for range in texts.chain(defined) {
        names.replace_range(Range::<usize>::from(range), &" ".repeat(range.len().to_usize()));
    }
    names
}

/// Whether a step that has run has a tensor to choose from.
pub(super) fn has_tensors(step: &Step, shown: &[Figure], workspace: &Workspace) -> bool {
    !figures(step, shown.to_vec(), workspace).is_empty()
}
