//! `torch.Generator` as a Python class.

use std::cell::RefCell;
use std::rc::Rc;

use rustpython_vm::builtins::PyType;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::types::Constructor;
use rustpython_vm::{Py, PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine, pyclass};

use super::classes::PyDevice;
use super::numbers::int;
use super::py_tensor::tensor_of;
use crate::kernel::random::Generator;
use crate::tensor::DType;

/// `torch.Generator`: a random number generator of its own.
#[pyclass(module = "torch._C", name = "Generator")]
#[derive(Debug, PyPayload)]
pub(crate) struct PyGenerator {
    pub(crate) generator: Rc<RefCell<Generator>>,
}

impl Constructor for PyGenerator {
    type Args = FuncArgs;

    fn py_new(_cls: &Py<PyType>, _args: FuncArgs, _vm: &VirtualMachine) -> PyResult<Self> {
        Ok(PyGenerator { generator: Rc::new(RefCell::new(Generator::default())) })
    }
}

#[pyclass(with(Constructor))]
impl PyGenerator {
    /// Seeds the generator and returns it.
    #[pymethod]
    fn manual_seed(zelf: PyRef<Self>, seed: PyObjectRef, vm: &VirtualMachine) -> PyResult<PyRef<Self>> {
        let seed = int(&seed, vm).ok_or_else(|| vm.new_type_error("manual_seed expects an int"))?;
        zelf.generator.borrow_mut().seed(seed as u64);
        Ok(zelf)
    }

    #[pymethod]
    fn initial_seed(&self) -> u64 {
        self.generator.borrow().initial_seed()
    }

    /// The state, as bytes.
    #[pymethod]
    fn get_state(&self, vm: &VirtualMachine) -> PyResult {
        let torch = vm.import("_torch", 0)?;
        let bytes = vm.ctx.new_bytes(self.generator.borrow().state());
        torch.get_attr("_from_bytes", vm)?.call((bytes, torch.get_attr("uint8", vm)?), vm)
    }

    /// Restores a state.
    #[pymethod]
    fn set_state(zelf: PyRef<Self>, state: PyObjectRef, vm: &VirtualMachine) -> PyResult<PyRef<Self>> {
        let bytes = tensor_of(&state).filter(|tensor| tensor.dtype() == DType::UInt8);
        let Some(bytes) = bytes else {
            return Err(vm.new_type_error("RNG state must be a torch.ByteTensor"));
        };
        let values: Vec<u8> = bytes.to_i64_vec().into_iter().map(|byte| byte as u8).collect();
        match Generator::from_state(&values) {
            Some(generator) => *zelf.generator.borrow_mut() = generator,
            None => {
                return Err(vm.new_runtime_error(format!(
                    "Expected either a CPUGeneratorImplStateLegacy of size 5048 or a CPUGeneratorImplState of size 5056 \
                     but found the input RNG state size to be {}",
                    values.len()
                )));
            }
        }
        Ok(zelf)
    }

    #[pymethod]
    fn seed(&self) -> u64 {
        let seed = 67_280_421_310_721;
        self.generator.borrow_mut().seed(seed);
        seed
    }

    #[pygetset]
    fn device(&self, vm: &VirtualMachine) -> PyObjectRef {
        PyDevice::cpu(vm)
    }
}
