//! Structure checks on the sources: imports go down the layers and never in a circle, nothing below `src/app` prints,
//! `unsafe` is in few files, files begin with what they are for. A failure names the file and the rule.
//!
//! An import is a `use` declaration or a path in the code that starts with `crate`, `super`, `self` or a child module.
//! A name that a module re-exports (`pub use`) counts as an import of the file that defines it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::UseTree;

/// The layers from the ground up. A layer may use those before it and itself.
const LAYERS: [&str; 12] = [
    "syntax", "kernel", "tensor", "ops", "torch", "numpy", "shims", "session", "lesson", "explain", "view",
    "app",
];

/// Layers that are below and may not be used all the same: the view shows values and computes none, and modules of the
/// standard library need no tensors.
const NOT_FOR: [(&str, &str); 6] = [
    ("view", "torch"),
    ("view", "session"),
    ("view", "kernel"),
    ("shims", "torch"),
    ("shims", "ops"),
    ("shims", "tensor"),
];

/// The files that may contain `unsafe`: the call into `matrixmultiply`, calls of functions that need processor features,
/// vector instructions, and the division of a process in two.
const UNSAFE: [&str; 4] = [
    "src/app/keeper/process.rs",
    "src/kernel/attention/tiles.rs",
    "src/kernel/blocked.rs",
    "src/kernel/simd.rs",
];

/// Names that name no idea.
const EMPTY_NAMES: [&str; 4] = ["utils", "util", "helpers", "common"];

/// A source file: its path and its text.
pub(crate) struct Source {
    pub(crate) path: String,
    pub(crate) text: String,
}

impl Source {
    /// The layer that it lies in; `lib.rs` and `main.rs` lie in none.
    fn layer(&self) -> Option<&'static str> {
        let folder = self.path.split('/').nth(1)?;
        LAYERS.into_iter().find(|layer| *layer == folder)
    }

    /// Its tokens: no comments.
    fn tokens(&self) -> TokenStream {
        self.text.parse().unwrap_or_else(|fault| panic!("{}: {fault}", self.path))
    }
}

pub(crate) fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    walk(&root.join("src"), &mut files);
    files.sort();
    let read = |file: &PathBuf| Source {
        path: file.strip_prefix(root).expect("it lies below the root").to_string_lossy().replace('\\', "/"),
        text: fs::read_to_string(file).expect("a source file is text"),
    };
    files.iter().map(read).collect()
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the sources can be listed") {
        let path = entry.expect("a listed entry can be read").path();
        if path.is_dir() {
            walk(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
}

/// The segments of a path: `["crate", "tensor", "Tensor"]`.
type Segments = Vec<String>;

/// One source file as a module.
#[derive(Default)]
struct Module {
    file: String,
    /// Where it stands in the crate: `["tensor", "ops"]`.
    place: Segments,
    /// Paths it names, from the root of the crate.
    imports: Vec<Segments>,
    /// Names it re-exports, each with the path that it stands for.
    exports: Vec<(String, Segments)>,
    /// Macros it defines.
    macros: Vec<String>,
    /// Its words in order: names and signs; strings and numbers are `_`.
    words: Vec<String>,
}

impl Module {
    fn read(source: &Source) -> Module {
        let inside = source.path.trim_start_matches("src/").trim_end_matches(".rs").trim_end_matches("/mod");
        let root = matches!(inside, "lib" | "main");
        let place: Segments = if root { Vec::new() } else { inside.split('/').map(str::to_owned).collect() };
        let mut module = Module { file: source.path.clone(), place: place.clone(), ..Module::default() };
        module.take(source.tokens(), &place);
        module
    }

    /// Takes the imports and words of tokens that stand in the module `here`.
    fn take(&mut self, tokens: TokenStream, here: &[String]) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            let inner = declared(&tokens[at..]);
            if let Some(end) = self.declaration(&tokens, at, here) {
                at = end;
            } else if let Some((name, body)) = inner {
                self.take(body, &[here, &[name]].concat());
                at += 3;
            } else {
                at += self.word(&tokens[at..], here);
            }
        }
    }

    /// Takes a `use` declaration that begins here, and gives the place after it.
    fn declaration(&mut self, tokens: &[TokenTree], at: usize, here: &[String]) -> Option<usize> {
        if tokens[at].to_string() != "use" {
            return None;
        }
        let end = at + tokens[at..].iter().position(|token| token.to_string() == ";")? + 1;
        let item: syn::ItemUse = syn::parse2(tokens[at..end].iter().cloned().collect()).ok()?;
        let before = tokens[..at].iter().rev().find(|token| !matches!(token, TokenTree::Group(_)));
        let exported = before.is_some_and(|token| token.to_string() == "pub");
        for (path, name) in leaves(&item.tree) {
            self.words.extend(path.join("::").split("::").map(str::to_owned));
            let path = absolute(&path, here);
            if exported { self.exports.push((name, path)) } else { self.imports.push(path) }
        }
        Some(end)
    }

    /// Takes one token, or the path that begins with it, and gives how many tokens it has.
    fn word(&mut self, tokens: &[TokenTree], here: &[String]) -> usize {
        match &tokens[0] {
            TokenTree::Group(group) => {
                self.take(group.stream(), here);
                if group.stream().is_empty() {
                    self.words.push("()".to_owned());
                }
                1
            }
            TokenTree::Ident(name) => {
                let mut path = vec![name.to_string()];
                while let Some([TokenTree::Punct(a), TokenTree::Punct(b), TokenTree::Ident(next)]) =
                    tokens.get(3 * path.len() - 2..3 * path.len() + 1)
                {
                    if a.as_char() != ':' || b.as_char() != ':' {
                        break;
                    }
                    path.push(next.to_string());
                }
                if path.len() > 1 {
                    self.imports.push(absolute(&path, here));
                }
                if self.words.ends_with(&["macro_rules".to_owned(), "!".to_owned()]) {
                    self.macros.push(path[0].clone());
                }
                let length = 3 * path.len() - 2;
                self.words.extend(path);
                length
            }
            TokenTree::Punct(sign) => {
                self.words.push(sign.to_string());
                1
            }
            TokenTree::Literal(_) => {
                self.words.push("_".to_owned());
                1
            }
        }
    }

    /// Whether these words follow each other in it.
    fn says(&self, words: &[&str]) -> bool {
        self.words.windows(words.len()).any(|window| window == words)
    }
}

/// The name and body of a module that is written out where these tokens begin.
fn declared(tokens: &[TokenTree]) -> Option<(String, TokenStream)> {
    let [TokenTree::Ident(word), TokenTree::Ident(name), TokenTree::Group(body), ..] = tokens else {
        return None;
    };
    (word == "mod" && body.delimiter() == Delimiter::Brace).then(|| (name.to_string(), body.stream()))
}

/// The paths of a use tree with the name that each binds.
fn leaves(tree: &UseTree) -> Vec<(Segments, String)> {
    match tree {
        UseTree::Path(path) => {
            let name = path.ident.to_string();
            let inner = leaves(&path.tree).into_iter().map(|(rest, bound)| match rest.as_slice() {
                [own] if own == "self" => (vec![name.clone()], name.clone()),
                _ => ([vec![name.clone()], rest].concat(), bound),
            });
            inner.collect()
        }
        UseTree::Name(name) => vec![(vec![name.ident.to_string()], name.ident.to_string())],
        UseTree::Rename(name) => vec![(vec![name.ident.to_string()], name.rename.to_string())],
        UseTree::Glob(_) => vec![(Vec::new(), "*".to_owned())],
        UseTree::Group(group) => group.items.iter().flat_map(leaves).collect(),
    }
}

/// A path from the root of the crate. A path that starts with a plain name is taken to start in this module, and means
/// something only if this module has a child of that name.
fn absolute(path: &[String], here: &[String]) -> Segments {
    let mut base = here.to_vec();
    let mut rest = path;
    while let Some((first, after)) = rest.split_first() {
        match first.as_str() {
            "crate" => base.clear(),
            "super" => drop(base.pop()),
            "self" => {}
            _ => break,
        }
        rest = after;
    }
    base.extend_from_slice(rest);
    base
}

fn modules() -> &'static [Module] {
    static READ: LazyLock<Vec<Module>> = LazyLock::new(|| sources().iter().map(Module::read).collect());
    &READ
}

fn report(broken: impl IntoIterator<Item = String>) {
    let broken: Vec<String> = broken.into_iter().collect();
    assert!(broken.is_empty(), "a structure check failed:\n{}\n", broken.join("\n"));
}

#[test]
fn imports_go_down_the_layers() {
    let (sources, modules) = (sources(), modules());
    let layered =
        || sources.iter().zip(modules).filter_map(|(source, module)| Some((source.layer()?, module)));
    let macros: BTreeMap<&str, &str> = layered()
        .flat_map(|(layer, module)| module.macros.iter().map(move |name| (name.as_str(), layer)))
        .collect();
    let height = |layer: &str| LAYERS.iter().position(|other| *other == layer);
    let broken = layered().flat_map(|(layer, module)| {
        let paths = module.imports.iter().chain(module.exports.iter().map(|(_, path)| path));
        let used: BTreeSet<&str> = paths.filter_map(|path| path.first()).map(String::as_str).collect();
        let used = used.into_iter().map(|name| *macros.get(name).unwrap_or(&name));
        let wrong =
            used.filter(move |used| height(used) > height(layer) || NOT_FOR.contains(&(layer, *used)));
        wrong
            .map(move |used| format!("{}: {layer} uses {used}; {}", module.file, allowed(layer)))
            .collect::<Vec<_>>()
    });
    report(broken);
}

fn allowed(layer: &str) -> String {
    let below = LAYERS.iter().take_while(|other| **other != layer);
    let open: Vec<&str> = below.copied().filter(|other| !NOT_FOR.contains(&(layer, other))).collect();
    format!("it may use {}", if open.is_empty() { "no other layer".to_owned() } else { open.join(", ") })
}

#[test]
fn what_a_layer_may_not_say() {
    const PRINTING: [&[&str]; 7] = [
        &["println", "!"],
        &["print", "!"],
        &["eprintln", "!"],
        &["eprint", "!"],
        &["dbg", "!"],
        &["io", "stdout"],
        &["io", "stderr"],
    ];
    const UNDONE: [&[&str]; 3] = [&["todo", "!"], &["unimplemented", "!"], &[".", "unwrap", "()"]];
    let mut broken = Vec::new();
    for (source, module) in sources().iter().zip(modules()) {
        let mut tell = |rule: &str| broken.push(format!("{}: {rule}", source.path));
        if source.layer().is_some_and(|layer| layer != "app") {
            for words in PRINTING.iter().filter(|words| module.says(words)) {
                tell(&format!("{}; only src/app writes to the terminal", words.concat()));
            }
        }
        for words in UNDONE.iter().filter(|words| module.says(words)) {
            tell(&format!("{}; give an error, or `expect` with the reason", words.concat()));
        }
        if !UNSAFE.contains(&source.path.as_str()) && module.says(&["unsafe"]) {
            tell(&format!("unsafe; only {} may use it", UNSAFE.join(", ")));
        }
        // Source that nests too deeply ends the process: `syntax` refuses it, and nothing else calls the parser.
        let parses = module
            .words
            .windows(2)
            .any(|pair| pair[0] == "ruff_python_parser" && pair[1].starts_with("parse"));
        if source.layer() != Some("syntax") && parses {
            tell("calls the parser; `crate::syntax` does");
        }
        if !source.text.starts_with("//!") {
            tell("the first line says what this file is: //! ...");
        }
        let name = source.path.rsplit('/').next().unwrap_or_default().trim_end_matches(".rs");
        if EMPTY_NAMES.contains(&name) {
            tell("its name names no idea");
        }
    }
    report(broken);
}

/// A package that the program and the build need with other features is compiled twice, and so is all that uses it.
#[cfg(target_os = "linux")] // Elsewhere other packages are needed.
#[test]
fn no_package_is_compiled_twice() {
    let words =
        ["tree", "--offline", "--locked", "-d", "-e", "normal,build", "--depth", "0", "--prefix", "none"];
    let out = Command::new(env!("CARGO")).args(words).current_dir(env!("CARGO_MANIFEST_DIR")).output();
    let out = out.expect("cargo runs these tests");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let text = String::from_utf8(out.stdout).expect("names of packages are text");
    let mut seen = BTreeSet::new();
    let twice = text.lines().filter(|line| line.contains(" v")).filter(|line| !seen.insert(*line));
    report(twice.map(|line| format!("Cargo.toml: {line}: other features for the build")));
}

#[test]
fn no_file_imports_itself_through_others() {
    report(cycles(&edges(modules())).iter().map(|files| files.join("\n    ")));
}

#[test]
fn the_checks_find_what_breaks_them() {
    let file =
        |path: &str, text: &str| Module::read(&Source { path: path.to_owned(), text: text.to_owned() });
    let parent = || file("src/view/mod.rs", "mod text;\nmod table;\npub use text::{Line, Text as T};");
    let text = || file("src/view/text.rs", "use super::table::Row;\nmod inner {\n    use super::Own;\n}");
    let uses = |line: &str| file("src/view/table.rs", line);
    let both = cycles(&edges(&[parent(), text(), uses("fn f() -> super::T { crate::kernel::f() }")]));
    assert_eq!(both, [["src/view/table.rs", "src/view/text.rs"]]);
    let parent = file("src/view/mod.rs", "mod table;\nfn f() { table::draw() }");
    assert_eq!(cycles(&edges(&[parent, uses("use std::fmt;")])), Vec::<Vec<String>>::new());

    let read = file(
        "src/a/b.rs",
        "//! `crate::no`\nuse crate::{view::{Text, self}};\nfn f() { x(\"crate::no\").unwrap(); m!(crate::y::z) }",
    );
    assert_eq!(
        read.imports,
        [["view", "Text"].as_slice(), &["view"], &["y", "z"]]
            .map(|it| it.iter().map(|it| it.to_string()).collect::<Vec<_>>())
    );
    assert!(read.says(&[".", "unwrap", "()"]) && !read.says(&["no"]));
}

/// Which file imports which.
fn edges(modules: &[Module]) -> BTreeMap<&str, BTreeSet<&str>> {
    let by_place: BTreeMap<&[String], &Module> = modules.iter().map(|it| (it.place.as_slice(), it)).collect();
    let mut edges: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for module in modules {
        let targets = module.imports.iter().filter_map(|path| definition(path, &by_place, 0));
        let others = targets.filter(|file| *file != module.file);
        edges.entry(&module.file).or_default().extend(others);
    }
    edges
}

/// The file that defines what a path names; none for the root of the crate, which only lists the layers.
fn definition<'m>(
    path: &[String],
    by_place: &BTreeMap<&[String], &'m Module>,
    follows: usize,
) -> Option<&'m str> {
    let known = (1..=path.len()).rev().find(|end| by_place.contains_key(&path[..*end]))?;
    let module = by_place[&path[..known]];
    if let Some(name) = path.get(known).filter(|_| follows < 8) {
        let named = module.exports.iter().find(|(exported, _)| exported == name);
        if let Some((_, target)) = named {
            let further = [target.as_slice(), &path[known + 1..]].concat();
            return definition(&further, by_place, follows + 1);
        }
    }
    Some(&module.file)
}

/// Groups of files each of which leads to all others of its group.
pub(super) fn cycles(edges: &BTreeMap<&str, BTreeSet<&str>>) -> Vec<Vec<String>> {
    let reach = |from: &str| {
        let (mut seen, mut next) = (BTreeSet::new(), vec![from.to_owned()]);
        while let Some(file) = next.pop() {
            for target in edges.get(file.as_str()).into_iter().flatten() {
                if seen.insert((*target).to_owned()) {
                    next.push((*target).to_owned());
                }
            }
        }
        seen
    };
    let reached: BTreeMap<&str, BTreeSet<String>> = edges.keys().map(|file| (*file, reach(file))).collect();
    let mut groups: BTreeSet<Vec<String>> = BTreeSet::new();
    for (file, targets) in &reached {
        let back = |other: &&String| reached.get(other.as_str()).is_some_and(|it| it.contains(*file));
        let group: Vec<String> = targets.iter().filter(back).cloned().collect();
        if group.len() > 1 {
            groups.insert(group);
        }
    }
    groups.into_iter().collect()
}
