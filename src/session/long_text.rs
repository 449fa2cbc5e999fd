//! Methods of texts so long that each takes seconds: they work in parts, and look between two whether the cell is to stop.

use memchr::memmem::Finder;
use rustpython_vm::{PyObjectRef, PyResult, VirtualMachine, builtins::PyStr, function::FuncArgs};

use super::guards::{Own, around_native};
use super::long::check;

/// Bytes of a part, and of a text that is not long.
const STEP: usize = 1 << 22;

/// Where a part may end: the last place in a text of this kind, if there is one.
type PartEnd = fn(&str) -> Option<usize>;

fn anywhere(text: &str) -> Option<usize> {
    Some(text.len())
}

/// After a character that is in no word: what becomes of a word depends on the whole of it.
fn between_words(text: &str) -> Option<usize> {
    text.rfind([' ', '\n']).map(|at| at + 1)
}

fn between_lines(text: &str) -> Option<usize> {
    text.rfind('\n').map(|at| at + 1)
}

/// Installs the methods on the type of this thread. `sizes.rs` installs those whose results may be too large.
pub(super) fn install(vm: &VirtualMachine) {
    let class = vm.ctx.types.str_type;
    for (name, end) in [
        ("upper", anywhere as PartEnd),
        ("casefold", anywhere),
        ("swapcase", anywhere),
        ("lower", between_words),
        ("title", between_words),
    ] {
        around_native(class, name, move |own, args, vm| joined(own, args, end, vm), vm);
    }
    around_native(class, "splitlines", |own, args, vm| listed(own, args, between_lines, vm), vm);
    around_native(class, "split", split, vm);
    around_native(class, "count", count, vm);
}

/// The parts of a text, or `None` if it has no places to divide it at.
fn parts(text: &str, end: PartEnd) -> Option<Vec<&str>> {
    let (mut parts, mut rest) = (Vec::new(), text);
    while rest.len() > STEP {
        let place = end(&rest[..rest.floor_char_boundary(STEP)])?;
        let (part, after) = rest.split_at(place);
        parts.push(part);
        rest = after;
    }
    parts.push(rest);
    Some(parts)
}

/// The text that a method is called on, if it is long.
#[inline]
fn receiver(args: &FuncArgs) -> Option<&str> {
    let text = args.args.first()?.downcast_ref::<PyStr>()?;
    if text.as_wtf8().len() > STEP { text.to_str() } else { None }
}

/// Calls `each` with what the method returns for each part. Returns whether the text was divided.
fn each_part(
    own: &Own,
    args: &FuncArgs,
    end: PartEnd,
    vm: &VirtualMachine,
    mut each: impl FnMut(PyObjectRef) -> PyResult<()>,
) -> PyResult<bool> {
    let Some(parts) = receiver(args).and_then(|text| parts(text, end)) else { return Ok(false) };
    for part in parts {
        check(vm)?;
        let mut args = args.clone();
        args.args[0] = vm.ctx.new_str(part).into();
        each(own.call(args, vm)?)?;
    }
    Ok(true)
}

/// A method whose result is that of all parts, one after the other.
fn joined(own: &Own, args: FuncArgs, end: PartEnd, vm: &VirtualMachine) -> PyResult {
    let mut whole = String::new();
    let divided = each_part(own, &args, end, vm, |part| {
        if let Some(part) = part.downcast_ref::<PyStr>().and_then(|part| part.to_str()) {
            reserve(&mut whole, part.len(), vm)?;
            whole.push_str(part);
        }
        Ok(())
    })?;
    if divided { Ok(vm.ctx.new_str(whole).into()) } else { own.call(args, vm) }
}

/// A method whose result is the list of what all parts give.
fn listed(own: &Own, args: FuncArgs, end: PartEnd, vm: &VirtualMachine) -> PyResult {
    let mut whole = Vec::new();
    let divided = each_part(own, &args, end, vm, |part| {
        whole.extend(part.try_to_value::<Vec<PyObjectRef>>(vm)?);
        Ok(())
    })?;
    if divided { Ok(vm.ctx.new_list(whole).into()) } else { own.call(args, vm) }
}

fn reserve(text: &mut String, more: usize, vm: &VirtualMachine) -> PyResult<()> {
    text.try_reserve(more).map_err(|_| vm.new_memory_error("the system has no room for this".to_owned()))
}

/// The texts that a method of a long text is given, as many as `N` and by position, none of them empty.
fn texts<const N: usize>(args: &FuncArgs) -> Option<(&str, [&str; N])> {
    let text = receiver(args)?;
    if args.args.len() != N + 1 || !args.kwargs.is_empty() {
        return None;
    }
    let mut given = [""; N];
    for (given, arg) in given.iter_mut().zip(&args.args[1..]) {
        *given = arg.downcast_ref::<PyStr>()?.to_str()?;
    }
    (!given[0].is_empty()).then_some((text, given))
}

/// Calls `each` with the place of each occurrence, from left to right; they do not overlap.
fn occurrences(
    text: &str,
    part: &str,
    vm: &VirtualMachine,
    mut each: impl FnMut(usize) -> PyResult<()>,
) -> PyResult<()> {
    let (bytes, finder) = (text.as_bytes(), Finder::new(part.as_bytes()));
    let step = STEP.max(4 * part.len());
    let mut from = 0;
    while from < bytes.len() {
        check(vm)?;
        // Those that begin in this step.
        let end = bytes.len().min(from + step);
        let window = &bytes[..bytes.len().min(end + part.len() - 1)];
        while let Some(at) = finder.find(&window[from..]) {
            each(from + at)?;
            from += at + part.len();
        }
        from = from.max(end);
    }
    Ok(())
}

/// `text.count(part)`.
fn count(own: &Own, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let Some((text, [part])) = texts(&args) else { return own.call(args, vm) };
    let mut found = 0_usize;
    occurrences(text, part, vm, |_| {
        found += 1;
        Ok(())
    })?;
    Ok(vm.ctx.new_int(found).into())
}

/// `text.translate(table)`.
pub(super) fn translate(own: &Own, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    joined(own, args, anywhere, vm)
}

/// `text.expandtabs()`.
pub(super) fn expandtabs(own: &Own, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    joined(own, args, between_lines, vm)
}

/// `text.replace(old, new)`.
pub(super) fn replace(own: &Own, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let Some((text, [old, new])) = texts(&args) else { return own.call(args, vm) };
    let (mut whole, mut done) = (String::new(), 0);
    occurrences(text, old, vm, |at| {
        reserve(&mut whole, at - done + new.len(), vm)?;
        whole.push_str(&text[done..at]);
        whole.push_str(new);
        done = at + old.len();
        Ok(())
    })?;
    reserve(&mut whole, text.len() - done, vm)?;
    whole.push_str(&text[done..]);
    Ok(vm.ctx.new_str(whole).into())
}

/// `text.split()` and `text.split(separator)`.
fn split(own: &Own, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    if args.args.len() == 1 && args.kwargs.is_empty() {
        return listed(own, args, between_words, vm);
    }
    let Some((text, [separator])) = texts(&args) else { return own.call(args, vm) };
    let (mut found, mut done) = (Vec::new(), 0);
    occurrences(text, separator, vm, |at| {
        found.push(vm.ctx.new_str(&text[done..at]).into());
        done = at + separator.len();
        Ok(())
    })?;
    found.push(vm.ctx.new_str(&text[done..]).into());
    Ok(vm.ctx.new_list(found).into())
}
