//! How an element follows from its operation: one function for each kind of explanation.
//!
//! | file | explains |
//! |---|---|
//! | [`pointwise`] | formulas of elements that meet |
//! | [`moved`] | elements of an operand that are somewhere else now, casts, and writes in place |
//! | [`products`] | sums of products: dot, matmul, linear, einsum |
//! | [`reduced`] | sums, means and extremes over a dimension; running sums |
//! | [`ordered`] | sort, topk and other ranks |
//! | [`normed`] | softmax, layer norm and similar |
//! | [`losses`] | cross entropy and other losses |
//! | [`attention`] | scaled dot product attention |
//! | [`drawn`] | random numbers, dropout |
//! | [`given`] | constants, numbers in the code, operations that are explained as a whole |

use super::account::Account;
use super::subject::Subject;
use crate::tensor::explanation::Explanation;

mod attention;
mod drawn;
mod given;
mod losses;
mod moved;
mod normed;
mod ordered;
mod pointwise;
mod products;
mod reduced;

/// How an element follows from its operation. Arguments that an explanation does not cover are explained as a whole.
pub(crate) fn account(subject: &Subject) -> Account {
    let account = match subject.made.record.operation.explanation {
        Explanation::Pointwise(formula) => pointwise::account(subject, formula),
        Explanation::Cast(_) => moved::cast(subject),
        Explanation::Moved(movement) => moved::account(subject, movement),
        Explanation::Copy => moved::copied(subject),
        Explanation::CopyFrom => moved::copied_from(subject),
        Explanation::MaskedFill => moved::masked_fill(subject),
        Explanation::Triangle { lower } => moved::triangle(subject, lower),
        Explanation::Assignment => moved::assigned(subject),
        Explanation::IndexedSum { by_element } => moved::added(subject, by_element),
        Explanation::Product(kind) => products::account(subject, kind),
        Explanation::ComplexProduct => products::complex(subject),
        Explanation::Linear => products::linear(subject),
        Explanation::Einsum => products::einsum(subject),
        Explanation::Reduction(reducer) => reduced::reduction(subject, reducer),
        Explanation::Spread { root } => reduced::spread(subject, root),
        Explanation::Extreme { which, gives } => reduced::extreme(subject, which, gives),
        Explanation::Running(kind) => reduced::running(subject, kind),
        Explanation::Ordered(kind) => ordered::account(subject, kind),
        Explanation::Softmax(kind) => normed::softmax(subject, kind),
        Explanation::Normalisation(kind) => normed::norm(subject, kind),
        Explanation::UnitLength => normed::normalize(subject),
        Explanation::Loss(kind) => losses::account(subject, kind),
        Explanation::Attention => attention::account(subject),
        Explanation::Random(kind) => drawn::account(subject, kind),
        Explanation::Dropout => drawn::dropout(subject),
        Explanation::Constant(kind) => given::constant(subject, kind),
        Explanation::Literal => given::literal(subject),
        Explanation::Gradient => given::gradient(subject),
        Explanation::OptimizerState(meaning) => Some(Account::words(format!("{}: {meaning}", subject.op()))),
        Explanation::Whole => given::whole(subject),
    };
    account.or_else(|| given::whole(subject)).unwrap_or_default()
}
