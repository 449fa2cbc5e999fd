//! The signs of operators: in Python code, in formulas, and how tightly they bind.

/// The sign of an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sign {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `//`
    FloorDiv,
    /// `%`
    Remainder,
    /// `**`
    Pow,
    /// `@`
    MatMul,
    /// `·`, the product of two vectors
    Dot,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `&`
    And,
    /// `|`
    Or,
    /// `^`
    Xor,
    /// `<<`
    LeftShift,
    /// `>>`
    RightShift,
    /// `-x`
    Neg,
    /// `~x`
    Invert,
}

/// How tightly an operator binds its operands, loosest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Binding {
    /// `== < &` and the like
    Comparison,
    /// `+ -`
    Sum,
    /// `* / // % @`
    Product,
    /// `-x ~x`
    Prefix,
    /// `**`
    Power,
    /// A name, a call, an attribute or a subscript.
    Primary,
}

impl Sign {
    /// The sign as Python code has it; [`Sign::Dot`] has none there and is `·`.
    pub fn code(self) -> &'static str {
        match self {
            Sign::Add => "+",
            Sign::Sub | Sign::Neg => "-",
            Sign::Mul => "*",
            Sign::Div => "/",
            Sign::FloorDiv => "//",
            Sign::Remainder => "%",
            Sign::Pow => "**",
            Sign::MatMul => "@",
            Sign::Dot => "·",
            Sign::Eq => "==",
            Sign::Ne => "!=",
            Sign::Lt => "<",
            Sign::Le => "<=",
            Sign::Gt => ">",
            Sign::Ge => ">=",
            Sign::And => "&",
            Sign::Or => "|",
            Sign::Xor => "^",
            Sign::LeftShift => "<<",
            Sign::RightShift => ">>",
            Sign::Invert => "~",
        }
    }

    /// The sign as a formula has it: `·` for products of numbers, `^` for powers.
    pub(crate) fn formula(self) -> &'static str {
        match self {
            Sign::Mul => "·",
            Sign::Pow => "^",
            other => other.code(),
        }
    }

    /// How tightly it binds.
    pub(crate) fn binding(self) -> Binding {
        match self {
            Sign::Add | Sign::Sub => Binding::Sum,
            Sign::Mul | Sign::Div | Sign::FloorDiv | Sign::Remainder | Sign::MatMul | Sign::Dot => {
                Binding::Product
            }
            Sign::Neg | Sign::Invert => Binding::Prefix,
            Sign::Pow => Binding::Power,
            Sign::Eq | Sign::Ne | Sign::Lt | Sign::Le | Sign::Gt | Sign::Ge => Binding::Comparison,
            Sign::And | Sign::Or | Sign::Xor | Sign::LeftShift | Sign::RightShift => Binding::Comparison,
        }
    }
}
