//! `_archive`: zip archives whose entries are not compressed, as `torch.save` and `numpy.savez` write them, in memory.
//! Source: PKWARE's APPNOTE, 4.3 and 4.5.3.

pub(crate) use native::module_def;

/// What begins the header of an entry, its row in the directory, and the end of the directory.
const HEADER: &[u8] = b"PK\x03\x04";
const ROW: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";
/// The same end with 64-bit numbers, and the place of that.
const LONG_END: &[u8] = b"PK\x06\x06";
const LONG_END_PLACE: &[u8] = b"PK\x06\x07";
/// The extra field of 64-bit numbers, and the one with which PyTorch aligns contents.
const LONG: usize = 1;
const ALIGNMENT: u16 = u16::from_le_bytes(*b"FB");

/// What a header and a row of the directory both say of an entry: the version, flags, method, time, checksum and sizes.
fn facts(name: &str, contents: &[u8]) -> Option<Vec<u8>> {
    let size = u32::try_from(contents.len()).ok()?.to_le_bytes();
    let length = u16::try_from(name.len()).ok()?;
    let flags: u16 = if name.is_ascii() { 0 } else { 0x800 };
    // The first of January 1980 at midnight.
    let mut facts: Vec<u8> = [20, flags, 0, 0, 0x21].into_iter().flat_map(u16::to_le_bytes).collect();
    facts.extend(crc32fast::hash(contents).to_le_bytes());
    facts.extend([size, size].as_flattened());
    facts.extend(length.to_le_bytes());
    Some(facts)
}

/// The bytes of an archive, in which the contents of each entry begin at a multiple of 64. `None` if it is too large: the
/// numbers of it have 32 bits.
fn packed(entries: &[(String, Vec<u8>)]) -> Option<Vec<u8>> {
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for (name, contents) in entries {
        let facts = facts(name, contents)?;
        let start = u32::try_from(archive.len()).ok()?;
        let before = archive.len() + HEADER.len() + facts.len() + 2 + 4 + name.len();
        let padding = before.next_multiple_of(64) - before;
        archive.extend([HEADER, &facts, &(padding as u16 + 4).to_le_bytes(), name.as_bytes()].concat());
        archive.extend([ALIGNMENT.to_le_bytes(), (padding as u16).to_le_bytes()].as_flattened());
        archive.resize(before + padding, 0);
        archive.extend_from_slice(contents);
        directory.extend([ROW, &[20, 0], &facts, &[0; 12], &start.to_le_bytes(), name.as_bytes()].concat());
    }
    let (start, size) = (u32::try_from(archive.len()).ok()?, u32::try_from(directory.len()).ok()?);
    let count = u16::try_from(entries.len()).ok().filter(|count| *count < u16::MAX)?.to_le_bytes();
    archive.extend(directory);
    archive
        .extend([END, &[0; 4], &count, &count, &size.to_le_bytes(), &start.to_le_bytes(), &[0; 2]].concat());
    Some(archive)
}

/// The number in so many bytes at a place.
fn number(bytes: &[u8], at: usize, width: usize) -> Option<usize> {
    let digits = bytes.get(at..at.checked_add(width)?)?;
    usize::try_from(digits.iter().rev().fold(0_u64, |number, digit| number << 8 | u64::from(*digit))).ok()
}

fn part(bytes: &[u8], at: usize, length: usize) -> Option<&[u8]> {
    bytes.get(at..at.checked_add(length)?)
}

fn begins(bytes: &[u8], at: usize, with: &[u8]) -> Option<()> {
    bytes.get(at..)?.starts_with(with).then_some(())
}

/// How many entries the directory has, and where it begins.
fn directory(archive: &[u8]) -> Option<(usize, usize)> {
    // A comment of up to 64 kB may follow.
    let last = archive.len().checked_sub(22)?;
    let end = (last.saturating_sub(1 << 16)..=last).rev().find(|at| archive[*at..].starts_with(END))?;
    let (count, start) = (number(archive, end + 10, 2)?, number(archive, end + 16, 4)?);
    if count < 0xffff && start < 0xffff_ffff {
        return Some((count, start));
    }
    let place = end.checked_sub(20)?;
    begins(archive, place, LONG_END_PLACE)?;
    let end = number(archive, place + 8, 8)?;
    begins(archive, end, LONG_END)?;
    Some((number(archive, end.checked_add(32)?, 8)?, number(archive, end.checked_add(48)?, 8)?))
}

/// The sizes and the place of an entry, where the row of the directory has them, or with 64 bits in its extra field.
fn sizes(row: &[u8], mut extra: &[u8]) -> Option<[usize; 3]> {
    let mut long = &[][..];
    while let (Some(kind), Some(length)) = (number(extra, 0, 2), number(extra, 2, 2)) {
        if kind == LONG {
            long = part(extra, 4, length)?;
        }
        extra = extra.get(4 + length..).unwrap_or_default();
    }
    let mut sizes = [number(row, 24, 4)?, number(row, 20, 4)?, number(row, 42, 4)?];
    for size in sizes.iter_mut().filter(|size| **size == 0xffff_ffff) {
        *size = number(long, 0, 8)?;
        long = &long[8..];
    }
    Some(sizes)
}

/// The name and the content of an entry.
type Entry<'a> = (String, &'a [u8]);

/// All entries. Errors: the first that is compressed; `None` if the bytes are no archive.
fn unpacked(archive: &[u8]) -> Option<Result<Vec<Entry<'_>>, String>> {
    let (count, mut at) = directory(archive)?;
    let mut entries = Vec::new();
    for _ in 0..count {
        begins(archive, at, ROW)?;
        let row = archive.get(at..)?;
        let (flags, method, sum) = (number(row, 8, 2)?, number(row, 10, 2)?, number(row, 16, 4)?);
        let lengths = [number(row, 28, 2)?, number(row, 30, 2)?, number(row, 32, 2)?];
        let name = String::from_utf8_lossy(part(row, 46, lengths[0])?).into_owned();
        let [size, stored, start] = sizes(row, part(row, 46 + lengths[0], lengths[1])?)?;
        at += 46 + lengths.iter().sum::<usize>();
        if flags & 1 != 0 || method != 0 || size != stored {
            return Some(Err(format!("{name} is compressed or encrypted; attn reads archives that are not")));
        }
        begins(archive, start, HEADER)?;
        let header = archive.get(start..)?;
        let contents = part(header, 30 + number(header, 26, 2)? + number(header, 28, 2)?, size)?;
        if crc32fast::hash(contents) as usize != sum {
            return Some(Err(format!("the checksum of {name} is not that of its bytes")));
        }
        entries.push((name, contents));
    }
    Some(Ok(entries))
}

#[rustpython_vm::pymodule(name = "_archive")]
mod native {
    use rustpython_vm::{
        PyObjectRef, PyResult, TryFromObject, VirtualMachine,
        builtins::{PyDictRef, PyTupleRef},
        function::{ArgBytesLike, ArgIterable},
    };

    /// The bytes of an archive of these `(name, bytes)`. The contents of each entry begin at a multiple of 64.
    #[pyfunction]
    fn pack(entries: ArgIterable<PyTupleRef>, vm: &VirtualMachine) -> PyResult<Vec<u8>> {
        let mut given = Vec::new();
        for entry in entries.iter(vm)? {
            let entry = entry?;
            let [name, bytes] = entry.as_slice() else {
                return Err(vm.new_type_error("an entry is a name and its bytes"));
            };
            let bytes = ArgBytesLike::try_from_object(vm, bytes.clone())?;
            given.push((String::try_from_object(vm, name.clone())?, bytes.borrow_buf().to_vec()));
        }
        super::packed(&given).ok_or_else(|| vm.new_value_error("attn writes archives of up to 4 GiB"))
    }

    /// The entries of an archive: a dict of bytes by name. Errors: it is no archive, or an entry is compressed.
    #[pyfunction]
    fn unpack(bytes: ArgBytesLike, vm: &VirtualMachine) -> PyResult<PyDictRef> {
        let entries = vm.ctx.new_dict();
        bytes.with_ref(|bytes| {
            let found =
                super::unpacked(bytes).unwrap_or_else(|| Err("the bytes are no zip archive".to_owned()));
            for (name, contents) in found.map_err(|error| vm.new_value_error(error))? {
                entries.set_item(&*name, PyObjectRef::from(vm.ctx.new_bytes(contents.to_vec())), vm)?;
            }
            Ok(())
        })?;
        Ok(entries)
    }
}
