//! Methods of texts that the interpreter computes otherwise than CPython: most of them where a text is not ASCII. It counts
//! bytes where characters count, and takes few characters for white space, digits and letters.

use std::sync::OnceLock;

use rustpython_vm::{
    AsObject, Py, PyObject, PyObjectRef, PyResult, VirtualMachine,
    builtins::{PyInt, PyList, PySlice, PyStr, PyTuple, PyType},
    function::FuncArgs,
    protocol::PyMapping,
    sliceable::SaturatedSlice,
};
use unic_ucd_category::GeneralCategory;

use super::{
    guards::{KEPT, Own, around, check_first, replace_slot},
    memory::as_float,
    numbers::Specification,
};

/// Installs the methods on the types of this thread.
pub(super) fn install(vm: &VirtualMachine) {
    let types = &vm.ctx.types;
    let class = types.str_type;
    around(class, "split", |own, args, vm| split(own, args, false, vm), vm);
    around(class, "rsplit", |own, args, vm| split(own, args, true, vm), vm);
    around(class, "strip", |own, args, vm| strip(own, args, true, true, vm), vm);
    around(class, "lstrip", |own, args, vm| strip(own, args, true, false, vm), vm);
    around(class, "rstrip", |own, args, vm| strip(own, args, false, true, vm), vm);
    around(class, "__format__", format, vm);
    check_first(class, "join", joined, vm);
    for class in [class, types.bytes_type, types.bytearray_type] {
        around(class, "expandtabs", expand_tabs, vm);
    }
    for (name, test) in [
        ("isalpha", is_letter as fn(char) -> bool),
        ("isalnum", |c| is_letter(c) || c.is_numeric()),
        ("isdigit", is_digit),
    ] {
        around(class, name, move |own, args, vm| all(own, args, test, vm), vm);
    }
    refuse(class, "swapcase", |_| true, vm);
    refuse(class, "zfill", |_| true, vm);
    // Between characters, not between bytes.
    for name in ["count", "replace"] {
        refuse(class, name, |args| text_of(args.args.get(1)) == Some(""), vm);
    }
    replace_slot!(class.slots.as_mapping.subscript, SUBSCRIPT, subscript);
}

/// The text that a method is called on.
fn receiver(args: &FuncArgs) -> Option<&str> {
    args.args.first()?.downcast_ref::<PyStr>()?.to_str()
}

fn text_of(arg: Option<&PyObjectRef>) -> Option<&str> {
    arg?.downcast_ref::<PyStr>()?.to_str()
}

/// An integer argument that may be missing or None.
fn integer(arg: Option<&PyObjectRef>, missing: isize, vm: &VirtualMachine) -> Option<isize> {
    let Some(arg) = arg.filter(|arg| !vm.is_none(arg)) else { return Some(missing) };
    Some(as_float(arg.downcast_ref::<PyInt>()?.as_bigint()) as isize)
}

/// An argument by position or by name, without those that are None.
fn argument<'a>(args: &'a FuncArgs, at: usize, name: &str, vm: &VirtualMachine) -> Option<&'a PyObjectRef> {
    args.args.get(at).or_else(|| args.kwargs.get(name)).filter(|arg| !vm.is_none(arg))
}

/// Refuses the calls on texts that are not ASCII in which the interpreter would go wrong.
fn refuse(
    class: &'static Py<PyType>,
    name: &'static str,
    goes_wrong: impl Fn(&FuncArgs) -> bool + 'static,
    vm: &VirtualMachine,
) {
    let check = move |args: &mut FuncArgs, vm: &VirtualMachine| match receiver(args)
        .is_some_and(|text| !text.is_ascii())
        && goes_wrong(args)
    {
        true => Err(vm.new_not_implemented_error(format!(
            "str.{name} is not part of attn in this form for text that is not ASCII"
        ))),
        false => Ok(()),
    };
    check_first(class, name, check, vm);
}

/// `text.expandtabs(0)` removes tabs; the interpreter counts below 0, and of no text at all it divides by 0.
fn expand_tabs(own: &Own, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let size = argument(&args, 1, "tabsize", vm).and_then(|size| size.downcast_ref::<PyInt>());
    match args.args.first() {
        Some(text) if size.is_some_and(|size| as_float(size.as_bigint()) <= 0.0) => {
            let (tab, nothing): (PyObjectRef, PyObjectRef) = match text.downcast_ref::<PyStr>() {
                Some(_) => (vm.ctx.new_str("\t").into(), vm.ctx.empty_str.to_owned().into()),
                None => (vm.ctx.new_bytes(b"\t".to_vec()).into(), vm.ctx.new_bytes(Vec::new()).into()),
            };
            vm.call_method(text, "replace", (tab, nothing))
        }
        _ => own.call(args, vm),
    }
}

/// `text.join(parts)`: the message about what is no text names its position. Parts that come one by one are gathered first,
/// as CPython does.
fn joined(args: &mut FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
    let [_, parts] = &mut args.args[..] else { return Ok(()) };
    if parts.downcast_ref::<PyStr>().is_some() {
        return Ok(());
    }
    if parts.downcast_ref::<PyTuple>().is_none() && parts.downcast_ref::<PyList>().is_none() {
        *parts = vm.ctx.new_list(parts.try_to_value::<Vec<PyObjectRef>>(vm)?).into();
    }
    let all_texts = |parts: &[PyObjectRef]| match parts.iter().position(|part| !part.downcastable::<PyStr>())
    {
        Some(index) => Err(vm.new_type_error(format!(
            "sequence item {index}: expected str instance, {} found",
            parts[index].class().name()
        ))),
        None => Ok(()),
    };
    if let Some(parts) = parts.downcast_ref::<PyTuple>() {
        all_texts(parts.as_slice())
    } else if let Some(parts) = parts.downcast_ref::<PyList>() {
        all_texts(&parts.borrow_vec())
    } else {
        Ok(())
    }
}

/// Whether CPython takes a character for white space: four separators more than Unicode does.
fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\x1c'..='\x1f').contains(&c)
}

/// Whether the interpreter knows the white space of this text.
fn has_known_spaces(text: &str) -> bool {
    !text.bytes().any(|byte| !byte.is_ascii() || (0x1c..=0x1f).contains(&byte))
}

/// `text.split(None, maxsplit)` and `text.rsplit(None, maxsplit)`.
fn split(own: &Own, args: FuncArgs, back: bool, vm: &VirtualMachine) -> PyResult {
    let parts = || {
        let text = receiver(&args).filter(|text| !has_known_spaces(text))?;
        let are_known =
            args.args.len() <= 3 && args.kwargs.keys().all(|name| name == "sep" || name == "maxsplit");
        if !are_known || argument(&args, 1, "sep", vm).is_some() {
            return None;
        }
        let most = integer(argument(&args, 2, "maxsplit", vm), -1, vm)?;
        Some(words(text, usize::try_from(most).unwrap_or(usize::MAX), back))
    };
    match parts() {
        Some(parts) => {
            let parts = parts.into_iter().map(|part| vm.ctx.new_str(part).into()).collect();
            Ok(vm.ctx.new_list(parts).into())
        }
        None => own.call(args, vm),
    }
}

/// What is between white space. What is beyond so many words, at the end or if `back` at the start, is one more.
fn words(text: &str, most: usize, back: bool) -> Vec<&str> {
    let (mut found, mut rest) = (Vec::new(), text);
    loop {
        rest = if back { rest.trim_end_matches(is_space) } else { rest.trim_start_matches(is_space) };
        let end = if back { rest.rfind(is_space) } else { rest.find(is_space) };
        let Some(end) = end.filter(|_| found.len() < most) else { break };
        if back {
            let after = end + rest[end..].chars().next().map_or(1, char::len_utf8);
            found.push(&rest[after..]);
            rest = &rest[..after];
        } else {
            found.push(&rest[..end]);
            rest = &rest[end..];
        }
    }
    found.extend(Some(rest).filter(|rest| !rest.is_empty()));
    if back {
        found.reverse();
    }
    found
}

/// `text.strip(chars)`, `lstrip` and `rstrip`: white space that the interpreter does not know, and characters of another
/// alphabet.
fn strip(own: &Own, args: FuncArgs, left: bool, right: bool, vm: &VirtualMachine) -> PyResult {
    let kept = || {
        let text = receiver(&args)?;
        if args.args.len() > 2 || !args.kwargs.is_empty() {
            return None;
        }
        let given = argument(&args, 1, "", vm);
        let characters = given.map(|given| text_of(Some(given)));
        let goes: &dyn Fn(char) -> bool = match characters {
            Some(Some(characters)) if !characters.is_ascii() => &|c| characters.contains(c),
            None if !has_known_spaces(text) => &is_space,
            _ => return None,
        };
        let kept = if left { text.trim_start_matches(goes) } else { text };
        Some(if right { kept.trim_end_matches(goes) } else { kept })
    };
    match kept() {
        Some(kept) if args.args[0].class().is(vm.ctx.types.str_type) && receiver(&args) == Some(kept) => {
            Ok(args.args[0].clone())
        }
        Some(kept) => Ok(vm.ctx.new_str(kept).into()),
        None => own.call(args, vm),
    }
}

/// `text.__format__(spec)`: the interpreter cuts to the precision after it has padded, and counts bytes.
fn format(own: &Own, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let formatted = || Some(Specification::parse(text_of(args.args.get(1))?, "s")?.text(receiver(&args)?));
    match formatted() {
        Some(Ok(text)) => Ok(vm.ctx.new_str(text).into()),
        Some(Err(message)) => Err(vm.new_value_error(message)),
        None => own.call(args, vm),
    }
}

/// A letter by its category. Characters of later versions than the table's are taken for letters as Rust takes them.
fn is_letter(c: char) -> bool {
    match GeneralCategory::of(c) {
        GeneralCategory::Unassigned => c.is_alphabetic(),
        category => category.is_letter(),
    }
}

/// A decimal digit of any alphabet, or one above or below the line.
fn is_digit(c: char) -> bool {
    GeneralCategory::of(c) == GeneralCategory::DecimalNumber
        || matches!(c, '¹' | '²' | '³' | '⁰' | '⁴'..='⁹' | '₀'..='₉')
}

/// Whether the test is true of each character of a text that is not ASCII.
fn all(own: &Own, args: FuncArgs, test: fn(char) -> bool, vm: &VirtualMachine) -> PyResult {
    let plain = args.args.len() == 1 && args.kwargs.is_empty();
    match receiver(&args).filter(|text| plain && !text.is_ascii()) {
        Some(text) => Ok(vm.ctx.new_bool(text.chars().all(test)).into()),
        None => own.call(args, vm),
    }
}

type Subscript = fn(PyMapping<'_>, &PyObject, &VirtualMachine) -> PyResult;

static SUBSCRIPT: OnceLock<Subscript> = OnceLock::new();

/// `text[start:stop:step]` of a text that is not ASCII: the interpreter states a wrong length for `text[::2]`.
fn subscript(text: PyMapping<'_>, at: &PyObject, vm: &VirtualMachine) -> PyResult {
    if let (Some(text), Some(slice)) = (text.obj.downcast_ref::<PyStr>(), at.downcast_ref::<PySlice>())
        && !text.isascii()
        && slice.step.as_ref().is_some_and(|step| !vm.is_none(step))
        && let Some(characters) = text.to_str()
    {
        let (range, step, _) = SaturatedSlice::with_slice(slice, vm)?.adjust_indices(text.char_len());
        let window = characters.chars().skip(range.start).take(range.len());
        let stride = step.unsigned_abs();
        let part: String = match step {
            1.. => window.step_by(stride).collect(),
            _ => window.collect::<Vec<char>>().into_iter().rev().step_by(stride).collect(),
        };
        return Ok(vm.ctx.new_str(part).into());
    }
    SUBSCRIPT.get().expect(KEPT)(text, at, vm)
}
