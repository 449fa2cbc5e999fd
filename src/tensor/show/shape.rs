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

fn joined(shape: &[usize], separator: &str) -> String {
    let texts: Vec<String> = shape.iter().map(usize::to_string).collect();
    texts.join(separator)
}
