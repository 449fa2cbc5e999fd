//! The REPL's line editor without a terminal: completion, signatures, keys and colours.

use attn::app::cells::workspace::Workspace;
use attn::app::commands::options::GlobalOptions;
use attn::app::repl::commands::COMMANDS;
use attn::app::repl::complete::{complete, path_before, signature_of};
use attn::app::repl::editor::coloured;
use attn::app::repl::keys::{BoundKey, Cursor, KeyAction, code_of};
use attn::lesson::Catalogue;
use attn::view::Look;
use rustyline::Cmd;

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
    // What the lessons use and the shape allows comes first.
    let methods = at("queries.").1;
    let place = |name: &str| methods.iter().position(|method| method == name).expect(name);
    assert!(methods.len() > 300);
    assert!(place("shape") < 10 && place("T") < 20, "{:?}", &methods[..30]);
    assert!(place("transpose") < place("transpose_") && place("item") > 300 && place("bmm") > 300);
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
    for typed in ["x = 'a b'  ", "", ":table x ", "f(", "'''\n  a\t", "x  # é", "\nfor i in x:\n    pass  "]
    {
        assert_eq!(coloured(typed, look), *typed);
    }
}

#[test]
fn enter_submits_complete_inputs() {
    let enter = |typed: &str| Cursor { typed, pos: typed.len() }.enter();
    for typed in ["x = 1", "", ":shape (a", "x = = 1", "\nfor i in x:\n    pass\n", "for i in x:\n    pass\n"]
    {
        assert_eq!(enter(typed), KeyAction::Command(Cmd::AcceptLine), "{typed:?}");
    }
    let line = |indent: usize| format!("\n{}", " ".repeat(indent));
    for (typed, indent) in
        [("for i in x:", 4), ("print(", 4), ("def f(a):  # comment", 4), ("x = [1,", 0), ("%%time", 0)]
    {
        // The first line goes under the prompt, so that the lines are aligned.
        let under = format!("\n{typed}{}", line(indent));
        assert_eq!(enter(typed), KeyAction::Replace(typed.len(), under), "{typed:?}");
    }
    for (typed, indent) in [("\ndef f():\n    return 1", 0), ("\ndef f():\n    x = ':'", 4)] {
        assert_eq!(enter(typed), KeyAction::Command(Cmd::Insert(1, line(indent))), "{typed:?}");
    }
    let command = "\n%%time\nx = 1\n:vars";
    assert_eq!(enter(command), KeyAction::Command(Cmd::AcceptLine));
    let slice = command.replace("x = 1", "x = [");
    assert_eq!(enter(&slice), KeyAction::Command(Cmd::Insert(1, line(0))), "the line is a slice");
    assert_eq!(code_of(command), "%%time\nx = 1\n:vars");
}

#[test]
fn keys_take_indentation_away() {
    let typed = "\nf(\n      a";
    let key = |pos: usize, key: BoundKey| Cursor { typed, pos }.indentation(key);
    assert_eq!(key(10, BoundKey::Backspace), Some(KeyAction::Replace(6, "    ".to_owned())));
    assert_eq!(key(6, BoundKey::BackTab), Some(KeyAction::Replace(2, String::new())));
    assert_eq!(key(4, BoundKey::Tab), Some(KeyAction::Command(Cmd::Insert(1, "    ".to_owned()))));
    assert_eq!(key(4, BoundKey::Backspace), None);
    assert_eq!(key(3, BoundKey::Tab), None, "names are completed");
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
