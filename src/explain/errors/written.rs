//! How the learner wrote the operands of an operation: the text of each, from the line that raised.
//! Asks the interpreter's own parser; guesses nothing where two calls on a line could be meant.

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, Operator, Stmt};
use ruff_text_size::{Ranged, TextRange};

/// The operands of the one call of `op` that stands on this line; nothing where there is none, or more than one.
pub(super) fn operands(source: &str, line: usize, op: &str) -> Vec<String> {
    let Ok(parsed) = ruff_python_parser::parse_module(source) else { return Vec::new() };
    let mut search = Search { source, line, op: op.trim_end_matches('_'), found: Vec::new() };
    for statement in &parsed.syntax().body {
        search.visit_stmt(statement);
    }
    match search.found.as_slice() {
        [one] => one.clone(),
        _ => Vec::new(),
    }
}

struct Search<'s> {
    source: &'s str,
    line: usize,
    op: &'s str,
    found: Vec<Vec<String>>,
}

fn sign(operator: Operator) -> &'static str {
    match operator {
        Operator::MatMult => "matmul",
        Operator::Add => "add",
        Operator::Sub => "sub",
        Operator::Mult => "mul",
        Operator::Div => "div",
        Operator::Pow => "pow",
        Operator::BitAnd => "bitwise_and",
        Operator::BitOr => "bitwise_or",
        _ => "",
    }
}

impl Search<'_> {
    fn text(&self, range: TextRange) -> String {
        self.source.get(range.start().to_usize()..range.end().to_usize()).unwrap_or_default().to_owned()
    }

    /// An operand as it is written, in brackets where something may follow it.
    fn operand(&self, expression: &Expr) -> String {
        let text = self.text(expression.range());
        let loose = matches!(
            expression,
            Expr::BinOp(_)
                | Expr::UnaryOp(_)
                | Expr::Compare(_)
                | Expr::BoolOp(_)
                | Expr::If(_)
                | Expr::Lambda(_)
        );
        if loose { format!("({text})") } else { text }
    }

    /// Whether an expression reaches over the line asked for.
    fn is_here(&self, range: TextRange) -> bool {
        let line = |at: usize| self.source.get(..at).map_or(0, |before| before.matches('\n').count() + 1);
        (line(range.start().to_usize())..=line(range.end().to_usize())).contains(&self.line)
    }
}

impl<'a> Visitor<'a> for Search<'_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        if let Stmt::AugAssign(assign) = statement
            && sign(assign.op) == self.op
            && self.is_here(assign.range())
        {
            self.found.push(vec![self.operand(&assign.target), self.operand(&assign.value)]);
        }
        walk_stmt(self, statement);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        if !self.is_here(expression.range()) {
            return;
        }
        match expression {
            Expr::BinOp(binary) if sign(binary.op) == self.op => {
                self.found.push(vec![self.operand(&binary.left), self.operand(&binary.right)]);
            }
            Expr::Call(call) => {
                if let Expr::Attribute(callee) = &*call.func
                    && callee.attr.trim_end_matches('_') == self.op
                {
                    let owner = self.text(callee.value.range());
                    let is_function =
                        matches!(owner.as_str(), "torch" | "F" | "nn.functional" | "torch.nn.functional");
                    // What is joined stands in a list: each of its elements is an operand.
                    let list = call.arguments.args.first().and_then(|first| match first {
                        Expr::List(list) => Some(list.elts.as_slice()),
                        Expr::Tuple(tuple) => Some(tuple.elts.as_slice()),
                        _ => None,
                    });
                    let given = list.filter(|_| is_function).unwrap_or(&call.arguments.args);
                    let given = given.iter().map(|arg| self.operand(arg));
                    let own = (!is_function).then_some(owner);
                    self.found.push(own.into_iter().chain(given).collect());
                }
            }
            _ => {}
        }
        walk_expr(self, expression);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_are_given_as_they_are_written() {
        let source = "x = 1\ny = (a + b) @ keys.transpose(1, 2)\nz = F.softmax(torch.arange(3), dim=0)\nw.masked_fill_(m, 0)";
        assert_eq!(operands(source, 2, "matmul"), ["(a + b)", "keys.transpose(1, 2)"]);
        assert_eq!(operands(source, 3, "softmax"), ["torch.arange(3)"]);
        assert_eq!(operands(source, 4, "masked_fill"), ["w", "m", "0"]);
        assert_eq!(operands("torch.cat([a, b.T], dim=1)", 1, "cat"), ["a", "b.T"]);
        assert!(operands("a @ b @ c", 1, "matmul").is_empty(), "either could be meant");
    }
}
