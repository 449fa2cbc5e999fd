//! `_struct`: numbers as bytes, by the interpreter's own reader of formats.

pub(crate) use native::module_def;

#[rustpython_vm::pymodule(name = "_struct")]
mod native {
    use rustpython_vm::{
        PyObjectRef, PyResult, VirtualMachine,
        buffer::{FormatSpec, new_struct_error, struct_error_type},
        builtins::{PyBytes, PyStr, PyTupleRef, PyTypeRef},
        function::{ArgBytesLike, PosArgs},
    };

    /// The most bytes of one format: what is longer is a mistake.
    const LONGEST: usize = 1 << 30;

    #[pyattr]
    fn error(vm: &VirtualMachine) -> PyTypeRef {
        struct_error_type(vm).clone()
    }

    fn format(format: &PyObjectRef, vm: &VirtualMachine) -> PyResult<FormatSpec> {
        let text = format.downcast_ref::<PyStr>().map(|text| text.as_wtf8().to_string_lossy().into_owned());
        let bytes = match text {
            Some(text) => text.into_bytes(),
            None => match format.downcast_ref::<PyBytes>() {
                Some(bytes) => bytes.as_bytes().to_vec(),
                None => return Err(vm.new_type_error("Struct() argument 1 must be a str or bytes object")),
            },
        };
        let spec = FormatSpec::parse(&bytes, vm)?;
        if spec.size > LONGEST || spec.arg_count > LONGEST {
            return Err(new_struct_error(vm, "total struct size too long"));
        }
        Ok(spec)
    }

    #[pyfunction]
    fn calcsize(fmt: PyObjectRef, vm: &VirtualMachine) -> PyResult<usize> {
        Ok(format(&fmt, vm)?.size)
    }

    #[pyfunction]
    fn pack(fmt: PyObjectRef, values: PosArgs, vm: &VirtualMachine) -> PyResult<Vec<u8>> {
        format(&fmt, vm)?.pack(values.into_vec(), vm)
    }

    #[pyfunction]
    fn unpack(fmt: PyObjectRef, buffer: ArgBytesLike, vm: &VirtualMachine) -> PyResult<PyTupleRef> {
        let spec = format(&fmt, vm)?;
        buffer.with_ref(|bytes| spec.unpack(bytes, vm))
    }
}
