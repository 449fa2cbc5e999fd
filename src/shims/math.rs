//! Python's `math`: the arithmetic is that of the crate `pymath`, which computes the bits of CPython's.
//! Functions of one kind stand in tables, so that the code around them is compiled once for each kind.

use pymath::{Error, math};
use rustpython_vm::{
    Py, PyObjectRef, PyResult, VirtualMachine,
    builtins::PyModule,
    convert::ToPyObject,
    function::{ArgIntoFloat, IntoPyNativeFn, PyMethodDef, PyMethodFlags},
};

pub(crate) use native::module_def;

/// A function of a table: its name, its documentation with the signature, and what computes it.
type Row<F> = (&'static str, &'static str, F);

/// A table of functions.
type Rows<F> = &'static [Row<F>];

/// Rows of functions of these parameters: `name "what it does": what computes it`.
macro_rules! rows {
    ($parameters:literal; $($name:ident $doc:literal: $function:expr;)*) => {
        &[$((
            stringify!($name),
            concat!(stringify!($name), "($module, ", $parameters, ", /)\n--\n\n", $doc),
            $function,
        )),*]
    };
}

const OF_ONE: Rows<fn(f64) -> pymath::Result<f64>> = rows! { "x";
    acos "Return the arc cosine (measured in radians) of x.": math::acos;
    acosh "Return the inverse hyperbolic cosine of x.": math::acosh;
    asin "Return the arc sine (measured in radians) of x.": math::asin;
    asinh "Return the inverse hyperbolic sine of x.": math::asinh;
    atan "Return the arc tangent (measured in radians) of x.": math::atan;
    atanh "Return the inverse hyperbolic tangent of x.": math::atanh;
    cbrt "Return the cube root of x.": math::cbrt;
    cos "Return the cosine of x (measured in radians).": math::cos;
    cosh "Return the hyperbolic cosine of x.": math::cosh;
    degrees "Convert angle x from radians to degrees.": |x| Ok(math::degrees(x));
    erf "Error function at x.": math::erf;
    erfc "Complementary error function at x.": math::erfc;
    exp "Return e raised to the power of x.": math::exp;
    exp2 "Return 2 raised to the power of x.": math::exp2;
    expm1 "Return exp(x)-1, without the loss of precision for small x.": math::expm1;
    fabs "Return the absolute value of the float x.": math::fabs;
    gamma "Gamma function at x.": math::gamma;
    lgamma "Natural logarithm of absolute value of Gamma function at x.": math::lgamma;
    log1p "Return the natural logarithm of 1+x (base e).": math::log1p;
    radians "Convert angle x from degrees to radians.": |x| Ok(math::radians(x));
    sin "Return the sine of x (measured in radians).": math::sin;
    sinh "Return the hyperbolic sine of x.": math::sinh;
    sqrt "Return the square root of x.": math::sqrt;
    tan "Return the tangent of x (measured in radians).": math::tan;
    tanh "Return the hyperbolic tangent of x.": math::tanh;
    ulp "Return the value of the least significant bit of the float x.": |x| Ok(math::ulp(x));
};

const OF_TWO: Rows<fn(f64, f64) -> pymath::Result<f64>> = rows! { "x, y";
    atan2 "Return the arc tangent of x/y, in the quadrant that the signs of both give.": math::atan2;
    copysign "Return a float with the absolute value of x and the sign of y.": math::copysign;
    fmod "Return the remainder of x/y, with the sign of x.": math::fmod;
    pow "Return x**y (x to the power of y).": math::pow;
    remainder "Difference between x and the closest integer multiple of y.": math::remainder;
};

const TESTS: Rows<fn(f64) -> bool> = rows! { "x";
    isfinite "Return True if x is neither an infinity nor a NaN, and False otherwise.": math::isfinite;
    isinf "Return True if x is a positive or negative infinity, and False otherwise.": math::isinf;
    isnan "Return True if x is a NaN, and False otherwise.": math::isnan;
};

/// A result for Python, or the exception that Python raises instead.
fn answer<T>(result: pymath::Result<T>, vm: &VirtualMachine) -> PyResult<T> {
    result.map_err(|error| match error {
        Error::EDOM => vm.new_value_error("math domain error"),
        Error::ERANGE => vm.new_overflow_error("math range error"),
    })
}

/// Adds the functions of a table to a module; `native` makes a function for Python.
fn add_rows<F: Copy, N: IntoPyNativeFn<Kind>, Kind>(
    module: &Py<PyModule>,
    name: &'static str,
    rows: &[Row<F>],
    native: impl Fn(F) -> N,
    vm: &VirtualMachine,
) -> PyResult<()> {
    let module_name = vm.ctx.intern_str(name);
    for (name, doc, function) in rows {
        let func = Box::leak(Box::new(native(*function).into_func()));
        let definition = PyMethodDef { name, func, flags: PyMethodFlags::empty(), doc: Some(doc) };
        // An interpreter's functions live as long as its thread.
        let definition: &'static PyMethodDef = Box::leak(Box::new(definition));
        module.set_attr(*name, definition.to_function().with_module(module_name).into_ref(&vm.ctx), vm)?;
    }
    Ok(())
}

fn float(x: &PyObjectRef, vm: &VirtualMachine) -> PyResult<f64> {
    Ok(x.try_float(vm)?.to_f64())
}

fn install(module: &Py<PyModule>, vm: &VirtualMachine) -> PyResult<()> {
    let of_one = |function: fn(f64) -> pymath::Result<f64>| {
        move |x: ArgIntoFloat, vm: &VirtualMachine| answer(function(x.into_float()), vm)
    };
    let of_two = |function: fn(f64, f64) -> pymath::Result<f64>| {
        move |x: ArgIntoFloat, y: ArgIntoFloat, vm: &VirtualMachine| {
            answer(function(x.into_float(), y.into_float()), vm)
        }
    };
    let test = |function: fn(f64) -> bool| move |x: ArgIntoFloat| function(x.into_float());
    add_rows(module, "math", OF_ONE, of_one, vm)?;
    add_rows(module, "math", OF_TWO, of_two, vm)?;
    add_rows(module, "math", TESTS, test, vm)?;
    for (name, value) in
        [("pi", math::PI), ("e", math::E), ("tau", math::TAU), ("inf", math::INF), ("nan", math::NAN)]
    {
        module.set_attr(name, value.to_pyobject(vm), vm)?;
    }
    Ok(())
}

#[rustpython_vm::pymodule(name = "math")]
mod native {
    use malachite_bigint::{BigInt, Sign};
    use pymath::math;
    use rustpython_vm::{
        AsObject, FromArgs, Py, PyObjectRef, PyResult, VirtualMachine,
        builtins::{PyFloat, PyInt, PyIntRef, PyModule},
        function::{ArgIndex, ArgIntoFloat, OptionalArg, PosArgs},
        protocol::PyIterReturn,
    };

    use super::{answer, float};

    /// Integers beyond this would be computed for minutes.
    const LARGEST_FACTORIAL: i64 = 500_000;
    /// The bits of the largest number whose root is taken: a division of it cannot be stopped.
    const LARGEST_SQUARE: u64 = 2_000_000;

    fn module_exec(vm: &VirtualMachine, module: &Py<PyModule>) -> PyResult<()> {
        __module_exec(vm, module);
        super::install(module, vm)
    }

    /// The logarithm of a number, also of an integer that no float can hold.
    fn logarithm(
        x: &PyObjectRef,
        of_float: fn(f64) -> pymath::Result<f64>,
        of_integer: fn(&BigInt) -> pymath::Result<f64>,
        vm: &VirtualMachine,
    ) -> PyResult<f64> {
        let found = match x.downcast_ref::<PyInt>() {
            Some(integer) => of_integer(integer.as_bigint()),
            None => of_float(float(x, vm)?),
        };
        answer(found, vm)
    }

    #[pyfunction]
    fn log(x: PyObjectRef, base: OptionalArg<PyObjectRef>, vm: &VirtualMachine) -> PyResult<f64> {
        let natural = |x| logarithm(x, |x| math::log(x, None), |x: &BigInt| math::log_bigint(x, None), vm);
        let numerator = natural(&x)?;
        let OptionalArg::Present(base) = base else { return Ok(numerator) };
        match natural(&base)? {
            0.0 => Err(vm.new_zero_division_error("division by zero")),
            denominator => Ok(numerator / denominator),
        }
    }

    #[pyfunction]
    fn log2(x: PyObjectRef, vm: &VirtualMachine) -> PyResult<f64> {
        logarithm(&x, math::log2, math::log2_bigint, vm)
    }

    #[pyfunction]
    fn log10(x: PyObjectRef, vm: &VirtualMachine) -> PyResult<f64> {
        logarithm(&x, math::log10, math::log10_bigint, vm)
    }

    #[pyfunction]
    fn modf(x: ArgIntoFloat) -> (f64, f64) {
        math::modf(x.into_float())
    }

    #[pyfunction]
    fn frexp(x: ArgIntoFloat) -> (f64, i32) {
        math::frexp(x.into_float())
    }

    #[pyfunction]
    fn ldexp(x: ArgIntoFloat, exponent: PyObjectRef, vm: &VirtualMachine) -> PyResult<f64> {
        match exponent.downcast_ref::<PyInt>() {
            Some(exponent) => answer(math::ldexp_bigint(x.into_float(), exponent.as_bigint()), vm),
            None => Err(vm.new_type_error("Expected an int as second argument to ldexp.")),
        }
    }

    #[derive(FromArgs)]
    struct IsCloseArgs {
        #[pyarg(positional)]
        a: ArgIntoFloat,
        #[pyarg(positional)]
        b: ArgIntoFloat,
        #[pyarg(named, optional)]
        rel_tol: OptionalArg<ArgIntoFloat>,
        #[pyarg(named, optional)]
        abs_tol: OptionalArg<ArgIntoFloat>,
    }

    #[pyfunction]
    fn isclose(args: IsCloseArgs, vm: &VirtualMachine) -> PyResult<bool> {
        let tolerance = |given: OptionalArg<ArgIntoFloat>| given.into_option().map(ArgIntoFloat::into_float);
        let tolerances = (tolerance(args.rel_tol), tolerance(args.abs_tol));
        math::isclose(args.a.into_float(), args.b.into_float(), tolerances.0, tolerances.1)
            .map_err(|_| vm.new_value_error("tolerances must be non-negative"))
    }

    #[pyfunction]
    fn hypot(coordinates: PosArgs<ArgIntoFloat>) -> f64 {
        math::hypot(&ArgIntoFloat::vec_into_f64(coordinates.into_vec()))
    }

    #[pyfunction]
    fn fsum(numbers: PyObjectRef, vm: &VirtualMachine) -> PyResult<f64> {
        let numbers = numbers.get_iter(vm)?.iter::<ArgIntoFloat>(vm)?.collect::<PyResult<Vec<_>>>()?;
        math::fsum(ArgIntoFloat::vec_into_f64(numbers)).map_err(|error| match error {
            pymath::Error::EDOM => vm.new_value_error("-inf + inf in fsum"),
            pymath::Error::ERANGE => vm.new_overflow_error("intermediate overflow in fsum"),
        })
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
    fn sumprod(p: PyObjectRef, q: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        let (first, second) = (p.get_iter(vm)?, q.get_iter(vm)?);
        let (mut p, mut q) = (Vec::new(), Vec::new());
        // One of them may have no end.
        loop {
            match (first.next(vm)?, second.next(vm)?) {
                (PyIterReturn::Return(a), PyIterReturn::Return(b)) => {
                    p.push(a);
                    q.push(b);
                }
                (PyIterReturn::StopIteration(_), PyIterReturn::StopIteration(_)) => break,
                _ => return Err(vm.new_value_error("Inputs are not the same length")),
            }
        }
        let floats = |numbers: &[PyObjectRef]| -> Option<Vec<f64>> {
            numbers.iter().map(|number| Some(number.downcast_ref::<PyFloat>()?.to_f64())).collect()
        };
        if let (Some(p), Some(q)) = (floats(&p), floats(&q)) {
            return Ok(vm.ctx.new_float(answer(math::sumprod(&p, &q), vm)?).into());
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
        vm.ctx.types.int_type.as_object().call((by(float(&x, vm)?),), vm)
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

    /// A function of integers, of as many as there are.
    fn of_integers(
        integers: PosArgs<ArgIndex>,
        function: fn(&[&BigInt]) -> BigInt,
        vm: &VirtualMachine,
    ) -> PyIntRef {
        let integers: Vec<PyIntRef> = integers.into_iter().map(ArgIndex::into_int_ref).collect();
        let integers: Vec<&BigInt> = integers.iter().map(|integer| integer.as_bigint()).collect();
        vm.ctx.new_bigint(&function(&integers))
    }

    #[pyfunction]
    fn gcd(integers: PosArgs<ArgIndex>, vm: &VirtualMachine) -> PyIntRef {
        of_integers(integers, math::integer::gcd, vm)
    }

    #[pyfunction]
    fn lcm(integers: PosArgs<ArgIndex>, vm: &VirtualMachine) -> PyIntRef {
        of_integers(integers, math::integer::lcm, vm)
    }

    #[pyfunction]
    fn factorial(n: ArgIndex, vm: &VirtualMachine) -> PyResult<PyIntRef> {
        let n = n.into_int_ref();
        if n.as_bigint().sign() == Sign::Minus {
            return Err(vm.new_value_error("factorial() not defined for negative values"));
        }
        let n = i64::try_from(n.as_bigint()).ok().filter(|n| *n <= LARGEST_FACTORIAL).ok_or_else(|| {
            vm.new_overflow_error(format!("factorial() argument should not exceed {LARGEST_FACTORIAL} here"))
        })?;
        Ok(vm.ctx.new_bigint(&answer(math::integer::factorial(n), vm)?.into()))
    }

    /// The number of ways to choose `k` of `n` things, in any order or in each.
    fn choices(n: ArgIndex, k: ArgIndex, ordered: bool, vm: &VirtualMachine) -> PyResult<PyIntRef> {
        let (n, k) = (n.into_int_ref(), k.into_int_ref());
        let (n, k) = (n.as_bigint(), k.as_bigint());
        for (value, name) in [(n, "n"), (k, "k")] {
            if value.sign() == Sign::Minus {
                return Err(vm.new_value_error(format!("{name} must be a non-negative integer")));
            }
        }
        if k > n {
            return Ok(vm.ctx.new_int(0));
        }
        let rest = n - k;
        let fewest = if ordered || *k < rest { k } else { &rest };
        let Some(k) = u64::try_from(fewest).ok().filter(|k| *k <= LARGEST_FACTORIAL as u64) else {
            return Err(vm.new_overflow_error(format!("k must not exceed {LARGEST_FACTORIAL} here")));
        };
        let ways = if ordered { math::perm_bigint(n, k) } else { math::comb_bigint(n, k) };
        Ok(vm.ctx.new_bigint(&ways.into()))
    }

    #[pyfunction]
    fn comb(n: ArgIndex, k: ArgIndex, vm: &VirtualMachine) -> PyResult<PyIntRef> {
        choices(n, k, false, vm)
    }

    #[pyfunction]
    fn perm(n: ArgIndex, k: OptionalArg<Option<ArgIndex>>, vm: &VirtualMachine) -> PyResult<PyIntRef> {
        match k.flatten() {
            Some(k) => choices(n, k, true, vm),
            None => factorial(n, vm),
        }
    }

    #[pyfunction]
    fn isqrt(n: ArgIndex, vm: &VirtualMachine) -> PyResult<PyIntRef> {
        let n = n.into_int_ref();
        let n = n.as_bigint();
        if n.sign() != Sign::Minus && n.bits() > LARGEST_SQUARE {
            return Err(vm.new_overflow_error(format!(
                "isqrt() argument should not exceed {LARGEST_SQUARE} bits here"
            )));
        }
        let root = math::integer::isqrt(n)
            .map_err(|_| vm.new_value_error("isqrt() argument must be nonnegative"))?;
        Ok(vm.ctx.new_bigint(&root))
    }
}
