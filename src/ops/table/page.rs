//! The table as a page: `docs/torch.md`.

use std::fmt::Write;

use super::{ALIASES, ops};
use crate::ops::op::{FUNCTION, FUNCTIONAL, IN_PLACE, IN_PLACE_ONLY, METHOD, Op};
use crate::ops::schema::signature;

const HEAD: &str = "\
# The part of PyTorch that is here

Generated from the table of operations (`src/ops/table/`); `UPDATE=1 cargo test --release --test library page::` writes it again.

`f` is a function `torch.name`, `m` a method `tensor.name`, `_` an in-place twin `tensor.name_`, `F` a function of
`torch.nn.functional`. Numbers, shapes, views, `grad_fn` names and error messages are those of PyTorch 2.6. A name that is
not here raises an error that says so; an unknown keyword argument is an error too. `backward()` differentiates what was
recorded; if an operation has no rule for that, the error names it. `torch.nn`, `torch.optim`, `torch.autograd`,
`torch.utils.data` and others are plain Python in `src/torch/py/torch/`.

| name | as | arguments | what it computes |
|---|---|---|---|
";

fn places(op: &Op) -> String {
    let marks = [(FUNCTION, "f"), (METHOD, "m"), (IN_PLACE, "_"), (FUNCTIONAL, "F"), (IN_PLACE_ONLY, "m")];
    let shown: Vec<&str> =
        marks.iter().filter(|(place, _)| op.is_in(*place)).map(|(_, mark)| *mark).collect();
    shown.join(" ")
}

/// The whole page as Markdown.
pub fn page() -> String {
    let mut rows: Vec<&Op> = ops().filter(|op| op.places != 0).collect();
    rows.sort_by_key(|op| (op.name, op.places));
    let mut text = HEAD.to_owned();
    for op in rows {
        let forms: Vec<String> =
            op.forms.iter().map(|form| format!("`{}`", signature(form).replace('|', "\\|"))).collect();
        let also: Vec<String> =
            ALIASES.iter().filter(|alias| alias.1 == op.name).map(|alias| format!("`{}`", alias.0)).collect();
        let mut doc = op.doc.replace('|', "\\|");
        if !also.is_empty() {
            let _ = write!(doc, " Also {}.", also.join(", "));
        }
        let _ = writeln!(text, "| `{}` | {} | {} | {doc} |", op.name, places(op), forms.join("<br>"));
    }
    text
}
