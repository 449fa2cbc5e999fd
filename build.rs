//! Freezes Python source into one blob of bytecode, so that the binary carries what lessons import.
//! The sources are our own modules (see `OWN`; directory layout = module layout) and the modules of the standard
//! library named in `STDLIB`, read from the crate `rustpython-pylib`. The blob is `OUT_DIR/frozen.lib`.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
};

use rustpython_compiler::{CompileOpts, Mode, compile};
use rustpython_compiler_core::frozen::{FrozenCodeObject, FrozenLib, FrozenModule};
use rustpython_compiler_core::marshal::serialize_code;

#[path = "build/lessons.rs"]
mod lessons;

/// Pure-Python modules of the standard library that lesson code may import, or that those need.
/// A name ending in `.*` is a whole package. Our own file of the same name goes before these.
const STDLIB: &[&str] = &[
    "__future__",
    "_ast_unparse",
    "_collections_abc",
    "_compat_pickle",
    "_py_warnings",
    "_pycodecs",
    "_pydatetime",
    "_pydecimal",
    "_strptime",
    "_threading_local",
    "_weakrefset",
    "abc",
    "annotationlib",
    "argparse",
    "ast",
    "base64",
    "bisect",
    "calendar",
    "collections.*",
    "contextlib",
    "contextvars",
    "copy",
    "csv",
    "dataclasses",
    "datetime",
    "decimal",
    "difflib",
    "enum",
    "fnmatch",
    "fractions",
    "functools",
    "genericpath",
    "glob",
    "graphlib",
    "heapq",
    "json.*",
    "keyword",
    "linecache",
    "logging.*",
    "ntpath",
    "numbers",
    "opcode",
    "_opcode_metadata",
    "operator",
    "pathlib.*",
    "pickle",
    "posixpath",
    "pprint",
    "queue",
    "random",
    "re.*",
    "reprlib",
    "stat",
    "statistics",
    "string.*",
    "stringprep",
    "textwrap",
    "timeit",
    "this",
    "token",
    "tokenize",
    "types",
    "typing",
    "unittest.*",
    "warnings",
    "weakref",
    "zipfile.*",
];

/// The folders of our own Python modules.
const OWN: [&str; 4] = ["src/torch/py", "src/numpy/py", "src/shims/py", "src/explain/py"];

/// What is imported before a module of the standard library: our `OrderedDict`, which the pure Python one gives way to.
const BEFORE: &[(&str, &str)] = &[("collections", "import _ordered; ")];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let mut sources = BTreeMap::new();
    for entry in STDLIB {
        stdlib_sources(entry, &mut sources);
    }
    for folder in OWN {
        println!("cargo::rerun-if-changed={folder}");
        let own = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join(folder);
        walk(&own, &own, "", &mut sources);
    }

    let frozen: Vec<_> = sources.iter().map(|(name, source)| (name.as_str(), source.freeze(name))).collect();
    let lib = FrozenLib::encode(frozen.iter().map(|(name, module)| {
        let code = FrozenCodeObject { bytes: &module.code.bytes[..] };
        (*name, FrozenModule { code, package: module.package })
    }));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR for build scripts"));
    fs::write(out.join("frozen.lib"), lib.bytes).expect("OUT_DIR can be written");
    lessons::embed_lessons(Path::new("lessons"), &out);
}

/// One module's file, before it is compiled.
struct Source {
    path: PathBuf,
    /// The file name that tracebacks show.
    shown: String,
    package: bool,
}

impl Source {
    fn freeze(&self, name: &str) -> FrozenModule<Vec<u8>> {
        let text =
            fs::read_to_string(&self.path).unwrap_or_else(|error| panic!("{}: {error}", self.path.display()));
        let first = BEFORE.iter().find(|(module, _)| *module == name);
        let text = first.map_or("", |(_, line)| line).to_owned() + &text;
        // No source is at hand at run time, so tracebacks show lines of these modules, and no columns.
        let options = CompileOpts { optimize: 0, debug_ranges: false };
        let code = compile(&text, Mode::Exec, &self.shown, options).unwrap_or_else(|error| {
            let (line, column) = error.python_location();
            panic!("{name} ({}:{line}:{column}): {error}", self.path.display())
        });
        // Compressed, for the binary to be small; not so torch, with which every program starts.
        let code = if name.split('.').next() == Some("torch") {
            let mut bytes = Vec::new();
            serialize_code(&mut bytes, &code);
            FrozenCodeObject { bytes: uncompressed(&bytes) }
        } else {
            FrozenCodeObject::encode(&code)
        };
        FrozenModule { code, package: self.package }
    }
}

/// Bytes as a block of LZ4, which the interpreter reads, of one run of literals. Source: LZ4's description of the block
/// format.
fn uncompressed(bytes: &[u8]) -> Vec<u8> {
    const IN_TOKEN: usize = 15;
    let size = u32::try_from(bytes.len()).expect("a module is smaller than 4 GB");
    let further = bytes.len().checked_sub(IN_TOKEN).expect("a module has a header");
    let mut block = size.to_le_bytes().to_vec();
    block.push(0xf0);
    block.resize(block.len() + further / 255, 255);
    block.push((further % 255) as u8);
    block.extend_from_slice(bytes);
    block
}

fn stdlib_sources(entry: &str, sources: &mut BTreeMap<String, Source>) {
    let root = Path::new(rustpython_pylib::LIB_PATH);
    match entry.strip_suffix(".*") {
        Some(package) => walk(root, &root.join(package.replace('.', "/")), package, sources),
        None => {
            let path = root.join(entry.replace('.', "/")).with_extension("py");
            insert(root, path, entry.to_owned(), false, sources);
        }
    }
}

/// Adds every `.py` file under `folder`, whose own module name is `prefix` (empty for the root).
fn walk(root: &Path, folder: &Path, prefix: &str, sources: &mut BTreeMap<String, Source>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries {
        let path = entry.expect("a listed folder can be read").path();
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
        let name = if prefix.is_empty() { stem.clone() } else { format!("{prefix}.{stem}") };
        if path.is_dir() {
            if stem != "__pycache__" {
                walk(root, &path, &name, sources);
            }
        } else if path.extension().is_some_and(|extension| extension == "py") {
            match (stem == "__init__", prefix.is_empty()) {
                (true, false) => insert(root, path, prefix.to_owned(), true, sources),
                (true, true) => {}
                (false, _) => insert(root, path, name, false, sources),
            }
        }
    }
}

fn insert(root: &Path, path: PathBuf, name: String, package: bool, sources: &mut BTreeMap<String, Source>) {
    let inside = path.strip_prefix(root).unwrap_or(&path).display().to_string().replace('\\', "/");
    sources.insert(name, Source { shown: format!("<attn>/{inside}"), path, package });
}
