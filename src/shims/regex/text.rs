//! The text of a search: how the engine walks over it, and how a part of it is taken.
//!
//! The engine counts characters. In text of ASCII alone they are found at once; in other text a search goes on from a place
//! that is known, so that the matches of a long text are not each counted from its beginning. Bytes are searched as the
//! characters with their numbers.

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::Range;

use rustpython_sre_engine::{Request, StrDrive, StringCursor};
use rustpython_vm::{
    Context, PyObject, PyObjectRef, PyResult, TryFromBorrowedObject, VirtualMachine,
    builtins::PyStr,
    common::wtf8::{Wtf8, Wtf8Buf},
    protocol::PyBuffer,
};

use crate::kernel::stop;

thread_local! {
    /// The work of the engine since it last asked whether the cell is to stop.
    static WORK: Cell<usize> = const { Cell::new(0) };
}

/// How many characters the engine looks at before it asks again whether the cell is to stop.
const PATIENCE: usize = 4096;

fn worked(characters: usize) {
    WORK.with(|work| {
        let done = work.get() + characters;
        if done < PATIENCE {
            work.set(done);
        } else {
            work.set(0);
            stop::check();
        }
    });
}

/// A text that asks, as the engine walks over it, whether the cell is to stop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Watched<'a> {
    text: &'a Wtf8,
    is_ascii: bool,
}

impl StrDrive for Watched<'_> {
    fn count(&self) -> usize {
        self.text.count()
    }

    fn create_cursor(&self, n: usize) -> StringCursor {
        if self.is_ascii { self.text.as_bytes().create_cursor(n) } else { self.text.create_cursor(n) }
    }

    fn adjust_cursor(&self, cursor: &mut StringCursor, n: usize) {
        worked(1);
        match self.is_ascii {
            true => self.text.as_bytes().adjust_cursor(cursor, n),
            false => self.text.adjust_cursor(cursor, n),
        }
    }

    fn advance(cursor: &mut StringCursor) -> u32 {
        worked(1);
        <&Wtf8>::advance(cursor)
    }

    fn peek(cursor: &StringCursor) -> u32 {
        worked(1);
        <&Wtf8>::peek(cursor)
    }

    fn skip(cursor: &mut StringCursor, n: usize) {
        worked(1 + n / 16);
        <&Wtf8>::skip(cursor, n);
    }

    fn back_advance(cursor: &mut StringCursor) -> u32 {
        worked(1);
        <&Wtf8>::back_advance(cursor)
    }

    fn back_peek(cursor: &StringCursor) -> u32 {
        worked(1);
        <&Wtf8>::back_peek(cursor)
    }

    fn back_skip(cursor: &mut StringCursor, n: usize) {
        worked(1 + n / 16);
        <&Wtf8>::back_skip(cursor, n);
    }
}

/// A place in a text.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    /// In characters.
    pub(super) position: usize,
    /// In bytes.
    byte: usize,
}

/// What is searched. Positions are in characters.
pub(super) struct Text<'a> {
    text: Cow<'a, Wtf8>,
    pub(super) length: usize,
    is_ascii: bool,
    is_bytes: bool,
}

/// Whether a byte is not the first of its character.
fn continues(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

impl<'a> Text<'a> {
    /// The text of a string, or of bytes, as the pattern asks for. Errors: not such a text.
    pub(super) fn of(object: &'a PyObject, is_bytes: bool, vm: &VirtualMachine) -> PyResult<Text<'a>> {
        if let Some(string) = object.downcast_ref::<PyStr>() {
            if is_bytes {
                return Err(vm.new_type_error("cannot use a bytes pattern on a string-like object"));
            }
            let (text, length) = (Cow::Borrowed(string.as_wtf8()), string.char_len());
            return Ok(Text { text, length, is_ascii: string.isascii(), is_bytes });
        }
        match PyBuffer::try_from_borrowed_object(vm, object) {
            Ok(buffer) if is_bytes => {
                let text: String = buffer
                    .contiguous_or_collect(|bytes| bytes.iter().map(|byte| char::from(*byte)).collect());
                let (length, is_ascii) = (text.chars().count(), text.is_ascii());
                Ok(Text { text: Cow::Owned(Wtf8Buf::from(text)), length, is_ascii, is_bytes })
            }
            Ok(_) => Err(vm.new_type_error("cannot use a string pattern on a bytes-like object")),
            Err(_) => {
                let class = object.class();
                let class = class.name();
                Err(vm.new_type_error(format!("expected string or bytes-like object, got '{class}'")))
            }
        }
    }

    /// What the engine is asked for: a match that begins in a part of the text.
    pub(super) fn request<'r>(
        &'r self,
        code: &'r [u32],
        (start, end): (usize, usize),
        match_all: bool,
    ) -> Request<'r, Watched<'r>> {
        let string = Watched { text: &self.text, is_ascii: self.is_ascii };
        Request { string, start, end, pattern_codes: code, match_all, must_advance: false }
    }

    /// The place of a position. `near` is a known one: the nearer, the less is counted.
    pub(super) fn place(&self, position: usize, near: Place) -> Place {
        if self.is_ascii {
            return Place { position, byte: position };
        }
        let bytes = self.text.as_bytes();
        let mut place = if position < near.position / 2 { Place::default() } else { near };
        while place.position < position {
            let next = bytes[place.byte + 1..].iter().take_while(|byte| continues(**byte)).count();
            place = Place { position: place.position + 1, byte: place.byte + 1 + next };
        }
        while place.position > position {
            let before = bytes[..place.byte].iter().rev().take_while(|byte| continues(**byte)).count();
            place = Place { position: place.position - 1, byte: place.byte - before - 1 };
        }
        place
    }

    /// A part, as a Python object.
    pub(super) fn object(&self, part: Range<Place>, ctx: &Context) -> PyObjectRef {
        let part = &self.text[part.start.byte..part.end.byte];
        match self.is_bytes {
            true => ctx.new_bytes(part.code_points().map(|one| one.to_u32() as u8).collect()).into(),
            false => ctx.new_str(part).into(),
        }
    }

    /// A part, as a Python object.
    pub(super) fn slice(&self, part: Range<usize>, near: Place, ctx: &Context) -> PyObjectRef {
        let start = self.place(part.start, near);
        let end = self.place(part.end.max(part.start), start);
        self.object(start..end, ctx)
    }
}
