//! `_struct`: numbers as bytes, by the interpreter's own reader of formats.

pub(crate) use native::module_def;

#[rustpython_vm::pymodule(name = "_struct")]
mod native {
    use rustpython_vm::{
        PyResult, VirtualMachine,
        buffer::{FormatSpec, new_struct_error, struct_error_type},
        builtins::{PyTupleRef, PyTypeRef},
        function::{ArgBytesLike, ArgStrOrBytesLike, PosArgs},
    };

    /// The most bytes of one format: what is longer is a mistake.
    const LONGEST: usize = 1 << 30;

    #[pyattr]
    fn error(vm: &VirtualMachine) -> PyTypeRef {
        struct_error_type(vm).clone()
    }

    fn format(format: &ArgStrOrBytesLike, vm: &VirtualMachine) -> PyResult<FormatSpec> {
        let spec = FormatSpec::parse(&format.borrow_bytes(), vm)?;
        if spec.size > LONGEST || spec.arg_count > LONGEST {
            return Err(new_struct_error(vm, "total struct size too long"));
        }
        Ok(spec)
    }

    #[pyfunction]
    fn calcsize(fmt: ArgStrOrBytesLike, vm: &VirtualMachine) -> PyResult<usize> {
        Ok(format(&fmt, vm)?.size)
    }

    #[pyfunction]
    fn pack(fmt: ArgStrOrBytesLike, values: PosArgs, vm: &VirtualMachine) -> PyResult<Vec<u8>> {
        format(&fmt, vm)?.pack(values.into_vec(), vm)
    }

    #[pyfunction]
    fn unpack(fmt: ArgStrOrBytesLike, buffer: ArgBytesLike, vm: &VirtualMachine) -> PyResult<PyTupleRef> {
        let spec = format(&fmt, vm)?;
        buffer.with_ref(|bytes| spec.unpack(bytes, vm))
    }
}
