//! The name of a tensor or a number: a Python expression, kept in its parts until it is shown.

use std::fmt;

use crate::tensor::descriptor::{Binding, Sign};
use crate::tensor::show::joined;

/// The name of a tensor, of a part of it, or of a number.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Name {
    /// A variable or an attribute: `queries`, `self.W_key.weight`.
    Variable(String),
    /// A variable in an earlier round of a loop: this many rounds before.
    Earlier(Box<Name>, usize),
    /// A number or another argument that is no tensor: `0.5`, `'mean'`.
    Value(String),
    /// An expression as the learner wrote it.
    Code(String, Binding),
    /// A description of a tensor that has no name: `a tensor`.
    Words(&'static str),
    /// An expression that is not spelled out.
    Elided,
    /// A part whose index is not spelled out: `x[…]`.
    ElidedPart(Box<Name>),
    /// One element: `inputs[1,2]`. Without an index, a tensor of one number.
    Element(Box<Name>, Vec<usize>),
    /// An expression with a suffix, such as a slice or a method: `inputs[:, 1]`, `mask.float()`.
    Suffixed(Box<Name>, String),
    /// A tensor with two axes exchanged.
    Transposed(Box<Name>, Transposition),
    /// A function of one argument that is shown: `softmax(scores)`.
    Call(&'static str, Box<Name>),
    /// A sign before an operand: `-x`.
    Prefix(Sign, Box<Name>),
    /// A sign between two operands: `a + b`, `a**2`.
    Infix(Box<Name>, Sign, Box<Name>),
    /// `[a, b]`
    List(Vec<Name>),
}

/// Which axes are exchanged, and the suffix that says so.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Transposition {
    /// The two axes; `None` for `.T`.
    pub(crate) axes: Option<(i64, i64)>,
    /// `.T`, `.transpose(1, 2)`
    pub(crate) suffix: String,
}

impl Transposition {
    /// `.T`
    pub(crate) fn matrix() -> Transposition {
        Transposition { axes: None, suffix: ".T".to_owned() }
    }

    /// `.transpose(a, b)`
    pub(crate) fn of(a: i64, b: i64) -> Transposition {
        Transposition { axes: Some((a, b)), suffix: format!(".transpose({a}, {b})") }
    }

    /// Whether the last two of `ndim` axes are exchanged, and the others stay.
    pub(crate) fn is_of_last_two(&self, ndim: usize) -> bool {
        let ndim = ndim as i64;
        let from_end = |axis: i64| if axis < 0 { axis } else { axis - ndim };
        match self.axes {
            None => ndim == 2,
            Some((a, b)) => matches!((from_end(a), from_end(b)), (-2, -1) | (-1, -2)),
        }
    }
}

impl Name {
    /// How tightly its outermost operator binds.
    pub(crate) fn binding(&self) -> Binding {
        match self {
            Name::Words(_) => Binding::Comparison,
            Name::Code(_, binding) => *binding,
            Name::Infix(_, sign, _) | Name::Prefix(sign, _) => sign.binding(),
            Name::Element(of, index) if index.is_empty() => of.binding(),
            _ => Binding::Primary,
        }
    }

    pub(crate) fn element(self, index: &[usize]) -> Name {
        match self {
            // An element of -x is minus the element of x.
            Name::Prefix(sign, of) => Name::Prefix(sign, Box::new(of.element(index))),
            of => Name::Element(Box::new(of), index.to_vec()),
        }
    }

    /// Its name this many rounds of a loop before.
    pub(crate) fn earlier(self, rounds: usize) -> Name {
        if rounds == 0 { self } else { Name::Earlier(Box::new(self), rounds) }
    }

    /// The same expression in brackets, where it needs them before an index or an attribute.
    pub(crate) fn bracketed(self) -> Name {
        if self.needs_brackets() { Name::Code(format!("({self})"), Binding::Primary) } else { self }
    }

    /// The name of a slice of it: `x[:,1]` for `:` and `1`.
    pub(crate) fn sliced(self, parts: &[String]) -> Name {
        self.suffixed(format!("[{}]", parts.join(",")))
    }

    pub(crate) fn suffixed(self, suffix: impl Into<String>) -> Name {
        Name::Suffixed(Box::new(self), suffix.into())
    }

    /// Its name with axes exchanged. The same exchange twice has no effect.
    pub(crate) fn transposed(self, by: Transposition) -> Name {
        match self {
            Name::Transposed(of, known) if known == by => *of,
            of => Name::Transposed(Box::new(of), by),
        }
    }

    /// Whether a part of it is not spelled out.
    pub(crate) fn is_elided(&self) -> bool {
        match self {
            Name::Elided | Name::ElidedPart(_) => true,
            Name::Variable(_) | Name::Value(_) | Name::Code(..) | Name::Words(_) => false,
            Name::Element(of, _)
            | Name::Earlier(of, _)
            | Name::Suffixed(of, _)
            | Name::Transposed(of, _)
            | Name::Call(_, of)
            | Name::Prefix(_, of) => of.is_elided(),
            Name::Infix(left, _, right) => left.is_elided() || right.is_elided(),
            Name::List(all) => all.iter().any(Name::is_elided),
        }
    }

    /// Whether it reads as well as what the learner wrote: all of it is spelled out, and no operator or index follows
    /// a closing bracket.
    pub(crate) fn is_readable(&self) -> bool {
        match self {
            Name::Variable(_) | Name::Value(_) | Name::Code(..) => true,
            Name::Words(_) | Name::Elided | Name::ElidedPart(_) => false,
            Name::Element(of, index) => of.is_readable() && (index.is_empty() || !of.needs_brackets()),
            Name::Suffixed(of, _) | Name::Transposed(of, _) => of.is_readable() && !of.needs_brackets(),
            Name::Earlier(of, _) | Name::Call(_, of) | Name::Prefix(_, of) => of.is_readable(),
            Name::Infix(left, sign, right) => {
                let closes = left.binding() < sign.binding() || left.ends_in_bracket();
                left.is_readable() && right.is_readable() && !closes
            }
            Name::List(all) => all.iter().all(Name::is_readable),
        }
    }

    /// Whether it needs brackets where an index or an attribute follows.
    fn needs_brackets(&self) -> bool {
        self.binding() < Binding::Primary
    }

    fn ends_in_bracket(&self) -> bool {
        match self {
            Name::Call(..) => true,
            Name::Suffixed(_, suffix) => suffix.ends_with(')'),
            Name::Transposed(_, by) => by.suffix.ends_with(')'),
            Name::Prefix(sign, of) => of.binding() < sign.binding() || of.ends_in_bracket(),
            Name::Infix(_, sign, right) => right.binding() < sign.binding() || right.ends_in_bracket(),
            _ => false,
        }
    }

    /// Its text, in brackets if it binds less tightly than `around`.
    pub(crate) fn within(&self, around: Binding) -> String {
        if self.binding() < around { format!("({self})") } else { self.to_string() }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let primary = |of: &Name| of.within(Binding::Primary);
        match self {
            Name::Variable(text) | Name::Value(text) | Name::Code(text, _) => f.write_str(text),
            Name::Words(text) => f.write_str(text),
            Name::Earlier(of, 1) => write!(f, "previous {of}"),
            Name::Earlier(of, 2) => write!(f, "2nd previous {of}"),
            Name::Earlier(of, 3) => write!(f, "3rd previous {of}"),
            Name::Earlier(of, rounds) => write!(f, "{rounds}th previous {of}"),
            Name::Elided => f.write_str("…"),
            Name::ElidedPart(of) => write!(f, "{}[…]", primary(of)),
            Name::Element(of, index) if index.is_empty() => write!(f, "{of}"),
            Name::Element(of, index) => write!(f, "{}[{}]", primary(of), joined(index, ",")),
            Name::Suffixed(of, suffix) => write!(f, "{}{suffix}", primary(of)),
            Name::Transposed(of, by) => write!(f, "{}{}", primary(of), by.suffix),
            Name::Call(function, argument) => write!(f, "{function}({argument})"),
            Name::Prefix(sign, of) => write!(f, "{}{}", sign.code(), of.within(Binding::Product)),
            Name::Infix(left, sign, right) => {
                let (left, right) = (left.within(sign.binding()), right.within(sign.binding()));
                match sign {
                    Sign::Pow => write!(f, "{left}**{right}"),
                    sign => write!(f, "{left} {} {right}", sign.code()),
                }
            }
            Name::List(all) => write!(f, "[{}]", joined(all, ", ")),
        }
    }
}
