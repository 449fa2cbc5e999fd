//! Shapes as text.

/// `(2, 3)`, `(2,)`, `()`, as Python prints a tuple.
pub fn tuple_repr(shape: &[usize]) -> String {
    match shape {
        [only] => format!("({only},)"),
        _ => format!("({})", joined(shape, ", ")),
    }
}

/// `(2,3)`, `(2)`, `()`, as formulas write the shapes of operands.
pub(crate) fn shape_in_formula(shape: &[usize]) -> String {
    format!("({})", joined(shape, ","))
}

/// The texts of all, with a separator between them.
pub(crate) fn joined<T: ToString>(all: &[T], separator: &str) -> String {
    let texts: Vec<String> = all.iter().map(T::to_string).collect();
    texts.join(separator)
}
