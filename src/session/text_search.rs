//! Methods of texts and bytes that search, and `in`: `find`, `count`, `replace`, `split`, `strip` and their kin. Long ones
//! look whether the cell is to stop. Where the interpreter differs from CPython they are computed here too: it counts and
//! replaces the empty text between the bytes of a character, and does not know four separators as white space.

use std::sync::OnceLock;

use memchr::memmem::{Finder, FinderRev};
use rustpython_vm::{
    AsObject, PyObject, PyObjectRef, PyResult, VirtualMachine, builtins::PyStr, function::FuncArgs,
    protocol::PySequence,
};

use super::contents::{Content, STEP, append, integer, length};
use super::guards::{Own, around_native};
use super::long::check;

/// Installs the methods on the types of this thread. `sizes.rs` installs `replace`, whose result may be too large.
pub(super) fn install(vm: &VirtualMachine) {
    let types = &vm.ctx.types;
    let slot = &types.str_type.slots.as_sequence.contains;
    OWN_CONTAINS.get_or_init(|| slot.load().expect("a text can be searched"));
    slot.store(Some(contains));
    for class in [types.str_type, types.bytes_type, types.bytearray_type] {
        around_native(class, "find", |own, args, vm| index(own, args, first, false, vm), vm);
        around_native(class, "rfind", |own, args, vm| index(own, args, last, false, vm), vm);
        around_native(class, "index", |own, args, vm| index(own, args, first, true, vm), vm);
        around_native(class, "rindex", |own, args, vm| index(own, args, last, true, vm), vm);
        around_native(class, "count", count, vm);
        around_native(class, "partition", |own, args, vm| partition(own, args, false, vm), vm);
        around_native(class, "rpartition", |own, args, vm| partition(own, args, true, vm), vm);
        around_native(class, "split", |own, args, vm| split(own, args, false, vm), vm);
        around_native(class, "rsplit", |own, args, vm| split(own, args, true, vm), vm);
        around_native(class, "splitlines", splitlines, vm);
        around_native(class, "strip", |own, args, vm| strip(own, args, true, true, vm), vm);
        around_native(class, "lstrip", |own, args, vm| strip(own, args, true, false, vm), vm);
        around_native(class, "rstrip", |own, args, vm| strip(own, args, false, true, vm), vm);
    }
}

type Contains = fn(PySequence<'_>, &PyObject, &VirtualMachine) -> PyResult<bool>;

static OWN_CONTAINS: OnceLock<Contains> = OnceLock::new();

/// `part in text`.
fn contains(text: PySequence<'_>, part: &PyObject, vm: &VirtualMachine) -> PyResult<bool> {
    let both = text.obj.downcast_ref::<PyStr>().zip(part.downcast_ref::<PyStr>());
    let Some((text, part)) = both.filter(|(text, _)| text.as_wtf8().len() > STEP) else {
        let own = OWN_CONTAINS.get().expect("install() keeps the original before it replaces the slot");
        return own(text, part, vm);
    };
    let (text, part) = (text.as_wtf8().as_bytes(), part.as_wtf8().as_bytes());
    Ok(first(text, part, vm)?.is_some())
}

/// The content that a method is called on and what it looks for there, if the method is computed here.
fn searched(args: &FuncArgs) -> Option<(Content<'_>, Content<'_>)> {
    let [object, part, ..] = &args.args[..] else { return None };
    let content = Content::of(object).filter(Content::is_long)?;
    let part = Content::of(part).filter(|part| part.is_text() == content.is_text())?;
    (!part.bytes().is_empty()).then_some((content, part))
}

/// The range, in characters, that `start` and `end` of a method name: it may be empty or turned around.
fn range(args: &FuncArgs, characters: usize, vm: &VirtualMachine) -> Option<(usize, usize)> {
    if args.args.len() > 4 || !args.kwargs.is_empty() {
        return None;
    }
    let within = |at: isize| match at {
        0.. => at as usize,
        _ => characters.saturating_sub(at.unsigned_abs()),
    };
    let (start, end) = (integer(args.args.get(2), 0, vm)?, integer(args.args.get(3), isize::MAX, vm)?);
    Some((within(start), within(end).min(characters)))
}

/// Where `part` begins first in the bytes.
fn first(bytes: &[u8], part: &[u8], vm: &VirtualMachine) -> PyResult<Option<usize>> {
    // Preparing the search for a long part takes long too.
    if part.len() > bytes.len() {
        return Ok(None);
    }
    let finder = Finder::new(part);
    // A long part is searched in long steps, so that few bytes are searched twice.
    let step = STEP.max(4 * part.len());
    for start in (0..bytes.len()).step_by(step) {
        check(vm)?;
        let end = bytes.len().min(start + step + part.len());
        if let Some(at) = finder.find(&bytes[start..end]) {
            return Ok(Some(start + at));
        }
    }
    Ok(None)
}

/// Where `part` begins last in the bytes.
fn last(bytes: &[u8], part: &[u8], vm: &VirtualMachine) -> PyResult<Option<usize>> {
    if part.len() > bytes.len() {
        return Ok(None);
    }
    let finder = FinderRev::new(part);
    let step = STEP.max(4 * part.len());
    let mut end = bytes.len();
    while end >= part.len() {
        check(vm)?;
        let start = end.saturating_sub(step + part.len() - 1);
        if let Some(at) = finder.rfind(&bytes[start..end]) {
            return Ok(Some(start + at));
        }
        if start == 0 {
            break;
        }
        end = start + part.len() - 1;
    }
    Ok(None)
}

type Find = fn(&[u8], &[u8], &VirtualMachine) -> PyResult<Option<usize>>;

/// `find`, `rfind`, `index` and `rindex`.
fn index(own: &Own, args: FuncArgs, find: Find, must: bool, vm: &VirtualMachine) -> PyResult {
    let characters = args.args.first().and_then(|object| length(object)).unwrap_or(0);
    let (Some((content, part)), Some((start, end))) = (searched(&args), range(&args, characters, vm)) else {
        return own.call(args, vm);
    };
    let (from, to) = (content.place(start, vm)?, content.place(end, vm)?);
    let found = if from < to { find(&content.bytes()[from..to], part.bytes(), vm)? } else { None };
    match found {
        Some(at) => Ok(vm.ctx.new_int(content.characters(from + at, vm)?).into()),
        None if must && content.is_text() => Err(vm.new_value_error("substring not found")),
        None if must => Err(vm.new_value_error("subsection not found")),
        None => Ok(vm.ctx.new_int(-1).into()),
    }
}

/// Calls `each` with the place of each occurrence, from left to right; they do not overlap. It ends when `each` returns
/// false.
fn occurrences(
    bytes: &[u8],
    part: &[u8],
    vm: &VirtualMachine,
    mut each: impl FnMut(usize) -> PyResult<bool>,
) -> PyResult<()> {
    if part.len() > bytes.len() {
        return Ok(());
    }
    let finder = Finder::new(part);
    let step = STEP.max(4 * part.len());
    let mut from = 0;
    while from < bytes.len() {
        check(vm)?;
        // Those that begin in this step.
        let end = bytes.len().min(from + step);
        let window = &bytes[..bytes.len().min(end + part.len() - 1)];
        while let Some(at) = finder.find(&window[from..]) {
            if !each(from + at)? {
                return Ok(());
            }
            from += at + part.len();
        }
        from = from.max(end);
    }
    Ok(())
}

/// The same from right to left.
fn occurrences_back(
    bytes: &[u8],
    part: &[u8],
    vm: &VirtualMachine,
    mut each: impl FnMut(usize) -> PyResult<bool>,
) -> PyResult<()> {
    if part.len() > bytes.len() {
        return Ok(());
    }
    let finder = FinderRev::new(part);
    let step = STEP.max(4 * part.len());
    let mut to = bytes.len();
    while to > 0 {
        check(vm)?;
        // Those that end in this step.
        let start = to.saturating_sub(step);
        let window = start.saturating_sub(part.len() - 1);
        while let Some(at) = finder.rfind(&bytes[window..to]) {
            if !each(window + at)? {
                return Ok(());
            }
            to = window + at;
            if to <= window {
                break;
            }
        }
        to = to.min(start);
    }
    Ok(())
}

/// `count(part, start, end)`.
fn count(own: &Own, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let [object, part, ..] = &args.args[..] else { return own.call(args, vm) };
    let characters = length(object).unwrap_or(0);
    let Some((start, end)) = range(&args, characters, vm) else { return own.call(args, vm) };
    let is_between_characters = match (Content::of(object), Content::of(part)) {
        (Some(Content::Text(text)), Some(Content::Text(""))) => !text.is_ascii(),
        _ => false,
    };
    if is_between_characters {
        let count = if start <= end { end - start + 1 } else { 0 };
        return Ok(vm.ctx.new_int(count).into());
    }
    let Some((content, part)) = searched(&args) else { return own.call(args, vm) };
    let (from, to) = (content.place(start, vm)?, content.place(end, vm)?);
    let mut found = 0_usize;
    if from < to {
        occurrences(&content.bytes()[from..to], part.bytes(), vm, |_| {
            found += 1;
            Ok(true)
        })?;
    }
    Ok(vm.ctx.new_int(found).into())
}

/// `partition(separator)` and, if `back`, `rpartition(separator)`.
fn partition(own: &Own, args: FuncArgs, back: bool, vm: &VirtualMachine) -> PyResult {
    let Some((content, part)) = searched(&args).filter(|_| args.args.len() == 2 && args.kwargs.is_empty())
    else {
        return own.call(args, vm);
    };
    let find = if back { last } else { first };
    let size = content.bytes().len();
    let parts = match find(content.bytes(), part.bytes(), vm)? {
        Some(at) => {
            let after = at + part.bytes().len();
            vec![content.part(0..at, vm), args.args[1].clone(), content.part(after..size, vm)]
        }
        None => {
            let (whole, empty) = (content.part(0..size, vm), content.part(0..0, vm));
            if back { vec![empty.clone(), empty, whole] } else { vec![whole, empty.clone(), empty] }
        }
    };
    Ok(vm.ctx.new_tuple(parts).into())
}

/// `replace(old, new, count)`.
pub(super) fn replace(own: &Own, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let [object, old, new, ..] = &args.args[..] else { return own.call(args, vm) };
    let most = args.args.get(3).or_else(|| args.kwargs.get("count"));
    let (Some(content), Some(old), Some(new), Some(most)) =
        (Content::of(object), Content::of(old), Content::of(new), integer(most, -1, vm))
    else {
        return own.call(args, vm);
    };
    let is_between = old.bytes().is_empty() && content.is_text() && !content.bytes().is_ascii();
    let are_alike = old.is_text() == content.is_text() && new.is_text() == content.is_text();
    let has_others = args.kwargs.keys().any(|name| name != "count");
    if !(content.is_long() || is_between) || !are_alike || args.args.len() > 4 || has_others {
        drop((content, old, new));
        return own.call(args, vm);
    }
    let (bytes, new) = (content.bytes(), new.bytes());
    let mut left = usize::try_from(most).unwrap_or(usize::MAX);
    let (mut whole, mut done, mut result) = (Vec::new(), 0, Ok(()));
    let mut put = |at: usize, size: usize| {
        append(&mut whole, &bytes[done..at], vm)?;
        done = at + size;
        append(&mut whole, new, vm)
    };
    if left > 0 && old.bytes().is_empty() {
        content.scan(vm, |at, _, _| {
            left -= 1;
            result = put(at, 0);
            left > 0 && result.is_ok()
        })?;
        if left > 0 && result.is_ok() {
            result = put(bytes.len(), 0);
        }
    } else if left > 0 {
        occurrences(bytes, old.bytes(), vm, |at| {
            left -= 1;
            put(at, old.bytes().len())?;
            Ok(left > 0)
        })?;
    }
    result?;
    append(&mut whole, &bytes[done..], vm)?;
    Ok(content.made(whole, vm))
}

/// Whether CPython takes a character for white space: in texts four separators more than Unicode, in bytes only ASCII.
fn is_space(c: char, in_text: bool) -> bool {
    match in_text {
        true => c.is_whitespace() || ('\x1c'..='\x1f').contains(&c),
        false => matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c'),
    }
}

/// Whether the interpreter knows the white space of this content.
fn has_known_spaces(content: &Content<'_>) -> bool {
    !content.is_text() || !content.bytes().iter().any(|byte| !byte.is_ascii() || (0x1c..=0x1f).contains(byte))
}

/// An argument by position or by name, without those that are None.
fn argument<'a>(args: &'a FuncArgs, at: usize, name: &str, vm: &VirtualMachine) -> Option<&'a PyObjectRef> {
    args.args.get(at).or_else(|| args.kwargs.get(name)).filter(|arg| !vm.is_none(arg))
}

/// `split(sep, maxsplit)` and `rsplit(sep, maxsplit)`.
fn split(own: &Own, args: FuncArgs, back: bool, vm: &VirtualMachine) -> PyResult {
    let Some(content) = args.args.first().and_then(|object| Content::of(object)) else {
        return own.call(args, vm);
    };
    let separator = argument(&args, 1, "sep", vm);
    let is_taken = content.is_long() || (separator.is_none() && !has_known_spaces(&content));
    let are_known =
        args.args.len() <= 3 && args.kwargs.keys().all(|name| name == "sep" || name == "maxsplit");
    let most = integer(argument(&args, 2, "maxsplit", vm), -1, vm);
    let part = separator.map(|separator| Content::of(separator));
    let fits = match &part {
        None => true,
        Some(Some(part)) => part.is_text() == content.is_text() && !part.bytes().is_empty(),
        Some(None) => false,
    };
    let (true, true, true, Some(most)) = (is_taken, are_known, fits, most) else {
        drop((content, part));
        return own.call(args, vm);
    };
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let mut found = match part.flatten() {
        Some(part) => between(&content, part.bytes(), most, back, vm)?,
        None => words(&content, most, back, vm)?,
    };
    if back {
        found.reverse();
    }
    Ok(vm.ctx.new_list(found).into())
}

/// What is between separators, beginning at the end if `back`.
fn between(
    content: &Content<'_>,
    separator: &[u8],
    most: usize,
    back: bool,
    vm: &VirtualMachine,
) -> PyResult<Vec<PyObjectRef>> {
    let bytes = content.bytes();
    let (mut found, mut start, mut end) = (Vec::new(), 0, bytes.len());
    if most > 0 && back {
        occurrences_back(bytes, separator, vm, |at| {
            found.push(content.part(at + separator.len()..end, vm));
            end = at;
            Ok(found.len() < most)
        })?;
    } else if most > 0 {
        occurrences(bytes, separator, vm, |at| {
            found.push(content.part(start..at, vm));
            start = at + separator.len();
            Ok(found.len() < most)
        })?;
    }
    found.push(content.part(start..end, vm));
    Ok(found)
}

/// What is between white space, beginning at the end if `back`. The last one has the rest, with the white space in it.
fn words(content: &Content<'_>, most: usize, back: bool, vm: &VirtualMachine) -> PyResult<Vec<PyObjectRef>> {
    let (size, in_text) = (content.bytes().len(), content.is_text());
    let (mut found, mut open) = (Vec::new(), None);
    // `open` is where the current word begins, or ends if `back`.
    let see = |at: usize, wide: usize, c: char| {
        let near = if back { at + wide } else { at };
        match (is_space(c, in_text), open) {
            (true, Some(from)) => {
                found.push(content.part(if back { near..from } else { from..near }, vm));
                open = None;
            }
            (false, None) if found.len() == most => {
                found.push(content.part(if back { 0..near } else { near..size }, vm));
                return false;
            }
            (false, None) => open = Some(near),
            _ => {}
        }
        true
    };
    match back {
        true => content.scan_back(vm, see)?,
        false => content.scan(vm, see)?,
    }
    if let Some(from) = open {
        found.push(content.part(if back { 0..from } else { from..size }, vm));
    }
    Ok(found)
}

/// `splitlines(keepends)`.
fn splitlines(own: &Own, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let Some(content) = args.args.first().and_then(|object| Content::of(object)) else {
        return own.call(args, vm);
    };
    let are_known = args.args.len() <= 2 && args.kwargs.keys().all(|name| name == "keepends");
    if !content.is_long() || !are_known {
        drop(content);
        return own.call(args, vm);
    }
    let keeps = match argument(&args, 1, "keepends", vm) {
        Some(keeps) => keeps.clone().try_to_bool(vm)?,
        None => false,
    };
    let in_text = content.is_text();
    let ends = |c: char| match c {
        '\n' | '\r' => true,
        '\x0b' | '\x0c' | '\x1c'..='\x1e' | '\u{85}' | '\u{2028}' | '\u{2029}' => in_text,
        _ => false,
    };
    let (mut found, mut start, mut carriage) = (Vec::new(), 0, None);
    content.scan(vm, |at, wide, c| {
        if let Some(line) = carriage.take() {
            // `\r\n` ends one line.
            let end = if c == '\n' { at + 1 } else { at };
            found.push(content.part(start..if keeps { end } else { line }, vm));
            start = end;
            if c == '\n' {
                return true;
            }
        }
        if c == '\r' {
            carriage = Some(at);
        } else if ends(c) {
            found.push(content.part(start..if keeps { at + wide } else { at }, vm));
            start = at + wide;
        }
        true
    })?;
    let size = content.bytes().len();
    if start < size {
        let end = carriage.filter(|_| !keeps).unwrap_or(size);
        found.push(content.part(start..end, vm));
    }
    Ok(vm.ctx.new_list(found).into())
}

/// `strip(chars)`, `lstrip(chars)` and `rstrip(chars)`.
fn strip(own: &Own, args: FuncArgs, left: bool, right: bool, vm: &VirtualMachine) -> PyResult {
    let Some(content) = args.args.first().and_then(|object| Content::of(object)) else {
        return own.call(args, vm);
    };
    let given = argument(&args, 1, "", vm);
    let characters = given.map(|given| Content::of(given));
    let fits = match &characters {
        None => true,
        Some(Some(characters)) => characters.is_text() == content.is_text(),
        Some(None) => false,
    };
    // In an ASCII text the interpreter removes nothing if one of the characters is of another alphabet.
    let is_taken = content.is_long()
        || match &characters {
            Some(Some(characters)) => !characters.bytes().is_ascii(),
            _ => given.is_none() && !has_known_spaces(&content),
        };
    if !is_taken || !fits || args.args.len() > 2 || !args.kwargs.is_empty() {
        drop((content, characters));
        return own.call(args, vm);
    }
    let in_text = content.is_text();
    let removed: Option<Vec<char>> = characters.flatten().map(|characters| match &characters {
        Content::Text(text) => text.chars().collect(),
        bytes => bytes.bytes().iter().map(|&byte| char::from(byte)).collect(),
    });
    let goes = |c: char| match &removed {
        Some(removed) => removed.contains(&c),
        None => is_space(c, in_text),
    };
    let (mut start, mut end) = (0, content.bytes().len());
    if left {
        start = end;
        content.scan(vm, |at, _, c| {
            let is_kept = !goes(c);
            if is_kept {
                start = at;
            }
            !is_kept
        })?;
    }
    if right && start < end {
        end = start;
        content.scan_back(vm, |at, wide, c| {
            let is_kept = !goes(c);
            if is_kept {
                end = at + wide;
            }
            !is_kept
        })?;
    }
    if start == 0 && end == content.bytes().len() && args.args[0].class().is(vm.ctx.types.str_type) {
        return Ok(args.args[0].clone());
    }
    Ok(content.part(start..end, vm))
}
