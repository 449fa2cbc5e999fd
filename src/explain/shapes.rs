//! The shape algebra of an expression: every operation in it, in the order in which it is done.
//! The parser says what the parts are; each part is evaluated for its shape, and nothing is kept.

use ruff_python_ast::{CmpOp, Expr, Operator, UnaryOp};
use ruff_text_size::{Ranged, TextRange};

use super::terms::figure;
use crate::ops::table;
use crate::session::{Raised, Session};

/// One operation of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    /// The code; `…` stands for the operation before it.
    pub code: String,
    /// The shapes that go in: `(6,2) @ (2,6)`. Empty where no tensor does.
    pub algebra: String,
    /// What comes out: a shape, or what else it is; or what was raised.
    pub result: Result<String, Raised>,
    /// What else there is to say: `broadcast`.
    pub remark: &'static str,
}

/// The operations of `expression`, innermost first, up to the first that raises.
/// Every part is evaluated in `session`: hand in one that may be spoilt. Errors: it is no expression.
pub fn algebra(expression: &str, session: &mut Session) -> Result<Vec<Stage>, Raised> {
    let Ok(parsed) = ruff_python_parser::parse_expression(expression) else {
        // The interpreter words what is wrong.
        session.evaluate(expression, |_, _| ())?;
        return Ok(Vec::new());
    };
    let mut walk = Walk { source: expression, session, stages: Vec::new(), last: None };
    let root = &parsed.syntax().body;
    if walk.part(root, true).is_some() && walk.stages.is_empty() {
        let value = walk.value(root);
        walk.push(root, String::new(), value, "");
    }
    Ok(walk.stages)
}

/// Whether evaluating `expression` changes nothing but the random stream: names, operators, elements, and
/// calls of PyTorch's own operations that do not write. Of anything else it is not known.
pub fn is_harmless(expression: &str, session: &mut Session) -> bool {
    match ruff_python_parser::parse_expression(expression) {
        Ok(parsed) => leaves_all(&parsed.syntax().body, expression, session),
        Err(_) => false,
    }
}

fn leaves_all(expr: &Expr, source: &str, session: &mut Session) -> bool {
    let mut all = |parts: &[&Expr]| parts.iter().all(|part| leaves_all(part, source, session));
    match expr {
        _ if is_plain(expr) => true,
        Expr::Attribute(attribute) => all(&[&attribute.value]),
        Expr::Subscript(subscript) => all(&[&subscript.value, &subscript.slice]),
        Expr::Slice(slice) => {
            let bounds = [&slice.lower, &slice.upper, &slice.step];
            all(&bounds.into_iter().flatten().map(|bound| &**bound).collect::<Vec<_>>())
        }
        Expr::Tuple(tuple) => all(&tuple.elts.iter().collect::<Vec<_>>()),
        Expr::List(list) => all(&list.elts.iter().collect::<Vec<_>>()),
        Expr::BinOp(op) => all(&[&op.left, &op.right]),
        Expr::UnaryOp(op) => all(&[&op.operand]),
        Expr::Compare(compare) => {
            all(&[&*compare.left]) && all(&compare.comparators.iter().collect::<Vec<_>>())
        }
        Expr::Call(call) => {
            let Expr::Attribute(method) = &*call.func else { return false };
            let writes = call.arguments.keywords.iter().any(|keyword| {
                keyword.arg.as_ref().is_none_or(|name| matches!(name.as_str(), "out" | "inplace"))
            });
            let known = table::find(&method.attr).is_some_and(|op| !op.name.ends_with('_'));
            let named: Vec<&Expr> = call.arguments.keywords.iter().map(|keyword| &keyword.value).collect();
            known
                && !writes
                && all(&[&*method.value])
                && all(&call.arguments.args.iter().collect::<Vec<_>>())
                && all(&named)
                && is_of_torch(&source[method.value.range()], session)
        }
        _ => false,
    }
}

/// Whether code stands for a tensor, or for a module of PyTorch.
fn is_of_torch(code: &str, session: &mut Session) -> bool {
    if session.tensor(&format!("({code})")).is_ok_and(|tensor| tensor.is_some()) {
        return true;
    }
    let name = format!("getattr(({code}), '__name__', '')");
    let name = session.evaluate(&name, |name, vm| name.try_to_value::<String>(vm).ok()).ok().flatten();
    name.is_some_and(|name| name == "torch" || name.starts_with("torch."))
}

/// A shape as the algebra writes it: `(6,2)`.
pub fn written(shape: &[usize]) -> String {
    let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
    format!("({})", sizes.join(","))
}

/// What a part of an expression is.
#[derive(Clone, Debug)]
enum Value {
    Tensor(Vec<usize>),
    Other(String),
}

impl Value {
    fn text(&self) -> String {
        match self {
            Value::Tensor(shape) => written(shape),
            Value::Other(text) => text.clone(),
        }
    }

    fn shape(&self) -> Option<&[usize]> {
        match self {
            Value::Tensor(shape) => Some(shape),
            Value::Other(_) => None,
        }
    }
}

struct Walk<'s> {
    source: &'s str,
    session: &'s mut Session,
    stages: Vec<Stage>,
    /// Where the operation of the last stage stands.
    last: Option<TextRange>,
}

impl Walk<'_> {
    /// Goes through `expr`; its value, or `None` once something raised. The root has a stage of its own
    /// also where a part of an expression is not worth one.
    fn part(&mut self, expr: &Expr, root: bool) -> Option<Value> {
        match expr {
            Expr::BinOp(op) => {
                let (left, right) = (self.part(&op.left, false)?, self.part(&op.right, false)?);
                let algebra = format!("{} {} {}", left.text(), sign(op.op), right.text());
                let remark = remark(op.op == Operator::MatMult, &left, &right);
                self.done(expr, algebra, remark, root)
            }
            Expr::Compare(compare) if compare.ops.len() == 1 => {
                let left = self.part(&compare.left, false)?;
                let right = self.part(&compare.comparators[0], false)?;
                let algebra = format!("{} {} {}", left.text(), compared(compare.ops[0]), right.text());
                let remark = remark(false, &left, &right);
                self.done(expr, algebra, remark, root)
            }
            Expr::UnaryOp(op) => {
                let value = self.part(&op.operand, false)?;
                let algebra = format!("{}{}", prefix(op.op), value.text());
                self.done(expr, algebra, "", root)
            }
            Expr::Call(call) => {
                let mut shapes = Vec::new();
                match &*call.func {
                    Expr::Attribute(method) => {
                        let receiver = self.part(&method.value, false)?;
                        shapes.extend(receiver.shape().map(written));
                    }
                    other => drop(self.part(other, false)?),
                }
                let named = call.arguments.keywords.iter().map(|keyword| &keyword.value);
                for argument in call.arguments.args.iter().chain(named) {
                    self.argument(argument, &mut shapes)?;
                }
                self.done(expr, shapes.join(", "), "", root)
            }
            Expr::Subscript(subscript) => {
                let value = self.part(&subscript.value, false)?;
                self.done(expr, value.text(), "", root || !is_plain(&subscript.value))
            }
            Expr::Attribute(attribute) => {
                let value = self.part(&attribute.value, false)?;
                let algebra = value.shape().map(written).unwrap_or_default();
                self.done(expr, algebra, "", root || !is_plain(&attribute.value))
            }
            _ => self.done(expr, String::new(), "", root),
        }
    }

    /// An argument's shapes: a list of tensors gives those of its elements.
    fn argument(&mut self, argument: &Expr, shapes: &mut Vec<String>) -> Option<()> {
        let elements = match argument {
            Expr::List(list) => &list.elts,
            Expr::Tuple(tuple) => &tuple.elts,
            Expr::Starred(starred) => return self.argument(&starred.value, shapes),
            // What runs later, or many times, is no part of this.
            Expr::Lambda(_) | Expr::Generator(_) | Expr::ListComp(_) => return Some(()),
            _ => {
                shapes.extend(self.part(argument, false)?.shape().map(written));
                return Some(());
            }
        };
        elements.iter().try_for_each(|element| self.argument(element, shapes))
    }

    /// Evaluates `expr`. An operation that gives a tensor is a stage; names and numbers are none.
    fn done(&mut self, expr: &Expr, algebra: String, remark: &'static str, root: bool) -> Option<Value> {
        let value = self.value(expr);
        let shape = matches!(&value, Ok(Value::Tensor(_)));
        let operation = matches!(expr, Expr::BinOp(_) | Expr::Compare(_) | Expr::UnaryOp(_) | Expr::Call(_));
        let number = matches!(expr, Expr::UnaryOp(op) if is_plain(&op.operand));
        if value.is_err() || (root && !is_plain(expr)) || (shape && operation && !number) || (shape && root) {
            self.push(expr, algebra, value.clone(), remark);
        }
        value.ok()
    }

    fn push(&mut self, expr: &Expr, algebra: String, value: Result<Value, Raised>, remark: &'static str) {
        let range = expr.range();
        let code = match self.last.filter(|last| range.contains_range(*last) && *last != range) {
            Some(last) if last.len().to_usize() > SPELT => {
                format!(
                    "{}…{}",
                    &self.source[range.start().to_usize()..last.start().to_usize()],
                    &self.source[last.end().to_usize()..range.end().to_usize()]
                )
            }
            _ => self.text(expr).to_owned(),
        };
        // Brackets around what `…` stands for say nothing more.
        let code = code.split_whitespace().collect::<Vec<_>>().join(" ").replace("(…) ", "… ");
        let result = value.map(|value| value.text());
        self.stages.push(Stage { code, algebra, result, remark });
        self.last = Some(range);
    }

    fn text(&self, expr: &Expr) -> &str {
        &self.source[expr.range().start().to_usize()..expr.range().end().to_usize()]
    }

    fn value(&mut self, expr: &Expr) -> Result<Value, Raised> {
        // In brackets, so that a part that goes over several lines is one expression.
        let code = format!("({})", self.text(expr));
        if let Some(tensor) = self.session.tensor(&code)? {
            return Ok(Value::Tensor(tensor.shape().to_vec()));
        }
        let read = |code: String, session: &mut Session| {
            session.evaluate(&code, |text, vm| text.try_to_value::<String>(vm).ok()).ok().flatten()
        };
        let shown = read(format!("repr({code})"), self.session).filter(|text| text.chars().count() <= SHORT);
        let shown = shown.map(|text| match text.parse::<f64>() {
            Ok(number) if text.contains('.') => figure(number),
            _ => text,
        });
        let kind = || read(format!("type({code}).__name__"), self.session).unwrap_or_default();
        Ok(Value::Other(shown.unwrap_or_else(kind)))
    }
}

/// Code up to this length is spelt out again.
const SPELT: usize = 8;
/// Values whose text is longer are told by their type.
const SHORT: usize = 24;

/// A name, a number, or a name's attribute or element.
fn is_plain(expr: &Expr) -> bool {
    match expr {
        Expr::Attribute(attribute) => is_plain(&attribute.value),
        Expr::Subscript(subscript) => is_plain(&subscript.value),
        Expr::Name(_) | Expr::NumberLiteral(_) | Expr::StringLiteral(_) | Expr::BooleanLiteral(_) => true,
        Expr::NoneLiteral(_) | Expr::EllipsisLiteral(_) => true,
        _ => false,
    }
}

fn remark(product: bool, left: &Value, right: &Value) -> &'static str {
    match (left.shape(), right.shape()) {
        (Some(a), Some(b)) if product && a.len().max(b.len()) > 2 => {
            "one product for each of the leading axes"
        }
        (Some(a), Some(b)) if !product && a != b && !a.is_empty() && !b.is_empty() => "broadcast",
        _ => "",
    }
}

fn sign(op: Operator) -> &'static str {
    op.as_str()
}

fn compared(op: CmpOp) -> &'static str {
    op.as_str()
}

fn prefix(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Not => "not ",
        UnaryOp::Invert => "~",
        UnaryOp::UAdd => "+",
        UnaryOp::USub => "-",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::SessionOptions;

    fn lines(expression: &str) -> Vec<String> {
        let mut session = Session::new(SessionOptions::default());
        let made =
            "import torch\nqueries = torch.ones(6, 2)\nkeys = torch.ones(6, 2)\nd_k = 2\nb = torch.ones(6)";
        assert_eq!(session.run(made, "cell").error, None);
        let stages = algebra(expression, &mut session).expect("it is an expression");
        let line = |stage: Stage| {
            let result = stage.result.unwrap_or_else(|raised| raised.kind);
            format!("{} : {} -> {result} {}", stage.code, stage.algebra, stage.remark).trim().to_owned()
        };
        stages.into_iter().map(line).collect()
    }

    #[test]
    fn each_operation_is_a_line() {
        assert_eq!(lines("queries @ keys.T"), ["queries @ keys.T : (6,2) @ (2,6) -> (6,6)"]);
        assert_eq!(
            lines("torch.softmax((queries @ keys.transpose(0, 1)) / d_k**0.5 + b, dim=-1)"),
            [
                "keys.transpose(0, 1) : (6,2) -> (2,6)",
                "queries @ … : (6,2) @ (2,6) -> (6,6)",
                "… / d_k**0.5 : (6,6) / 1.4142 -> (6,6)",
                "… + b : (6,6) + (6) -> (6,6) broadcast",
                "torch.softmax(…, dim=-1) : (6,6) -> (6,6)",
            ]
        );
        assert_eq!(
            lines("torch.cat([queries, keys], dim=1)"),
            ["torch.cat([queries, keys], dim=1) : (6,2), (6,2) -> (6,4)"]
        );
        assert_eq!(lines("keys.T"), ["keys.T : (6,2) -> (2,6)"]);
        assert_eq!(lines("keys"), ["keys :  -> (6,2)"]);
        assert_eq!(lines("d_k"), ["d_k :  -> 2"]);
        assert_eq!(lines("keys[1:, 0]"), ["keys[1:, 0] : (6,2) -> (5)"]);
    }

    #[test]
    fn what_changes_nothing_is_told_from_the_rest() {
        let mut session = Session::new(SessionOptions::default());
        session.run("import torch\nx = torch.ones(2, 2)\ns = set()\ndef f(): pass", "cell");
        for code in ["x", "x.T @ x[0, 1:] + 1", "torch.softmax(x * 2, dim=-1).sum()", "torch.rand(2) > 0.5"] {
            assert!(is_harmless(code, &mut session), "{code}");
        }
        for code in
            ["f()", "x.add_(1)", "s.add(3)", "torch.add(x, x, out=x)", "[y for y in x]", "print(x)", "x ="]
        {
            assert!(!is_harmless(code, &mut session), "{code}");
        }
    }

    #[test]
    fn the_first_that_raises_is_the_last_line() {
        assert_eq!(lines("(queries @ keys) * 2"), ["queries @ keys : (6,2) @ (6,2) -> RuntimeError"]);
        assert_eq!(lines("nothing + 1"), ["nothing :  -> NameError"]);
    }
}
