//! Diagonals and triangles.

use rustpython_vm::PyResult;

use crate::numpy::routine::{Answer, BOTH, Call, FUNCTION, Row, row};
use crate::tensor::{Arg, Tensor};

/// a, offset, axis1, axis2
fn diagonal_of(c: &Call) -> PyResult<Tensor> {
    let x = c.tensor(0)?;
    if x.ndim() < 2 {
        return Err(c.value_error("diag requires an array of at least two dimensions"));
    }
    let [a, b] = [c.axis(c.int(2, 0)?, x.ndim())?, c.axis(c.int(3, 1)?, x.ndim())?];
    let args = [c.int(1, 0)?, a as i64, b as i64].map(Arg::Int);
    c.op("diagonal", std::iter::once(Arg::Tensor(x)).chain(args).collect())
}

fn diag(c: &Call) -> PyResult<Answer> {
    let (x, k) = (c.tensor(0)?, Arg::Int(c.int(1, 0)?));
    match x.ndim() {
        1 => Ok(Answer::Array(c.op("diag", vec![Arg::Tensor(x), k])?)),
        2 => Ok(Answer::Array(c.op("diagonal", vec![Arg::Tensor(x), k, Arg::Int(0), Arg::Int(1)])?)),
        _ => Err(c.value_error("Input must be 1- or 2-d.")),
    }
}

/// `tril` and `triu`: a row is repeated to a square.
fn triangle(c: &Call, name: &'static str) -> PyResult<Answer> {
    let mut x = c.tensor(0)?;
    if let &[n] = x.shape() {
        x = c.op("broadcast_to", vec![Arg::Tensor(x), Arg::Ints(vec![n as i64; 2])])?;
    }
    Ok(Answer::Array(c.op(name, vec![Arg::Tensor(x), Arg::Int(c.int(1, 0)?)])?))
}

pub(super) static ROWS: [Row; 4] = [
    row("diagonal", BOTH, "a, offset=0, axis1=0, axis2=1", |c| Ok(Answer::Array(diagonal_of(c)?))),
    row("diag", FUNCTION, "v, k=0", diag),
    row("tril", FUNCTION, "m, k=0", |c| triangle(c, "tril")),
    row("triu", FUNCTION, "m, k=0", |c| triangle(c, "triu")),
];
