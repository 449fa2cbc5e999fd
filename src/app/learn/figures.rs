//! The tensors of a step from which a number can be chosen.

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
    let code = without_texts(&run_at_once(&step.code));
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

/// The lines of code that are not in the body of a function or a class.
fn run_at_once(code: &str) -> String {
    let mut defines = false;
    let is_outside = |line: &&str| {
        if !line.starts_with([' ', ')']) && !line.is_empty() {
            defines = ["def ", "class ", "@"].iter().any(|word| line.starts_with(word));
        }
        !defines
    };
    code.lines().filter(is_outside).collect::<Vec<_>>().join("\n")
}

/// Code without its texts and comments, whose words are no names.
fn without_texts(code: &str) -> String {
    let Ok(parsed) = parse_module(code) else { return code.to_owned() };
    let is_text = |kind| matches!(kind, TokenKind::String | TokenKind::FStringMiddle | TokenKind::Comment);
    let mut names = code.to_owned();
    for token in parsed.tokens().iter().filter(|token| is_text(token.kind())) {
        let range = token.start().to_usize()..token.end().to_usize();
        names.replace_range(range.clone(), &" ".repeat(range.len()));
    }
    names
}

/// Whether a step that has run has a tensor to choose from.
pub(super) fn has_tensors(step: &Step, shown: &[Figure], workspace: &Workspace) -> bool {
    !figures(step, shown.to_vec(), workspace).is_empty()
}
