//! Structure checks on the Python files: none imports itself through others, each says what it is for.
//!
//! An import counts wherever it stands, inside a function too. A package that a file lies in does not count: Python
//! loads it before the file.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use ruff_python_ast::Stmt;
use ruff_python_ast::visitor::{Visitor, walk_stmt};
use ruff_python_parser::parse_module;

use super::structure::cycles;

/// The folders whose layout is that of the modules.
const ROOTS: [&str; 4] = ["src/torch/py", "src/numpy/py", "src/shims/py", "src/explain/py"];

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

/// The statements of a file that import.
#[derive(Default)]
struct Imports(Vec<Stmt>);

impl<'s> Visitor<'s> for Imports {
    fn visit_stmt(&mut self, statement: &'s Stmt) {
        match statement {
            Stmt::Import(_) | Stmt::ImportFrom(_) => self.0.push(statement.clone()),
            _ => walk_stmt(self, statement),
        }
    }
}

/// The modules that a statement may mean, the most precise first for each name.
fn targets(statement: &Stmt, module: &Module) -> Vec<[String; 2]> {
    match statement {
        Stmt::Import(it) => it.names.iter().map(|name| [name.name.to_string(), String::new()]).collect(),
        Stmt::ImportFrom(it) => {
            let up = it.level as usize;
            let mut parts: Vec<&str> = if up == 0 { Vec::new() } else { module.name.split('.').collect() };
            parts.truncate((parts.len() + usize::from(module.is_package)).saturating_sub(up));
            parts.extend(it.module.as_ref().map(|inner| inner.as_str()));
            let base = parts.join(".");
            it.names.iter().map(|name| [format!("{base}.{}", name.name), base.clone()]).collect()
        }
        _ => Vec::new(),
    }
}

/// Which module imports which.
fn edges(modules: &[Module]) -> BTreeMap<&str, BTreeSet<&str>> {
    let known: BTreeSet<&str> = modules.iter().map(|module| module.name.as_str()).collect();
    let edges_of = |module: &Module| -> BTreeSet<&str> {
        let parsed = parse_module(&module.text).unwrap_or_else(|fault| panic!("{}: {fault}", module.file));
        let mut imports = Imports::default();
        imports.visit_body(&parsed.syntax().body);
        let named = imports.0.iter().flat_map(|statement| targets(statement, module));
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
fn python_files_say_what_they_are() {
    let mut broken = Vec::new();
    for Module { file, text, .. } in modules() {
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
