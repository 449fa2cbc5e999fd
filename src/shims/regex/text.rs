//! The text of a search: how the engine walks over it, and how a part of it is taken.
//!
//! The engine counts characters. In bytes and in text of ASCII alone they are found at once; in other text a search goes on
//! from a place that is known, so that the matches of a long text are not each counted from its beginning.

use std::cell::Cell;
use std::ops::Range;

use rustpython_sre_engine::{StrDrive, StringCursor};
use rustpython_vm::{Context, PyObjectRef, builtins::PyStr, common::wtf8::Wtf8};

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
pub(super) struct Watched<S>(S);

impl<S: StrDrive> StrDrive for Watched<S> {
    fn count(&self) -> usize {
        self.0.count()
    }

    fn create_cursor(&self, n: usize) -> StringCursor {
        self.0.create_cursor(n)
    }

    fn adjust_cursor(&self, cursor: &mut StringCursor, n: usize) {
        worked(1);
        self.0.adjust_cursor(cursor, n);
    }

    // The engine's own `advance` over bytes reads the byte behind the one that it passes.
    fn advance(cursor: &mut StringCursor) -> u32 {
        let passed = S::peek(cursor);
        worked(1);
        S::skip(cursor, 1);
        passed
    }

    fn peek(cursor: &StringCursor) -> u32 {
        worked(1);
        S::peek(cursor)
    }

    fn skip(cursor: &mut StringCursor, n: usize) {
        worked(1 + n / 16);
        S::skip(cursor, n);
    }

    fn back_advance(cursor: &mut StringCursor) -> u32 {
        worked(1);
        S::back_advance(cursor)
    }

    fn back_peek(cursor: &StringCursor) -> u32 {
        worked(1);
        S::back_peek(cursor)
    }

    fn back_skip(cursor: &mut StringCursor, n: usize) {
        worked(1 + n / 16);
        S::back_skip(cursor, n);
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
pub(super) trait Text: Copy {
    /// How the engine walks over it.
    type Drive: StrDrive;

    fn drive(self) -> Watched<Self::Drive>;

    fn length(self) -> usize;

    /// The place of a position. `near` is a known one: the nearer, the less is counted.
    fn place(self, position: usize, near: Place) -> Place;

    /// A part, as a Python object.
    fn object(self, part: Range<Place>, ctx: &Context) -> PyObjectRef;

    /// A part, as a Python object.
    fn slice(self, part: Range<usize>, near: Place, ctx: &Context) -> PyObjectRef {
        let start = self.place(part.start, near);
        let end = self.place(part.end.max(part.start), start);
        self.object(start..end, ctx)
    }
}

/// Anything that gives bytes.
impl<'a> Text for &'a [u8] {
    type Drive = &'a [u8];

    fn drive(self) -> Watched<&'a [u8]> {
        Watched(self)
    }

    fn length(self) -> usize {
        self.len()
    }

    fn place(self, position: usize, _near: Place) -> Place {
        Place { position, byte: position }
    }

    fn object(self, part: Range<Place>, ctx: &Context) -> PyObjectRef {
        ctx.new_bytes(self[part.start.byte..part.end.byte].to_vec()).into()
    }
}

/// A string of ASCII alone: its characters are its bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ascii<'a>(pub(super) &'a Wtf8);

impl<'a> Text for Ascii<'a> {
    type Drive = &'a [u8];

    fn drive(self) -> Watched<&'a [u8]> {
        Watched(self.0.as_bytes())
    }

    fn length(self) -> usize {
        self.0.len()
    }

    fn place(self, position: usize, _near: Place) -> Place {
        Place { position, byte: position }
    }

    fn object(self, part: Range<Place>, ctx: &Context) -> PyObjectRef {
        ctx.new_str(&self.0[part.start.byte..part.end.byte]).into()
    }
}

/// A string with characters of several bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wide<'a> {
    text: &'a Wtf8,
    length: usize,
}

impl<'a> Wide<'a> {
    pub(super) fn new(string: &'a PyStr) -> Wide<'a> {
        Wide { text: string.as_wtf8(), length: string.char_len() }
    }
}

/// Whether a byte is not the first of its character.
fn continues(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

impl<'a> Text for Wide<'a> {
    type Drive = &'a Wtf8;

    fn drive(self) -> Watched<&'a Wtf8> {
        Watched(self.text)
    }

    fn length(self) -> usize {
        self.length
    }

    fn place(self, position: usize, near: Place) -> Place {
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

    fn object(self, part: Range<Place>, ctx: &Context) -> PyObjectRef {
        ctx.new_str(&self.text[part.start.byte..part.end.byte]).into()
    }
}
