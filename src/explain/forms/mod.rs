//! How an element came of its operation: one function for each kind of explanation that a descriptor names.
//!
//! | file | explains |
//! |---|---|
//! | [`pointwise`] | formulas of elements that meet, casts |
//! | [`moved`] | elements of an operand that are somewhere else now, and writes in place |
//! | [`products`] | sums of products: dot, matmul, linear, einsum |
//! | [`reduced`] | sums, means and extremes over a dimension; running sums; distances |
//! | [`ordered`] | sort, topk and other ranks |
//! | [`normed`] | softmax, layer norm and similar |
//! | [`losses`] | cross entropy and other losses |
//! | [`attention`] | scaled dot product attention |
//! | [`drawn`] | random numbers, dropout |
//! | [`given`] | constants, numbers in the code, operations that are explained as a whole |

use super::account::Account;
use super::case::Case;
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

/// How an element came of its operation. Where an explanation does not cover the arguments, the operation is explained
/// as a whole.
pub fn account(case: &Case) -> Account {
    let account = match case.made.record.operation.explanation {
        Explanation::Pointwise(formula) => pointwise::account(case, formula),
        Explanation::Cast(_) => pointwise::cast(case),
        Explanation::Moved(movement) => moved::account(case, movement),
        Explanation::Copy => moved::copied(case),
        Explanation::CopyFrom => moved::copied_from(case),
        Explanation::MaskedFill => moved::masked_fill(case),
        Explanation::Triangle { lower } => moved::triangle(case, lower),
        Explanation::Assignment => moved::assigned(case),
        Explanation::IndexedSum { by_element } => moved::added(case, by_element),
        Explanation::Product(kind) => products::account(case, kind),
        Explanation::Linear => products::linear(case),
        Explanation::Einsum => products::einsum(case),
        Explanation::Multilinear(kind) => products::multilinear(case, kind),
        Explanation::Reduction(reducer) => reduced::reduction(case, reducer),
        Explanation::Spread { root, with_mean } => reduced::spread(case, root, with_mean),
        Explanation::Extreme { which, gives, running } => reduced::extreme(case, which, gives, running),
        Explanation::Running(kind) => reduced::running(case, kind),
        Explanation::Distance(kind) => reduced::distance(case, kind),
        Explanation::Pool { largest } => reduced::pooled(case, largest),
        Explanation::Ordered(kind) => ordered::account(case, kind),
        Explanation::Softmax(kind) => normed::softmax(case, kind),
        Explanation::Normalisation(kind) => normed::norm(case, kind),
        Explanation::UnitLength => normed::normalize(case),
        Explanation::Loss(kind) => losses::account(case, kind),
        Explanation::Attention => attention::account(case),
        Explanation::Random(kind) => drawn::account(case, kind),
        Explanation::Dropout => drawn::dropout(case),
        Explanation::Constant(kind) => given::constant(case, kind),
        Explanation::Literal => given::literal(case),
        Explanation::View => given::view(case),
        Explanation::Whole => given::whole(case),
    };
    account.or_else(|| given::whole(case)).unwrap_or_default()
}
