//! NumPy's functions over the operations of torch: a row has NumPy's name and signature, and the function of Rust that
//! says what differs from the operation: dtypes, shapes, errors.

mod create;
mod order;
mod products;
mod reduce;
mod shape;

use super::routine::Row;

/// All rows.
pub(super) fn rows() -> impl Iterator<Item = &'static Row> {
    let families: [&'static [Row]; 5] =
        [&create::ROWS, &shape::ROWS, &reduce::ROWS, &order::ROWS, &products::ROWS];
    families.into_iter().flatten()
}

/// The function of this name.
pub(super) fn named(name: &str) -> &'static Row {
    rows().find(|row| row.name == name).unwrap_or_else(|| panic!("numpy has no function {name}"))
}

/// Second names.
pub(super) const ALIASES: [(&str, &str); 5] =
    [("amax", "max"), ("amin", "min"), ("around", "round"), ("round_", "round"), ("asanyarray", "asarray")];
