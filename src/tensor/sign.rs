//! The signs of operators: in Python code, in formulas, and how tightly they bind.

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

macro_rules! signs {
    ($($(#[$doc:meta])* $name:ident $code:literal $binding:ident,)*) => {
        /// The sign of an operator.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Sign {
            $(#[doc = $code] $(#[$doc])* $name,)*
        }

        impl Sign {
            /// The sign as Python code has it; [`Sign::Dot`] has none there and is `·`.
            pub fn code(self) -> &'static str {
                match self {
                    $(Sign::$name => $code,)*
                }
            }

            /// How tightly it binds.
            pub(crate) fn binding(self) -> Binding {
                match self {
                    $(Sign::$name => Binding::$binding,)*
                }
            }
        }
    };
}

signs! {
    Add "+" Sum,
    Sub "-" Sum,
    Mul "*" Product,
    Div "/" Product,
    FloorDiv "//" Product,
    Remainder "%" Product,
    Pow "**" Power,
    MatMul "@" Product,
    /// The product of two vectors.
    Dot "·" Product,
    Eq "==" Comparison,
    Ne "!=" Comparison,
    Lt "<" Comparison,
    Le "<=" Comparison,
    Gt ">" Comparison,
    Ge ">=" Comparison,
    And "&" Comparison,
    Or "|" Comparison,
    Xor "^" Comparison,
    LeftShift "<<" Comparison,
    RightShift ">>" Comparison,
    Neg "-" Prefix,
    Invert "~" Prefix,
}

impl Sign {
    /// The sign as a formula has it: `·` for products of numbers, `^` for powers.
    pub(crate) fn formula(self) -> &'static str {
        match self {
            Sign::Mul => "·",
            Sign::Pow => "^",
            other => other.code(),
        }
    }
}
