//! Python's `math` on floats; the functions on integers are in `math_integers`.
//! Sees numbers only. Source: Python's library reference; libm for erf and gamma.

use std::ops::Deref;

use rustpython_vm::{PyObject, PyResult, TryFromBorrowedObject, VirtualMachine};

pub(crate) use native::module_def;

/// An argument that is, or converts itself to, a float.
struct FloatArg(f64);

impl Deref for FloatArg {
    type Target = f64;

    fn deref(&self) -> &f64 {
        &self.0
    }
}

impl<'a> TryFromBorrowedObject<'a> for FloatArg {
    fn try_from_borrowed_object(vm: &VirtualMachine, object: &'a PyObject) -> PyResult<Self> {
        Ok(FloatArg(object.try_float(vm)?.to_f64()))
    }
}

#[rustpython_vm::pymodule(name = "math")]
mod native {
    use rustpython_vm::{
        AsObject, FromArgs, PyObjectRef, PyResult, VirtualMachine,
        builtins::{PyBaseExceptionRef, PyFloat, PyInt},
        function::{FuncArgs, OptionalArg, PosArgs},
    };

    use super::super::math_floats::{exact_sum, hypotenuse, is_close, last_place, log_gamma, next_after};
    use super::super::math_integers::{self as integers, Pairs};
    use super::FloatArg;

    #[pyattr(name = "pi")]
    const PI: f64 = std::f64::consts::PI;
    #[pyattr(name = "e")]
    const E: f64 = std::f64::consts::E;
    #[pyattr(name = "tau")]
    const TAU: f64 = std::f64::consts::TAU;
    #[pyattr(name = "inf")]
    const INF: f64 = f64::INFINITY;
    #[pyattr(name = "nan")]
    const NAN: f64 = f64::NAN;

    fn domain(vm: &VirtualMachine) -> PyBaseExceptionRef {
        vm.new_value_error("math domain error")
    }

    fn range(vm: &VirtualMachine) -> PyBaseExceptionRef {
        vm.new_overflow_error("math range error")
    }

    /// A result of nan from a number that is none is outside the domain; of infinity, outside the range.
    fn checked(x: f64, result: f64, vm: &VirtualMachine) -> PyResult<f64> {
        if result.is_nan() && !x.is_nan() {
            Err(domain(vm))
        } else if result.is_infinite() && x.is_finite() {
            Err(range(vm))
        } else {
            Ok(result)
        }
    }

    /// As `checked`, for functions whose infinities are poles: outside the domain.
    fn with_poles(x: f64, result: f64, vm: &VirtualMachine) -> PyResult<f64> {
        match result.is_infinite() && x.is_finite() {
            true => Err(domain(vm)),
            false => checked(x, result, vm),
        }
    }

    #[pyfunction]
    fn sqrt(x: FloatArg, vm: &VirtualMachine) -> PyResult<f64> {
        checked(*x, x.sqrt(), vm)
    }

    #[pyfunction]
    fn cbrt(x: FloatArg, vm: &VirtualMachine) -> PyResult<f64> {
        checked(*x, x.cbrt(), vm)
    }

    #[pyfunction]
    fn exp(x: FloatArg, vm: &VirtualMachine) -> PyResult<f64> {
        checked(*x, x.exp(), vm)
    }

    #[pyfunction]
    fn exp2(x: FloatArg, vm: &VirtualMachine) -> PyResult<f64> {
        checked(*x, x.exp2(), vm)
    }

    #[pyfunction]
    fn expm1(x: FloatArg, vm: &VirtualMachine) -> PyResult<f64> {
        checked(*x, x.exp_m1(), vm)
    }

    #[pyfunction]
    fn log1p(x: FloatArg, vm: &VirtualMachine) -> PyResult<f64> {
        with_poles(*x, x.ln_1p(), vm)
    }

    /// The logarithm of any positive number, also of integers that no float can hold.
    fn logarithm(x: &PyObjectRef, function: fn(f64) -> f64, vm: &VirtualMachine) -> PyResult<f64> {
        if let Some(integer) = x.downcast_ref::<PyInt>() {
            let bits = integer.as_bigint().bits();
            if bits > 1000 && integer.as_bigint().sign() == integers::PLUS {
                let shift = vm.ctx.new_int(bits - 64);
                let top = *vm._rshift(x, shift.as_object())?.try_to_value::<FloatArg>(vm)?;
                let fraction = libm::ldexp(top, -64);
                return Ok(function(fraction) + function(2.0) * bits as f64);
            }
        }
        let x = *x.try_to_value::<FloatArg>(vm)?;
        match x <= 0.0 {
            true => Err(domain(vm)),
            false => Ok(function(x)),
        }
    }

    #[pyfunction]
    fn log(x: PyObjectRef, base: OptionalArg<PyObjectRef>, vm: &VirtualMachine) -> PyResult<f64> {
        let numerator = logarithm(&x, f64::ln, vm)?;
        let OptionalArg::Present(base) = base else {
            return Ok(numerator);
        };
        let denominator = logarithm(&base, f64::ln, vm)?;
        match denominator == 0.0 {
            true => Err(vm.new_zero_division_error("division by zero")),
            false => Ok(numerator / denominator),
        }
    }

    #[pyfunction]
    fn log2(x: PyObjectRef, vm: &VirtualMachine) -> PyResult<f64> {
        logarithm(&x, f64::log2, vm)
    }

    #[pyfunction]
    fn log10(x: PyObjectRef, vm: &VirtualMachine) -> PyResult<f64> {
        logarithm(&x, f64::log10, vm)
    }

    #[pyfunction]
    fn pow(x: FloatArg, y: FloatArg, vm: &VirtualMachine) -> PyResult<f64> {
        let (x, y) = (*x, *y);
        let result = x.powf(y);
        if !x.is_finite() || !y.is_finite() || result.is_finite() {
            Ok(result)
        } else if result.is_nan() || x == 0.0 {
            Err(domain(vm))
        } else {
            Err(range(vm))
        }
    }

    #[pyfunction]
    fn sin(x: FloatArg, vm: &VirtualMachine) -> PyResult<f64> {
        checked(*x, x.sin(), vm)
    }

    #[pyfunction]
    fn cos(x: FloatArg, vm: &VirtualMachine) -> PyResult<f64> {
        checked(*x, x.cos(), vm)
    }

    #[pyfunction]
    fn tan(x: FloatArg, vm: &VirtualMachine) -> PyResult<f64> {
        checked(*x, x.tan(), vm)
    }

    #[pyfunction]
    fn asin(x: FloatArg, vm: &VirtualMachine) -> PyResult<f64> {
        checked(*x, x.asin(), vm)
    }

    #[pyfunction]
    fn acos(x: FloatArg, vm: &VirtualMachine) -> PyResult<f64> {
        checked(*x, x.acos(), vm)
    }

    #[pyfunction]
    fn atan(x: FloatArg) -> f64 {
        x.atan()
    }

    #[pyfunction]
    fn atan2(y: FloatArg, x: FloatArg) -> f64 {
        y.atan2(*x)
    }

    #[pyfunction]
    fn sinh(x: FloatArg, vm: &VirtualMachine) -> PyResult<f64> {
        checked(*x, x.sinh(), vm)
    }

    #[pyfunction]
    fn cosh(x: FloatArg, vm: &VirtualMachine) -> PyResult<f64> {
        checked(*x, x.cosh(), vm)
    }

    #[pyfunction]
    fn tanh(x: FloatArg) -> f64 {
        x.tanh()
    }

    #[pyfunction]
    fn asinh(x: FloatArg) -> f64 {
        libm::asinh(*x)
    }

    #[pyfunction]
    fn acosh(x: FloatArg, vm: &VirtualMachine) -> PyResult<f64> {
        checked(*x, libm::acosh(*x), vm)
    }

    #[pyfunction]
    fn atanh(x: FloatArg, vm: &VirtualMachine) -> PyResult<f64> {
        with_poles(*x, libm::atanh(*x), vm)
    }

    #[pyfunction]
    fn erf(x: FloatArg) -> f64 {
        libm::erf(*x)
    }

    #[pyfunction]
    fn erfc(x: FloatArg) -> f64 {
        libm::erfc(*x)
    }

    #[pyfunction]
    fn gamma(x: FloatArg, vm: &VirtualMachine) -> PyResult<f64> {
        let x = *x;
        if x == x.floor() && x <= 0.0 || x == f64::NEG_INFINITY {
            return Err(domain(vm));
        }
        if x == x.floor() && x <= 23.0 {
            return Ok((2..x as u64).map(|n| n as f64).product());
        }
        checked(x, libm::tgamma(x), vm)
    }

    #[pyfunction]
    fn lgamma(x: FloatArg, vm: &VirtualMachine) -> PyResult<f64> {
        let x = *x;
        if x.is_finite() && x == x.floor() && x <= 0.0 {
            return Err(domain(vm));
        }
        checked(x, log_gamma(x), vm)
    }

    #[pyfunction]
    fn fabs(x: FloatArg) -> f64 {
        x.abs()
    }

    #[pyfunction]
    fn copysign(x: FloatArg, y: FloatArg) -> f64 {
        x.copysign(*y)
    }

    #[pyfunction]
    fn fmod(x: FloatArg, y: FloatArg, vm: &VirtualMachine) -> PyResult<f64> {
        let (x, y) = (*x, *y);
        match x.is_infinite() && !y.is_nan() || y == 0.0 && !x.is_nan() {
            true => Err(domain(vm)),
            false => Ok(x % y),
        }
    }

    #[pyfunction]
    fn remainder(x: FloatArg, y: FloatArg, vm: &VirtualMachine) -> PyResult<f64> {
        let (x, y) = (*x, *y);
        match x.is_infinite() && !y.is_nan() || y == 0.0 && !x.is_nan() {
            true => Err(domain(vm)),
            false => Ok(libm::remainder(x, y)),
        }
    }

    #[pyfunction]
    fn fma(x: FloatArg, y: FloatArg, z: FloatArg, vm: &VirtualMachine) -> PyResult<f64> {
        let result = x.mul_add(*y, *z);
        let plain = x.is_finite() && y.is_finite() && z.is_finite();
        match (plain, result.is_infinite()) {
            (true, true) => Err(vm.new_overflow_error("overflow in fma")),
            _ => Ok(result),
        }
    }

    #[pyfunction]
    fn modf(x: FloatArg) -> (f64, f64) {
        let x = *x;
        match x.is_infinite() {
            true => (0.0_f64.copysign(x), x),
            false => (x.fract().copysign(x), x.trunc()),
        }
    }

    #[pyfunction]
    fn frexp(x: FloatArg) -> (f64, i32) {
        match x.is_finite() {
            true => libm::frexp(*x),
            false => (*x, 0),
        }
    }

    #[pyfunction]
    fn ldexp(x: FloatArg, exponent: PyObjectRef, vm: &VirtualMachine) -> PyResult<f64> {
        let Some(exponent) = exponent.downcast_ref::<PyInt>() else {
            return Err(vm.new_type_error("Expected an int as second argument to ldexp."));
        };
        let negative = exponent.as_bigint().sign() == integers::MINUS;
        let exponent = exponent.try_to_primitive::<i32>(vm).unwrap_or(if negative { -5000 } else { 5000 });
        checked(*x, libm::ldexp(*x, exponent), vm)
    }

    #[pyfunction]
    fn degrees(x: FloatArg) -> f64 {
        *x * (180.0 / std::f64::consts::PI)
    }

    #[pyfunction]
    fn radians(x: FloatArg) -> f64 {
        *x * (std::f64::consts::PI / 180.0)
    }

    #[pyfunction]
    fn isfinite(x: FloatArg) -> bool {
        x.is_finite()
    }

    #[pyfunction]
    fn isinf(x: FloatArg) -> bool {
        x.is_infinite()
    }

    #[pyfunction]
    fn isnan(x: FloatArg) -> bool {
        x.is_nan()
    }

    #[derive(FromArgs)]
    struct IsCloseArgs {
        #[pyarg(positional)]
        a: FloatArg,
        #[pyarg(positional)]
        b: FloatArg,
        #[pyarg(named, optional)]
        rel_tol: OptionalArg<FloatArg>,
        #[pyarg(named, optional)]
        abs_tol: OptionalArg<FloatArg>,
    }

    #[pyfunction]
    fn isclose(args: IsCloseArgs, vm: &VirtualMachine) -> PyResult<bool> {
        let relative = args.rel_tol.map_or(1e-9, |tolerance| *tolerance);
        let absolute = args.abs_tol.map_or(0.0, |tolerance| *tolerance);
        if relative < 0.0 || absolute < 0.0 {
            return Err(vm.new_value_error("tolerances must be non-negative"));
        }
        Ok(is_close(*args.a, *args.b, relative, absolute))
    }

    #[derive(FromArgs)]
    struct NextAfterArgs {
        #[pyarg(positional)]
        x: FloatArg,
        #[pyarg(positional)]
        y: FloatArg,
        #[pyarg(named, optional)]
        steps: OptionalArg<usize>,
    }

    #[pyfunction]
    fn nextafter(args: NextAfterArgs) -> f64 {
        next_after(*args.x, *args.y, args.steps.unwrap_or(1))
    }

    #[pyfunction]
    fn ulp(x: FloatArg) -> f64 {
        last_place(x.abs())
    }

    #[pyfunction]
    fn hypot(coordinates: PosArgs<FloatArg>) -> f64 {
        hypotenuse(coordinates.into_iter().map(|value| *value).collect())
    }

    #[pyfunction]
    fn dist(p: Vec<FloatArg>, q: Vec<FloatArg>, vm: &VirtualMachine) -> PyResult<f64> {
        if p.len() != q.len() {
            return Err(vm.new_value_error("both points must have the same number of dimensions"));
        }
        Ok(hypotenuse(p.iter().zip(&q).map(|(a, b)| **a - **b).collect()))
    }

    #[pyfunction]
    fn fsum(numbers: PyObjectRef, vm: &VirtualMachine) -> PyResult<f64> {
        let mut values = Vec::new();
        for number in numbers.get_iter(vm)?.iter::<FloatArg>(vm)? {
            values.push(*number?);
        }
        exact_sum(values).ok_or_else(|| vm.new_overflow_error("intermediate overflow in fsum"))
    }

    #[derive(FromArgs)]
    struct ProdArgs {
        #[pyarg(positional)]
        numbers: PyObjectRef,
        #[pyarg(named, optional)]
        start: OptionalArg<PyObjectRef>,
    }

    #[pyfunction]
    fn prod(args: ProdArgs, vm: &VirtualMachine) -> PyResult {
        let mut product = args.start.unwrap_or_else(|| vm.ctx.new_int(1).into());
        for number in args.numbers.get_iter(vm)?.iter::<PyObjectRef>(vm)? {
            product = vm._mul(&product, &*number?)?;
        }
        Ok(product)
    }

    #[pyfunction]
    fn sumprod(p: Vec<PyObjectRef>, q: Vec<PyObjectRef>, vm: &VirtualMachine) -> PyResult {
        if p.len() != q.len() {
            return Err(vm.new_value_error("Inputs are not the same length"));
        }
        let mut sum: PyObjectRef = vm.ctx.new_int(0).into();
        for (a, b) in p.iter().zip(&q) {
            sum = vm._add(&sum, &*vm._mul(a, b)?)?;
        }
        Ok(sum)
    }

    /// Calls the method that a type has for this purpose, or rounds its float.
    fn rounded(x: PyObjectRef, method: &'static str, by: fn(f64) -> f64, vm: &VirtualMachine) -> PyResult {
        if x.downcast_ref_if_exact::<PyFloat>(vm).is_none()
            && x.class().get_attr(vm.ctx.intern_str(method)).is_some()
        {
            return vm.call_method(&x, method, ());
        }
        let whole = by(*x.try_into_value::<FloatArg>(vm)?);
        vm.ctx.types.int_type.as_object().call((whole,), vm)
    }

    #[pyfunction]
    fn floor(x: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        rounded(x, "__floor__", f64::floor, vm)
    }

    #[pyfunction]
    fn ceil(x: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        rounded(x, "__ceil__", f64::ceil, vm)
    }

    #[pyfunction]
    fn trunc(x: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        if x.class().get_attr(vm.ctx.intern_str("__trunc__")).is_some() {
            return vm.call_method(&x, "__trunc__", ());
        }
        Err(vm.new_type_error(format!("type {} doesn't define __trunc__ method", x.class().name())))
    }

    #[pyfunction]
    fn gcd(args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        integers::fold(args, 0, Pairs::Gcd, vm)
    }

    #[pyfunction]
    fn lcm(args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        integers::fold(args, 1, Pairs::Lcm, vm)
    }

    #[pyfunction]
    fn factorial(n: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        integers::factorial(n, vm)
    }

    #[pyfunction]
    fn comb(n: PyObjectRef, k: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        integers::choices(n, Some(k), true, vm)
    }

    #[pyfunction]
    fn perm(n: PyObjectRef, k: OptionalArg<Option<PyObjectRef>>, vm: &VirtualMachine) -> PyResult {
        integers::choices(n, k.flatten(), false, vm)
    }

    #[pyfunction]
    fn isqrt(n: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        integers::isqrt(n, vm)
    }
}
