//! Methods of texts and bytes so long that each takes seconds: they work in parts, and look between two whether the cell is
//! to stop.

use rustpython_vm::{PyObjectRef, PyResult, VirtualMachine, builtins::PyStr, function::FuncArgs};
use unic_ucd_category::GeneralCategory;

use super::contents::{Content, STEP, Steps, append};
use super::guards::{Own, around_native};
use super::long::{check, no_room};

/// Installs the methods on the types of this thread. `sizes.rs` installs those whose results may be too large.
pub(super) fn install(vm: &VirtualMachine) {
    let types = &vm.ctx.types;
    around_native(types.str_type, "casefold", |own, args, vm| joined(own, args, STEP, vm), vm);
    for class in [types.str_type, types.bytes_type, types.bytearray_type] {
        around_native(class, "upper", |own, args, vm| joined(own, args, STEP, vm), vm);
        around_native(class, "lower", lower, vm);
        around_native(class, "capitalize", capitalize, vm);
        around_native(class, "title", title, vm);
    }
    for class in [types.bytes_type, types.bytearray_type] {
        around_native(class, "swapcase", |own, args, vm| joined(own, args, STEP, vm), vm);
        around_native(class, "translate", |own, args, vm| joined(own, args, STEP, vm), vm);
    }
}

/// The content that a method is called on, if it is long.
fn receiver(args: &FuncArgs) -> Option<Content<'_>> {
    Content::of(args.args.first()?).filter(Content::is_long)
}

/// Where the part that begins at a byte ends, so many bytes on or a little before.
fn part_end(content: &Content<'_>, start: usize, step: usize) -> usize {
    match content {
        Content::Text(text) => text.floor_char_boundary(start + step),
        other => other.bytes().len().min(start + step),
    }
}

/// A method whose result is that of all parts, one after the other.
fn joined(own: &Own, args: FuncArgs, step: usize, vm: &VirtualMachine) -> PyResult {
    in_parts(own, args, step, |_, _| None, vm)
}

/// A method whose result for a part depends on the character before it: each part but the first is given with a character
/// that has the same effect.
fn continued(own: &Own, args: FuncArgs, before: fn(char) -> char, vm: &VirtualMachine) -> PyResult {
    let put = |content: &Content<'_>, start: usize| match content {
        Content::Text(text) => text[..start].chars().next_back().map(before),
        other => start.checked_sub(1).map(|at| before(char::from(other.bytes()[at]))),
    };
    in_parts(own, args, STEP, put, vm)
}

/// The character before decides whether a letter begins a word.
fn before_in_title(c: char) -> char {
    let is_title = || GeneralCategory::of(c) == GeneralCategory::TitlecaseLetter;
    if c.is_lowercase() || c.is_uppercase() || is_title() { 'a' } else { '-' }
}

/// Calls the method for each part, behind the ASCII character that `put` returns; its part of the result is left out.
fn in_parts(
    own: &Own,
    args: FuncArgs,
    step: usize,
    put: impl Fn(&Content<'_>, usize) -> Option<char>,
    vm: &VirtualMachine,
) -> PyResult {
    let Some(content) = receiver(&args) else { return own.call(args, vm) };
    let (mut whole, mut start) = (Vec::new(), 0);
    while start < content.bytes().len() {
        check(vm)?;
        let end = part_end(&content, start, step);
        let put = put(&content, start);
        let mut part: Vec<u8> = put.iter().map(|&c| c as u8).collect();
        part.extend_from_slice(&content.bytes()[start..end]);
        let mut call = args.clone();
        call.args[0] = content.made(part, vm);
        let result = own.call(call, vm)?;
        let Some(result) = Content::of(&result) else { break };
        append(&mut whole, &result.bytes()[usize::from(put.is_some())..], vm)?;
        start = end;
    }
    Ok(content.made(whole, vm))
}

/// Capital letters of which the interpreter has only the usual small form or no form for titles: sigma, and those of two
/// letters.
const SPECIAL: [char; 5] = ['\u{3a3}', '\u{1c4}', '\u{1c7}', '\u{1ca}', '\u{1f1}'];

/// The text that a method is called on, if it has such letters.
fn special(args: &FuncArgs) -> Option<&str> {
    let text = args.args.first()?.downcast_ref::<PyStr>().filter(|text| !text.isascii())?;
    text.to_str().filter(|text| text.contains(SPECIAL))
}

fn capitalize(own: &Own, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    match special(&args) {
        Some(text) => titled(own, text, false, vm),
        None => continued(own, args, |_| 'a', vm),
    }
}

fn title(own: &Own, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    match special(&args) {
        Some(text) => titled(own, text, true, vm),
        None => continued(own, args, before_in_title, vm),
    }
}

/// A text whose first letter, or the first of each word, is in title case, and each other one is small.
fn titled(own: &Own, text: &str, words: bool, vm: &VirtualMachine) -> PyResult {
    let (mut whole, mut begins, mut start) = (String::new(), true, 0);
    for part in Steps(text) {
        check(vm)?;
        reserve(&mut whole, part.len(), vm)?;
        for (at, c) in part.char_indices() {
            match c {
                _ if begins && c.is_ascii() => whole.push(c.to_ascii_uppercase()),
                // The form for titles follows the capital form.
                _ if begins && SPECIAL[1..].contains(&c) => whole.extend(char::from_u32(u32::from(c) + 1)),
                _ if begins => {
                    let letter: PyObjectRef = vm.ctx.new_str(c.to_string()).into();
                    let letter = own.call(FuncArgs::from(vec![letter]), vm)?;
                    whole.push_str(
                        letter.downcast_ref::<PyStr>().and_then(|text| text.to_str()).unwrap_or(""),
                    );
                }
                '\u{3a3}' => whole.push(small_sigma(text, start + at)),
                _ => whole.extend(c.to_lowercase()),
            }
            begins = words && before_in_title(c) == '-';
        }
        start += part.len();
    }
    Ok(vm.ctx.new_str(whole).into())
}

/// The small form of the capital sigma at this place: another one at the end of a word. What decides is near.
pub(super) fn small_sigma(text: &str, at: usize) -> char {
    const NEAR: usize = 64;
    let start = text.floor_char_boundary(at.saturating_sub(NEAR));
    let end = text.ceil_char_boundary(text.len().min(at + NEAR));
    // Both forms take two bytes.
    let before = text[start..at].to_lowercase().len();
    text[start..end].to_lowercase()[before..].chars().next().unwrap_or('\u{3c3}')
}

/// `text.lower()`. What becomes of a capital sigma depends on the whole word: parts of such a text end after white space.
fn lower(own: &Own, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let has_sigma = match args.args.first().and_then(|object| object.downcast_ref::<PyStr>()) {
        Some(text) if !text.isascii() => text.to_str().is_some_and(|text| text.contains('\u{3a3}')),
        _ => false,
    };
    if !has_sigma {
        return joined(own, args, STEP, vm);
    }
    let Some(Content::Text(text)) = receiver(&args) else { return own.call(args, vm) };
    let (mut whole, mut rest) = (String::new(), text);
    while !rest.is_empty() {
        check(vm)?;
        let part = &rest[..rest.floor_char_boundary(STEP)];
        let end = if part.len() == rest.len() { None } else { part.rfind([' ', '\n']).map(|at| at + 1) };
        let (part, after) = rest.split_at(end.unwrap_or(rest.len()));
        let lower = part.to_lowercase();
        reserve(&mut whole, lower.len(), vm)?;
        whole.push_str(&lower);
        rest = after;
    }
    Ok(vm.ctx.new_str(whole).into())
}

pub(super) fn reserve(text: &mut String, more: usize, vm: &VirtualMachine) -> PyResult<()> {
    text.try_reserve(more).map_err(|_| no_room(vm))
}

/// `text.translate(table)`, which asks the table for each character.
pub(super) fn translate(own: &Own, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    joined(own, args, STEP / 64, vm)
}

/// `expandtabs(tabsize)`.
pub(super) fn expandtabs(own: &Own, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let size = args.args.get(1).or_else(|| args.kwargs.get("tabsize"));
    let size = super::contents::integer(size, 8, vm);
    let (Some(content), Some(size), true) = (receiver(&args), size, args.args.len() + args.kwargs.len() <= 2)
    else {
        return own.call(args, vm);
    };
    let size = usize::try_from(size).unwrap_or(0);
    let (mut whole, mut done, mut column, mut result) = (Vec::new(), 0, 0, Ok(()));
    content.scan(vm, |at, _, c| {
        match c {
            '\t' => {
                let spaces = if size == 0 { 0 } else { size - column % size };
                result = append(&mut whole, &content.bytes()[done..at], vm)
                    .and_then(|()| append(&mut whole, &b" ".repeat(spaces), vm));
                (done, column) = (at + 1, column + spaces);
            }
            '\n' | '\r' => column = 0,
            _ => column += 1,
        }
        result.is_ok()
    })?;
    result?;
    append(&mut whole, &content.bytes()[done..], vm)?;
    Ok(content.made(whole, vm))
}
