//! Operations on texts and bytes so long that each takes seconds, whose results are of another kind than what they are
//! given: `+`, `join`, `repr`, `hex`, `decode`. They work in parts, and look between two whether the cell is to stop.

use std::sync::OnceLock;

use rustpython_vm::{
    AsObject, Py, PyObject, PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine,
    builtins::{PyList, PyStr, PyTuple, PyType, PyTypeRef},
    function::FuncArgs,
    protocol::PySequence,
};

use super::contents::{Content, STEP, Steps, append, integer};
use super::guards::{Own, around, around_native};
use super::iterators::tick;
use super::long::check;

type Concat = fn(PySequence<'_>, &PyObject, &VirtualMachine) -> PyResult;
type Repr = fn(&PyObject, &VirtualMachine) -> PyResult<PyRef<PyStr>>;

static OWN_CONCAT: [OnceLock<Concat>; 2] = [const { OnceLock::new() }; 2];
static CONCAT: [Concat; 2] = [concat::<0>, concat::<1>];
static OWN_REPR: [OnceLock<Repr>; 2] = [const { OnceLock::new() }; 2];
static REPR: [Repr; 2] = [repr::<0>, repr::<1>];

static OWN_TEXT_REPR: OnceLock<Repr> = OnceLock::new();

/// Why the original of a replaced slot is always there.
const KEPT: &str = "install() keeps the original before it replaces the slot";

/// Installs the operations on the types of this thread. `sizes.rs` installs `join`, `cpython.rs` the `+` of texts.
pub(super) fn install(vm: &VirtualMachine) {
    let types = &vm.ctx.types;
    let classes: [&'static Py<PyType>; 2] = [types.bytes_type, types.bytearray_type];
    for (number, class) in classes.into_iter().enumerate() {
        let slot = &class.slots.as_sequence.concat;
        OWN_CONCAT[number].get_or_init(|| slot.load().expect("bytes can be concatenated"));
        slot.store(Some(CONCAT[number]));
        around(class, "__add__", add, vm);
        let slot = &class.slots.repr;
        OWN_REPR[number].get_or_init(|| slot.load().expect("every object has a repr"));
        slot.store(Some(REPR[number]));
        around_native(class, "hex", hex, vm);
        around_native(class, "decode", decode, vm);
    }
    let slot = &types.str_type.slots.repr;
    OWN_TEXT_REPR.get_or_init(|| slot.load().expect("every object has a repr"));
    slot.store(Some(text_repr));
    let slot = &types.str_type.slots.new;
    NEW_TEXT.get_or_init(|| slot.load().expect("texts can be made"));
    slot.store(Some(new_text));
}

type New = fn(PyTypeRef, FuncArgs, &VirtualMachine) -> PyResult;

static NEW_TEXT: OnceLock<New> = OnceLock::new();

/// `str(object, encoding, errors)`: of long bytes it is what [`decode`] returns.
fn new_text(class: PyTypeRef, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let is_long = |bytes: &PyObjectRef| {
        Content::of(bytes).is_some_and(|content| !content.is_text() && content.is_long())
    };
    if args.args.len() < 2 || !class.is(vm.ctx.types.str_type) || !is_long(&args.args[0]) {
        return NEW_TEXT.get().expect(KEPT)(class, args, vm);
    }
    let decoded = FuncArgs { args: args.args[1..].to_vec(), kwargs: args.kwargs.clone() };
    vm.call_method(&args.args[0], "decode", decoded)
}

/// `first + second`, if they are of the same kind and long. `None`: the interpreter does it.
pub(super) fn added(
    first: &PyObject,
    second: &PyObject,
    vm: &VirtualMachine,
) -> PyResult<Option<PyObjectRef>> {
    let Some((first, second)) = Content::of(first).zip(Content::of(second)) else { return Ok(None) };
    let length = first.bytes().len() + second.bytes().len();
    if length <= STEP || first.is_text() != second.is_text() {
        return Ok(None);
    }
    let mut whole = Vec::new();
    reserve(&mut whole, length, vm)?;
    append(&mut whole, first.bytes(), vm)?;
    append(&mut whole, second.bytes(), vm)?;
    Ok(Some(first.made(whole, vm)))
}

fn reserve(bytes: &mut Vec<u8>, length: usize, vm: &VirtualMachine) -> PyResult<()> {
    bytes.try_reserve_exact(length).map_err(|_| super::long::no_room(vm))
}

fn concat<const TYPE: usize>(bytes: PySequence<'_>, other: &PyObject, vm: &VirtualMachine) -> PyResult {
    match added(bytes.obj, other, vm)? {
        Some(whole) => Ok(whole),
        None => OWN_CONCAT[TYPE].get().expect(KEPT)(bytes, other, vm),
    }
}

fn add(own: &Own, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    if let [first, second] = &args.args[..]
        && let Some(whole) = added(first, second, vm)?
    {
        return Ok(whole);
    }
    own.call(args, vm)
}

/// `separator.join(parts)`. `sizes.rs` has replaced parts that come one by one by a list.
pub(super) fn join(own: &Own, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    match &args.args[..] {
        [separator, parts] => match joined(separator, parts, vm)? {
            Some(whole) => Ok(whole),
            None => own.call(args, vm),
        },
        _ => own.call(args, vm),
    }
}

fn joined(separator: &PyObject, parts: &PyObject, vm: &VirtualMachine) -> PyResult<Option<PyObjectRef>> {
    let list = parts.downcast_ref::<PyList>().map(|list| list.borrow_vec());
    let parts: &[PyObjectRef] = match (&list, parts.downcast_ref::<PyTuple>()) {
        (Some(list), _) => list,
        (None, Some(tuple)) => tuple.as_slice(),
        _ => return Ok(None),
    };
    let Some(separator) = Content::of(separator) else { return Ok(None) };
    let mut length = separator.bytes().len() * parts.len().saturating_sub(1);
    for some in parts.chunks(STEP) {
        check(vm)?;
        for part in some {
            match Content::of(part).filter(|part| part.is_text() == separator.is_text()) {
                Some(part) => length += part.bytes().len(),
                None => return Ok(None),
            }
        }
    }
    // One part is the result itself.
    if length <= STEP || parts.len() < 2 {
        return Ok(None);
    }
    let mut whole = Vec::new();
    reserve(&mut whole, length, vm)?;
    let mut checked = 0;
    for (number, part) in parts.iter().enumerate() {
        if whole.len() - checked > STEP {
            check(vm)?;
            checked = whole.len();
        }
        if number > 0 {
            append(&mut whole, separator.bytes(), vm)?;
        }
        let part = Content::of(part).expect("all parts were looked at");
        append(&mut whole, part.bytes(), vm)?;
    }
    Ok(Some(separator.made(whole, vm)))
}

/// `repr(text)`. Each part begins with what decides, in the interpreter too, which quotes stand around the whole.
fn text_repr(object: &PyObject, vm: &VirtualMachine) -> PyResult<PyRef<PyStr>> {
    // That of a long list calls this for each element.
    tick(vm)?;
    let own = OWN_TEXT_REPR.get().expect(KEPT);
    let Some(Content::Text(text)) = Content::of(object).filter(Content::is_long) else {
        return own(object, vm);
    };
    let (mut has_single, mut has_double) = (false, false);
    for part in Steps(text) {
        check(vm)?;
        has_single |= part.contains('\'');
        has_double |= part.contains('"');
    }
    let (deciding, opening, closing) = match has_single && !has_double {
        true => ("'", "\"'", "\""),
        false => ("'\"", "'\\'\"", "'"),
    };
    let mut whole = Vec::new();
    reserve(&mut whole, text.len() + 2, vm)?;
    whole.extend_from_slice(closing.as_bytes());
    for part in Steps(text) {
        check(vm)?;
        let part = own(vm.ctx.new_str(format!("{deciding}{part}")).as_object(), vm)?;
        let part = part.as_wtf8().as_bytes();
        let escaped =
            part.strip_prefix(opening.as_bytes()).and_then(|part| part.strip_suffix(closing.as_bytes()));
        append(&mut whole, escaped.expect("the quotes are those of the whole"), vm)?;
    }
    whole.extend_from_slice(closing.as_bytes());
    let whole = String::from_utf8(whole).expect("whole characters follow each other");
    Ok(vm.ctx.new_str(whole))
}

/// `repr(bytes)`.
fn repr<const TYPE: usize>(object: &PyObject, vm: &VirtualMachine) -> PyResult<PyRef<PyStr>> {
    let Some(content) = Content::of(object).filter(Content::is_long) else {
        return OWN_REPR[TYPE].get().expect(KEPT)(object, vm);
    };
    let (mut has_single, mut has_double) = (false, false);
    for part in content.bytes().chunks(STEP) {
        check(vm)?;
        has_single |= part.contains(&b'\'');
        has_double |= part.contains(&b'"');
    }
    let quote = if has_single && !has_double { b'"' } else { b'\'' };
    let name = match content {
        Content::Array(_) => Some(object.class().name().to_string()),
        _ => None,
    };
    let mut length = 0;
    for part in content.bytes().chunks(STEP) {
        check(vm)?;
        length += part.iter().map(|&byte| escaped(byte, quote).len()).sum::<usize>();
    }
    let mut text = name.iter().fold(Vec::new(), |_, name| format!("{name}(").into_bytes());
    reserve(&mut text, length + 4, vm)?;
    text.extend([b'b', quote]);
    for part in content.bytes().chunks(STEP) {
        let escaped = part.iter().flat_map(|&byte| escaped(byte, quote));
        append(&mut text, &escaped.collect::<Vec<u8>>(), vm)?;
        check(vm)?;
    }
    text.push(quote);
    text.extend(name.iter().map(|_| b')'));
    let text = String::from_utf8(text).expect("escapes are ASCII");
    Ok(PyStr::from(text).into_ref(&vm.ctx))
}

/// How a byte stands in a literal.
fn escaped(byte: u8, quote: u8) -> impl ExactSizeIterator<Item = u8> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let (letters, length) = match byte {
        b'\t' => ([b'\\', b't', 0, 0], 2),
        b'\n' => ([b'\\', b'n', 0, 0], 2),
        b'\r' => ([b'\\', b'r', 0, 0], 2),
        b'\\' => ([b'\\', b'\\', 0, 0], 2),
        _ if byte == quote => ([b'\\', quote, 0, 0], 2),
        b' '..=b'~' => ([byte, 0, 0, 0], 1),
        _ => ([b'\\', b'x', DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]], 4),
    };
    letters.into_iter().take(length)
}

/// `bytes.hex(sep, bytes_per_sep)`: the parts are whole groups, which count from the right unless their size is negative.
fn hex(own: &Own, mut args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    // The interpreter's own method takes no names.
    if args.args.len() == 1
        && let Some(separator) = args.kwargs.swap_remove("sep")
    {
        args.args.push(separator);
    }
    if let Some(group) = args.kwargs.swap_remove("bytes_per_sep")
        && args.args.len() == 2
    {
        args.args.push(group);
    }
    let Some((content, separator, group)) = grouped(&args, vm) else { return own.call(args, vm) };
    let size = group.unsigned_abs();
    let step = (STEP / size).max(1) * size;
    let bytes = content.bytes();
    let first = if group > 0 { bytes.len() % step } else { 0 };
    let (short, rest) = bytes.split_at(first);
    let mut text = Vec::new();
    reserve(&mut text, 2 * bytes.len() + separator.len() * (bytes.len() / size), vm)?;
    for part in std::iter::once(short).filter(|part| !part.is_empty()).chain(rest.chunks(step)) {
        check(vm)?;
        let mut call = args.clone();
        call.args[0] = content.made(part.to_vec(), vm);
        let digits = own.call(call, vm)?;
        let Some(digits) = Content::of(&digits) else { break };
        if !text.is_empty() {
            append(&mut text, separator, vm)?;
        }
        append(&mut text, digits.bytes(), vm)?;
    }
    let text = String::from_utf8(text).expect("digits and a separator are ASCII");
    Ok(vm.ctx.new_str(text).into())
}

/// The long bytes that a call is for, what parts the groups, and how many bytes are one.
fn grouped<'a>(args: &'a FuncArgs, vm: &VirtualMachine) -> Option<(Content<'a>, &'a [u8], isize)> {
    let content = Content::of(args.args.first()?).filter(Content::is_long)?;
    if args.args.len() > 3 || !args.kwargs.is_empty() {
        return None;
    }
    let Some(separator) = args.args.get(1) else {
        return Some((content, b"", 1));
    };
    let separator = match Content::of(separator)? {
        Content::Text(text) => text.as_bytes(),
        Content::Bytes(bytes) => bytes,
        Content::Array(_) => return None,
    };
    let group = integer(args.args.get(2), 1, vm)?;
    let is_taken = separator.len() == 1 && separator.is_ascii() && (1..=STEP).contains(&group.unsigned_abs());
    is_taken.then_some((content, separator, group))
}

/// `bytes.decode(encoding, errors)` of the encodings that are read character by character.
fn decode(own: &Own, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let Some(content) = args.args.first().and_then(|bytes| Content::of(bytes)).filter(Content::is_long)
    else {
        return own.call(args, vm);
    };
    let encoding = args.args.get(1).or_else(|| args.kwargs.get("encoding"));
    let encoding = encoding.map_or(Some("utf-8"), |name| name.downcast_ref::<PyStr>()?.to_str());
    if !encoding.is_some_and(|name| ["utf-8", "utf8", "ascii", "latin-1", "latin1"].contains(&name)) {
        drop(content);
        return own.call(args, vm);
    }
    let (bytes, mut text, mut start) = (content.bytes(), Vec::new(), 0);
    reserve(&mut text, bytes.len(), vm)?;
    while start < bytes.len() {
        check(vm)?;
        // A part ends before the first byte of a character.
        let most = bytes.len().min(start + STEP);
        let end = (start + 1..=most).rev().find(|&end| bytes.get(end).is_none_or(|next| next & 0xc0 != 0x80));
        let end = end.filter(|end| end + 4 > most).unwrap_or(most);
        let mut call = args.clone();
        call.args[0] = content.part(start..end, vm);
        let part = match own.call(call, vm) {
            Err(error) if !error.fast_isinstance(vm.ctx.exceptions.unicode_decode_error) => {
                return Err(error);
            }
            part => part.ok(),
        };
        let Some(part) = part.as_ref().and_then(|part| Content::of(part)) else {
            // The error names the place in the whole; a text may have surrogates.
            drop(content);
            return own.call(args, vm);
        };
        append(&mut text, part.bytes(), vm)?;
        start = end;
    }
    let text = String::from_utf8(text).expect("whole texts follow each other");
    Ok(vm.ctx.new_str(text).into())
}
