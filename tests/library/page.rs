//! `docs/torch.md` says what the table of operations holds, `docs/repl.md` what that of the REPL's commands does.
//! `UPDATE=1` writes them anew.

use std::path::Path;

use attn::app::repl;
use attn::ops::table;
use attn::session::{Session, SessionOptions, with_large_stack};

use crate::snapshot::assert_current;
use crate::structure::sources;

#[test]
fn the_pages_are_current() {
    let pages = [("docs/torch.md", table::page::page()), ("docs/repl.md", repl::page::page())];
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    assert_current(pages.map(|(name, page)| (folder.join(name), page)));
}

/// `docs/numpy.md` says what the module `numpy` has.
#[test]
fn the_page_of_numpy_is_current() {
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
