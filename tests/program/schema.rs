//! The documents of `--json` against the published schemas in docs/schema.
//! Source: JSON Schema 2020-12, the keywords that these schemas use; another keyword fails the test.

use std::process::Command;

use serde_json::Value;

/// Where a value breaks the schema, as `$.cells[0].ms: ...`; empty if it keeps it.
fn broken(schema: &Value, value: &Value, root: &Value, place: &str) -> Vec<String> {
    let mut found = Vec::new();
    let Some(rules) = schema.as_object() else { return vec![format!("{place}: the schema is no object")] };
    for (keyword, rule) in rules {
        match keyword.as_str() {
            "$schema" | "$defs" | "title" | "description" => {}
            "$ref" => {
                let path =
                    rule.as_str().and_then(|path| path.strip_prefix('#')).expect("a place in the schema");
                let target = root.pointer(path).unwrap_or_else(|| panic!("{path} is not in the schema"));
                found.extend(broken(target, value, root, place));
            }
            "type" => {
                let one = rule.as_str().map(|kind| vec![kind]);
                let many = || rule.as_array().expect("types").iter().filter_map(Value::as_str).collect();
                let kinds = one.unwrap_or_else(many);
                if !kinds.iter().any(|kind| is_a(value, kind)) {
                    found.push(format!("{place}: not {kinds:?} but {value}"));
                }
            }
            "const" if rule == value => {}
            "const" => found.push(format!("{place}: not {rule} but {value}")),
            "enum" if rule.as_array().expect("values").contains(value) => {}
            "enum" => found.push(format!("{place}: none of {rule} but {value}")),
            "minimum" => {
                if value.as_f64() < rule.as_f64() && value.is_number() {
                    found.push(format!("{place}: {value} is below {rule}"));
                }
            }
            "required" => {
                let names = rule.as_array().expect("names").iter().filter_map(Value::as_str);
                let missing = names.filter(|name| value.is_object() && value.get(name).is_none());
                found.extend(missing.map(|name| format!("{place}: there is no {name}")));
            }
            // A field that the schema does not name is one that is not documented.
            "properties" => {
                for (name, own) in value.as_object().into_iter().flatten() {
                    match rule.get(name) {
                        Some(rule) => found.extend(broken(rule, own, root, &format!("{place}.{name}"))),
                        None => found.push(format!("{place}.{name}: not in the schema")),
                    }
                }
            }
            "items" => {
                for (at, own) in value.as_array().into_iter().flatten().enumerate() {
                    found.extend(broken(rule, own, root, &format!("{place}[{at}]")));
                }
            }
            "oneOf" => {
                let each = rule.as_array().expect("schemas").iter();
                let kept = each.filter(|one| broken(one, value, root, place).is_empty()).count();
                if kept != 1 {
                    found.push(format!("{place}: {kept} of the schemas fit {value}"));
                }
            }
            other => panic!("the keyword {other} is not checked"),
        }
    }
    found
}

fn is_a(value: &Value, kind: &str) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("{other} is no type"),
    }
}

fn schema(name: &str) -> Value {
    let text = std::fs::read_to_string(format!("docs/schema/{name}.json")).expect("it is published");
    serde_json::from_str(&text).expect("a schema is JSON")
}

#[test]
fn documents_keep_their_schemas() {
    let cases: [(&str, &[&str]); 7] = [
        ("run", &["run", "scores", "--json"]),
        ("run", &["run", "3.5.1", "--json", "--trace"]),
        ("run", &["run", "untransposed", "--json"]),
        ("run", &["run", "tests/cmd/files/wrong.py", "--json", "--keep-going", "--trace"]),
        ("run", &["run", "tests/cmd/files/raises.ipynb", "--json"]),
        ("check", &["check", "tests/cmd/files/differs.ipynb", "--json"]),
        ("check", &["check", "lessons/06-dropout.md", "--json"]),
    ];
    for (name, typed) in cases {
        let schema = schema(name);
        let output = Command::new(env!("CARGO_BIN_EXE_attn"))
            .args(typed)
            .env("ATTN_STATE_DIR", "tests/cmd/nobody")
            .output()
            .expect("the program runs");
        let text = String::from_utf8(output.stdout).expect("JSON is UTF-8");
        assert!(!text.trim().is_empty(), "{typed:?}");
        for line in text.lines() {
            let document: Value = serde_json::from_str(line).expect("each line is a document");
            let found = broken(&schema, &document, &schema, "$");
            assert!(found.is_empty(), "{typed:?}:\n{}", found.join("\n"));
        }
    }
}

#[test]
fn a_document_that_breaks_its_schema_is_found() {
    let schema = schema("run");
    let good = serde_json::json!({"schema": "attn.run/2", "target": "x", "ok": true, "cells": []});
    assert_eq!(broken(&schema, &good, &schema, "$"), Vec::<String>::new());
    for (field, wrong) in [("schema", "attn.run/1".into()), ("ok", Value::Null), ("cells", 1.into())] {
        let mut bad = good.clone();
        bad[field] = wrong;
        assert_eq!(broken(&schema, &bad, &schema, "$").len(), 1, "{field}");
    }
    let mut more = good.clone();
    more["cells"] = serde_json::json!([{"index": 0}]);
    more["new"] = true.into();
    assert_eq!(broken(&schema, &more, &schema, "$").len(), 9);
}
