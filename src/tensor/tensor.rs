//! Tensors: constructors, elements, history and gradients.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::rc::Rc;

use smallvec::smallvec;

use super::buffer::{Buffer, Number};
use super::dtype::{Category, DType};
use super::error::{Error, ErrorFact, Result, refuse_if};
use super::graph::{Arg, FilledBy, Record, Storage, Tensor, TensorData};
use super::layout::Layout;
use super::storage::allow;
use crate::kernel::elementwise::gather_strided;
use crate::{each_lane, map_lane};

impl Tensor {
    pub(crate) fn from_parts(storage: Storage, layout: Layout, dtype: DType) -> Tensor {
        debug_assert!(layout.end() <= storage.read().len() || layout.numel() == 0);
        Tensor(Rc::new(TensorData { storage, layout, dtype, meta: RefCell::default() }))
    }

    /// A row-major tensor of these elements, rounded to `dtype`.
    pub(crate) fn new(mut buffer: Buffer, shape: impl AsRef<[usize]>, dtype: DType) -> Tensor {
        buffer.round_to(dtype);
        Tensor::from_parts(Storage::new(buffer), Layout::contiguous(shape), dtype)
    }

    /// Zeros. Errors: more memory than allowed.
    pub(crate) fn zeros(shape: impl AsRef<[usize]>, dtype: DType) -> Result<Tensor> {
        let len = allow(shape.as_ref(), dtype)?;
        Ok(Tensor::from_parts(Storage::zeros(dtype, len), Layout::contiguous(shape), dtype))
    }

    /// Zeros with the shape of this tensor and its order in memory. As `torch.zeros_like`.
    pub(crate) fn zeros_like(&self, dtype: DType) -> Result<Tensor> {
        Ok(Tensor::zeros(self.shape(), dtype)?.with_layout(self.layout().preserved()))
    }

    /// A float32 tensor of these elements.
    pub fn from_f32(values: Vec<f32>, shape: impl AsRef<[usize]>) -> Tensor {
        Tensor::new(Buffer::F32(values), shape, DType::Float32)
    }

    /// An int64 tensor of these elements.
    pub(crate) fn from_i64(values: Vec<i64>, shape: impl AsRef<[usize]>) -> Tensor {
        Tensor::new(Buffer::I64(values), shape, DType::Int64)
    }

    /// A bool tensor of these elements.
    pub(crate) fn from_bool(values: Vec<bool>, shape: impl AsRef<[usize]>) -> Tensor {
        Tensor::new(Buffer::Bool(values), shape, DType::Bool)
    }

    /// A 0-d tensor.
    pub(crate) fn scalar(value: f64, dtype: DType) -> Tensor {
        Tensor::new(Arg::buffer(&[Arg::Float(value)], dtype), [], dtype)
    }

    /// The storage, which views share.
    pub fn storage(&self) -> &Storage {
        &self.0.storage
    }

    /// Shape, strides and offset.
    pub fn layout(&self) -> &Layout {
        &self.0.layout
    }

    /// Elements along each dimension.
    pub fn shape(&self) -> &[usize] {
        &self.0.layout.shape
    }

    /// Distance of neighbours along each dimension, in storage elements.
    pub(crate) fn strides(&self) -> &[usize] {
        &self.0.layout.strides
    }

    /// Number of dimensions.
    pub(crate) fn ndim(&self) -> usize {
        self.0.layout.ndim()
    }

    /// Number of elements.
    pub fn numel(&self) -> usize {
        self.0.layout.numel()
    }

    /// Element type.
    pub(crate) fn dtype(&self) -> DType {
        self.0.dtype
    }

    /// Whether the elements are row-major without gaps.
    pub(crate) fn is_contiguous(&self) -> bool {
        self.0.layout.is_contiguous()
    }

    /// A number that identifies the tensor while it exists.
    pub fn id(&self) -> usize {
        Rc::as_ptr(&self.0) as usize
    }

    /// Whether both are the same tensor (Python's `is`).
    pub(crate) fn is(&self, other: &Tensor) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// Another layout on the same storage. View.
    pub fn with_layout(&self, layout: Layout) -> Tensor {
        Tensor::from_parts(self.0.storage.clone(), layout, self.0.dtype)
    }

    /// A new tensor with the same storage and layout, without history. As `Tensor.detach`.
    pub(crate) fn alias(&self) -> Tensor {
        self.with_layout(self.0.layout.clone())
    }

    /// The elements of a dense tensor in the order of memory. View.
    pub(crate) fn flat(&self) -> Tensor {
        let (shape, strides) = (smallvec![self.numel()], smallvec![1]);
        self.with_layout(Layout { shape, strides, offset: self.layout().offset })
    }

    /// The same elements in the order in memory that `layout` has, which has no gaps. Copies unless they lie so.
    pub(crate) fn laid_out(self, layout: Layout) -> Tensor {
        if *layout.strides == *self.strides() {
            return self;
        }
        let mut order: Vec<usize> = (0..layout.ndim()).collect();
        order.sort_by_key(|&axis| Reverse(layout.strides[axis]));
        let moved = self.with_layout(self.layout().permute(&order)).to_buffer();
        Tensor::new(moved, self.shape(), self.dtype()).with_layout(layout)
    }

    /// The elements, row-major. Copies.
    pub(crate) fn to_buffer(&self) -> Buffer {
        let layout = &self.0.layout;
        map_lane!(&*self.0.storage.read(), data => {
            gather_strided(data, &layout.shape, &layout.strides, layout.offset)
        })
    }

    /// The elements, if this is the only reference to tensor and storage; otherwise the tensor.
    pub(crate) fn into_buffer(self) -> std::result::Result<Buffer, Tensor> {
        let inner = Rc::try_unwrap(self.0).map_err(Tensor)?;
        let TensorData { storage, layout, dtype, meta } = inner;
        storage.into_buffer().map_err(|storage| Tensor(Rc::new(TensorData { storage, layout, dtype, meta })))
    }

    /// The elements row-major as floats. Copies.
    pub(crate) fn to_f64_vec(&self) -> Vec<f64> {
        each_lane!(self.to_buffer(), data => data.into_iter().map(Number::f64).collect())
    }

    /// The elements row-major as integers. Copies.
    pub(crate) fn to_i64_vec(&self) -> Vec<i64> {
        each_lane!(self.to_buffer(), data => data.into_iter().map(Number::i64).collect())
    }

    /// The elements row-major as bools. Copies.
    pub(crate) fn to_bool_vec(&self) -> Vec<bool> {
        each_lane!(self.to_buffer(), data => data.into_iter().map(Number::truth).collect())
    }

    /// The elements row-major as 32-bit floats. Copies.
    pub fn to_f32_vec(&self) -> Vec<f32> {
        each_lane!(self.to_buffer(), data => data.into_iter().map(Number::f32).collect())
    }

    /// The one element as a float. Errors: more or fewer than one element.
    pub(crate) fn item(&self) -> Result<f64> {
        self.only()?;
        Ok(self.0.storage.read().float(self.0.layout.offset))
    }

    /// The one element as an integer. Errors: more or fewer than one element.
    pub(crate) fn item_int(&self) -> Result<i64> {
        self.only()?;
        Ok(self.0.storage.read().int(self.0.layout.offset))
    }

    /// The first element, of which there must be one, as a number of Python's.
    pub(crate) fn first(&self) -> Arg {
        let (data, at) = (self.0.storage.read(), self.0.layout.offset);
        match self.0.dtype.category() {
            Category::Float => Arg::Float(data.float(at)),
            Category::Integer => Arg::Int(data.int(at)),
            Category::Bool => Arg::Bool(data.int(at) != 0),
        }
    }

    /// The elements row-major as numbers of Python's. Copies.
    pub(crate) fn numbers(&self) -> Vec<Arg> {
        match self.to_buffer() {
            Buffer::I64(data) => data.into_iter().map(Arg::Int).collect(),
            Buffer::Bool(data) => data.into_iter().map(Arg::Bool).collect(),
            Buffer::F64(data) => data.into_iter().map(Arg::Float).collect(),
            Buffer::F32(data) => data.into_iter().map(|it| Arg::Float(f64::from(it))).collect(),
        }
    }

    fn only(&self) -> Result<()> {
        match self.numel() {
            1 => Ok(()),
            n => Err(Error::runtime(format!("a Tensor with {n} elements cannot be converted to Scalar"))
                .about(ErrorFact::SeveralElements)),
        }
    }

    /// The operation that made it, if one did.
    pub fn origin(&self) -> Option<Rc<Record>> {
        self.0.meta.borrow().origin.clone()
    }

    /// Whether an operation made it.
    pub(crate) fn has_origin(&self) -> bool {
        self.0.meta.borrow().origin.is_some()
    }

    /// The number of the result of its operation.
    pub(crate) fn output_index(&self) -> usize {
        self.0.meta.borrow().output
    }

    /// Sets its origin: result `output` of `record`.
    pub(crate) fn set_origin(&self, record: Rc<Record>, output: usize) {
        let old = {
            let mut meta = self.0.meta.borrow_mut();
            meta.output = output;
            meta.origin.replace(record)
        };
        drop(old);
    }

    /// This tensor with the history of another one.
    pub(crate) fn with_history_of(self, other: &Tensor) -> Tensor {
        if other.requires_grad() {
            self.mark_result();
        }
        if let Some(origin) = other.origin() {
            self.set_origin(origin, other.output_index());
        }
        self
    }

    /// Sets the origin of the tensor and of its storage: result `output` of `record`.
    pub(crate) fn set_made(&self, record: Rc<Record>, output: usize) {
        self.0.storage.made_by(FilledBy::new(record.clone(), output, &self.0.layout));
        self.set_origin(record, output);
    }

    /// The records that only this last reference keeps alive.
    pub(super) fn into_records(self) -> Vec<Rc<Record>> {
        let Ok(inner) = Rc::try_unwrap(self.0) else { return Vec::new() };
        let origin = inner.meta.into_inner().origin;
        let mut records = inner.storage.into_records();
        records.extend(origin);
        records
    }

    /// Whether it requires a gradient.
    pub(crate) fn requires_grad(&self) -> bool {
        self.0.meta.borrow().requires_grad
    }

    /// Marks a result of a differentiable operation.
    pub(crate) fn mark_result(&self) {
        let mut meta = self.0.meta.borrow_mut();
        (meta.requires_grad, meta.leaf, meta.without_edge) = (true, false, false);
    }

    /// Marks a view of a tensor that requires a gradient, made while gradients were off: it requires one as well, and
    /// receives none. As PyTorch's `DifferentiableViewMeta`.
    pub(crate) fn mark_view_without_edge(&self) {
        let mut meta = self.0.meta.borrow_mut();
        (meta.requires_grad, meta.leaf, meta.without_edge) = (true, true, true);
    }

    /// Whether a gradient that reaches this leaf is kept in its `grad`.
    pub(crate) fn receives_grad(&self) -> bool {
        !self.0.meta.borrow().without_edge
    }

    /// `requires_grad=True` of a call that makes a tensor. Errors: not a floating point dtype.
    pub(crate) fn require_grad(&self) -> Result<()> {
        refuse_if!(
            !self.0.dtype.is_float(),
            "Only Tensors of floating point and complex dtype can require gradients"
        );
        self.set_requires_grad(true)
    }

    /// Makes it a leaf that requires a gradient or not. As `requires_grad_`.
    /// Errors: not a floating point dtype; `false` for the result of an operation.
    pub(crate) fn set_requires_grad(&self, on: bool) -> Result<()> {
        if on && !self.0.dtype.is_float() {
            return Err(Error::runtime("only Tensors of floating point dtype can require gradients"));
        }
        if !self.is_leaf() {
            if on {
                return Ok(());
            }
            return Err(Error::runtime(
                "you can only change requires_grad flags of leaf variables. If you want to use a computed variable \
                 in a subgraph that doesn't require differentiation use var_no_grad = var.detach().",
            ));
        }
        let mut meta = self.0.meta.borrow_mut();
        meta.requires_grad = on;
        meta.leaf = true;
        meta.without_edge = false;
        Ok(())
    }

    /// Whether no differentiable operation made it. As `Tensor.is_leaf`.
    pub(crate) fn is_leaf(&self) -> bool {
        let meta = self.0.meta.borrow();
        !meta.requires_grad || meta.leaf
    }

    /// What `grad_fn` shows: `MmBackward0`.
    pub(crate) fn grad_fn(&self) -> Option<String> {
        if self.is_leaf() {
            return None;
        }
        Some(self.origin()?.grad_name.get()?.to_string())
    }

    /// The gradient, if it was computed.
    pub(crate) fn grad(&self) -> Option<Tensor> {
        self.0.meta.borrow().grad.clone()
    }

    /// Sets or clears the gradient.
    pub(crate) fn set_grad(&self, grad: Option<Tensor>) {
        self.0.meta.borrow_mut().grad = grad;
    }

    /// States that another tensor takes the place of this one, as when `data` is assigned: it has its gradient, and gets
    /// those of operations that used this one.
    pub(crate) fn succeeded_by(&self, other: &Tensor) {
        other.set_grad(self.grad());
        self.0.meta.borrow_mut().successor = Some(other.clone());
    }

    /// The tensor that is now in the place of this one; this one, if `data` was not assigned since.
    pub(crate) fn current(&self) -> Tensor {
        let mut current = self.clone();
        loop {
            let next = current.0.meta.borrow().successor.clone();
            match next {
                Some(next) => current = next,
                None => return current,
            }
        }
    }

    /// Whether a result keeps its gradient. As `Tensor.retains_grad`.
    pub(crate) fn retains_grad(&self) -> bool {
        self.0.meta.borrow().retains_grad
    }

    /// Makes a result keep its gradient. As `retain_grad`.
    pub(crate) fn retain_grad(&self) {
        self.0.meta.borrow_mut().retains_grad = true;
    }
}
