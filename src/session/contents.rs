//! What texts, bytes and bytearrays contain, read and made in one way, in parts of a few megabytes.

use rustpython_vm::{
    PyObject, PyObjectRef, PyPayload, PyResult, VirtualMachine,
    builtins::{PyByteArray, PyBytes, PyInt, PyStr},
    common::lock::PyMappedRwLockReadGuard,
};

pub(super) use super::long::STEP;
use super::long::{check, no_room};

/// The elements of a list that are copied between two looks.
pub(super) const ELEMENTS: usize = 1 << 20;

/// The content of a text, of bytes or of a bytearray.
pub(super) enum Content<'a> {
    Text(&'a str),
    Bytes(&'a [u8]),
    Array(PyMappedRwLockReadGuard<'a, [u8]>),
}

impl<'a> Content<'a> {
    /// `None` if the object is something else, or a text with surrogates.
    pub(super) fn of(object: &'a PyObject) -> Option<Content<'a>> {
        if let Some(text) = object.downcast_ref::<PyStr>() {
            return text.to_str().map(Content::Text);
        }
        if let Some(bytes) = object.downcast_ref::<PyBytes>() {
            return Some(Content::Bytes(bytes.as_bytes()));
        }
        object.downcast_ref::<PyByteArray>().map(|array| Content::Array(array.borrow_buf()))
    }

    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Content::Text(text) => text.as_bytes(),
            Content::Bytes(bytes) => bytes,
            Content::Array(array) => array,
        }
    }

    pub(super) fn is_text(&self) -> bool {
        matches!(self, Content::Text(_))
    }

    pub(super) fn is_long(&self) -> bool {
        self.bytes().len() > STEP
    }

    /// An object of the same kind with these bytes.
    pub(super) fn made(&self, bytes: Vec<u8>, vm: &VirtualMachine) -> PyObjectRef {
        match self {
            Content::Text(_) => {
                let text = String::from_utf8(bytes).expect("whole texts follow each other");
                vm.ctx.new_str(text).into()
            }
            Content::Bytes(_) => vm.ctx.new_bytes(bytes).into(),
            Content::Array(_) => PyByteArray::from(bytes).into_ref(&vm.ctx).into(),
        }
    }

    /// An object of the same kind with a part of the bytes: whole characters of a text.
    pub(super) fn part(&self, range: std::ops::Range<usize>, vm: &VirtualMachine) -> PyObjectRef {
        match self {
            Content::Text(text) => vm.ctx.new_str(&text[range]).into(),
            _ => self.made(self.bytes()[range].to_vec(), vm),
        }
    }

    /// Calls `see` with the place, the size and the value of each character from left to right, until it returns false. A
    /// byte is the character of its number.
    pub(super) fn scan(
        &self,
        vm: &VirtualMachine,
        mut see: impl FnMut(usize, usize, char) -> bool,
    ) -> PyResult<()> {
        let mut at = 0;
        let mut pass = |c: char, size: usize| {
            at += size;
            see(at - size, size, c)
        };
        match self {
            Content::Text(text) => {
                for part in Steps(text) {
                    check(vm)?;
                    if !part.chars().all(|c| pass(c, c.len_utf8())) {
                        break;
                    }
                }
            }
            _ => {
                for part in self.bytes().chunks(STEP) {
                    check(vm)?;
                    if !part.iter().all(|&byte| pass(char::from(byte), 1)) {
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// The same from right to left.
    pub(super) fn scan_back(
        &self,
        vm: &VirtualMachine,
        mut see: impl FnMut(usize, usize, char) -> bool,
    ) -> PyResult<()> {
        let mut at = self.bytes().len();
        let mut pass = |c: char, size: usize| {
            at -= size;
            see(at, size, c)
        };
        match self {
            Content::Text(text) => {
                for part in Steps(text).rev() {
                    check(vm)?;
                    if !part.chars().rev().all(|c| pass(c, c.len_utf8())) {
                        break;
                    }
                }
            }
            _ => {
                for part in self.bytes().rchunks(STEP) {
                    check(vm)?;
                    if !part.iter().rev().all(|&byte| pass(char::from(byte), 1)) {
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// How many characters there are; of a text, so many in so many of its bytes.
    pub(super) fn characters(&self, bytes: usize, vm: &VirtualMachine) -> PyResult<usize> {
        let Content::Text(text) = self else { return Ok(bytes) };
        let mut count = 0;
        for part in Steps(&text[..bytes]) {
            check(vm)?;
            count += part.chars().count();
        }
        Ok(count)
    }

    /// Where the character at this position begins, in bytes; the end if there are fewer.
    pub(super) fn place(&self, position: usize, vm: &VirtualMachine) -> PyResult<usize> {
        let Content::Text(text) = self else { return Ok(position.min(self.bytes().len())) };
        let (mut passed, mut left) = (0, position);
        for part in Steps(text) {
            check(vm)?;
            let characters = part.chars().count();
            if characters > left {
                let within = part.char_indices().nth(left);
                return Ok(passed + within.map_or(part.len(), |(at, _)| at));
            }
            (passed, left) = (passed + part.len(), left - characters);
        }
        Ok(passed)
    }
}

/// The number of characters of a text as the interpreter knows it, or of bytes.
pub(super) fn length(object: &PyObject) -> Option<usize> {
    match object.downcast_ref::<PyStr>() {
        Some(text) => text.to_str().map(|_| text.char_len()),
        None => Content::of(object).map(|content| content.bytes().len()),
    }
}

/// An integer argument that may be missing or None.
pub(super) fn integer(arg: Option<&PyObjectRef>, missing: isize, vm: &VirtualMachine) -> Option<isize> {
    let Some(arg) = arg.filter(|arg| !vm.is_none(arg)) else { return Some(missing) };
    let value = arg.downcast_ref::<PyInt>()?.as_bigint();
    let saturated = if value.sign() == malachite_bigint::Sign::Minus { isize::MIN } else { isize::MAX };
    Some(isize::try_from(value).unwrap_or(saturated))
}

/// The parts of a text.
pub(super) struct Steps<'a>(pub(super) &'a str);

impl<'a> Iterator for Steps<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        if self.0.is_empty() {
            return None;
        }
        let (part, rest) = self.0.split_at(self.0.floor_char_boundary(STEP));
        self.0 = rest;
        Some(part)
    }
}

impl DoubleEndedIterator for Steps<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let (rest, part) = self.0.split_at(self.0.ceil_char_boundary(self.0.len().saturating_sub(STEP)));
        self.0 = rest;
        Some(part)
    }
}

/// Adds bytes to a result. Errors: MemoryError.
pub(super) fn append(bytes: &mut Vec<u8>, added: &[u8], vm: &VirtualMachine) -> PyResult<()> {
    bytes.try_reserve(added.len()).map_err(|_| no_room(vm))?;
    for (number, part) in added.chunks(STEP).enumerate() {
        if number > 0 {
            check(vm)?;
        }
        bytes.extend_from_slice(part);
    }
    Ok(())
}
