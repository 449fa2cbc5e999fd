//! The pictures of `:view:`, as a lesson asks for them.

use ruff_python_ast::Expr;
use ruff_text_size::Ranged;

/// A picture that a step asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct View {
    /// Its word in [`super::vocabulary::VIEWS`].
    pub(crate) kind: &'static str,
    pub(crate) expressions: Vec<String>,
    pub(crate) line: usize,
}

impl View {
    /// The view `kind` of comma-separated expressions. Errors: a message about what is wrong with them.
    pub(crate) fn new(kind: &'static str, expressions: &str, line: usize) -> Result<View, String> {
        let source = format!("({expressions},)");
        let unreadable = |_| format!("`{expressions}` is not a list of expressions");
        let parsed = crate::syntax::parse_expression(&source).map_err(unreadable)?;
        let parts = match parsed.expr() {
            Expr::Tuple(tuple) => tuple.elts.iter().map(|part| source[part.range()].to_owned()).collect(),
            _ => Vec::new(),
        };
        let view = View { kind, expressions: parts, line };
        let count = view.expressions.len();
        match (kind, count) {
            ("dropped", 2) | ("bars", 1) => Ok(view),
            ("dropped", _) => Err(format!("`dropped` takes two expressions, before and after, not {count}")),
            ("bars", _) => Err(format!("`bars` takes one expression, not {count}")),
            (_, 0) => Err(format!("`{kind}` needs an expression")),
            _ => Ok(view),
        }
    }
}
