//! Where the way down ends, and operations that are explained as a whole.

use crate::explain::account::{Account, End, Link};
use crate::explain::calc::Calc;
use crate::explain::case::Case;
use crate::explain::terms::figure;
use crate::tensor::{Arg, Site};

/// Numbers that no operand decides.
pub const CONSTANTS: &[&str] = &[
    "zeros",
    "zeros_like",
    "new_zeros",
    "zero_",
    "ones",
    "ones_like",
    "new_ones",
    "full",
    "full_like",
    "new_full",
    "empty",
    "empty_like",
    "new_empty",
    "eye",
    "arange",
    "linspace",
    "logspace",
    "fill",
    "fill_diagonal_",
    "tril_indices",
    "triu_indices",
    "numel",
    "promote_types",
    "result_type",
    "can_cast",
    "is_same_size",
];

/// The same elements seen otherwise: they are looked up in the storage, and never come here but for copies.
pub const VIEWS: &[&str] = &["detach_", "resize", "resize_as"];

/// Results that hang on their operands as a whole.
pub const WHOLE: &[&str] = &[
    "allclose",
    "equal",
    "is_nonzero",
    "bincount",
    "bucketize",
    "searchsorted",
    "histc",
    "isin",
    "unique",
    "unique_consecutive",
    "nonzero",
    "argwhere",
    "quantile",
    "chain_matmul",
    "multi_dot",
    "matrix_power",
    "det",
    "logdet",
    "slogdet",
    "inverse",
    "svd",
    "linalg_cholesky",
    "linalg_det",
    "linalg_inv",
    "linalg_matrix_norm",
    "linalg_norm",
    "linalg_qr",
    "linalg_slogdet",
    "linalg_solve",
    "linalg_svd",
    "linalg_svdvals",
    "one_hot",
    "index_reduce",
    "scatter_reduce",
    "prelu",
    "glu",
    "combinations",
    "cartesian_prod",
];

/// `step3, line 2`.
pub fn place(site: Option<&Site>) -> String {
    site.map_or_else(|| "somewhere".to_owned(), |site| format!("{}, line {}", site.cell, site.line))
}

/// A number as it was given to `torch.tensor`.
pub fn literal(case: &Case) -> Option<Account> {
    let words = format!("given in {}", place(case.made.record.site.as_ref()));
    Some(Account::words(words).ending(End::Given))
}

/// A number that the operation puts everywhere, or by a pattern.
pub fn constant(case: &Case) -> Option<Account> {
    let op = case.op();
    let at = place(case.made.record.site.as_ref());
    if op == "fill_diagonal_" {
        let before = case.operand(0)?;
        let was = before.at(case.index()).value();
        if was == Some(case.value) && case.index().windows(2).any(|pair| pair[0] != pair[1]) {
            let link = case.link(0, &before, case.index());
            return Some(Account::words("off the diagonal: left as it was").passing(link));
        }
    }
    if op == "fill"
        && let Some(value) = case.operand(1)
    {
        let link = case.link(1, &value, &[]);
        return Some(Account::words(format!("filled with {}", link.what)).passing(link));
    }
    let words = match op {
        "arange" | "linspace" | "logspace" => format!("{op}: number {} of the row, {at}", case.index()[0]),
        "eye" => format!("eye: 1 on the diagonal, 0 elsewhere, {at}"),
        "empty" | "empty_like" | "new_empty" => format!("{op}: not filled yet (attn fills it with 0), {at}"),
        _ => format!("{op}: {} everywhere, {at}", figure(case.value)),
    };
    let words = if matches!(op, "tril_indices" | "triu_indices") { format!("{op}, {at}") } else { words };
    let account = Account::words(words).ending(End::Constant);
    let number = |at: usize| case.args.get(at).and_then(Arg::number);
    Some(match op {
        "arange" => {
            let (start, step) =
                if case.made.record.form == 0 { (0.0, 1.0) } else { (number(0)?, number(2)?) };
            let turns = Calc::Product(vec![Calc::Number(case.index()[0] as f64), Calc::Number(step)]);
            account.figures(Calc::Sum(vec![Calc::Number(start), turns]))
        }
        _ => account,
    })
}

/// A view that was not looked through.
pub fn view(case: &Case) -> Option<Account> {
    let operand = case.operand(0)?;
    if operand.tensor.shape() != case.made.record.shape {
        return None;
    }
    let link = case.link(0, &operand, case.index());
    Some(Account::words(format!("{}: the same as {}", case.op(), link.what)).passing(link))
}

/// A result that hangs on its operands as a whole.
pub fn whole(case: &Case) -> Option<Account> {
    let mut names = Vec::new();
    let mut links: Vec<Link> = Vec::new();
    for place in 0..case.args.len() {
        let listed = case.made.operands(place);
        if listed.is_empty() {
            continue;
        }
        for operand in &listed {
            let sizes: Vec<String> = operand.tensor.shape().iter().map(usize::to_string).collect();
            names.push(match sizes.is_empty() {
                true => case.names.of(&operand.tensor).to_string(),
                false => format!("{} ({})", case.names.of(&operand.tensor), sizes.join(", ")),
            });
            if operand.tensor.numel() == 1 {
                links.push(case.listed(operand, &vec![0; operand.tensor.ndim()]));
            } else if operand.tensor.shape() == case.made.record.shape {
                links.push(case.listed(operand, case.index()));
            }
        }
    }
    let from = match names.as_slice() {
        [] => String::new(),
        names => format!(" of {}", names.join(" and ")),
    };
    let doc = case.row().map(|row| row.doc).unwrap_or_default();
    let follow = links.len().min(1);
    let account = Account::words(format!("{}{from}, as a whole", case.op())).from(links).following(follow);
    Some(if doc.is_empty() { account } else { account.note(doc) })
}
