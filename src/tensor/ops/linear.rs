//! Products of tensors: `@` for each pair of ranks. The kernel gets strided views, without copies.
//! Source: the rules of `torch.matmul`.

use ndarray::{ArrayView3, ArrayViewMut3, Axis, Ix3, ShapeBuilder};

use crate::kernel::{buffer_pool, gemm, small};
use crate::tensor::buffer::{Number, in_lane};
use crate::tensor::layout::broadcast;
use crate::tensor::{
    Arg, Buffer, DType, Error, ErrorFact, GradName, Layout, Result, Tensor, allow, refuse_if,
};

/// Errors: two dtypes, in the words of the operation's kernel.
fn dtypes_agree(a: &Tensor, b: &Tensor, words: fn(DType, DType) -> String) -> Result<()> {
    if a.dtype() == b.dtype() {
        Ok(())
    } else {
        Err(Error::runtime(words(a.dtype(), b.dtype())).about(ErrorFact::DifferentDtypes))
    }
}

fn scalar_types(a: DType, b: DType) -> String {
    format!("expected scalar type {} but found {}", a.cpp_name(), b.cpp_name())
}

/// A batch of matrices; one matrix is a batch of one.
fn stack<'a, T>(data: &'a [T], layout: &Layout) -> ArrayView3<'a, T> {
    let three =
        |sizes: &[usize]| if let [b, n, k] = *sizes { Ix3(b, n, k) } else { Ix3(1, sizes[0], sizes[1]) };
    // ndarray checks strides and offset even if there are no elements.
    let (strides, data) = match layout.numel() {
        0 => (Ix3(0, 0, 0), &[][..]),
        _ => (three(&layout.strides), &data[layout.offset..]),
    };
    ArrayView3::from_shape(three(&layout.shape).strides(strides), data)
        .expect("a layout is inside its storage")
}

/// `out = beta * out + alpha * a @ b` for matrices or batches of them; `out` has the elements of the result, row-major.
/// Errors: a dtype without products, in the name of PyTorch's `kernel`.
fn multiply(alpha: f64, a: &Tensor, b: &Tensor, beta: f64, out: &mut Buffer, kernel: &str) -> Result<()> {
    macro_rules! multiply {
        ($x:expr, $y:expr, $out:expr, $t:ty, $batched:path) => {{
            let (x, y) = (stack($x, a.layout()), stack($y, b.layout()));
            let shape = (x.len_of(Axis(0)), x.len_of(Axis(1)), y.len_of(Axis(2)));
            let out = ArrayViewMut3::from_shape(shape, $out).expect("as many elements as the shape has");
            $batched(alpha as $t, x, y, beta as $t, out)
        }};
    }
    macro_rules! of_floats {
        ($x:expr, $y:expr, $out:expr, $t:ty) => {
            match a.ndim() {
                2 => multiply!($x, $y, $out, $t, gemm::alone),
                _ => multiply!($x, $y, $out, $t, gemm::batched),
            }
        };
    }
    match (&*a.storage().read(), &*b.storage().read(), out) {
        (Buffer::F32(x), Buffer::F32(y), Buffer::F32(out)) => of_floats!(x, y, out, f32),
        (Buffer::F64(x), Buffer::F64(y), Buffer::F64(out)) => of_floats!(x, y, out, f64),
        (Buffer::I64(x), Buffer::I64(y), Buffer::I64(out)) => multiply!(x, y, out, i64, gemm::batched_i64),
        _ => return Err(Error::unsupported_dtype(kernel, DType::Bool)),
    }
    Ok(())
}

/// `a @ b` of this shape. Errors: as [`multiply`].
fn product(a: &Tensor, b: &Tensor, shape: &[usize], kernel: &str) -> Result<Tensor> {
    let len = allow(shape, a.dtype())?;
    let mut out = in_lane!(a.dtype().lane(), T => T::buffer(buffer_pool::take(len)));
    multiply(1.0, a, b, 0.0, &mut out, kernel)?;
    Ok(Tensor::new(out, shape, a.dtype()))
}

/// The sum of products of two vectors. (n) . (n) -> ()
pub(crate) fn dot(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let (la, lb) = (a.layout(), b.layout());
    if la.shape != lb.shape {
        return Err(Error::runtime(format!(
            "inconsistent tensor size, expected tensor [{}] and src [{}] to have the same number of elements, but got \
             {} and {} elements respectively",
            la.shape[0], lb.shape[0], la.shape[0], lb.shape[0]
        )));
    }
    dtypes_agree(a, b, |a, b| {
        let (a, b) = (a.cpp_name(), b.cpp_name());
        format!("dot : expected both vectors to have same dtype, but found {a} and {b}")
    })?;
    if a.dtype() == DType::Float32
        && a.is_contiguous()
        && b.is_contiguous()
        && let (Buffer::F32(x), Buffer::F32(y)) = (&*a.storage().read(), &*b.storage().read())
    {
        let count = la.shape[0];
        let sum = small::dot(&x[la.offset..la.offset + count], &y[lb.offset..lb.offset + count]);
        return Ok(Tensor::new(Buffer::F32(vec![sum]), [], a.dtype()));
    }
    let (row, column) = (a.with_layout(la.unsqueeze(0)), b.with_layout(lb.unsqueeze(1)));
    let out = product(&row, &column, &[1, 1], "dot")?;
    Ok(out.with_layout(Layout::contiguous([])))
}

/// A matrix times a vector. (n, k) @ (k) -> (n)
pub(crate) fn mv(a: &Tensor, x: &Tensor) -> Result<Tensor> {
    let (la, lx) = (a.layout(), x.layout());
    if la.shape[1] != lx.shape[0] {
        return Err(Error::runtime(format!(
            "size mismatch, got input ({}), mat ({}x{}), vec ({})",
            la.shape[0], la.shape[0], la.shape[1], lx.shape[0]
        )));
    }
    dtypes_agree(a, x, scalar_types)?;
    let out = product(a, &x.with_layout(lx.unsqueeze(1)), &[la.shape[0], 1], "addmv_impl_cpu")?;
    Ok(out.with_layout(Layout::contiguous([la.shape[0]])))
}

/// The product of two matrices. (n, k) @ (k, m) -> (n, m)
pub fn mm(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let (la, lb) = (a.layout(), b.layout());
    if la.shape[1] != lb.shape[0] {
        return Err(Error::matmul([la.shape[0], la.shape[1]], [lb.shape[0], lb.shape[1]]));
    }
    dtypes_agree(a, b, |a, b| {
        let (a, b) = (a.c_name(), b.c_name());
        format!("expected m1 and m2 to have the same dtype, but got: {a} != {b}")
    })?;
    product(a, b, &[la.shape[0], lb.shape[1]], "addmm_impl_cpu_")
}

/// Products of two batches of matrices. (b, n, k) @ (b, k, m) -> (b, n, m)
pub(crate) fn bmm(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    product(a, b, &batch_shape(a, b)?, "bmm")
}

/// The shape of a product of two batches. Errors: shapes or dtypes that do not agree.
fn batch_shape(a: &Tensor, b: &Tensor) -> Result<[usize; 3]> {
    let (la, lb) = (a.layout(), b.layout());
    if la.shape[0] != lb.shape[0] || la.shape[2] != lb.shape[1] {
        return Err(Error::runtime(format!(
            "Expected size for first two dimensions of batch2 tensor to be: [{}, {}] but got: [{}, {}].",
            la.shape[0], la.shape[2], lb.shape[0], lb.shape[1]
        )));
    }
    dtypes_agree(a, b, scalar_types)?;
    Ok([la.shape[0], la.shape[1], lb.shape[2]])
}

/// `beta * base + alpha * a @ b`, `base` broadcast to the result. (n, k) @ (k, m) -> (n, m). As `torch.addmm`.
pub(crate) fn addmm(base: &Tensor, a: &Tensor, b: &Tensor, alpha: f64, beta: f64) -> Result<Tensor> {
    for (name, x) in [("self", base), ("mat1", a)] {
        if x.dtype() != b.dtype() {
            return Err(Error::runtime(format!(
                "{name} and mat2 must have the same dtype, but got {} and {}",
                x.dtype().cpp_name(),
                b.dtype().cpp_name()
            ))
            .about(ErrorFact::DifferentDtypes));
        }
    }
    for (name, x) in [("mat1", a), ("mat2", b)] {
        if x.ndim() != 2 {
            return Err(Error::runtime(format!("{name} must be a matrix, got {}-D tensor", x.ndim()))
                .about(ErrorFact::NotAMatrix));
        }
    }
    let (la, lb) = (a.layout(), b.layout());
    if la.shape[1] != lb.shape[0] {
        return Err(Error::matmul([la.shape[0], la.shape[1]], [lb.shape[0], lb.shape[1]]));
    }
    let shape = [la.shape[0], lb.shape[1]];
    let base = super::expanded(base, &shape.map(|size| size as i64))?;
    allow(&shape, a.dtype())?;
    let mut out = base.to_buffer();
    multiply(alpha, a, b, beta, &mut out, "addmm_impl_cpu_")?;
    Ok(Tensor::new(out, shape, a.dtype()))
}

/// `beta * base + alpha * a @ b` for batches of matrices, `base` broadcast. (b, n, k) @ (b, k, m) -> (b, n, m).
pub(crate) fn baddbmm(base: &Tensor, a: &Tensor, b: &Tensor, alpha: f64, beta: f64) -> Result<Tensor> {
    three_dimensional(a, b)?;
    refuse_if!(
        base.dtype() != a.dtype() || base.dtype() != b.dtype(),
        "Input dtypes must be the same, got: input {}, batch1: {}, batch2: {}",
        base.dtype().c_name(),
        a.dtype().c_name(),
        b.dtype().c_name()
    );
    let shape = batch_shape(a, b)?;
    let base = super::expanded(base, &shape.map(|size| size as i64))?;
    allow(&shape, a.dtype())?;
    let mut out = base.to_buffer();
    multiply(alpha, a, b, beta, &mut out, "baddbmm")?;
    Ok(Tensor::new(out, shape, a.dtype()))
}

/// Checks that both operands are batches of matrices.
pub(crate) fn three_dimensional(a: &Tensor, b: &Tensor) -> Result<()> {
    for (name, x) in [("batch1", a), ("batch2", b)] {
        if x.ndim() != 3 {
            return Err(Error::runtime(format!("{name} must be a 3D tensor")).about(ErrorFact::NotABatch));
        }
    }
    Ok(())
}

/// `a @ b` for any ranks, and what its `grad_fn` shows. A batch is folded into rows where the matrix requires a gradient,
/// whether or not gradients are recorded: its own gradient would have a batch of them. As `torch.matmul`.
pub(crate) fn matmul(a: &Tensor, b: &Tensor) -> Result<(Tensor, GradName)> {
    match (a.ndim(), b.ndim()) {
        (0, _) | (_, 0) => Err(Error::runtime(format!(
            "both arguments to matmul need to be at least 1D, but they are {}D and {}D",
            a.ndim(),
            b.ndim()
        ))
        .about(ErrorFact::ProductOfNumber)),
        (1, 1) => Ok((dot(a, b)?, GradName::node("Dot"))),
        (2, 1) => Ok((mv(a, b)?, GradName::node("Mv"))),
        (1, 2) => {
            let row = a.with_layout(a.layout().unsqueeze(0));
            let out = mm(&row, b)?;
            Ok((out.with_layout(out.layout().squeeze(0)), GradName::Node("Squeeze", 4)))
        }
        (2, 2) => Ok((mm(a, b)?, GradName::node("Mm"))),
        (n, m) if n >= 3 && m <= 2 && (b.requires_grad() || folds(a)) => folded(a, b),
        (2, m) if m >= 3 && a.requires_grad() => {
            // Transposed, so that the gradient of `a` needs no batch: (a @ b) = (b.mT @ a.t()).mT
            let transposed = |x: &Tensor| x.with_layout(x.layout().transpose(x.ndim() - 2, x.ndim() - 1));
            let out = transposed(&folded(&transposed(b), &transposed(a))?.0);
            Ok((super::copy(&out), GradName::node("Clone")))
        }
        _ => batched(a, b),
    }
}

/// Whether the batch dimensions and rows of `a` are the rows of one matrix without a copy.
fn folds(a: &Tensor) -> bool {
    let (shape, strides) = (a.shape(), a.strides());
    a.numel() == 0 || (0..a.ndim() - 2).all(|axis| strides[axis] == strides[axis + 1] * shape[axis + 1])
}

/// The product with the batch dimensions of `a` folded into its rows.
fn folded(a: &Tensor, b: &Tensor) -> Result<(Tensor, GradName)> {
    let (lead, inner) = a.shape().split_at(a.ndim() - 1);
    let rows: usize = lead.iter().product();
    let flat = super::reshape(a, &[rows, inner[0]]);
    let out = if b.ndim() == 1 { mv(&flat, b)? } else { mm(&flat, b)? };
    let mut shape = lead.to_vec();
    if b.ndim() == 2 {
        shape.push(b.shape()[1]);
    }
    Ok((out.with_layout(Layout::contiguous(shape)), GradName::node("UnsafeView")))
}

/// Batches of matrices, whose batch dimensions are broadcast.
fn batched(a: &Tensor, b: &Tensor) -> Result<(Tensor, GradName)> {
    let matrix_a = if a.ndim() == 1 { a.layout().unsqueeze(0) } else { a.layout().clone() };
    let matrix_b = if b.ndim() == 1 { b.layout().unsqueeze(1) } else { b.layout().clone() };
    let batch = |layout: &Layout| layout.shape[..layout.ndim() - 2].to_vec();
    let lead = broadcast(&batch(&matrix_a), &batch(&matrix_b))?;
    let batches: usize = lead.iter().product();
    let spread = |tensor: &Tensor, layout: &Layout| {
        let tail = &layout.shape[layout.ndim() - 2..];
        let full = tensor.with_layout(layout.broadcast_to(&[&lead[..], tail].concat()));
        // Copies only if the batch dimensions cannot be merged.
        super::reshape(&full, &[batches, tail[0], tail[1]])
    };
    let out = bmm(&spread(a, &matrix_a), &spread(b, &matrix_b))?;
    let mut shape = lead;
    if a.ndim() > 1 {
        shape.push(out.shape()[1]);
    }
    if b.ndim() > 1 {
        shape.push(out.shape()[2]);
    }
    let layout = Layout::contiguous(shape);
    Ok((out.with_layout(layout), GradName::node("UnsafeView")))
}

/// `input @ weight.T + bias`. (.., in) x (out, in) -> (.., out). As `F.linear`.
pub(crate) fn linear(input: &Tensor, weight: &Tensor, bias: Option<&Tensor>) -> Result<(Tensor, GradName)> {
    if input.ndim() == 0 || weight.ndim() == 0 {
        return Err(Error::runtime(format!(
            "both arguments to linear need to be at least 1D, but they are {}D and {}D",
            input.ndim(),
            weight.ndim()
        ))
        .about(ErrorFact::ProductOfNumber));
    }
    refuse_if!(
        weight.ndim() > 2,
        "t() expects a tensor with <= 2 dimensions, but self is {}D",
        weight.ndim()
    );
    let transposed =
        weight.with_layout(weight.layout().permute(&(0..weight.ndim()).rev().collect::<Vec<_>>()));
    // The transposed weight requires a gradient if the weight does: then `matmul` folds any batch into rows.
    let product = || match weight.requires_grad() && weight.ndim() == 2 && input.ndim() >= 3 {
        true => folded(input, &transposed),
        false => matmul(input, &transposed),
    };
    match bias {
        None => product(),
        Some(bias) if input.ndim() == 2 => {
            Ok((addmm(bias, input, &transposed, 1.0, 1.0)?, GradName::node("Addmm")))
        }
        Some(bias) if input.is_contiguous() && weight.ndim() == 2 => {
            let (lead, inner) = input.shape().split_at(input.ndim() - 1);
            let flat = super::reshape(input, &[lead.iter().product(), inner[0]]);
            let out = addmm(bias, &flat, &transposed, 1.0, 1.0)?;
            let shape = [lead, &[weight.shape()[0]]].concat();
            Ok((out.with_layout(Layout::contiguous(shape)), GradName::node("View")))
        }
        Some(bias) => {
            let product = Arg::Tensor(product()?.0);
            Ok((
                super::pointwise::add(&product, &Arg::Tensor(bias.clone()), DType::Float32)?,
                GradName::node("Add"),
            ))
        }
    }
}
