//! The sentences of `:check:`, which are true of a cell's tensors, and the expressions that measure them.

use std::fmt;

/// A form of a sentence, and a Python expression for the largest deviation, a float. X is a tensor, as a Python expression; N
/// is a number, and Y another tensor. Rows are along the last axis; a matrix is in the last two.
type Form = (&'static str, &'static str);

static FORMS: [Form; 6] = [
    ("rows of X sum to N", "((X).detach().sum(dim=-1) - N).abs().max().item()"),
    ("X sums to N", "((X).detach().sum() - N).abs().item()"),
    ("X is never negative", "(-(X).detach()).max().clamp(min=0).item()"),
    ("X is zero above the diagonal", "torch.triu((X).detach(), diagonal=1).abs().max().item()"),
    ("X is symmetric", "((X).detach() - (X).detach().transpose(-2, -1)).abs().max().item()"),
    ("X equals Y", "((X).detach() - (Y).detach()).abs().max().item()"),
];

/// A statement about one or two tensors, true up to rounding.
#[derive(Clone, Debug, PartialEq)]
pub struct Invariant {
    form: &'static Form,
    tensor: String,
    /// The number or the other tensor; empty in a form that has neither.
    other: String,
}

impl Invariant {
    /// Parses one sentence. Errors: a message that lists the forms.
    pub fn parse(sentence: &str) -> Result<Invariant, String> {
        let sentence = sentence.trim().trim_end_matches('.');
        FORMS.iter().find_map(|form| Invariant::of(form, sentence)).ok_or_else(|| {
            let forms: Vec<&str> = FORMS.iter().map(|form| form.0).collect();
            format!("cannot read the check `{sentence}`; the forms are: {}", forms.join("; "))
        })
    }

    fn of(form: &'static Form, sentence: &str) -> Option<Invariant> {
        let (before, after) = form.0.split_once('X')?;
        let rest = sentence.strip_prefix(before)?;
        let between = after.trim_end_matches(['N', 'Y']);
        let (tensor, other) = match after.chars().next_back()? {
            'N' | 'Y' => rest.split_once(between)?,
            _ => (rest.strip_suffix(after)?, ""),
        };
        let (tensor, mut other) = (tensor.trim().to_owned(), other.trim().to_owned());
        if after.ends_with('N') {
            other = other.parse::<f64>().ok()?.to_string();
        }
        let is_missing = tensor.is_empty() || after.ends_with('Y') && other.is_empty();
        (!is_missing).then_some(Invariant { form, tensor, other })
    }

    /// A Python expression for the largest deviation, a float: 0 if the statement is exactly true.
    pub fn deviation(&self) -> String {
        self.filled(self.form.1)
    }

    /// A form with its tensors.
    fn filled(&self, form: &str) -> String {
        let letter = |letter: char| match letter {
            'X' => self.tensor.clone(),
            'N' | 'Y' => self.other.clone(),
            letter => letter.to_string(),
        };
        form.chars().map(letter).collect()
    }

    /// A deviation in figures: `6e-8`.
    pub(crate) fn figure(off: f64) -> String {
        if off < 1e-3 { format!("{off:.0e}") } else { format!("{off:.4}") }
    }

    /// The largest deviation that float32 rounding explains: sums and products of some hundred terms.
    pub(crate) const TOLERANCE: f64 = 1e-5;
}

/// The sentence as a learner reads it: `every row of attn_weights sums to 1`.
impl fmt::Display for Invariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.form.0.starts_with("rows of") {
            true => f.write_str(&self.filled("every row of X sums to N")),
            false => f.write_str(&self.filled(self.form.0)),
        }
    }
}
