//! No file imports a file that imports it, directly or through others, inside a layer or between layers.
//!
//! An import is a `use` declaration or a path in the code that starts with `crate`, `super`, `self` or a child module.
//! A name that a module re-exports (`pub use`) counts as an import of the file that defines it.

use std::collections::{BTreeMap, BTreeSet};

use super::structure::{Source, sources};

/// A path in the code, by its segments: `["crate", "tensor", "Tensor"]`.
type Path = Vec<String>;

/// One source file as a module.
struct Module {
    file: String,
    /// Where it stands in the crate: `["tensor", "ops"]`.
    place: Path,
    /// Paths it names in code, made absolute.
    imports: Vec<Path>,
    /// Names it re-exports, with the absolute path that each stands for; `*` for a whole module.
    exports: Vec<(String, Path)>,
}

#[test]
fn no_file_imports_itself_through_others() {
    let modules: Vec<Module> = sources().iter().map(module).collect();
    let found = cycles(&edges(&modules));
    let told: Vec<String> = found.iter().map(|files| files.join("\n    ")).collect();
    assert!(
        told.is_empty(),
        "{} groups of files import each other:\n    {}",
        told.len(),
        told.join("\n\n    ")
    );
}

#[test]
fn a_cycle_is_seen_through_a_re_export() {
    let file = |path: &str, text: &str| {
        let code = text.lines().enumerate().map(|(at, line)| (at + 1, line.to_owned())).collect();
        module(&Source { path: path.to_owned(), layer: None, depth: 0, text: text.to_owned(), code })
    };
    let parent = file("src/view/mod.rs", "mod text;\nmod table;\npub use text::{Line, Text as T};");
    let text = file("src/view/text.rs", "use super::table::Row;\nmod inner {\n    use super::Own;\n}");
    let uses = |line: &str| file("src/view/table.rs", line);
    let both = cycles(&edges(&[parent, text, uses("fn f() -> super::T { crate::kernel::f() }")]));
    assert_eq!(both, [["src/view/table.rs", "src/view/text.rs"]]);
    let parent = file("src/view/mod.rs", "mod table;\nfn f() { table::draw() }");
    assert_eq!(cycles(&edges(&[parent, uses("use std::fmt;")])), Vec::<Vec<String>>::new());
}

/// Reads one file: what it imports and what it re-exports.
fn module(source: &Source) -> Module {
    let inside = source.path.trim_start_matches("src/").trim_end_matches(".rs").trim_end_matches("/mod");
    let root = matches!(inside, "lib" | "main" | "mod");
    let place: Path = if root { Vec::new() } else { inside.split('/').map(str::to_owned).collect() };
    let mut module = Module { file: source.path.clone(), place, imports: Vec::new(), exports: Vec::new() };
    // Modules written inside of this file, each with the depth of braces at which it ends.
    let mut inner: Vec<(String, usize)> = Vec::new();
    let mut depth = 0;
    let mut pending = String::new();
    for (_, line) in &source.code {
        let line = line.trim();
        if !pending.is_empty() || is_use(line) {
            pending.push_str(line);
            if !pending.contains(';') {
                continue;
            }
            let statement = std::mem::take(&mut pending);
            let exported = statement.starts_with("pub");
            let tree =
                statement[statement.find("use ").map_or(0, |at| at + 4)..].trim_end_matches(';').to_owned();
            let here: Path =
                module.place.iter().cloned().chain(inner.iter().map(|it| it.0.clone())).collect();
            for (path, name) in leaves(&tree) {
                let Some(path) = absolute(&path, &here) else { continue };
                if exported { module.exports.push((name, path)) } else { module.imports.push(path) }
            }
            continue;
        }
        let opened = line.strip_suffix('{').map(str::trim).and_then(|head| head.rsplit_once("mod "));
        if let Some((_, name)) = opened {
            inner.push((name.trim().to_owned(), depth));
        }
        let here: Path = module.place.iter().cloned().chain(inner.iter().map(|it| it.0.clone())).collect();
        module.imports.extend(paths(line).iter().filter_map(|path| absolute(path, &here)));
        depth = (depth + line.matches('{').count()).saturating_sub(line.matches('}').count());
        inner.retain(|(_, outside)| depth > *outside || opened.is_some_and(|_| depth == *outside));
    }
    module
}

fn is_use(line: &str) -> bool {
    let rest = match line.strip_prefix("pub") {
        Some(rest) => rest
            .trim_start()
            .strip_prefix('(')
            .map_or(rest, |rest| rest.split_once(')').map_or("", |it| it.1)),
        None => line,
    };
    rest.trim_start().starts_with("use ")
}

/// The paths of a use tree with the name that each binds.
fn leaves(tree: &str) -> Vec<(Path, String)> {
    let tree = tree.trim();
    if let Some(open) = tree.find('{') {
        let prefix: Path =
            tree[..open].split("::").map(str::trim).filter(|it| !it.is_empty()).map(str::to_owned).collect();
        let inside = &tree[open + 1..tree.rfind('}').unwrap_or(tree.len())];
        let nested = split(inside).into_iter().flat_map(|part| leaves(&part));
        return nested
            .map(|(path, name)| match path.as_slice() {
                [own] if own == "self" => (prefix.clone(), prefix.last().cloned().unwrap_or_default()),
                _ => (prefix.iter().cloned().chain(path).collect(), name),
            })
            .collect();
    }
    let (path, alias) =
        tree.split_once(" as ").map_or((tree, None), |(path, alias)| (path, Some(alias.trim())));
    let path: Path = path.split("::").map(|it| it.trim().to_owned()).collect();
    let name = alias.map_or_else(|| path.last().cloned().unwrap_or_default(), str::to_owned);
    vec![(path, name)]
}

/// Parts between the commas that stand outside of inner braces.
fn split(inside: &str) -> Vec<String> {
    let (mut parts, mut depth) = (vec![String::new()], 0);
    for letter in inside.chars() {
        match letter {
            ',' if depth == 0 => parts.push(String::new()),
            _ => {
                depth += i32::from(letter == '{') - i32::from(letter == '}');
                parts.last_mut().expect("there is a first part").push(letter);
            }
        }
    }
    parts.into_iter().filter(|part| !part.trim().is_empty()).collect()
}

/// Paths of two segments or more in a line of code.
fn paths(line: &str) -> Vec<Path> {
    let word = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == ':';
    let runs = line.split(|letter| !word(letter)).filter(|run| run.contains("::"));
    runs.map(|run| run.split("::").map(str::to_owned).collect()).collect()
}

/// A path from the root of the crate; none where it leads out of it. A path that starts with a plain name is taken to
/// start in this module, and means something only if this module has a child of that name.
fn absolute(path: &[String], here: &[String]) -> Option<Path> {
    let mut base: Path = here.to_vec();
    let mut rest = path;
    match path.first()?.as_str() {
        "crate" => {
            base.clear();
            rest = &path[1..];
        }
        "self" => rest = &path[1..],
        "super" => {
            while rest.first().is_some_and(|it| it == "super") {
                base.pop();
                rest = &rest[1..];
            }
        }
        _ => {}
    }
    base.extend(rest.iter().cloned());
    Some(base)
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
            let further: Path = target.iter().cloned().chain(path[known + 1..].iter().cloned()).collect();
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
