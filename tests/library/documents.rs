//! Notebooks, scripts and recorded outputs: what is read, what is refused and with which message.

use std::path::Path;

use attn::lesson::Notebook;
use attn::lesson::compare::{TOLERANCE, Verdict, compare, compare_step, pairs};
use attn::lesson::notebook::{RecordedOutput, SavedCell};
use attn::lesson::read_error::ReadErrorKind;
use attn::lesson::{ipynb, script};

fn read(name: &str, text: &str) -> Notebook {
    Notebook::from_bytes(Path::new(name), text.as_bytes()).unwrap_or_else(|e| panic!("{e}"))
}

fn refused(name: &str, bytes: &[u8]) -> String {
    Notebook::from_bytes(Path::new(name), bytes).expect_err(name).to_string()
}

#[test]
fn a_notebook_of_format_4() {
    let nb = read(
        "a.ipynb",
        r##"{"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": {"language": "python"}}, "cells": [
        {"cell_type": "markdown", "source": ["# Notes\n", "text"], "attachments": {"p.png": {}}},
        {"cell_type": "raw", "source": "raw"},
        {"cell_type": "code", "source": ["a = 1\n", "print(a)\n", "a"], "execution_count": 1, "outputs": [
            {"output_type": "stream", "name": "stdout", "text": ["1\n"]},
            {"output_type": "stream", "name": "stderr", "text": "careful\n"},
            {"output_type": "execute_result", "data": {"text/plain": ["1"], "text/html": "<b>1</b>"}, "metadata": {}}]},
        {"cell_type": "code", "source": "b", "outputs": [
            {"output_type": "error", "ename": "NameError", "evalue": "name 'b' is not defined", "traceback": []}]},
        {"cell_type": "code", "source": "plot()", "outputs": [
            {"output_type": "display_data", "data": {"image/png": "AA=="}}]},
        {"cell_type": "code", "metadata": {}, "outputs": []},
        {"cell_type": "code", "source": "c = 1"}]}"##,
    );
    assert_eq!(nb.title, "Notes");
    assert_eq!(nb.cells.len(), 5);
    assert_eq!(nb.cells.iter().map(|c| c.index).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    assert_eq!(nb.cells[0].source, "a = 1\nprint(a)\na");
    let recorded = nb.cells[0].recorded.as_ref().expect("stored");
    assert_eq!((recorded.stdout.as_str(), recorded.result.as_deref()), ("1\n", Some("1")));
    assert_eq!(recorded.shown(), "1\n1\n");
    let failed = nb.cells[1].recorded.as_ref().expect("stored");
    assert_eq!(failed.shown(), "NameError: name 'b' is not defined\n");
    assert_eq!(nb.cells[2].recorded.as_ref().map(|r| r.shown()), Some(String::new()));
    assert_eq!((nb.cells[3].source.as_str(), &nb.cells[3].recorded), ("", &None));
    assert!(nb.remarks.is_empty(), "{:?}", nb.remarks);
}

#[test]
fn a_notebook_that_does_not_say_its_format() {
    let bare = read("b.ipynb", "\u{feff}{\"cells\": [{\"cell_type\": \"code\", \"source\": \"1\"}]}");
    assert_eq!(bare.cells.len(), 1);
    assert!(bare.remarks[0].contains("nbformat"));
    let none = read("n.ipynb", r#"{"nbformat": 4, "cells": []}"#);
    assert!(none.cells.is_empty() && none.remarks[0].contains("no code cell"));
    let other =
        read("r.ipynb", r#"{"nbformat": 4, "metadata": {"kernelspec": {"language": "R"}}, "cells": []}"#);
    assert!(other.remarks[0].contains("language is R"));
}

#[test]
fn files_that_are_not_notebooks_are_refused() {
    let words = refused("a.ipynb", b"{\n  \"cells\": [\n    {,\n");
    assert!(words.contains("line 3, column 6"), "{words}");
    let words = refused("a.ipynb", b"import torch\nprint(1)\n");
    assert!(words.contains(".py"), "{words}");
    let words = refused("a.ipynb", b"<!DOCTYPE html><html></html>");
    assert!(words.contains("web page"), "{words}");
    let words = refused("a.ipynb", b"{\n<<<<<<< HEAD\n\"cells\": []}");
    assert!(words.contains("merge"), "{words}");
    let words = refused("a.ipynb", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n");
    assert!(words.contains("LFS"), "{words}");
    for (json, words) in [
        ("[1, 2]", "a list"),
        ("3", "a number"),
        ("{}", "has no `cells`; at the top stands nothing"),
        (r#"{"name": 1, "version": 2}"#, "at the top stands name, version"),
        (r#"{"cells": {}}"#, "`cells` is an object"),
        (r#"{"nbformat": 3, "worksheets": []}"#, "it is of format 3; `jupyter nbconvert"),
    ] {
        let said = refused("a.ipynb", json.as_bytes());
        assert!(said.contains("not a notebook") && said.contains(words), "{json}: {said}");
    }
    for (cell, words) in [
        ("7", "cell 1: it is a number"),
        (r#"{"source": "x"}"#, "cell_type"),
        (r#"{"cell_type": "code", "source": 7}"#, "its source is a number"),
        (r#"{"cell_type": "code", "source": ["a", 7]}"#, "its source is a list"),
    ] {
        let said = refused("a.ipynb", format!(r#"{{"nbformat": 4, "cells": [{cell}]}}"#).as_bytes());
        assert!(said.contains(words), "{cell}: {said}");
    }
    let deep = "[".repeat(100_000);
    let cases: [(&str, &[u8], &str); 6] = [
        ("a.ipynb", b"", "is empty"),
        ("a.py", b" \n\n", "is empty"),
        ("a.txt", b"x", "this name ends otherwise"),
        ("a.py", b"x = 1\ny = '\xe9'\n", "a.py, line 2: not UTF-8 text. Save"),
        ("a.ipynb", b"\xff\xfe{\0}\0", "it seems to be UTF-16"),
        ("a.ipynb", deep.as_bytes(), "not JSON"),
    ];
    for (name, bytes, words) in cases {
        let said = refused(name, bytes);
        assert!(said.contains(words), "{said}");
    }
    assert_eq!(Notebook::open(Path::new("no/such.ipynb")).expect_err("missing").kind, ReadErrorKind::Missing);
    let lessons =
        Notebook::open(&Path::new(env!("CARGO_MANIFEST_DIR")).join("lessons")).expect_err("a folder");
    assert!(lessons.to_string().contains("is a folder; try one of its files"), "{lessons}");
}

#[test]
fn scripts_are_one_cell_or_marked_ones() {
    let plain = read("a.py", "import torch\n\nprint(1)\n");
    assert_eq!(plain.cells.len(), 1);
    assert_eq!((plain.cells[0].source.as_str(), plain.cells[0].line), ("import torch\n\nprint(1)", 1));
    let marked = read(
        "a.py",
        "# notes\n\n# %% first\nx = 1\n\n# %% [markdown]\n# words\n\n#%%\n\ny = 2\n# In[3]:\n\n\nz = 3\n# In[ ]:\n",
    );
    let cells: Vec<(&str, usize)> = marked.cells.iter().map(|c| (c.source.as_str(), c.line)).collect();
    assert_eq!(cells, [("# notes", 1), ("x = 1", 4), ("y = 2", 11), ("z = 3", 15)]);
    let comment = read("a.py", "# In[short]: no mark\nx = 1\n");
    assert_eq!(comment.cells.len(), 1);
}

#[test]
fn markdown_files_give_their_fences() {
    let plain = read(
        "r.md",
        "# Title\n\n```python\nx = 1\nx\n```\n\n```output\n1\n```\n\n```sh\nls\n```\n\n```py\ny = 2\n```\n",
    );
    assert_eq!(plain.title, "Title");
    assert_eq!(plain.cells.len(), 2);
    assert_eq!((plain.cells[0].source.as_str(), plain.cells[0].line), ("x = 1\nx", 4));
    assert_eq!(plain.cells[0].recorded.as_ref().map(|r| r.shown()), Some("1\n".to_string()));
    let myst = read(
        "m.md",
        "---\nkernelspec:\n  name: python3\n---\n\n```{code-cell} ipython3\n:tags: [a]\n\nx = 1\n```\n\n```python\nnot_run\n```\n\n```{code-cell}\n---\ntags: [a]\n---\ny\n```\n",
    );
    let cells: Vec<(&str, usize)> = myst.cells.iter().map(|c| (c.source.as_str(), c.line)).collect();
    assert_eq!(cells, [("x = 1", 9), ("y", 20)]);
}

// ---------------------------------------------------------------- recorded against actual

#[test]
fn verdicts() {
    let verdict = |a: &str, b: &str| compare(Some(a), b, TOLERANCE).verdict;
    assert_eq!(verdict("tensor([0.1])\n", "tensor([0.1])"), Verdict::Same);
    assert_eq!(verdict("a  \nb\r\n\n", "a\nb"), Verdict::Same);
    assert_eq!(verdict("", ""), Verdict::Same);
    assert_eq!(verdict("tensor([0.1000, 2.])", "tensor([0.1001, 2.])"), Verdict::Close);
    assert_eq!(verdict("tensor([0.1000, 2.])", "tensor([0.1003, 2.])"), Verdict::Differs);
    assert_eq!(verdict("tensor([1.])", "tensor([1.0000])"), Verdict::Close);
    assert_eq!(verdict("1234567.0", "1234567.2"), Verdict::Close);
    assert_eq!(verdict("nan", "nan"), Verdict::Same);
    assert_eq!(verdict("[nan, 1.0]", "[nan, 1.0001]"), Verdict::Close);
    assert_eq!(verdict("[nan]", "[1.0]"), Verdict::Differs);
    assert_eq!(verdict("-inf", "inf"), Verdict::Differs);
    assert_eq!(verdict("grad_fn=<MmBackward0>", "grad_fn=<MmBackward1>"), Verdict::Differs);
    assert_eq!(verdict("x_1", "x_2"), Verdict::Differs);
    assert_eq!(verdict("<f at 0x7f01>", "<f at 0x7f02>"), Verdict::Close);
    assert_eq!(verdict("one\ntwo", "one"), Verdict::Differs);
    assert_eq!(verdict("tensor([1.0, 2.0,\n        3.0])", "tensor([1.0, 2.0, 3.0])"), Verdict::Close);
    assert_eq!(compare(None, "x", TOLERANCE).verdict, Verdict::Unrecorded);
    assert_eq!(compare_step(None, "", TOLERANCE).verdict, Verdict::Same);
    assert_eq!(compare_step(None, "x", TOLERANCE).verdict, Verdict::Unrecorded);
    assert_eq!(compare(Some("1e-5 x"), "1.1e-5 x", 1e-9).verdict, Verdict::Differs);
}

#[test]
fn the_largest_difference_is_told() {
    let found =
        compare(Some("first\ntensor([0.9544, 1.4950])"), "first\ntensor([0.9544, 1.4960])", TOLERANCE);
    assert_eq!(found.verdict, Verdict::Differs);
    assert!((found.worst.expect("numbers differ") - 0.001).abs() < 1e-9);
}

#[test]
fn lines_that_are_missing_or_new_are_paired() {
    let found = pairs(&["a", "b", "c", "d"], &["a", "c", "d", "e"]);
    let expected =
        [(Some(0), Some(0)), (Some(1), None), (Some(2), Some(1)), (Some(3), Some(2)), (None, Some(3))];
    assert_eq!(found, expected);
    let found = pairs(&["a", "b", "c"], &["a", "x", "y", "c"]);
    assert_eq!(found, [(Some(0), Some(0)), (Some(1), Some(1)), (None, Some(2)), (Some(2), Some(3))]);
}

// ---------------------------------------------------------------- cells as files

#[test]
fn saved_cells_are_read_again() {
    let saved = |name: &str, source: &str, output: RecordedOutput| SavedCell {
        name: name.into(),
        source: source.into(),
        output,
    };
    let raised = Some(("ZeroDivisionError".to_owned(), "division by zero".to_owned()));
    let cells = [
        saved(
            "scores",
            "x = 1\nprint(x)",
            RecordedOutput { stdout: "1\n".into(), ..RecordedOutput::default() },
        ),
        saved("input 1", "x", RecordedOutput { result: Some("1".into()), ..RecordedOutput::default() }),
        saved("input 2", "1/0", RecordedOutput { error: raised, ..RecordedOutput::default() }),
    ];
    for (file, text) in [("a.py", script::write(&cells)), ("a.ipynb", ipynb::write(&cells))] {
        let read = read(file, &text);
        let sources: Vec<&str> = read.cells.iter().map(|cell| cell.source.as_str()).collect();
        assert_eq!(sources, ["x = 1\nprint(x)", "x", "1/0"], "{file}");
    }
    let read = read("a.ipynb", &ipynb::write(&cells));
    let recorded = |at: usize| read.cells[at].recorded.as_ref().expect("it has an output").shown();
    assert_eq!(recorded(0), "1\n");
    assert_eq!(recorded(1), "1\n");
    assert_eq!(recorded(2), "ZeroDivisionError: division by zero\n");
}

/// An author who reads docs/lessons.md meets every directive, option, picture and key that the parser knows.
#[test]
fn the_guide_for_authors_names_every_word() {
    use attn::lesson::vocabulary::{DIRECTIVES, FRONT_MATTER, VIEWS};

    let guide = include_str!("../../docs/lessons.md");
    let options = DIRECTIVES.iter().flat_map(|directive| directive.options);
    let directives = DIRECTIVES.iter().map(|directive| directive.name);
    for name in options.chain(VIEWS).chain(FRONT_MATTER).copied().chain(directives) {
        assert!(guide.contains(name), "docs/lessons.md does not name `{name}`");
    }
}
