//! `docs/torch.md` says what the table of operations holds, `docs/repl.md` what that of the REPL's commands does.
//! `UPDATE=1` writes them anew.

use std::fmt::Write;
use std::path::Path;

use attn::app::repl::commands::{COMMANDS, CommandGroup};
use attn::ops::op::{FUNCTION, FUNCTIONAL, IN_PLACE, IN_PLACE_ONLY, METHOD, Op};
use attn::ops::{schema::signature, table};
use attn::session::{Session, SessionOptions, with_large_stack};

use crate::snapshot::assert_current;
use crate::structure::sources;

const TORCH_HEAD: &str = "\
# The part of PyTorch that is here

Generated from the table of operations (`src/ops/table/`); `UPDATE=1 cargo test --release --test library page::` writes it again.

`f` is a function `torch.name`, `m` a method `tensor.name`, `_` an in-place twin `tensor.name_`, `F` a function of
`torch.nn.functional`. Numbers, shapes, views, `grad_fn` names and error messages are those of PyTorch 2.6. A name that is
not here raises an error that says so; an unknown keyword argument is an error too. `backward()` differentiates what was
recorded; if an operation has no rule for that, the error names it. `torch.nn`, `torch.optim`, `torch.autograd`,
`torch.utils.data` and others are plain Python in `src/torch/py/torch/`.

| name | as | arguments | what it computes |
|---|---|---|---|
";

const REPL_HEAD: &str = "\
# The REPL

Generated from the table of commands (`src/app/repl/commands.rs`) by `UPDATE=1 cargo test --release --test library page::`.

`attn repl softmax` starts with the state after that step, `attn repl 3.4.1` after a lesson, `attn repl notebook.ipynb`
after a file, and `attn repl` with `torch` only. Inputs are Python and run as a notebook runs a cell: an input may have
several lines, and the value of its last line is shown. A line that begins with a colon is a command.

Inputs may also come through a pipe: `echo 'inputs.shape' | attn repl scores`. Then there are no prompts, results go to
stdout and errors to stderr, and the first input that raises ends the run with exit code 3 (`--keep-going` goes on).
";

/// The table of operations as a page.
fn torch_page() -> String {
    let mut rows: Vec<&Op> = table::ops().filter(|op| op.places != 0).collect();
    rows.sort_by_key(|op| (op.name, op.places));
    let mut text = TORCH_HEAD.to_owned();
    for op in rows {
        let forms: Vec<String> =
            op.forms.iter().map(|form| format!("`{}`", signature(form).replace('|', "\\|"))).collect();
        let also: Vec<String> = table::ALIASES
            .iter()
            .filter(|alias| alias.1 == op.name)
            .map(|alias| format!("`{}`", alias.0))
            .collect();
        let mut doc = op.doc.replace('|', "\\|");
        if !also.is_empty() {
            let _ = write!(doc, " Also {}.", also.join(", "));
        }
        let _ = writeln!(text, "| `{}` | {} | {} | {doc} |", op.name, places(op), forms.join("<br>"));
    }
    text
}

fn places(op: &Op) -> String {
    let marks = [(FUNCTION, "f"), (METHOD, "m"), (IN_PLACE, "_"), (FUNCTIONAL, "F"), (IN_PLACE_ONLY, "m")];
    let shown: Vec<&str> =
        marks.iter().filter(|(place, _)| op.is_in(*place)).map(|(_, mark)| *mark).collect();
    shown.join(" ")
}

/// The table of commands as a page.
fn repl_page() -> String {
    let mut text = REPL_HEAD.to_owned();
    for (group, title) in CommandGroup::ALL {
        let _ = write!(text, "\n## {title}\n\n| command | what it does |\n|---|---|\n");
        for command in COMMANDS.iter().filter(|command| command.group == group) {
            let also: Vec<String> = command.aliases.iter().map(|alias| format!("`:{alias}`")).collect();
            let also = if also.is_empty() { String::new() } else { format!(" Also {}.", also.join(", ")) };
            let more = if command.more.is_empty() { String::new() } else { format!(" {}", command.more) };
            let _ = writeln!(text, "| `{}` | {}.{more}{also} |", command.usage(), command.line);
        }
    }
    text
}

#[test]
fn the_pages_are_current() {
    let pages = [("docs/torch.md", torch_page()), ("docs/repl.md", repl_page())];
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    assert_current(pages.map(|(name, page)| (folder.join(name), page)));
}

/// `docs/numpy.md` says what the module `numpy` has.
#[test]
fn the_page_of_numpy_is_current() {
    if crate::apart::ran() {
        return;
    }
    let page = with_large_stack(|| {
        let outcome =
            Session::new(SessionOptions::default()).run(include_str!("../shared/numpy_page.py"), "page");
        assert!(outcome.error.is_none(), "{:?}", outcome.error);
        outcome.stdout
    });
    assert_current([(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/numpy.md"), page)]);
}

/// `docs/json.md` names every document that a command writes.
#[test]
fn every_document_is_named() {
    let page = include_str!("../../docs/json.md");
    for source in sources() {
        for (at, _) in source.text.match_indices("\"attn.") {
            let name = source.text[at + 1..].split('"').next().unwrap_or_default();
            let is_document = name.contains('/') && !name.starts_with("attn.progress/");
            assert!(!is_document || page.contains(&format!("`{name}`")), "{}: {name}", source.path);
        }
    }
}

#[test]
fn every_row_is_well_written() {
    for op in table::ops() {
        assert!(!op.doc.is_empty(), "{} has no line on what it gives", op.name);
        assert!(op.doc.ends_with('.') || op.doc.ends_with(')'), "{}: {:?}", op.name, op.doc);
        for params in op.params() {
            let names: Vec<&str> = params.iter().map(|param| param.name).collect();
            let mut unique = names.clone();
            unique.sort_unstable();
            unique.dedup();
            assert_eq!(names.len(), unique.len(), "{} names a parameter twice", op.name);
        }
        if op.is_in(table::IN_PLACE_ONLY) {
            assert!(op.name.ends_with('_'), "{} writes in place and does not say so", op.name);
        }
    }
    let all: Vec<_> = table::ops().collect();
    for (at, op) in all.iter().enumerate() {
        let twice = all[..at].iter().any(|other| other.name == op.name && other.places & op.places != 0);
        assert!(!twice, "{} stands twice in the table", op.name);
    }
    for (alias, target) in table::ALIASES {
        assert!(table::find(target).is_some(), "{alias} stands for {target}, which is no row");
    }
}
