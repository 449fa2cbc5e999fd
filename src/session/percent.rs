//! `format % values`: widths that memory has no room for raise MemoryError before anything is allocated, and precisions
//! that the interpreter would cut without a word raise ValueError.

use std::sync::OnceLock;

use rustpython_vm::{
    Py, PyObject, PyResult, VirtualMachine,
    builtins::{PyByteArray, PyBytes, PyInt, PyStr, PyTuple, PyType},
    function::FuncArgs,
};

use super::guards::check_first;
use super::memory::{as_float, check};

/// The most digits that the interpreter makes.
const MOST: f64 = u16::MAX as f64;

type Binary = fn(&PyObject, &PyObject, &VirtualMachine) -> PyResult;

static STR: OnceLock<Binary> = OnceLock::new();
static BYTES: OnceLock<Binary> = OnceLock::new();
static BYTEARRAY: OnceLock<Binary> = OnceLock::new();

/// Installs the checks on the types of this thread.
pub(super) fn install(vm: &VirtualMachine) {
    let types = &vm.ctx.types;
    let classes: [(&'static Py<PyType>, &OnceLock<Binary>, Binary); 3] = [
        (types.str_type, &STR, of_text),
        (types.bytes_type, &BYTES, of_bytes),
        (types.bytearray_type, &BYTEARRAY, of_bytearray),
    ];
    for (class, own, checked) in classes {
        let slot = &class.slots.as_number.remainder;
        own.get_or_init(|| slot.load().expect("texts have %"));
        slot.store(Some(checked));
        check_first(class, "__mod__", called, vm);
    }
}

fn formatted(own: &OnceLock<Binary>, format: &PyObject, values: &PyObject, vm: &VirtualMachine) -> PyResult {
    fits(format, values, vm)?;
    own.get().expect("install() keeps the original before it replaces the slot")(format, values, vm)
}

fn of_text(format: &PyObject, values: &PyObject, vm: &VirtualMachine) -> PyResult {
    formatted(&STR, format, values, vm)
}

fn of_bytes(format: &PyObject, values: &PyObject, vm: &VirtualMachine) -> PyResult {
    formatted(&BYTES, format, values, vm)
}

fn of_bytearray(format: &PyObject, values: &PyObject, vm: &VirtualMachine) -> PyResult {
    formatted(&BYTEARRAY, format, values, vm)
}

fn called(args: &mut FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
    match &args.args[..] {
        [format, values] => fits(format, values, vm),
        _ => Ok(()),
    }
}

fn fits(format: &PyObject, values: &PyObject, vm: &VirtualMachine) -> PyResult<()> {
    if let Some(text) = format.downcast_ref::<PyStr>() {
        check_format(text.as_wtf8().as_bytes(), values, vm)
    } else if let Some(bytes) = format.downcast_ref::<PyBytes>() {
        check_format(bytes.as_bytes(), values, vm)
    } else if let Some(bytes) = format.downcast_ref::<PyByteArray>() {
        check_format(&bytes.borrow_buf(), values, vm)
    } else {
        Ok(())
    }
}

/// Reads the conversions `%[(key)][flags][width][.precision]type`.
fn check_format(format: &[u8], values: &PyObject, vm: &VirtualMachine) -> PyResult<()> {
    let mut reading = Reading { format, at: 0, values: values.downcast_ref::<PyTuple>(), taken: 0 };
    while let Some(byte) = reading.next() {
        if byte != b'%' {
            continue;
        }
        reading.skip_key();
        reading.skip(b"#0- +");
        check(reading.number(), vm)?;
        let precision = if reading.is_at(b'.') { reading.number() } else { 0.0 };
        reading.skip(b"hlL");
        match reading.next() {
            Some(b'%') | None => {}
            // The precision of a text only shortens it.
            Some(b's' | b'r' | b'a' | b'b') => reading.taken += 1,
            Some(_) if precision > MOST => return Err(vm.new_value_error("precision too big")),
            Some(_) => reading.taken += 1,
        }
    }
    Ok(())
}

struct Reading<'a> {
    format: &'a [u8],
    at: usize,
    /// The values, if there are several, and how many were formatted.
    values: Option<&'a Py<PyTuple>>,
    taken: usize,
}

impl Reading<'_> {
    fn next(&mut self) -> Option<u8> {
        let byte = self.format.get(self.at).copied();
        self.at += usize::from(byte.is_some());
        byte
    }

    /// Whether this byte comes next, which is then passed.
    fn is_at(&mut self, byte: u8) -> bool {
        let found = self.format.get(self.at) == Some(&byte);
        self.at += usize::from(found);
        found
    }

    fn skip(&mut self, bytes: &[u8]) {
        while self.format.get(self.at).is_some_and(|byte| bytes.contains(byte)) {
            self.at += 1;
        }
    }

    /// A key in brackets, which may have others in it.
    fn skip_key(&mut self) {
        if !self.is_at(b'(') {
            return;
        }
        let mut depth = 1_usize;
        while depth > 0 {
            match self.next() {
                Some(b'(') => depth += 1,
                Some(b')') => depth -= 1,
                Some(_) => {}
                None => return,
            }
        }
    }

    /// A width or a precision: digits, or `*` for the next value.
    fn number(&mut self) -> f64 {
        if self.is_at(b'*') {
            let value = self.values.and_then(|values| values.as_slice().get(self.taken));
            self.taken += 1;
            let value = value.and_then(|value| value.downcast_ref::<PyInt>());
            return value.map_or(0.0, |value| as_float(value.as_bigint()).abs());
        }
        let mut number = 0.0;
        while let Some(digit) = self.format.get(self.at).filter(|byte| byte.is_ascii_digit()) {
            number = number * 10.0 + f64::from(digit - b'0');
            self.at += 1;
        }
        number
    }
}
