//! `_crc32`: the checksum of zip archives, for `binascii`.

pub(crate) use native::module_def;

#[rustpython_vm::pymodule(name = "_crc32")]
mod native {
    use rustpython_vm::function::{ArgBytesLike, OptionalArg};

    /// The checksum of bytes, after those that `value` is the checksum of.
    #[pyfunction]
    fn crc32(data: ArgBytesLike, value: OptionalArg<u32>) -> u32 {
        let mut hasher = crc32fast::Hasher::new_with_initial(value.unwrap_or(0));
        data.with_ref(|bytes| hasher.update(bytes));
        hasher.finalize()
    }
}
