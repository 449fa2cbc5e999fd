//! The command line: the table of commands, and the values of options.

use attn::app::commands::options::bytes;
use attn::app::commands::verbs::{VERBS, command};

#[test]
fn the_parser_has_the_commands_of_the_table() {
    command().debug_assert();
    let names: Vec<String> = command().get_subcommands().map(|it| it.get_name().to_owned()).collect();
    assert_eq!(names, VERBS.iter().map(|verb| verb.name).collect::<Vec<_>>());
}

#[test]
fn every_command_has_a_line_and_examples_that_parse() {
    for verb in VERBS {
        assert!(!verb.line.is_empty() && !verb.line.ends_with('.'), "{}", verb.name);
        for example in verb.examples.lines() {
            let typed = example.split(" > ").next().expect("split returns at least one part");
            let parsed = command().try_get_matches_from(typed.split_whitespace());
            assert!(parsed.is_ok_and(|it| it.subcommand_name() == Some(verb.name)), "{example}");
        }
    }
}

#[test]
fn sizes_are_powers_of_1024() {
    assert_eq!(bytes("4096"), Ok(4096));
    assert_eq!(bytes("512M"), Ok(512 << 20));
    assert_eq!(bytes("1.5 GiB"), Ok(3 << 29));
    for wrong in ["", "G", "-1", "1X", "0"] {
        assert!(bytes(wrong).is_err(), "{wrong}");
    }
}
