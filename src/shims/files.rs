//! `_files`: what `open`, `os` and `pathlib` (in `py/`) do with files. All of it goes through [`FileAccess`], which decides.

use std::cell::RefCell;
use std::fmt;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::time::UNIX_EPOCH;

use cap_std::fs::OpenOptions;
use rustpython_vm::{
    AsObject, PyObjectRef, PyPayload, PyResult, VirtualMachine,
    builtins::{PyBaseExceptionRef, PyStrRef},
    class::PyClassImpl,
    function::{ArgBytesLike, ArgMemoryBuffer},
    pyclass,
};

use super::file_access::{Access, FileAccess, Opened, Refusal};

/// Makes `_files` importable.
pub(super) fn install(access: FileAccess, vm: &VirtualMachine) -> PyResult<()> {
    Files::make_static_type();
    OpenFile::make_static_type();
    let files = Files { access }.into_pyobject(vm);
    vm.sys_module.get_attr("modules", vm)?.set_item("_files", files, vm)
}

/// The module: functions over paths.
#[pyclass(module = false, name = "_files")]
#[derive(Debug, PyPayload)]
struct Files {
    access: FileAccess,
}

#[pyclass]
impl Files {
    /// The folder in which relative paths begin; `None` if no file is open to cells.
    #[pymethod]
    fn home(&self) -> Option<String> {
        self.access.home().map(|home| home.to_string_lossy().into_owned())
    }

    /// Opens a file in a mode of `open` of one letter.
    #[pymethod]
    fn open(&self, path: PyStrRef, mode: PyStrRef, vm: &VirtualMachine) -> PyResult<OpenFile> {
        let mode = text(&mode);
        let mut options = OpenOptions::new();
        match mode.as_str() {
            "r" => options.read(true),
            "w" => options.write(true).create(true).truncate(true),
            "x" => options.write(true).create_new(true),
            "a" => options.append(true).create(true),
            _ => return Err(vm.new_value_error(format!("invalid mode: '{mode}'"))),
        };
        let access = if mode == "r" { Access::Read } else { Access::Write };
        let file = self.done("open", &path, |files, path| files.open(path, &options, access), vm)?;
        Ok(OpenFile { file: RefCell::new(Some(file)) })
    }

    /// Kind (`file`, `dir`, `link` or `other`), bytes, and seconds of the last change.
    #[pymethod]
    fn stat(&self, path: PyStrRef, follow: bool, vm: &VirtualMachine) -> PyResult<(&'static str, u64, f64)> {
        let found = self.done("os.stat", &path, |access, path| access.metadata(path, follow), vm)?;
        let kind = match found.file_type() {
            kind if kind.is_file() => "file",
            kind if kind.is_dir() => "dir",
            kind if kind.is_symlink() => "link",
            _ => "other",
        };
        let changed = found.modified().ok().and_then(|time| time.into_std().duration_since(UNIX_EPOCH).ok());
        Ok((kind, found.len(), changed.map_or(0.0, |since| since.as_secs_f64())))
    }

    /// The names in a folder, each with whether it is a folder.
    #[pymethod]
    fn names(&self, path: PyStrRef, vm: &VirtualMachine) -> PyResult {
        let names = self.done("os.listdir", &path, FileAccess::names, vm)?;
        let pair = |(name, is_folder): (String, bool)| {
            vm.ctx.new_tuple(vec![vm.ctx.new_str(name).into(), vm.ctx.new_bool(is_folder).into()]).into()
        };
        Ok(vm.ctx.new_list(names.into_iter().map(pair).collect()).into())
    }

    #[pymethod]
    fn mkdir(&self, path: PyStrRef, vm: &VirtualMachine) -> PyResult<()> {
        self.done("os.mkdir", &path, |files, path| files.change(path, |folder, at| folder.create_dir(at)), vm)
    }

    #[pymethod]
    fn remove(&self, path: PyStrRef, vm: &VirtualMachine) -> PyResult<()> {
        self.done(
            "os.remove",
            &path,
            |files, path| files.change(path, |folder, at| folder.remove_file(at)),
            vm,
        )
    }

    #[pymethod]
    fn rmdir(&self, path: PyStrRef, vm: &VirtualMachine) -> PyResult<()> {
        self.done("os.rmdir", &path, |files, path| files.change(path, |folder, at| folder.remove_dir(at)), vm)
    }

    #[pymethod]
    fn rename(&self, from: PyStrRef, to: PyStrRef, vm: &VirtualMachine) -> PyResult<()> {
        let to = text(&to);
        self.done("os.rename", &from, |access, from| access.rename(from, &to), vm)
    }
}

impl Files {
    /// What a function of `os` does with a path. Errors: the exception that it raises.
    fn done<T>(
        &self,
        function: &str,
        path: &PyStrRef,
        act: impl FnOnce(&FileAccess, &str) -> Result<T, Refusal>,
        vm: &VirtualMachine,
    ) -> PyResult<T> {
        let path = text(path);
        act(&self.access, &path).map_err(|refusal| raised(refusal, function, &path, vm))
    }
}

/// An open file; `io.FileIO` wraps it.
#[pyclass(module = false, name = "_OpenFile")]
#[derive(PyPayload)]
struct OpenFile {
    file: RefCell<Option<Opened>>,
}

impl fmt::Debug for OpenFile {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("OpenFile")
    }
}

#[pyclass]
impl OpenFile {
    /// Reads into a buffer as much as comes at once; returns how much.
    #[pymethod]
    fn readinto(&self, buffer: ArgMemoryBuffer, vm: &VirtualMachine) -> PyResult<usize> {
        vm.check_signals()?;
        self.with(vm, |file| buffer.with_ref(|bytes| file.read(bytes)))
    }

    #[pymethod]
    fn write(&self, bytes: ArgBytesLike, vm: &VirtualMachine) -> PyResult<usize> {
        vm.check_signals()?;
        self.with(vm, |file| bytes.with_ref(|bytes| file.writable()?.write(bytes)))
    }

    /// Moves to `offset` from the start (0), from here (1) or from the end (2); returns the place from the start.
    #[pymethod]
    fn seek(&self, offset: i64, whence: i32, vm: &VirtualMachine) -> PyResult<u64> {
        let place = match whence {
            0 => SeekFrom::Start(
                u64::try_from(offset).map_err(|_| vm.new_value_error("negative seek position"))?,
            ),
            1 => SeekFrom::Current(offset),
            2 => SeekFrom::End(offset),
            _ => return Err(vm.new_value_error(format!("invalid whence ({whence}, should be 0, 1 or 2)"))),
        };
        self.with(vm, |file| file.seek(place))
    }

    #[pymethod]
    fn close(&self) {
        self.file.take();
    }
}

impl OpenFile {
    fn with<T>(&self, vm: &VirtualMachine, act: impl FnOnce(&mut Opened) -> io::Result<T>) -> PyResult<T> {
        match self.file.borrow_mut().as_mut() {
            Some(file) => act(file).map_err(|error| system_error(&error, None, vm)),
            None => Err(vm.new_value_error("I/O operation on closed file.")),
        }
    }
}

fn text(value: &PyStrRef) -> String {
    value.as_wtf8().to_string_lossy().into_owned()
}

/// The exception for a file that is not opened.
fn raised(refusal: Refusal, function: &str, path: &str, vm: &VirtualMachine) -> PyBaseExceptionRef {
    if path.contains('\0') {
        return vm.new_value_error("embedded null byte");
    }
    let message = match refusal {
        Refusal::System(error) => return system_error(&error, Some(path), vm),
        Refusal::NotAllowed(access) => {
            let (what, flag) = words(access);
            format!(
                "{function}('{path}'): attn {what} no files unless it is told to; run it again with {flag}"
            )
        }
        Refusal::Outside(access, open) => {
            let (what, flag) = words(access);
            let open: Vec<String> = open.iter().map(|path| path.display().to_string()).collect();
            let open = open.join(", ");
            format!(
                "{function}('{path}'): attn {what} only what {flag} opens, which is {open}; {flag}=PATH opens more"
            )
        }
    };
    exception("PermissionError", vec![vm.ctx.new_str(message).into()], vm)
}

fn words(access: Access) -> (&'static str, &'static str) {
    match access {
        Access::Read => ("reads", "--allow-read"),
        Access::Write => ("writes", "--allow-write"),
    }
}

/// What the system says, as Python's `OSError` with its number, text and file name.
fn system_error(error: &io::Error, path: Option<&str>, vm: &VirtualMachine) -> PyBaseExceptionRef {
    use io::ErrorKind as Kind;

    let (class, number, words) = match error.kind() {
        Kind::NotFound => ("FileNotFoundError", 2, "No such file or directory"),
        Kind::AlreadyExists => ("FileExistsError", 17, "File exists"),
        Kind::NotADirectory => ("NotADirectoryError", 20, "Not a directory"),
        Kind::IsADirectory => ("IsADirectoryError", 21, "Is a directory"),
        Kind::DirectoryNotEmpty => ("OSError", 39, "Directory not empty"),
        Kind::StorageFull => ("OSError", 28, "No space left on device"),
        Kind::PermissionDenied => ("PermissionError", 13, "Permission denied"),
        Kind::Unsupported => ("OSError", 22, "attn opens regular files only"),
        _ => ("OSError", error.raw_os_error().unwrap_or(5), "Input/output error"),
    };
    let mut args = vec![vm.ctx.new_int(number).into(), vm.ctx.new_str(words).into()];
    args.extend(path.map(|path| PyObjectRef::from(vm.ctx.new_str(path))));
    exception(class, args, vm)
}

fn exception(class: &'static str, args: Vec<PyObjectRef>, vm: &VirtualMachine) -> PyBaseExceptionRef {
    let made = vm.builtins.as_object().get_attr(class, vm).and_then(|class| class.call(args, vm));
    match made.and_then(|made| made.try_into_value(vm)) {
        Ok(exception) => exception,
        Err(error) => error,
    }
}
