//! The elementwise functions: which operation computes each, and in which dtype.
//! Source: NumPy 1.26's reference of universal functions, and their `types`.

use std::sync::LazyLock;

use super::dtypes::float_of;
use crate::tensor::{Category, DType};

/// How the dtype of the computation follows from the operands' common dtype.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// In the common dtype.
    Same,
    /// In the common dtype; bools are refused with this hint.
    NotBool(&'static str),
    /// Bools as int8.
    Number,
    /// Whole numbers as the smallest float that has them all.
    Float,
    /// Whole numbers as float64.
    Divide,
    /// In the common dtype, with bools as the result.
    Compare,
    /// As bools.
    Logical,
    /// Whole numbers and bools alone.
    Bits,
    /// Any dtype, with bools as the result.
    Test,
}

/// An elementwise function.
#[derive(Debug)]
pub(super) struct Function {
    /// NumPy's name.
    pub(super) name: &'static str,
    /// The operation that computes it.
    pub(super) op: &'static str,
    /// How many operands it has.
    pub(super) operands: usize,
    /// The dtype of the computation.
    pub(super) rule: Rule,
    /// What it does with two numbers, where that has a path of its own.
    pub(super) arithmetic: Option<Arithmetic>,
}

/// Arithmetic on two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    FloorDivide,
    Remainder,
    Power,
}

impl Function {
    const fn does(mut self, arithmetic: Arithmetic) -> Function {
        self.arithmetic = Some(arithmetic);
        self
    }
}

const fn of(name: &'static str, op: &'static str, operands: usize, rule: Rule) -> Function {
    Function { name, op, operands, rule, arithmetic: None }
}

const MINUS: &str = "numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the `^` operator, or the logical_xor function instead.";
const NEGATIVE: &str = "The numpy boolean negative, the `-` operator, is not supported, use the `~` operator or the logical_not function instead.";

/// All of them.
pub(super) static FUNCTIONS: LazyLock<Vec<Function>> = LazyLock::new(|| {
    // Names that are alike in all else; behind `=` the operation, where it has another name.
    let alike = [
        (2, Rule::Same, "maximum minimum"),
        (2, Rule::Float, "hypot logaddexp arctan2=atan2"),
        (2, Rule::Compare, "equal=eq not_equal=ne less=lt less_equal=le greater=gt greater_equal=ge"),
        (2, Rule::Logical, "logical_and logical_or logical_xor"),
        (1, Rule::Logical, "logical_not"),
        (2, Rule::Bits, "bitwise_and bitwise_or bitwise_xor"),
        (1, Rule::Bits, "invert=bitwise_not"),
        (1, Rule::Same, "absolute=abs"),
        (1, Rule::Number, "square sign reciprocal positive=clone conjugate=clone"),
        (1, Rule::Float, "sqrt exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh"),
        (1, Rule::Float, "floor ceil trunc rint=round deg2rad rad2deg arcsin=asin arccos=acos arctan=atan"),
        (1, Rule::Test, "isnan isinf isfinite"),
    ];
    let alike = alike.into_iter().flat_map(|(operands, rule, names)| {
        let both = names.split(' ').map(|it| it.split_once('=').unwrap_or((it, it)));
        both.map(move |(name, op)| of(name, op, operands, rule))
    });
    let others = [
        of("add", "add", 2, Rule::Same).does(Arithmetic::Add),
        of("subtract", "sub", 2, Rule::NotBool(MINUS)).does(Arithmetic::Subtract),
        of("multiply", "mul", 2, Rule::Same).does(Arithmetic::Multiply),
        of("divide", "div", 2, Rule::Divide).does(Arithmetic::Divide),
        of("floor_divide", "floor_divide", 2, Rule::Number).does(Arithmetic::FloorDivide),
        of("remainder", "remainder", 2, Rule::Number).does(Arithmetic::Remainder),
        of("power", "pow", 2, Rule::Number).does(Arithmetic::Power),
        of("negative", "neg", 1, Rule::NotBool(NEGATIVE)),
    ];
    others.into_iter().chain(alike).collect()
});

/// The function of this name.
pub(super) fn named(name: &str) -> &'static Function {
    FUNCTIONS.iter().find(|it| it.name == name).unwrap_or_else(|| panic!("numpy has no function {name}"))
}

impl Function {
    /// The dtype of the computation. Errors: the text of NumPy's `TypeError`.
    pub(super) fn dtype(&self, common: DType) -> Result<DType, String> {
        Ok(match self.rule {
            Rule::NotBool(hint) if common == DType::Bool => return Err(hint.to_owned()),
            Rule::Same | Rule::NotBool(_) | Rule::Compare | Rule::Test => common,
            Rule::Number if common == DType::Bool => DType::Int8,
            Rule::Number => common,
            Rule::Float => float_of(common),
            Rule::Divide => match common.category() {
                Category::Float => common,
                _ => DType::Float64,
            },
            Rule::Logical => DType::Bool,
            Rule::Bits if common.is_float() => return Err(self.not_supported()),
            Rule::Bits => common,
        })
    }

    /// The text of NumPy's `TypeError` for operands that it does not take.
    pub(super) fn not_supported(&self) -> String {
        format!(
            "ufunc '{}' not supported for the input types, and the inputs could not be safely coerced to any supported \
             types according to the casting rule ''safe''",
            self.name
        )
    }
}
