//! `_archive`: zip archives whose entries are not compressed, as `torch.save` writes them, in memory.

pub(crate) use native::module_def;

#[rustpython_vm::pymodule(name = "_archive")]
mod native {
    use std::io::{Cursor, Read, Write};

    use rustpython_vm::{
        PyObjectRef, PyResult, TryFromObject, VirtualMachine,
        builtins::{PyBaseExceptionRef, PyDictRef, PyTupleRef},
        function::{ArgBytesLike, ArgIterable},
    };
    use zip::{CompressionMethod, ZipArchive, ZipWriter, write::SimpleFileOptions};

    /// The bytes of an archive of these `(name, bytes)`. The contents of each entry begin at a multiple of 64.
    #[pyfunction]
    fn pack(entries: ArgIterable<PyTupleRef>, vm: &VirtualMachine) -> PyResult<Vec<u8>> {
        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        let options =
            SimpleFileOptions::default().compression_method(CompressionMethod::Stored).with_alignment(64);
        for entry in entries.iter(vm)? {
            let entry = entry?;
            let [name, bytes] = entry.as_slice() else {
                return Err(vm.new_type_error("an entry is a name and its bytes"));
            };
            let name = String::try_from_object(vm, name.clone())?;
            let bytes = ArgBytesLike::try_from_object(vm, bytes.clone())?;
            archive.start_file(name, options).map_err(|error| failed(error, vm))?;
            bytes.with_ref(|bytes| archive.write_all(bytes)).map_err(|error| failed(error, vm))?;
        }
        Ok(archive.finish().map_err(|error| failed(error, vm))?.into_inner())
    }

    /// The entries of an archive: a dict of bytes by name. Errors: it is no archive, or an entry is compressed.
    #[pyfunction]
    fn unpack(bytes: ArgBytesLike, vm: &VirtualMachine) -> PyResult<PyDictRef> {
        let entries = vm.ctx.new_dict();
        bytes.with_ref(|bytes| {
            let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| failed(error, vm))?;
            for at in 0..archive.len() {
                let entry = archive.by_index(at).map_err(|error| failed(error, vm))?;
                let name = entry.name().map_err(|error| failed(error, vm))?.into_owned();
                // What is stored as it is cannot be larger than the archive.
                let most = bytes.len() as u64;
                let mut contents = Vec::new();
                entry.take(most).read_to_end(&mut contents).map_err(|error| failed(error, vm))?;
                entries.set_item(&*name, PyObjectRef::from(vm.ctx.new_bytes(contents)), vm)?;
            }
            Ok(())
        })?;
        Ok(entries)
    }

    fn failed(error: impl std::fmt::Display, vm: &VirtualMachine) -> PyBaseExceptionRef {
        vm.new_value_error(error.to_string())
    }
}
