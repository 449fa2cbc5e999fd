//! Modules beside the program: the `.py` files of its folders can be imported. Nothing else of them is read.

use std::path::{Path, PathBuf};

use rustpython_vm::builtins::PyStrRef;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{PyResult, VirtualMachine};

use super::absent::add_finder;
use super::outside::fs;

/// The folders whose modules a program imports.
#[derive(Clone, Debug, Default)]
pub struct LocalModules {
    /// The folders, in the order in which they are searched.
    pub(crate) roots: Vec<PathBuf>,
    /// The package that the program itself belongs to; empty if it is in none.
    pub(crate) package: String,
    /// The program's own file, if it is a script: `__file__`.
    pub(crate) file: Option<PathBuf>,
}

impl LocalModules {
    /// Those of a file: its folder, or the one that has its package, and the nearest that has a `pyproject.toml`, with its
    /// `src`. They come before those that are known.
    pub(crate) fn of_file(&self, path: &Path) -> LocalModules {
        let mut folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let mut package = Vec::new();
        let mut roots = vec![folder.clone()];
        while folder.join("__init__.py").is_file() {
            let Some(name) = folder.file_name() else { break };
            package.insert(0, name.to_string_lossy().into_owned());
            folder = folder.parent().unwrap_or(Path::new("")).to_owned();
            roots = vec![folder.clone(), roots[0].clone()];
        }
        let full = fs::canonicalize(if folder.as_os_str().is_empty() { Path::new(".") } else { &folder });
        let above = full.ok().and_then(|full| {
            full.ancestors().find(|it| it.join("pyproject.toml").is_file()).map(Path::to_owned)
        });
        if let Some(above) = above {
            // As it is seen from here, for messages.
            let here = std::env::current_dir().and_then(fs::canonicalize).unwrap_or_default();
            let above = above.strip_prefix(&here).map(Path::to_owned).unwrap_or(above);
            roots.extend([above.join("src"), above]);
        }
        roots.extend(self.roots.iter().cloned());
        let file = path.extension().is_some_and(|it| it == "py").then(|| path.to_owned());
        LocalModules { roots, package: package.join("."), file }
    }

    /// The file of a module, and whether it is a package.
    fn file(&self, name: &str) -> Option<(PathBuf, bool)> {
        let inside: PathBuf = name.split('.').collect();
        self.roots.iter().find_map(|root| {
            let path = root.join(&inside);
            let package = path.join("__init__.py");
            let module = path.with_extension("py");
            match (package.is_file(), module.is_file(), path.is_dir()) {
                (true, ..) => Some((package, true)),
                (_, true, _) => Some((module, false)),
                // A folder without `__init__.py` is a package too.
                (.., true) if has_modules(&path) => Some((path, true)),
                _ => None,
            }
        })
    }
}

fn has_modules(folder: &Path) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).any(|path| path.extension().is_some_and(|ending| ending == "py"))
}

/// Puts a finder of local modules behind those of the modules that attn has.
pub(super) fn install(modules: LocalModules, vm: &VirtualMachine) -> PyResult<()> {
    if modules.roots.is_empty() {
        return Ok(());
    }
    let find = move |name: PyStrRef, _rest: FuncArgs, vm: &VirtualMachine| -> PyResult {
        let text = name.as_wtf8().to_string_lossy().into_owned();
        let Some((path, package)) = modules.file(&text) else { return Ok(vm.ctx.none()) };
        let source = match path.is_file() {
            true => fs::read_to_string(&path)
                .map_err(|error| vm.new_import_error(format!("{}: {error}", path.display()), name.clone()))?,
            false => String::new(),
        };
        let shown = path.display().to_string();
        vm.import("_local", 0)?.get_attr("spec", vm)?.call((name, shown, source, package), vm)
    };
    add_finder(find, vm)
}
