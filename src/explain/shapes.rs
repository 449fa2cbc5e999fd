//! The shapes in an expression: every operation in it, in the order of evaluation.
//! Each part of the expression is evaluated for its shape.

use ruff_python_ast::{Expr, Operator, UnaryOp};
use ruff_text_size::{Ranged, TextRange};

use super::terms::figure;
use crate::ops::table;
use crate::session::{Raised, Session};
use crate::tensor::descriptor::InPlace;
use crate::tensor::show::shape_in_formula;

/// One operation of an expression.
#[derive(Clone, PartialEq, Eq)]
pub struct ShapeStep {
    /// The code, with `…` in place of the operation before it.
    pub code: String,
    /// The shapes of the operands: `(6,2) @ (2,6)`. Empty if no operand is a tensor.
    pub algebra: String,
    /// The shape of the result, its text or type if it is no tensor, or what the operation raised.
    pub result: Result<String, Raised>,
    /// A remark: `broadcast`. May be empty.
    pub remark: &'static str,
}

/// Returns the operations of `expression`, innermost first, up to the first that raises.
/// Evaluating the parts may change the state of `session`. Errors: it is no expression.
pub fn shape_steps(expression: &str, session: &mut Session) -> Result<Vec<ShapeStep>, Raised> {
    let Ok(parsed) = crate::syntax::parse_expression(expression) else {
        // The interpreter raises the syntax error.
        session.evaluate(expression, |_, _| ())?;
        return Ok(Vec::new());
    };
    let mut walk = ShapeWalk { source: expression, session, steps: Vec::new(), last: None };
    let root = &parsed.syntax().body;
    if walk.part(root, true).is_some() && walk.steps.is_empty() {
        let value = walk.value(root);
        walk.push(root, String::new(), value, "");
    }
    Ok(walk.steps)
}

/// Whether evaluating `expression` is known to change nothing but the random stream. This is so for names, operators,
/// subscripts, and calls of PyTorch's operations that do not write.
pub fn is_harmless(expression: &str, session: &mut Session) -> bool {
    match crate::syntax::parse_expression(expression) {
        Ok(parsed) => changes_nothing(&parsed.syntax().body, expression, session),
        Err(_) => false,
    }
}

fn changes_nothing(expr: &Expr, source: &str, session: &mut Session) -> bool {
    let mut all = |parts: &[&Expr]| parts.iter().all(|part| changes_nothing(part, source, session));
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
            let known = table::find(&method.attr).is_some_and(|op| op.in_place != InPlace::Always);
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

/// Whether code evaluates to a tensor or to a module of PyTorch, or to NumPy.
fn is_of_torch(code: &str, session: &mut Session) -> bool {
    if session.tensor(&format!("({code})")).is_ok_and(|tensor| tensor.is_some()) {
        return true;
    }
    let name = format!("getattr(({code}), '__name__', '')");
    let name = session.evaluate(&name, |name, vm| name.try_to_value::<String>(vm).ok()).ok().flatten();
    name.is_some_and(|name| name == "torch" || name == "numpy" || name.starts_with("torch."))
}

/// The value of a part of an expression: a tensor's shape, or the text of anything else.
#[derive(Clone)]
enum PartValue {
    Tensor(Vec<usize>),
    Other(String),
}

impl PartValue {
    fn text(&self) -> String {
        match self {
            PartValue::Tensor(sizes) => shape_in_formula(sizes),
            PartValue::Other(text) => text.clone(),
        }
    }

    fn shape(&self) -> Option<&[usize]> {
        match self {
            PartValue::Tensor(shape) => Some(shape),
            PartValue::Other(_) => None,
        }
    }
}

struct ShapeWalk<'s> {
    source: &'s str,
    session: &'s mut Session,
    steps: Vec<ShapeStep>,
    /// The range of the last step's operation.
    last: Option<TextRange>,
}

impl ShapeWalk<'_> {
    /// Adds the steps of `expr` and returns its value, or `None` if something raised. The root gets a step even if it is
    /// only a name.
    fn part(&mut self, expr: &Expr, root: bool) -> Option<PartValue> {
        match expr {
            Expr::BinOp(op) => {
                let (left, right) = (self.part(&op.left, false)?, self.part(&op.right, false)?);
                let algebra = format!("{} {} {}", left.text(), op.op.as_str(), right.text());
                let remark = remark(op.op == Operator::MatMult, &left, &right);
                self.evaluate(expr, algebra, remark, root)
            }
            Expr::Compare(compare) if compare.ops.len() == 1 => {
                let left = self.part(&compare.left, false)?;
                let right = self.part(&compare.comparators[0], false)?;
                let algebra = format!("{} {} {}", left.text(), compare.ops[0].as_str(), right.text());
                let remark = remark(false, &left, &right);
                self.evaluate(expr, algebra, remark, root)
            }
            Expr::UnaryOp(op) => {
                let value = self.part(&op.operand, false)?;
                let algebra = format!("{}{}", prefix(op.op), value.text());
                self.evaluate(expr, algebra, "", root)
            }
            Expr::Call(call) => {
                let mut shapes = Vec::new();
                match &*call.func {
                    Expr::Attribute(method) => {
                        let receiver = self.part(&method.value, false)?;
                        shapes.extend(receiver.shape().map(shape_in_formula));
                    }
                    other => drop(self.part(other, false)?),
                }
                let named = call.arguments.keywords.iter().map(|keyword| &keyword.value);
                for argument in call.arguments.args.iter().chain(named) {
                    self.argument(argument, &mut shapes)?;
                }
                self.evaluate(expr, shapes.join(", "), "", root)
            }
            Expr::Subscript(subscript) => {
                let value = self.part(&subscript.value, false)?;
                self.evaluate(expr, value.text(), "", root || !is_plain(&subscript.value))
            }
            Expr::Attribute(attribute) => {
                let value = self.part(&attribute.value, false)?;
                let algebra = value.shape().map(shape_in_formula).unwrap_or_default();
                self.evaluate(expr, algebra, "", root || !is_plain(&attribute.value))
            }
            _ => self.evaluate(expr, String::new(), "", root),
        }
    }

    /// Adds the shapes of an argument; a list of tensors has the shapes of its elements.
    fn argument(&mut self, argument: &Expr, shapes: &mut Vec<String>) -> Option<()> {
        let elements = match argument {
            Expr::List(list) => &list.elts,
            Expr::Tuple(tuple) => &tuple.elts,
            Expr::Starred(starred) => return self.argument(&starred.value, shapes),
            // These run later or several times.
            Expr::Lambda(_) | Expr::Generator(_) | Expr::ListComp(_) => return Some(()),
            _ => {
                shapes.extend(self.part(argument, false)?.shape().map(shape_in_formula));
                return Some(());
            }
        };
        elements.iter().try_for_each(|element| self.argument(element, shapes))
    }

    /// Evaluates `expr`. An operation that returns a tensor is a step; names and numbers are not.
    fn evaluate(
        &mut self,
        expr: &Expr,
        algebra: String,
        remark: &'static str,
        root: bool,
    ) -> Option<PartValue> {
        let value = self.value(expr);
        let is_tensor = matches!(&value, Ok(PartValue::Tensor(_)));
        let operation = matches!(expr, Expr::BinOp(_) | Expr::Compare(_) | Expr::UnaryOp(_) | Expr::Call(_));
        let number = matches!(expr, Expr::UnaryOp(op) if is_plain(&op.operand));
        if value.is_err()
            || (root && !is_plain(expr))
            || (is_tensor && operation && !number)
            || (is_tensor && root)
        {
            self.push(expr, algebra, value.clone(), remark);
        }
        value.ok()
    }

    fn push(&mut self, expr: &Expr, algebra: String, value: Result<PartValue, Raised>, remark: &'static str) {
        let range = expr.range();
        let code = match self.last.filter(|last| range.contains_range(*last) && *last != range) {
            Some(last) if last.len().to_usize() > SHORT_CODE => {
                format!(
                    "{}…{}",
                    &self.source[range.start().to_usize()..last.start().to_usize()],
                    &self.source[last.end().to_usize()..range.end().to_usize()]
                )
            }
            _ => self.text(expr).to_owned(),
        };
        // `…` needs no brackets.
        let code = code.split_whitespace().collect::<Vec<_>>().join(" ").replace("(…) ", "… ");
        let result = value.map(|value| value.text());
        self.steps.push(ShapeStep { code, algebra, result, remark });
        self.last = Some(range);
    }

    fn text(&self, expr: &Expr) -> &str {
        &self.source[expr.range().start().to_usize()..expr.range().end().to_usize()]
    }

    fn value(&mut self, expr: &Expr) -> Result<PartValue, Raised> {
        // In brackets, an expression may extend over several lines.
        let code = format!("({})", self.text(expr));
        if let Some(tensor) = self.session.tensor(&code)? {
            return Ok(PartValue::Tensor(tensor.shape().to_vec()));
        }
        let read = |code: String, session: &mut Session| {
            session.evaluate(&code, |text, vm| text.try_to_value::<String>(vm).ok()).ok().flatten()
        };
        let shown =
            read(format!("repr({code})"), self.session).filter(|text| text.chars().count() <= SHORT_VALUE);
        let shown = shown.map(|text| match text.parse::<f64>() {
            Ok(number) if text.contains('.') => figure(number),
            _ => text,
        });
        let kind = || read(format!("type({code}).__name__"), self.session).unwrap_or_default();
        Ok(PartValue::Other(shown.unwrap_or_else(kind)))
    }
}

/// Code up to this length is repeated in the next step instead of `…`.
const SHORT_CODE: usize = 8;
/// A value with a longer text is shown by its type.
const SHORT_VALUE: usize = 24;

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

fn remark(product: bool, left: &PartValue, right: &PartValue) -> &'static str {
    match (left.shape(), right.shape()) {
        (Some(a), Some(b)) if product && a.len().max(b.len()) > 2 => {
            "one product for each of the leading axes"
        }
        (Some(a), Some(b)) if !product && a != b && !a.is_empty() && !b.is_empty() => "broadcast",
        _ => "",
    }
}

fn prefix(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Not => "not ",
        UnaryOp::Invert => "~",
        UnaryOp::UAdd => "+",
        UnaryOp::USub => "-",
    }
}
