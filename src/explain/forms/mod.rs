//! How each operation is explained: one table by the operations' names.
//! A row names a way to explain and the operations that it serves; a test walks torch's own table.
//!
//! | file | explains |
//! |---|---|
//! | [`pointwise`] | what is worked out element by element |
//! | [`moved`] | elements of an operand that stand somewhere else now, and in-place writes |
//! | [`products`] | sums of products: dot, matmul, linear, einsum |
//! | [`reduced`] | sums, means, extremes over a dimension; running sums |
//! | [`ordered`] | sort, topk, argmax: who stands where |
//! | [`normed`] | softmax, layer norm and their kin |
//! | [`losses`] | cross entropy and other losses |
//! | [`attention`] | scaled dot product attention, its weights worked out |
//! | [`drawn`] | random numbers, dropout |
//! | [`given`] | where the way down ends; operations that are explained as a whole |

use super::account::Account;
use super::case::{Case, plain};

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

/// A way to explain, and the operations that it serves.
struct Form {
    ops: &'static [&'static str],
    account: fn(&Case) -> Option<Account>,
}

static FORMS: &[Form] = &[
    Form { ops: pointwise::OPS, account: pointwise::account },
    Form { ops: pointwise::CASTS, account: pointwise::cast },
    Form { ops: moved::OPS, account: moved::account },
    Form { ops: moved::COPIES, account: moved::copied },
    Form { ops: &["masked_fill"], account: moved::masked_fill },
    Form { ops: &["tril", "triu"], account: moved::triangle },
    Form { ops: &["setitem"], account: moved::setitem },
    Form { ops: moved::ADDED, account: moved::added },
    Form { ops: products::OPS, account: products::account },
    Form { ops: &["linear"], account: products::linear },
    Form { ops: &["einsum"], account: products::einsum },
    Form { ops: products::MULTILINEAR, account: products::multilinear },
    Form { ops: reduced::SUMS, account: reduced::sum },
    Form { ops: reduced::SPREAD, account: reduced::spread },
    Form { ops: reduced::EXTREMES, account: reduced::extreme },
    Form { ops: reduced::RUNNING, account: reduced::running },
    Form { ops: reduced::OTHERS, account: reduced::other },
    Form { ops: ordered::OPS, account: ordered::account },
    Form { ops: normed::SOFTMAX, account: normed::softmax },
    Form { ops: normed::NORMS, account: normed::norm },
    Form { ops: &["normalize"], account: normed::normalize },
    Form { ops: losses::OPS, account: losses::account },
    Form { ops: &["scaled_dot_product_attention"], account: attention::account },
    Form { ops: drawn::OPS, account: drawn::account },
    Form { ops: &["dropout"], account: drawn::dropout },
    Form { ops: given::CONSTANTS, account: given::constant },
    Form { ops: &["tensor"], account: given::literal },
    Form { ops: given::VIEWS, account: given::view },
    Form { ops: given::WHOLE, account: given::whole },
];

/// How an element came of its operation.
pub fn account(case: &Case) -> Account {
    let op = plain(case.made.record.op);
    let form = FORMS.iter().find(|form| form.ops.contains(&op));
    let told = form.and_then(|form| (form.account)(case));
    told.or_else(|| given::whole(case)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::table;

    #[test]
    fn every_operation_has_its_form_and_every_form_its_operations() {
        for op in table::ops() {
            let forms = FORMS.iter().filter(|form| form.ops.contains(&plain(op.name))).count();
            assert_eq!(forms, 1, "{} has {forms} forms of explanation", op.name);
        }
        for name in FORMS.iter().flat_map(|form| form.ops) {
            assert!(
                *name == "tensor" || *name == "setitem" || table::find(name).is_some(),
                "{name} is no operation"
            );
        }
    }
}
