//! Padding to a long width: it is done in parts, between which the cell can be stopped. `zfill` of a text that is not ASCII
//! is done here too: the interpreter counts its bytes.

use rustpython_vm::{
    AsObject, PyObject, PyResult, VirtualMachine,
    builtins::{PyInt, PyStr},
    function::FuncArgs,
};

use super::contents::{Content, STEP, append, length};
use super::guards::Own;
use super::long::{check, no_room};

/// The parts on the left and on the right of so many characters that are missing to a width.
type Sides = fn(usize, usize) -> (usize, usize);

/// How a method of texts pads: `center`, `ljust`, `rjust` or `zfill`.
pub(super) fn method(name: &'static str) -> fn(&Own, FuncArgs, &VirtualMachine) -> PyResult {
    match name {
        "center" => |own, args, vm| padded(own, args, center, vm),
        "ljust" => |own, args, vm| padded(own, args, |missing, _| (0, missing), vm),
        "rjust" => |own, args, vm| padded(own, args, |missing, _| (missing, 0), vm),
        _ => zfill,
    }
}

/// As CPython: of an odd number the larger part is on the left if the width is odd too.
fn center(missing: usize, width: usize) -> (usize, usize) {
    let left = missing / 2 + (missing & width & 1);
    (left, missing - left)
}

/// The content that a call pads, the width that it names, and the number of characters.
fn given(args: &FuncArgs) -> Option<(Content<'_>, usize, usize)> {
    if !args.kwargs.is_empty() {
        return None;
    }
    let width = usize::try_from(args.args.get(1)?.downcast_ref::<PyInt>()?.as_bigint()).ok()?;
    let (object, characters) = (args.args.first()?, length(args.args.first()?)?);
    if width <= characters { None } else { Some((Content::of(object)?, width, characters)) }
}

fn padded(own: &Own, args: FuncArgs, sides: Sides, vm: &VirtualMachine) -> PyResult {
    let Some((content, width, length)) = given(&args).filter(|&(_, width, _)| width > STEP) else {
        return own.call(args, vm);
    };
    let fill = match &args.args[2..] {
        [] => Some(vec![b' ']),
        [fill] => one_character(fill, content.is_text()),
        _ => None,
    };
    let Some(fill) = fill else {
        drop(content);
        return own.call(args, vm);
    };
    let (left, right) = sides(width - length, width);
    let mut bytes = Vec::new();
    extend(&mut bytes, &fill, left, vm)?;
    append(&mut bytes, content.bytes(), vm)?;
    extend(&mut bytes, &fill, right, vm)?;
    Ok(content.made(bytes, vm))
}

/// The bytes of a character to fill with, of a text or of bytes.
fn one_character(fill: &PyObject, of_text: bool) -> Option<Vec<u8>> {
    let content = Content::of(fill).filter(|fill| fill.is_text() == of_text)?;
    (length(fill) == Some(1)).then(|| content.bytes().to_vec())
}

fn zfill(own: &Own, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let is_taken = |(content, width, _): &(Content<'_>, usize, usize)| {
        *width > STEP || (content.is_text() && !content.bytes().is_ascii())
    };
    let Some((content, width, length)) = given(&args).filter(is_taken) else {
        return own.call(args, vm);
    };
    let signs = usize::from(matches!(content.bytes().first(), Some(b'+' | b'-')));
    let mut bytes = content.bytes()[..signs].to_vec();
    extend(&mut bytes, b"0", width - length, vm)?;
    append(&mut bytes, &content.bytes()[signs..], vm)?;
    Ok(content.made(bytes, vm))
}

/// Adds `fill` so many times.
fn extend(bytes: &mut Vec<u8>, fill: &[u8], times: usize, vm: &VirtualMachine) -> PyResult<()> {
    bytes.try_reserve_exact(fill.len() * times).map_err(|_| no_room(vm))?;
    let each = times.min(STEP / fill.len().max(1));
    let part = fill.repeat(each);
    let mut left = times;
    while left > 0 {
        check(vm)?;
        let more = left.min(each);
        bytes.extend_from_slice(&part[..more * fill.len()]);
        left -= more;
    }
    Ok(())
}

/// A format specification with a long width, without what pads: `[[fill]align]...[width]...`.
struct Wide {
    fill: char,
    align: Option<char>,
    width: usize,
    rest: String,
}

impl Wide {
    /// Reads a specification; none if the width is not long, or zeros are put in after a sign.
    fn read(spec: &str) -> Option<Wide> {
        let letters: Vec<char> = spec.chars().collect();
        let is_align = |letter: Option<&char>| letter.is_some_and(|letter| "<>^=".contains(*letter));
        let (fill, align, after) = match &letters[..] {
            [fill, align, rest @ ..] if is_align(Some(align)) => (*fill, Some(*align), rest),
            [align, rest @ ..] if is_align(Some(align)) => (' ', Some(*align), rest),
            all => (' ', None, all),
        };
        let flags = after.iter().take_while(|letter| "+- z#".contains(**letter)).count();
        let digits: String = after[flags..].iter().take_while(|letter| letter.is_ascii_digit()).collect();
        let width = digits.parse().ok().filter(|&width| width > STEP)?;
        if align == Some('=') || (align.is_none() && digits.starts_with('0')) {
            return None;
        }
        let rest = after[..flags].iter().chain(&after[flags + digits.len()..]).collect();
        Some(Wide { fill, align, width, rest })
    }
}

/// `value.__format__(spec)`.
pub(super) fn format(own: &Own, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let spec = args.args.get(1).and_then(|spec| spec.downcast_ref::<PyStr>());
    let spec = spec.filter(|spec| spec.as_wtf8().len() > 6).and_then(|spec| spec.to_str());
    let Some(mut wide) = spec.and_then(Wide::read) else { return own.call(args, vm) };
    let value = &args.args[0];
    // A bool without a specification is a word, with one it is a number.
    if wide.rest.is_empty() && value.class().is(vm.ctx.types.bool_type) {
        wide.rest.push('d');
    }
    let text = own.call(FuncArgs::from(vec![value.clone(), vm.ctx.new_str(wide.rest).into()]), vm)?;
    let (Some(content), Some(length)) = (Content::of(&text), length(&text)) else { return Ok(text) };
    let Some(missing) = wide.width.checked_sub(length) else { return Ok(text.clone()) };
    let (left, right) = match wide.align {
        Some('^') => (missing / 2, missing - missing / 2),
        Some('>') => (missing, 0),
        None if value.downcast_ref::<PyStr>().is_none() => (missing, 0),
        _ => (0, missing),
    };
    let fill = wide.fill.to_string();
    let mut bytes = Vec::new();
    extend(&mut bytes, fill.as_bytes(), left, vm)?;
    append(&mut bytes, content.bytes(), vm)?;
    extend(&mut bytes, fill.as_bytes(), right, vm)?;
    Ok(content.made(bytes, vm))
}
