//! Functions of arrays of complex numbers that are computed of their parts, which are real arrays: those that move elements,
//! and that add them.

use std::rc::Rc;

use rustpython_vm::builtins::{PyComplex, PyTuple};
use rustpython_vm::{AsObject, PyObjectRef, PyResult, VirtualMachine};

use super::complex::{made, python};
use super::context::{Kind, Numpy, array_of, pairs_of};
use super::dtypes::{self, kind_of};
use super::elementwise::operand;
use super::signature::Signature;
use super::{foreign, scalar};
use crate::tensor::ops::cast::to_dtype;
use crate::tensor::ops::complex::part;
use crate::tensor::{Buffer, DType, Tensor};
use crate::torch::{OrRaise, items};

/// What a function does with complex numbers.
#[derive(Clone, Copy, Debug)]
pub(super) enum Complex {
    /// It has none.
    Refused,
    /// It is computed of the real and of the imaginary parts of these arguments.
    Parts(&'static [usize]),
    /// It is a product of these two arguments, or of the two items of the only one.
    Products(&'static [usize]),
    /// It depends on shapes alone: the imaginary parts are 0.
    Real,
    /// It is a function of its own.
    Own(fn(&Rc<Numpy>, &[Option<PyObjectRef>], &VirtualMachine) -> PyResult),
}

impl Complex {
    /// The arguments that can be complex.
    pub(super) fn data(self) -> &'static [usize] {
        match self {
            Complex::Parts(data) | Complex::Products(data) => data,
            _ => &[],
        }
    }
}

/// A function of the table.
pub(super) struct Function<'a> {
    pub(super) name: &'static str,
    pub(super) signature: &'static Signature,
    pub(super) complex: Complex,
    /// Computes it of real arguments.
    pub(super) run: &'a dyn Fn(Args) -> PyResult,
}

/// Arguments by parameter.
type Args = Vec<Option<PyObjectRef>>;

/// Pairs of these parts, row-major, in single precision where both have that.
fn paired(real: &Tensor, imag: Option<&Tensor>) -> Tensor {
    let single = |tensor: &Tensor| matches!(tensor.dtype(), DType::Float16 | DType::Float32);
    let dtype = match single(real) && imag.is_none_or(single) {
        true => DType::Float32,
        false => DType::Float64,
    };
    let parts = |tensor: &Tensor| to_dtype(tensor, dtype).to_buffer();
    let zeros = || Buffer::zeros(dtype, real.numel());
    let joined = match (parts(real), imag.map_or_else(zeros, parts)) {
        (Buffer::F32(a), Buffer::F32(b)) => {
            Buffer::F32(a.into_iter().zip(b).flat_map(<[f32; 2]>::from).collect())
        }
        (Buffer::F64(a), Buffer::F64(b)) => {
            Buffer::F64(a.into_iter().zip(b).flat_map(<[f64; 2]>::from).collect())
        }
        (other, _) => other,
    };
    let mut shape = real.shape().to_vec();
    shape.push(2);
    Tensor::new(joined, shape, dtype)
}

// Functions of the parts.

/// The parts of the complex numbers in an argument, or in the items of one: the arrays that they are views of are kept.
struct Parts<'a> {
    numpy: &'a Rc<Numpy>,
    vm: &'a VirtualMachine,
    which: usize,
    /// Arrays of complex numbers, and those of their parts.
    found: Vec<(PyObjectRef, PyObjectRef)>,
}

impl Parts<'_> {
    /// The part of an object. The imaginary one of a real number is 0 if it is `data`, and the number itself otherwise.
    fn of(&mut self, object: &PyObjectRef, data: bool) -> PyResult {
        let vm = self.vm;
        if let Some(pairs) = pairs_of(object) {
            let made = self.numpy.derived(part(&pairs, self.which), false, [&**object], vm);
            self.found.push((object.clone(), made.clone()));
            return Ok(made);
        }
        if object.downcast_ref::<PyComplex>().is_some() {
            let tensor = part(&operand(self.numpy, object, vm)?.tensor, self.which);
            return scalar::of_tensor(self.numpy, &tensor, vm);
        }
        if let Some(all) = items(object) {
            let all = all.iter().map(|one| self.of(one, data)).collect::<PyResult<Vec<_>>>()?;
            return Ok(match object.downcast_ref::<PyTuple>() {
                Some(_) => vm.ctx.new_tuple(all).into(),
                None => vm.ctx.new_list(all).into(),
            });
        }
        if self.which == 0 || !data || vm.is_none(object) {
            return Ok(object.clone());
        }
        let real = operand(self.numpy, object, vm)?;
        match real.number {
            Some(_) => Ok(vm.ctx.new_int(0).into()),
            None => Ok(self
                .numpy
                .array(Tensor::zeros(real.tensor.shape(), real.tensor.dtype()).or_raise(vm)?, vm)),
        }
    }

    /// What a function that returned `object` of the real parts returns of complex numbers, if that needs no imaginary
    /// parts: views of both.
    fn views(&self, object: &PyObjectRef) -> Option<PyObjectRef> {
        if let Some((whole, _)) = self.found.iter().find(|(_, real)| real.is(object)) {
            return Some(whole.clone());
        }
        if let Some(all) = items(object) {
            let all = all.iter().map(|one| self.views(one)).collect::<Option<Vec<_>>>()?;
            return Some(match object.downcast_ref::<PyTuple>() {
                Some(_) => self.vm.ctx.new_tuple(all).into(),
                None => self.vm.ctx.new_list(all).into(),
            });
        }
        let real = array_of(object)?;
        let is_source = |(whole, _): &&(PyObjectRef, PyObjectRef)| {
            pairs_of(whole).is_some_and(|pairs| pairs.storage().same(real.storage()))
        };
        let (whole, _) = self.found.iter().find(is_source)?;
        let mut layout = real.layout().clone();
        layout.shape.push(2);
        layout.strides.push(1);
        Some(self.numpy.derived(real.with_layout(layout), true, [&**whole], self.vm))
    }
}

/// What has these parts: an array, a number, or a tuple or list of them.
fn joined(
    numpy: &Rc<Numpy>,
    real: &PyObjectRef,
    imag: Option<&PyObjectRef>,
    vm: &VirtualMachine,
) -> PyResult {
    if let Some(all) = items(real) {
        let parts = imag.and_then(|imag| items(imag));
        let each =
            all.iter().enumerate().map(|(at, one)| joined(numpy, one, parts.as_ref().map(|it| &it[at]), vm));
        let all = each.collect::<PyResult<Vec<_>>>()?;
        return Ok(match real.downcast_ref::<PyTuple>() {
            Some(_) => vm.ctx.new_tuple(all).into(),
            None => vm.ctx.new_list(all).into(),
        });
    }
    let is_python = real.class().is(vm.ctx.types.float_type);
    let imag = imag.map(|it| operand(numpy, it, vm)).transpose()?;
    let pairs = paired(&operand(numpy, real, vm)?.tensor, imag.as_ref().map(|it| &it.tensor));
    match is_python {
        true => Ok(python(&pairs, vm)),
        false => made(numpy, pairs, array_of(real).is_none(), vm),
    }
}

/// A function of the table with complex numbers among its arguments, or with a complex dtype.
pub(super) fn routine(numpy: &Rc<Numpy>, row: &Function, mut args: Args, vm: &VirtualMachine) -> PyResult {
    let dtype = row.signature.dtype();
    let asked = args.get(dtype).and_then(Option::as_ref).filter(|it| !vm.is_none(it));
    let asked = asked.and_then(|it| kind_of(numpy, it, vm));
    if let Some(kind) = asked {
        args[dtype] = Some(dtypes::object(Kind::real(kind.dtype), vm));
    }
    let has_complex = args.iter().flatten().any(|it| foreign::has_part(it, vm));
    let has_out = args.get(row.signature.out()).and_then(Option::as_ref).is_some_and(|it| !vm.is_none(it));
    let is_number = args.first().and_then(Option::as_ref).is_some_and(|it| pairs_of(it).is_none());
    if let Some(kind) = asked.filter(|kind| has_complex && is_number && !kind.is_complex) {
        let name = if kind.dtype.is_float() { "float" } else { "int" };
        let text = format!("{name}() argument must be a string or a real number, not 'complex'");
        return Err(vm.new_type_error(text));
    }
    if has_out || has_complex && asked.is_some_and(|kind| !kind.is_complex) {
        let text = "complex numbers into real ones, or into an array that is given, is not part of attn's numpy: .real is";
        return Err(vm.new_not_implemented_error(format!("{}() of {text}", row.name)));
    }
    match row.complex {
        Complex::Own(run) => return run(numpy, &args, vm),
        Complex::Refused => {
            let text = format!("{}() of complex numbers is not part of attn's numpy", row.name);
            return Err(vm.new_not_implemented_error(text));
        }
        _ => {}
    }
    let data = row.complex.data();
    if matches!(row.complex, Complex::Products(_)) {
        let places = data.iter().map(|&at| vm.ctx.new_int(at).into()).collect();
        let args = args.into_iter().map(|it| it.unwrap_or_else(|| vm.ctx.none()));
        let first: [PyObjectRef; 2] = [vm.ctx.new_str(row.name).into(), vm.ctx.new_tuple(places).into()];
        return foreign::call(
            "numpy._numeric",
            "product",
            first.into_iter().chain(args).collect::<Vec<_>>(),
            vm,
        );
    }
    let mut parts = Parts { numpy, vm, which: 0, found: Vec::new() };
    let mut run = |which: usize| -> PyResult<(PyObjectRef, Option<PyObjectRef>)> {
        parts.which = which;
        parts.found.clear();
        let each = args
            .iter()
            .enumerate()
            .map(|(at, it)| it.as_ref().map(|it| parts.of(it, data.contains(&at))).transpose());
        let args = each.collect::<PyResult<Vec<_>>>()?;
        let found = (row.run)(args)?;
        let views = parts.views(&found);
        Ok((found, views))
    };
    let (real, views) = run(0)?;
    if vm.is_none(&real) {
        // Nothing is returned by what writes into its argument.
        return Ok(run(1)?.0);
    }
    let made = match views {
        _ if array_of(&real).is_none() && matches!(row.complex, Complex::Real) => real,
        Some(views) => views,
        None if !has_complex || data.is_empty() => joined(numpy, &real, None, vm)?,
        None => joined(numpy, &real, Some(&run(1)?.0), vm)?,
    };
    Ok(made)
}
