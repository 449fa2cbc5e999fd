//! Products of tensors: `@` for each pair of ranks. The kernel gets strided views, without copies.
//! Source: the rules of `torch.matmul`.

use ndarray::{
    ArrayView1, ArrayView2, ArrayView3, ArrayViewMut2, ArrayViewMut3, Dimension, Ix1, Ix2, Ix3, ShapeBuilder,
    aview1,
};

use crate::kernel::offset::{MatrixView, MatrixViewMut, WithOffset};
use crate::kernel::{buffer_pool, dot as kernel_dot, gemm};
use crate::tensor::layout::broadcast;
use crate::tensor::ops::float::Float;
use crate::tensor::{Arg, Buffer, DType, Error, ErrorFact, GradName, Layout, Result, Tensor, allow};

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

/// The C++ name of a dtype.
pub(crate) fn cpp_name(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "bool",
        DType::UInt8 => "unsigned char",
        DType::Int8 => "signed char",
        DType::Int16 => "short int",
        DType::Int32 => "int",
        DType::Int64 => "long int",
        DType::Float16 => "c10::Half",
        DType::BFloat16 => "c10::BFloat16",
        DType::Float32 => "float",
        DType::Float64 => "double",
    }
}

/// The layout of a tensor for the kernel; strides of a tensor without elements become 0.
fn kernel_layout(x: &Tensor) -> Layout {
    let layout = x.layout();
    match layout.numel() {
        0 => Layout { shape: layout.shape.clone(), strides: vec![0; layout.ndim()], offset: 0 },
        _ => layout.clone(),
    }
}

macro_rules! view {
    ($kind:ident, $dim:expr, $strides:expr, $data:expr, $layout:expr) => {{
        // ndarray checks strides and offset even if there are no elements.
        let mut strides = $strides;
        let data = if $layout.numel() == 0 {
            strides.slice_mut().fill(0);
            &[]
        } else {
            &$data[$layout.offset.min($data.len())..]
        };
        WithOffset::new(
            $kind::from_shape($dim.strides(strides), data).expect("a layout is inside its storage"),
            $layout.offset,
        )
    }};
}

macro_rules! vector {
    ($data:expr, $l:expr) => {
        view!(ArrayView1, Ix1($l.shape[0]), Ix1($l.strides[0]), $data, $l)
    };
}

macro_rules! matrix {
    ($data:expr, $l:expr) => {
        view!(ArrayView2, Ix2($l.shape[0], $l.shape[1]), Ix2($l.strides[0], $l.strides[1]), $data, $l)
    };
}

macro_rules! stack {
    ($data:expr, $l:expr) => {
        view!(
            ArrayView3,
            Ix3($l.shape[0], $l.shape[1], $l.shape[2]),
            Ix3($l.strides[0], $l.strides[1], $l.strides[2]),
            $data,
            $l
        )
    };
}

/// The sum of products of two vectors. (n) . (n) -> ()
pub(crate) fn dot(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let (la, lb) = (&kernel_layout(a), &kernel_layout(b));
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
    let buffer = match (&*a.storage().read(), &*b.storage().read()) {
        (Buffer::F32(x), Buffer::F32(y)) => {
            Buffer::F32(vec![kernel_dot::dot(vector!(x, la), vector!(y, lb))])
        }
        (Buffer::F64(x), Buffer::F64(y)) => {
            Buffer::F64(vec![kernel_dot::dot(vector!(x, la), vector!(y, lb))])
        }
        (Buffer::I64(x), Buffer::I64(y)) => {
            Buffer::I64(vec![kernel_dot::dot_i64(vector!(x, la).view, vector!(y, lb).view)])
        }
        _ => return Err(Error::unsupported_dtype("dot", DType::Bool)),
    };
    Ok(Tensor::new(buffer, [], a.dtype()))
}

/// A matrix times a vector. (n, k) @ (k) -> (n)
pub(crate) fn mv(a: &Tensor, x: &Tensor) -> Result<Tensor> {
    let (la, lx) = (&kernel_layout(a), &kernel_layout(x));
    if la.shape[1] != lx.shape[0] {
        return Err(Error::runtime(format!(
            "size mismatch, got input ({}), mat ({}x{}), vec ({})",
            la.shape[0], la.shape[0], la.shape[1], lx.shape[0]
        )));
    }
    dtypes_agree(a, x, scalar_types)?;
    let rows = la.shape[0];
    let buffer = match (&*a.storage().read(), &*x.storage().read()) {
        (Buffer::F32(m), Buffer::F32(v)) => {
            let mut out = vec![0.0; rows];
            kernel_dot::matvec(matrix!(m, la), vector!(v, lx), &mut out);
            Buffer::F32(out)
        }
        (Buffer::F64(m), Buffer::F64(v)) => {
            let mut out = vec![0.0; rows];
            kernel_dot::matvec(matrix!(m, la), vector!(v, lx), &mut out);
            Buffer::F64(out)
        }
        (Buffer::I64(m), Buffer::I64(v)) => {
            let (m, v) = (matrix!(m, la).view, vector!(v, lx).view);
            Buffer::I64(m.rows().into_iter().map(|row| kernel_dot::dot_i64(row, v)).collect())
        }
        _ => {
            return Err(Error::unsupported_dtype("addmv_impl_cpu", DType::Bool));
        }
    };
    Ok(Tensor::new(buffer, [rows], a.dtype()))
}

/// The product of two matrices. (n, k) @ (k, m) -> (n, m)
pub fn mm(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let (la, lb) = (&kernel_layout(a), &kernel_layout(b));
    if la.shape[1] != lb.shape[0] {
        return Err(Error::matmul([la.shape[0], la.shape[1]], [lb.shape[0], lb.shape[1]]));
    }
    dtypes_agree(a, b, |a, b| {
        let (a, b) = (cpp_name(a), cpp_name(b));
        format!("expected m1 and m2 to have the same dtype, but got: {a} != {b}")
    })?;
    let (rows, columns) = (la.shape[0], lb.shape[1]);
    let len = allow(&[rows, columns], a.dtype())?;
    macro_rules! product {
        ($x:expr, $y:expr, $f:expr) => {{
            let mut out: Vec<_> = buffer_pool::take(len);
            let view = ArrayViewMut2::from_shape((rows, columns), &mut out)
                .expect("as many elements as the shape has");
            $f(matrix!($x, la), matrix!($y, lb), view);
            out
        }};
    }
    let buffer = match (&*a.storage().read(), &*b.storage().read()) {
        (Buffer::F32(x), Buffer::F32(y)) => Buffer::F32(product!(x, y, gemm::matmul)),
        (Buffer::F64(x), Buffer::F64(y)) => Buffer::F64(product!(x, y, gemm::matmul)),
        (Buffer::I64(x), Buffer::I64(y)) => {
            Buffer::I64(product!(x, y, |x: MatrixView<i64>, y: MatrixView<i64>, out| gemm::matmul_i64(
                x.view, y.view, out
            )))
        }
        _ => {
            return Err(Error::unsupported_dtype("addmm_impl_cpu_", DType::Bool));
        }
    };
    Ok(Tensor::new(buffer, [rows, columns], a.dtype()))
}

/// Products of two batches of matrices. (b, n, k) @ (b, k, m) -> (b, n, m)
pub(crate) fn bmm(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let (la, lb) = (&kernel_layout(a), &kernel_layout(b));
    if la.shape[0] != lb.shape[0] || la.shape[2] != lb.shape[1] {
        return Err(Error::runtime(format!(
            "Expected size for first two dimensions of batch2 tensor to be: [{}, {}] but got: [{}, {}].",
            la.shape[0], la.shape[2], lb.shape[0], lb.shape[1]
        )));
    }
    dtypes_agree(a, b, scalar_types)?;
    let shape = [la.shape[0], la.shape[1], lb.shape[2]];
    let len = allow(&shape, a.dtype())?;
    macro_rules! product {
        ($x:expr, $y:expr) => {{
            let mut out: Vec<_> = buffer_pool::take(len);
            let view = ArrayViewMut3::from_shape(shape, &mut out).expect("as many elements as the shape has");
            gemm::batched(stack!($x, la), stack!($y, lb), view);
            out
        }};
    }
    let buffer = match (&*a.storage().read(), &*b.storage().read()) {
        (Buffer::F32(x), Buffer::F32(y)) => Buffer::F32(product!(x, y)),
        (Buffer::F64(x), Buffer::F64(y)) => Buffer::F64(product!(x, y)),
        (Buffer::I64(x), Buffer::I64(y)) => {
            let mut out = vec![0i64; len];
            let mut view =
                ArrayViewMut3::from_shape(shape, &mut out).expect("as many elements as the shape has");
            for (at, mut page) in view.outer_iter_mut().enumerate() {
                let (x, y) = (stack!(x, la).view, stack!(y, lb).view);
                gemm::matmul_i64(
                    x.index_axis_move(ndarray::Axis(0), at),
                    y.index_axis_move(ndarray::Axis(0), at),
                    page.view_mut(),
                );
            }
            Buffer::I64(out)
        }
        _ => return Err(Error::unsupported_dtype("bmm", DType::Bool)),
    };
    Ok(Tensor::new(buffer, shape, a.dtype()))
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
    let (la, lb) = (&kernel_layout(a), &kernel_layout(b));
    if la.shape[1] != lb.shape[0] {
        return Err(Error::matmul([la.shape[0], la.shape[1]], [lb.shape[0], lb.shape[1]]));
    }
    let (rows, columns) = (la.shape[0], lb.shape[1]);
    let base = super::expanded(base, &[rows as i64, columns as i64])?;
    allow(&[rows, columns], a.dtype())?;
    if alpha == 1.0
        && beta == 1.0
        && rows > 1
        && base.layout().strides == [0, 1]
        && let (Buffer::F32(x), Buffer::F32(y), Buffer::F32(bias)) =
            (&*a.storage().read(), &*b.storage().read(), &*base.storage().read())
    {
        // A linear layer: the bias is added to the sums, and not copied to each row first.
        let first = base.layout().offset;
        let mut out = buffer_pool::take(rows * columns);
        let view =
            ArrayViewMut2::from_shape((rows, columns), &mut out).expect("as many elements as the shape has");
        gemm::linear(matrix!(x, la), matrix!(y, lb), aview1(&bias[first..first + columns]), view);
        return Ok(Tensor::new(Buffer::F32(out), [rows, columns], a.dtype()));
    }
    let mut out = base.to_buffer();
    match (&*a.storage().read(), &*b.storage().read(), &mut out) {
        (Buffer::F32(x), Buffer::F32(y), Buffer::F32(out)) => {
            add_product(matrix!(x, la), matrix!(y, lb), out, 0, alpha as f32, beta as f32);
        }
        (Buffer::F64(x), Buffer::F64(y), Buffer::F64(out)) => {
            add_product(matrix!(x, la), matrix!(y, lb), out, 0, alpha, beta);
        }
        (Buffer::I64(x), Buffer::I64(y), Buffer::I64(out)) => {
            let mut product = vec![0; out.len()];
            let view = ArrayViewMut2::from_shape((rows, columns), &mut product)
                .expect("as many elements as the shape has");
            gemm::matmul_i64(matrix!(x, la).view, matrix!(y, lb).view, view);
            mix(out, &product, alpha as i64, beta as i64);
        }
        _ => {
            return Err(Error::unsupported_dtype("addmm_impl_cpu_", DType::Bool));
        }
    }
    Ok(Tensor::new(out, [rows, columns], a.dtype()))
}

/// `out = beta * out + alpha * product`; it wraps around.
fn mix(out: &mut [i64], product: &[i64], alpha: i64, beta: i64) {
    for (out, &x) in out.iter_mut().zip(product) {
        *out = beta.wrapping_mul(*out).wrapping_add(alpha.wrapping_mul(x));
    }
}

/// `out = beta * out + alpha * a @ b`; `out` begins at `offset` of its storage.
fn add_product<T: Float>(
    a: MatrixView<T>,
    b: MatrixView<T>,
    out: &mut [T],
    offset: usize,
    alpha: T,
    beta: T,
) {
    let shape = (a.view.nrows(), b.view.ncols());
    let view = ArrayViewMut2::from_shape(shape, out).expect("the slice has the elements of the shape");
    let out: MatrixViewMut<T> = WithOffset::new(view, offset);
    gemm::gemm(alpha, a, b, beta, out);
}

/// `beta * base + alpha * a @ b` for batches of matrices, `base` broadcast. (b, n, k) @ (b, k, m) -> (b, n, m).
pub(crate) fn baddbmm(base: &Tensor, a: &Tensor, b: &Tensor, alpha: f64, beta: f64) -> Result<Tensor> {
    three_dimensional(a, b)?;
    if base.dtype() != a.dtype() || base.dtype() != b.dtype() {
        return Err(Error::runtime(format!(
            "Input dtypes must be the same, got: input {}, batch1: {}, batch2: {}",
            cpp_name(base.dtype()),
            cpp_name(a.dtype()),
            cpp_name(b.dtype())
        )));
    }
    let product = bmm(a, b)?;
    let sizes: Vec<i64> = product.shape().iter().map(|&size| size as i64).collect();
    let base = super::expanded(base, &sizes)?;
    let shape = product.shape().to_vec();
    let mut out = base.to_buffer();
    let tiny = shape[1] * shape[2] * a.shape()[2] < gemm::TINY;
    match &mut out {
        Buffer::I64(out) => mix(out, &product.to_i64_vec(), alpha as i64, beta as i64),
        Buffer::F32(out) if tiny => scaled_sum(out, &product.to_f32_vec(), alpha as f32, beta as f32),
        Buffer::F64(out) if tiny => scaled_sum(out, &product.to_f64_vec(), alpha, beta),
        Buffer::F32(out) => add_products(a, b, out, alpha as f32, beta as f32),
        Buffer::F64(out) => add_products(a, b, out, alpha, beta),
        Buffer::Bool(_) => return Err(Error::unsupported_dtype("baddbmm", DType::Bool)),
    }
    Ok(Tensor::new(out, shape, a.dtype()))
}

fn scaled_sum<T: Float>(out: &mut [T], product: &[T], alpha: T, beta: T) {
    for (out, &x) in out.iter_mut().zip(product) {
        *out = if beta == T::ZERO { alpha * x } else { *out * beta + alpha * x };
    }
}

/// [`add_product`] for each matrix of a batch.
fn add_products<T: Float>(a: &Tensor, b: &Tensor, out: &mut [T], alpha: T, beta: T) {
    let [count, rows, inner, columns] = [a.shape()[0], a.shape()[1], a.shape()[2], b.shape()[2]];
    fn matrix<T>(data: &[T], at: usize, rows: usize, columns: usize) -> MatrixView<'_, T> {
        let start = at * rows * columns;
        let view = ArrayView2::from_shape((rows, columns), &data[start..start + rows * columns])
            .expect("the slice has the elements of the shape");
        WithOffset::new(view, start)
    }
    let (x, y) = (T::of(a), T::of(b));
    for at in 0..count {
        let start = at * rows * columns;
        let out = &mut out[start..start + rows * columns];
        add_product(matrix(&x, at, rows, inner), matrix(&y, at, inner, columns), out, start, alpha, beta);
    }
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
    if weight.ndim() > 2 {
        return Err(Error::runtime(format!(
            "t() expects a tensor with <= 2 dimensions, but self is {}D",
            weight.ndim()
        )));
    }
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
