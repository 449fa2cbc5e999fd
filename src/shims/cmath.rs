//! Python's `cmath`: functions of complex numbers, from the crate `pymath`.

use num_complex::Complex64;
use pymath::cmath;
use rustpython_vm::{
    Py, PyResult, VirtualMachine, builtins::PyModule, convert::ToPyObject, function::ArgIntoComplex,
};

use super::math::{Rows, add_rows, answer, rows};

pub(crate) use native::module_def;

const OF_ONE: Rows<fn(Complex64) -> pymath::Result<Complex64>> = rows! { "z";
    acos "Return the arc cosine of z.": cmath::acos;
    acosh "Return the inverse hyperbolic cosine of z.": cmath::acosh;
    asin "Return the arc sine of z.": cmath::asin;
    asinh "Return the inverse hyperbolic sine of z.": cmath::asinh;
    atan "Return the arc tangent of z.": cmath::atan;
    atanh "Return the inverse hyperbolic tangent of z.": cmath::atanh;
    cos "Return the cosine of z.": cmath::cos;
    cosh "Return the hyperbolic cosine of z.": cmath::cosh;
    exp "Return the exponential value e**z.": cmath::exp;
    log10 "Return the base-10 logarithm of z.": cmath::log10;
    sin "Return the sine of z.": cmath::sin;
    sinh "Return the hyperbolic sine of z.": cmath::sinh;
    sqrt "Return the square root of z.": cmath::sqrt;
    tan "Return the tangent of z.": cmath::tan;
    tanh "Return the hyperbolic tangent of z.": cmath::tanh;
};

const TESTS: Rows<fn(Complex64) -> bool> = rows! { "z";
    isfinite "Return True if both the real and imaginary parts of z are finite, else False.": cmath::isfinite;
    isinf "Checks if the real or imaginary part of z is infinite.": cmath::isinf;
    isnan "Checks if the real or imaginary part of z not a number (NaN).": cmath::isnan;
};

fn install(module: &Py<PyModule>, vm: &VirtualMachine) -> PyResult<()> {
    let of_one = |function: fn(Complex64) -> pymath::Result<Complex64>| {
        move |z: ArgIntoComplex, vm: &VirtualMachine| answer(function(z.into_complex()), vm)
    };
    let test = |function: fn(Complex64) -> bool| move |z: ArgIntoComplex| function(z.into_complex());
    add_rows(module, "cmath", OF_ONE, of_one, vm)?;
    add_rows(module, "cmath", TESTS, test, vm)?;
    for (name, value) in
        [("pi", cmath::PI), ("e", cmath::E), ("tau", cmath::TAU), ("inf", cmath::INF), ("nan", cmath::NAN)]
    {
        module.set_attr(name, value.to_pyobject(vm), vm)?;
    }
    for (name, value) in [("infj", cmath::INFJ), ("nanj", cmath::NANJ)] {
        module.set_attr(name, vm.ctx.new_complex(value), vm)?;
    }
    Ok(())
}

#[rustpython_vm::pymodule(name = "cmath")]
mod native {
    use num_complex::Complex64;
    use pymath::cmath;
    use rustpython_vm::{
        FromArgs, Py, PyResult, VirtualMachine,
        builtins::PyModule,
        function::{ArgIntoComplex, ArgIntoFloat, OptionalArg},
    };

    use super::answer;

    fn module_exec(vm: &VirtualMachine, module: &Py<PyModule>) -> PyResult<()> {
        __module_exec(vm, module);
        super::install(module, vm)
    }

    #[pyfunction]
    fn log(z: ArgIntoComplex, base: OptionalArg<ArgIntoComplex>, vm: &VirtualMachine) -> PyResult<Complex64> {
        let base = base.into_option().map(ArgIntoComplex::into_complex);
        answer(cmath::log(z.into_complex(), base), vm)
    }

    #[pyfunction]
    fn phase(z: ArgIntoComplex, vm: &VirtualMachine) -> PyResult<f64> {
        answer(cmath::phase(z.into_complex()), vm)
    }

    #[pyfunction]
    fn polar(z: ArgIntoComplex, vm: &VirtualMachine) -> PyResult<(f64, f64)> {
        answer(cmath::polar(z.into_complex()), vm)
    }

    #[pyfunction]
    fn rect(r: ArgIntoFloat, phi: ArgIntoFloat, vm: &VirtualMachine) -> PyResult<Complex64> {
        answer(cmath::rect(r.into_float(), phi.into_float()), vm)
    }

    #[derive(FromArgs)]
    struct IsCloseArgs {
        #[pyarg(any)]
        a: ArgIntoComplex,
        #[pyarg(any)]
        b: ArgIntoComplex,
        #[pyarg(named, optional)]
        rel_tol: OptionalArg<ArgIntoFloat>,
        #[pyarg(named, optional)]
        abs_tol: OptionalArg<ArgIntoFloat>,
    }

    #[pyfunction]
    fn isclose(args: IsCloseArgs, vm: &VirtualMachine) -> PyResult<bool> {
        let tolerance = |given: OptionalArg<ArgIntoFloat>| given.into_option().map(ArgIntoFloat::into_float);
        let tolerances = (tolerance(args.rel_tol), tolerance(args.abs_tol));
        cmath::isclose(args.a.into_complex(), args.b.into_complex(), tolerances.0, tolerances.1)
            .map_err(|_| vm.new_value_error("tolerances must be non-negative"))
    }
}
