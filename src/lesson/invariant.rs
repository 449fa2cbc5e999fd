//! The sentences of `:check:`, which are true of a cell's tensors, and the expressions that measure them.

use std::fmt;

/// A statement about one or two tensors, true up to rounding. Tensors are Python expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum Invariant {
    /// `rows of X sum to N`: along the last axis.
    RowsSumTo {
        tensor: String,
        /// The sum of each row.
        total: f64,
    },
    /// `X sums to N`: over all elements.
    SumsTo {
        tensor: String,
        /// The sum of its elements.
        total: f64,
    },
    /// `X is never negative`.
    NeverNegative { tensor: String },
    /// `X is zero above the diagonal`: no weight on later tokens.
    ZeroAboveDiagonal {
        /// The tensor; the last two axes are the matrix.
        tensor: String,
    },
    /// `X is symmetric`: equal to its transpose.
    Symmetric {
        /// The tensor; the last two axes are the matrix.
        tensor: String,
    },
    /// `X equals Y`.
    Equals { left: String, right: String },
}

/// The forms of a sentence, for errors and help.
pub(crate) const FORMS: &[&str] = &[
    "rows of X sum to N",
    "X sums to N",
    "X is never negative",
    "X is zero above the diagonal",
    "X is symmetric",
    "X equals Y",
];

impl Invariant {
    /// Parses one sentence. Errors: a message that lists the forms.
    pub fn parse(sentence: &str) -> Result<Invariant, String> {
        let s = sentence.trim().trim_end_matches('.');
        let number = |n: &str| n.trim().parse::<f64>().ok();
        let name = |x: &str| Some(x.trim().to_string()).filter(|x| !x.is_empty());
        let found = if let Some(rest) = s.strip_prefix("rows of ") {
            rest.split_once(" sum to ")
                .and_then(|(x, n)| Some(Invariant::RowsSumTo { tensor: name(x)?, total: number(n)? }))
        } else if let Some((x, n)) = s.split_once(" sums to ") {
            name(x).zip(number(n)).map(|(tensor, total)| Invariant::SumsTo { tensor, total })
        } else if let Some(x) = s.strip_suffix(" is never negative") {
            name(x).map(|tensor| Invariant::NeverNegative { tensor })
        } else if let Some(x) = s.strip_suffix(" is zero above the diagonal") {
            name(x).map(|tensor| Invariant::ZeroAboveDiagonal { tensor })
        } else if let Some(x) = s.strip_suffix(" is symmetric") {
            name(x).map(|tensor| Invariant::Symmetric { tensor })
        } else if let Some((x, y)) = s.split_once(" equals ") {
            name(x).zip(name(y)).map(|(left, right)| Invariant::Equals { left, right })
        } else {
            None
        };
        found.ok_or_else(|| format!("cannot read the check `{s}`; the forms are: {}", FORMS.join("; ")))
    }

    /// A Python expression for the largest deviation, a float: 0 if the statement is exactly true.
    pub fn deviation(&self) -> String {
        match self {
            Invariant::RowsSumTo { tensor, total } => {
                format!("(({tensor}).detach().sum(dim=-1) - {total:?}).abs().max().item()")
            }
            Invariant::SumsTo { tensor, total } => {
                format!("(({tensor}).detach().sum() - {total:?}).abs().item()")
            }
            Invariant::NeverNegative { tensor } => {
                format!("(-({tensor}).detach()).max().clamp(min=0).item()")
            }
            Invariant::ZeroAboveDiagonal { tensor } => {
                format!("torch.triu(({tensor}).detach(), diagonal=1).abs().max().item()")
            }
            Invariant::Symmetric { tensor } => {
                format!("(({tensor}).detach() - ({tensor}).detach().transpose(-2, -1)).abs().max().item()")
            }
            Invariant::Equals { left, right } => {
                format!("(({left}).detach() - ({right}).detach()).abs().max().item()")
            }
        }
    }

    /// The largest deviation that float32 rounding explains: sums and products of some hundred terms.
    pub(crate) const TOLERANCE: f64 = 1e-5;
}

/// The sentence as a learner reads it: `every row of attn_weights sums to 1`.
impl fmt::Display for Invariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Invariant::RowsSumTo { tensor, total } => {
                write!(f, "every row of {tensor} sums to {total}")
            }
            Invariant::SumsTo { tensor, total } => write!(f, "{tensor} sums to {total}"),
            Invariant::NeverNegative { tensor } => write!(f, "{tensor} is never negative"),
            Invariant::ZeroAboveDiagonal { tensor } => {
                write!(f, "{tensor} is zero above the diagonal")
            }
            Invariant::Symmetric { tensor } => write!(f, "{tensor} is symmetric"),
            Invariant::Equals { left, right } => write!(f, "{left} equals {right}"),
        }
    }
}
