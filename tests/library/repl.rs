//! The REPL's line editor without a terminal: completion, signatures, keys and colours.

use attn::app::cells::workspace::Workspace;
use attn::app::commands::options::GlobalOptions;
use attn::app::repl::commands::COMMANDS;
use attn::app::repl::complete::{complete, path_before, signature_of};
use attn::app::repl::editor::coloured;
use attn::app::repl::keys::{BoundKey, Cursor, KeyAction, MARGIN, without_margins};
use attn::lesson::Catalogue;
use attn::view::Look;
use rustyline::{CharSearch, Cmd, Movement};

fn workspace(code: &str) -> Workspace<'static> {
    let mut workspace = Workspace::new(&GlobalOptions::default());
    workspace.run(code, "cell");
    workspace
}

#[test]
fn names_are_completed_where_they_stand() {
    let catalogue = Catalogue::new();
    let mut workspace =
        workspace("import torch\nimport torch.nn.functional as F\nqueries = torch.ones(2, 3)\nqueue = 1");
    let mut at = |line: &str| {
        let found = complete(line, line.len(), &mut workspace, &catalogue);
        let names: Vec<String> = found.candidates.into_iter().map(|(_, replacement)| replacement).collect();
        (found.start, names)
    };
    assert_eq!(at("x = que"), (4, vec!["queries".to_owned(), "queue".to_owned()]));
    assert_eq!(at("queries.transp").1, ["transpose", "transpose_"]);
    assert_eq!(at("torch.softm").1, ["softmax"]);
    assert_eq!(at(":ta").1, [":table "]);
    assert_eq!(at(":table quer").1, ["queries"]);
    assert_eq!(at(":goto softmax-na").1.len(), 1);
    for line in ["print(que", "x = [que", "f(queries)[que", "print('a', que", "(queries, [0, que"] {
        assert_eq!(at(line).1, ["queries", "queue"], "{line}");
    }
    // Where nothing is typed yet: the learner's own names, not the hundreds of Python.
    for line in ["queries[", "print(", "f(queries, "] {
        assert_eq!(at(line).1, ["torch", "F", "queries", "queue"], "{line}");
    }
    // What the lessons use comes first.
    let methods = at("queries.").1;
    let place = |name: &str| methods.iter().position(|method| method == name).expect(name);
    assert!(methods.len() > 300);
    assert!(place("shape") < 10 && place("T") < 20, "{:?}", &methods[..30]);
    assert!(place("transpose") < place("transpose_"));
    for line in ["'que", "# que", "1.", "f().sha", "print('que"] {
        assert!(at(line).1.is_empty(), "{line}");
    }
}

#[test]
fn signatures_are_shown() {
    let mut workspace =
        workspace("import torch\nfrom torch import nn\nx = torch.ones(2, 3)\ndef f(a, b=2): pass");
    let mut of = |path: &str| signature_of(path, &mut workspace);
    assert_eq!(of("torch.softmax").as_deref(), Some("input, dim, dtype=None"));
    assert_eq!(of("x.transpose").as_deref(), Some("dim0, dim1"));
    assert_eq!(of("f").as_deref(), Some("a, b=2"));
    assert!(of("nn.Linear").is_some_and(|signature| signature.contains("in_features")));
    assert_eq!(of("nothing"), None);
    assert_eq!(path_before("y = f(torch.soft", 16), "torch.soft");
}

#[test]
fn colours_keep_the_width_of_the_text() {
    let look = Look { width: 80, colour: false, plain: false };
    let margin = String::from(MARGIN).repeat(10);
    for typed in ["x = 'a b'  ", "", ":table x ", "f(", "'''\n  a\t", "x  # é"] {
        assert_eq!(coloured(typed, look).replace("     ...> ", &margin), *typed);
    }
    let block = format!("for i in x:\n{margin}    pass  ");
    assert_eq!(coloured(&block, look), "for i in x:\n     ...>     pass  ");
}

#[test]
fn enter_submits_complete_inputs() {
    let enter = |typed: &str| Cursor::new(typed, typed.len()).enter(2);
    for typed in
        ["x = 1", "", ":shape (a", "x = = 1", "for i in x:\n\u{2007}\u{2007}    pass\n\u{2007}\u{2007}"]
    {
        assert_eq!(enter(typed), KeyAction::Command(Cmd::AcceptLine), "{typed:?}");
    }
    let new_line = |indent: usize| {
        KeyAction::Command(Cmd::Insert(1, format!("\n\u{2007}\u{2007}{}", " ".repeat(indent))))
    };
    for (typed, indent) in [
        ("for i in x:", 4),
        ("print(", 4),
        ("def f(a):  # comment", 4),
        ("x = [1,", 0),
        ("def f():\n\u{2007}\u{2007}    return 1", 0),
        ("def f():\n\u{2007}\u{2007}    x = ':'", 4),
    ] {
        assert_eq!(enter(typed), new_line(indent), "{typed:?}");
    }
    let command = "%%time\n\u{2007}\u{2007}x = 1\n\u{2007}\u{2007}:vars";
    assert_eq!(enter(command), KeyAction::Command(Cmd::AcceptLine));
    assert_eq!(enter(&command.replace("x = 1", "x = [")), new_line(0), "the line is a slice");
}

#[test]
fn the_cursor_never_enters_the_margin() {
    let typed = "f(\n\u{2007}\u{2007}  a";
    let start = typed.find(' ').expect("the indentation");
    let key = |pos: usize, key: BoundKey| Cursor::new(typed, pos).key(key);
    let to = |search| Movement::ViCharSearch(1, search);
    let command = |command| Some(KeyAction::Command(command));
    assert_eq!(key(start, BoundKey::Left), command(Cmd::Move(to(CharSearch::Backward('\n')))));
    assert_eq!(key(start, BoundKey::Backspace), command(Cmd::Kill(to(CharSearch::Backward('\n')))));
    assert_eq!(key(2, BoundKey::Right), command(Cmd::Move(to(CharSearch::Forward(' ')))));
    assert_eq!(key(typed.len(), BoundKey::Home), command(Cmd::Move(to(CharSearch::BackwardAfter(MARGIN)))));
    assert_eq!(key(start + 2, BoundKey::Backspace), Some(KeyAction::Replace(2, String::new())));
    assert_eq!(key(start, BoundKey::Home), command(Cmd::Noop));
    assert_eq!(key(0, BoundKey::Left), None);
    assert_eq!(without_margins(typed), "f(\n  a");
}

#[test]
fn no_name_belongs_to_two_commands() {
    let names = COMMANDS.iter().flat_map(|it| [it.name].into_iter().chain(it.aliases.iter().copied()));
    let mut names: Vec<&str> = names.collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
    for command in COMMANDS {
        assert!(!command.line.is_empty() && !command.line.ends_with('.'), "{}", command.name);
    }
}
