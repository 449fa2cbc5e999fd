//! Which operation an expression of the learner's code calls, and the operands of the call.

use ruff_python_ast::{Expr, Number, Operator, UnaryOp};

use crate::ops::table::{self, Op};
use crate::syntax::callee;
use crate::tensor::Descriptor;
use crate::tensor::descriptor::{Binding, OpNotation, ShapeRule, Sign};
use crate::tensor::explanation::{Explanation, Formula, ProductKind};

pub(super) enum WrittenCall {
    /// An operation of the table.
    Op(&'static Op),
    /// A function or a module of some other name.
    Other,
    Nothing,
}

/// The operation that an operator calls.
pub(super) fn operator(operator: Operator) -> Option<&'static Op> {
    table::operator(sign(operator))
}

fn sign(operator: Operator) -> Sign {
    match operator {
        Operator::Add => Sign::Add,
        Operator::Sub => Sign::Sub,
        Operator::Mult => Sign::Mul,
        Operator::Div => Sign::Div,
        Operator::FloorDiv => Sign::FloorDiv,
        Operator::Mod => Sign::Remainder,
        Operator::Pow => Sign::Pow,
        Operator::MatMult => Sign::MatMul,
        Operator::BitAnd => Sign::And,
        Operator::BitOr => Sign::Or,
        Operator::BitXor => Sign::Xor,
        Operator::LShift => Sign::LeftShift,
        Operator::RShift => Sign::RightShift,
    }
}

/// The operations that Python's syntax calls in this way.
fn written_as(notation: OpNotation) -> impl Iterator<Item = &'static Op> {
    table::ops().filter(move |op| op.notation == notation)
}

/// The operation of this name, which may be a second name or the name of an in-place twin.
fn find(name: &str) -> Option<&'static Op> {
    let plain = name.strip_suffix('_').unwrap_or(name);
    let alias =
        || table::ALIASES.iter().find(|alias| alias.0 == plain).and_then(|alias| table::find(alias.1));
    table::find(name).or_else(|| table::find(plain)).or_else(alias)
}

/// What is transposed, and the axes that are exchanged; `None` of them for `.T`.
pub(super) fn transposed(expression: &Expr) -> Option<(&Expr, Option<(i64, i64)>)> {
    match expression {
        Expr::Attribute(attribute) if attribute.attr.as_str() == "T" => Some((&attribute.value, None)),
        Expr::Attribute(attribute) if attribute.attr.as_str() == "mT" => {
            Some((&attribute.value, Some((-2, -1))))
        }
        Expr::Call(call) => match (&*call.func, &*call.arguments.args, &*call.arguments.keywords) {
            (Expr::Attribute(callee), [a, b], []) if callee.attr.as_str() == "transpose" => {
                Some((&callee.value, Some((integer(a)?, integer(b)?))))
            }
            _ => None,
        },
        _ => None,
    }
}

fn integer(expression: &Expr) -> Option<i64> {
    match expression {
        Expr::NumberLiteral(literal) => match &literal.value {
            Number::Int(value) => value.as_i64(),
            _ => None,
        },
        Expr::UnaryOp(signed) if signed.op == UnaryOp::USub => integer(&signed.operand).map(|at| -at),
        _ => None,
    }
}

/// How tightly an expression holds together.
pub(super) fn binding(expression: &Expr) -> Binding {
    match expression {
        Expr::BinOp(both) => sign(both.op).binding(),
        Expr::UnaryOp(one) if one.op != UnaryOp::Not => Binding::Prefix,
        Expr::UnaryOp(_) | Expr::Compare(_) | Expr::BoolOp(_) | Expr::If(_) | Expr::Lambda(_) => {
            Binding::Comparison
        }
        _ => Binding::Primary,
    }
}

pub(super) fn called(expression: &Expr) -> WrittenCall {
    let of_syntax = |op: Option<_>| op.map_or(WrittenCall::Nothing, WrittenCall::Op);
    match expression {
        Expr::BinOp(both) => of_syntax(operator(both.op)),
        Expr::UnaryOp(one) if one.op == UnaryOp::USub => of_syntax(table::operator(Sign::Neg)),
        Expr::Subscript(_) => of_syntax(written_as(OpNotation::Subscript).next()),
        Expr::Attribute(attribute) => {
            let named = |op: &&Op| op.name == attribute.attr.as_str();
            of_syntax(written_as(OpNotation::Attribute).find(named))
        }
        Expr::Call(call) => {
            let Some(name) = callee(call) else { return WrittenCall::Other };
            // `self.dropout(x)` calls a module, not the operation.
            let owned = matches!(&*call.func, Expr::Attribute(it) if matches!(&*it.value, Expr::Name(own) if own.id == "self"));
            find(name).filter(|_| !owned).map_or(WrittenCall::Other, WrittenCall::Op)
        }
        _ => WrittenCall::Nothing,
    }
}

/// Whether an expression calls an operation that returns its operand itself where there is nothing to change, as
/// `x.to(dtype)` does.
pub(super) fn may_return_itself(expression: &Expr) -> bool {
    let returns = |op: &Op| matches!(op.explanation, Explanation::Cast(_) | Explanation::Copy);
    matches!(called(expression), WrittenCall::Op(op) if returns(op))
}

/// Whether a recorded operation is the one that is written, or one that it calls: `@` calls `mm` and `bmm`.
pub(super) fn same(recorded: &Descriptor, written: &Descriptor) -> bool {
    let is_matrix_product = |op: &Descriptor| op.explanation == Explanation::Product(ProductKind::Matrix);
    let is_difference = |op: &Descriptor| {
        matches!(op.explanation, Explanation::Pointwise(Formula::Sub | Formula::ReverseSub))
    };
    let is_transpose = |op: &Descriptor| op.shapes == ShapeRule::Reversed;
    let both = |is: &dyn Fn(&Descriptor) -> bool| is(recorded) && is(written);
    recorded.name == written.name || both(&is_matrix_product) || both(&is_difference) || both(&is_transpose)
}

/// The operands of a call as they are written, the receiver of a method first.
pub(super) fn operands(expression: &Expr) -> Vec<&Expr> {
    match expression {
        Expr::BinOp(both) => vec![&both.left, &both.right],
        Expr::UnaryOp(one) => vec![&one.operand],
        Expr::Subscript(part) => vec![&part.value],
        Expr::Attribute(attribute) => vec![&attribute.value],
        Expr::Call(call) => {
            let mut all = Vec::new();
            if let Expr::Attribute(attribute) = &*call.func
                && !is_module(&attribute.value)
            {
                all.push(&*attribute.value);
            }
            all.extend(call.arguments.args.iter());
            all
        }
        _ => Vec::new(),
    }
}

/// Whether a name names a module of functions: `torch`, `F`, `torch.nn.functional`, `np`.
fn is_module(expression: &Expr) -> bool {
    match expression {
        Expr::Name(name) => matches!(name.id.as_str(), "torch" | "F" | "nn" | "functional" | "np" | "numpy"),
        Expr::Attribute(attribute) => is_module(&attribute.value),
        _ => false,
    }
}
