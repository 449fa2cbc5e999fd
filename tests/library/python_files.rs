//! Structure checks on the Python files: none imports itself through others, each is small and says what it is for.
//!
//! An import counts wherever it stands, inside a function too. A package that a file lies in does not count: Python
//! loads it before the file.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::cycles::cycles;

/// The folders whose layout is that of the modules.
const ROOTS: [&str; 3] = ["src/torch/py", "src/numpy/py", "src/shims/py"];

/// Lines that a file may have.
const LONGEST: usize = 500;

/// A Python file as a module.
struct Module {
    /// `torch.nn.modules.module`; of a package, without `__init__`.
    name: String,
    file: String,
    is_package: bool,
    text: String,
}

fn modules() -> Vec<Module> {
    let mut found = Vec::new();
    for root in ROOTS {
        collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join(root), "", &mut found);
    }
    assert!(found.len() > 50, "the Python files are where they are looked for");
    found
}

fn collect(folder: &Path, package: &str, found: &mut Vec<Module>) {
    for entry in fs::read_dir(folder).expect("the sources can be listed") {
        let path = entry.expect("a listed entry can be read").path();
        let stem = path.file_stem().expect("an entry has a name").to_string_lossy().into_owned();
        let name = if package.is_empty() { stem.clone() } else { format!("{package}.{stem}") };
        if path.is_dir() {
            collect(&path, &name, found);
        } else if path.extension().is_some_and(|ending| ending == "py") {
            let is_package = stem == "__init__";
            found.push(Module {
                name: if is_package { package.to_owned() } else { name },
                file: path.to_string_lossy().replace('\\', "/"),
                is_package,
                text: fs::read_to_string(&path).expect("a source file is text"),
            });
        }
    }
}

/// The statements that import, with parentheses over several lines put into one line.
fn imports(text: &str) -> Vec<String> {
    let mut statements: Vec<String> = Vec::new();
    let mut open = false;
    for line in text.lines().map(str::trim) {
        match statements.last_mut().filter(|_| open) {
            Some(statement) => statement.push_str(line),
            None if line.starts_with("import ")
                || (line.starts_with("from ") && line.contains(" import ")) =>
            {
                statements.push(line.to_owned());
            }
            None => continue,
        }
        let statement = statements.last().expect("a line was added");
        open = statement.contains('(') && !statement.contains(')');
    }
    statements
}

/// The modules that a statement may mean, the most precise first for each name.
fn targets(statement: &str, module: &Module) -> Vec<[String; 2]> {
    let statement = statement.split('#').next().unwrap_or_default();
    let plain = |name: &str| name.split(" as ").next().unwrap_or_default().trim().to_owned();
    if let Some(names) = statement.strip_prefix("import ") {
        return names.split(',').map(|name| [plain(name), String::new()]).collect();
    }
    let (base, names) =
        statement.trim_start_matches("from ").split_once(" import ").expect("it is an import statement");
    let inner = base.trim_start_matches('.');
    let up = base.len() - inner.len();
    let mut parts: Vec<&str> = if up == 0 { Vec::new() } else { module.name.split('.').collect() };
    let kept = (parts.len() + usize::from(module.is_package)).saturating_sub(up);
    parts.truncate(kept);
    parts.extend(Some(inner).filter(|inner| !inner.is_empty()));
    let base = parts.join(".");
    let names = names.trim_matches(['(', ')']).split(',').map(plain).filter(|name| !name.is_empty());
    names.map(|name| [format!("{base}.{name}"), base.clone()]).collect()
}

/// Which module imports which.
fn edges(modules: &[Module]) -> BTreeMap<&str, BTreeSet<&str>> {
    let known: BTreeSet<&str> = modules.iter().map(|module| module.name.as_str()).collect();
    let edges_of = |module: &Module| -> BTreeSet<&str> {
        let statements = imports(&module.text);
        let named = statements.iter().flat_map(|statement| targets(statement, module));
        let found = named.filter_map(|names| names.iter().find_map(|name| known.get(name.as_str()).copied()));
        let counts = |name: &&str| *name != module.name && !module.name.starts_with(&format!("{name}."));
        found.filter(counts).collect()
    };
    modules.iter().map(|module| (module.name.as_str(), edges_of(module))).collect()
}

#[test]
fn no_python_file_imports_itself_through_others() {
    let modules = modules();
    let found: Vec<String> = cycles(&edges(&modules)).iter().map(|group| group.join("\n    ")).collect();
    assert!(
        found.is_empty(),
        "{} groups of modules import each other:\n    {}",
        found.len(),
        found.join("\n\n    ")
    );
}

#[test]
fn python_files_are_small_and_say_what_they_are() {
    let mut broken = Vec::new();
    for Module { file, text, .. } in modules() {
        if text.lines().count() > LONGEST {
            broken.push(format!("{file}: more than {LONGEST} lines: part it by ideas"));
        }
        if !text.starts_with("\"\"\"") {
            broken.push(format!("{file}:1: the first line says what this file is: \"\"\"...\"\"\""));
        }
    }
    assert!(broken.is_empty(), "a structure check failed:\n{}\n", broken.join("\n"));
}

#[test]
fn imports_of_python_files_are_understood() {
    let module = |name: &str, is_package: bool, text: &str| Module {
        name: name.to_owned(),
        file: String::new(),
        is_package,
        text: text.to_owned(),
    };
    let package = module("a", true, "from .b import f\nfrom . import (\n    c,\n)\n");
    let b = module("a.b", false, "def f():\n    from .c import g\n");
    let c = module("a.c", false, "import a\nimport a.b as b  # again\n");
    assert_eq!(cycles(&edges(&[package, b, c])), [["a.b", "a.c"]]);
}
