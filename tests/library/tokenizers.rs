//! Tokenizers from local folders encode as `transformers` does, and refuse what they do not have.

use std::fs;
use std::path::{Path, PathBuf};

use attn::session::{Session, SessionOptions, with_large_stack};
use attn::shims::FileAccess;
use serde_json::{Value as Json, json};

const PLACE: &str = "tests/golden/tokenizers";

/// What a program prints in a folder that it may read, and the exception that ends it.
fn run(folder: &Path, read: &[PathBuf], program: &str) -> (String, Option<String>) {
    let files = FileAccess::new(folder, read, &[]).expect("the folder is there");
    with_large_stack(|| {
        let options = SessionOptions { files, ..SessionOptions::default() };
        let outcome = Session::new(options).run(program, "cell 1");
        (outcome.stdout, outcome.error.map(|error| format!("{}: {}", error.kind, error.message)))
    })
}

/// Recorded by `make_tokenizers.py`, from transformers with the same files.
#[test]
fn tokenizers_of_local_folders_print_as_recorded() {
    if crate::apart::ran() {
        return;
    }
    let text = fs::read_to_string("tests/golden/tokenizers.json").expect("the recorded programs");
    let document: Json = serde_json::from_str(&text).expect("JSON");
    let cases = document["cases"].as_array().expect("a list of cases");
    assert!(cases.len() > 7);
    let mut wrong = Vec::new();
    for case in cases {
        let word = |key: &str| case[key].as_str().unwrap_or_default();
        let (stdout, error) = run(Path::new(PLACE), &[PathBuf::new()], word("program"));
        if let Some(error) = error {
            wrong.push(format!("{}: raised {error}", word("name")));
        }
        let (ours, theirs) = (stdout.lines(), word("stdout").lines());
        let differs = ours.zip(theirs).enumerate().filter(|(_, (ours, theirs))| ours != theirs);
        for (line, (ours, theirs)) in differs.take(6) {
            wrong.push(format!("{}, printed line {}:\n  {ours}\n  {theirs}", word("name"), line + 1));
        }
        if stdout.lines().count() != word("stdout").lines().count() {
            wrong.push(format!("{}: not as many lines", word("name")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A cell, and the beginning of the exception that ends it.
const REFUSED: &[(&str, &str)] = &[
    ("AutoTokenizer.from_pretrained('gpt2')", "OSError: We couldn't connect to 'https://huggingface.co'"),
    (
        "AutoTokenizer.from_pretrained('meta-llama/Llama-3')",
        "OSError: We couldn't connect to 'https://huggingface.co'",
    ),
    (
        "AutoTokenizer.from_pretrained('./nothing')",
        "FileNotFoundError: [Errno 2] No such file or directory: './nothing'",
    ),
    (
        "AutoTokenizer.from_pretrained('../words')",
        "PermissionError: os.listdir('../words'): attn reads only what --allow-read",
    ),
    (
        "AutoTokenizer.from_pretrained('good', use_fast=False)",
        "NotImplementedError: attn has fast tokenizers only",
    ),
    (
        "AutoTokenizer.from_pretrained('good', subfolder='x')",
        "NotImplementedError: attn's from_pretrained does not have subfolder",
    ),
    (
        "AutoTokenizer.from_pretrained('llama')",
        "NotImplementedError: attn does not have LlamaTokenizer; it has",
    ),
    ("AutoTokenizer.from_pretrained('no-class')", "OSError: no-class does not appear to have a file named"),
    (
        "AutoTokenizer.from_pretrained('t5')",
        "NotImplementedError: attn does not have the tokenizer of the model type 't5'",
    ),
    ("AutoTokenizer.from_pretrained('empty')", "OSError: Can't load tokenizer for 'empty'"),
    (
        "load('unigram')",
        "NotImplementedError: attn's tokenizers do not have what the file asks for: model: no byte pairs",
    ),
    (
        "load('metaspace')",
        "NotImplementedError: attn's tokenizers do not have what the file asks for: pre_tokenizer: Metaspace",
    ),
    (
        "load('fallback')",
        "NotImplementedError: attn's tokenizers do not have what the file asks for: model: byte_fallback True",
    ),
    (
        "load('dropout')",
        "NotImplementedError: attn's tokenizers do not have what the file asks for: model: dropout 0.1",
    ),
    (
        "load('new-field')",
        "NotImplementedError: attn's tokenizers do not have what the file asks for: tokenizer.json: surprise",
    ),
    ("load('cut-short')", "json.decoder.JSONDecodeError: "),
    (
        "load('pattern')",
        "NotImplementedError: attn's tokenizers do not have what the file asks for: the pattern (a",
    ),
    (
        "load('merge')",
        "NotImplementedError: attn's tokenizers do not have what the file asks for: model: the vocabulary does not have `zz`",
    ),
    (
        "load('good')('a', return_offsets_mapping=True)",
        "NotImplementedError: attn's tokenizers do not have return_offsets_mapping=True",
    ),
    ("load('good')('a', stride=2)", "NotImplementedError: attn's tokenizers do not have stride=2"),
    (
        "load('good').apply_chat_template([])",
        "NotImplementedError: attn does not have PreTrainedTokenizerFast.apply_chat_template",
    ),
    ("load('good')('a', odd=1)", "TypeError: "),
    (
        "load('bytes-twice')",
        "NotImplementedError: attn's tokenizers do not have what the file asks for: pre_tokenizer: ByteLevel",
    ),
    (
        "load('repeated')('a')",
        "NotImplementedError: attn's tokenizers do not have what the file asks for: post_processor: a template",
    ),
    (
        "load('word-pieces')",
        "NotImplementedError: attn's tokenizers do not have what the file asks for: model: WordPiece",
    ),
    (
        "load('stripping')",
        "NotImplementedError: attn's tokenizers do not have what the file asks for: the added token '<m>'",
    ),
    ("load('good')('a', 'b')", "NotImplementedError: attn's tokenizers encode one text at a time"),
    ("load('good')('a').word_ids()", "NotImplementedError: attn's BatchEncoding does not have word_ids"),
    ("load('good')('a')[0]", "NotImplementedError: attn's BatchEncoding has no `Encoding`"),
    (
        "transformers.AutoModel",
        "ImportError: transformers.AutoModel is not here: attn has no pretrained models",
    ),
    (
        "from transformers.modeling_utils import PreTrainedModel\nPreTrainedModel()",
        "ImportError: transformers.modeling_utils.PreTrainedModel is not here",
    ),
];

#[test]
fn what_a_file_asks_for_and_is_not_there_is_refused_by_name() {
    if crate::apart::ran() {
        return;
    }
    let place = tempfile::tempdir().expect("a folder for the test");
    let write = |folder: &str, name: &str, text: &str| {
        fs::create_dir_all(place.path().join(folder)).expect("a folder");
        fs::write(place.path().join(folder).join(name), text).expect("a file");
    };
    let good: Json = serde_json::from_str(
        &fs::read_to_string(format!("{PLACE}/byte_pairs/tokenizer.json")).expect("a file"),
    )
    .expect("JSON");
    let changed = |place: &str, value: Json| {
        let mut file = good.clone();
        match place.split_once('.') {
            Some((part, field)) => file[part][field] = value,
            None => file[place] = value,
        }
        file.to_string()
    };
    write("good", "tokenizer.json", &good.to_string());
    write("good", "tokenizer_config.json", "{\"tokenizer_class\": \"PreTrainedTokenizerFast\"}");
    write("llama", "tokenizer_config.json", "{\"tokenizer_class\": \"LlamaTokenizer\"}");
    write("t5", "config.json", "{\"model_type\": \"t5\"}");
    write("no-class", "tokenizer.json", &good.to_string());
    write("empty", "tokenizer_config.json", "{\"tokenizer_class\": \"GPT2Tokenizer\"}");
    write("unigram", "tokenizer.json", &changed("model", json!({"unk_id": 0, "vocab": [["a", 0.0]]})));
    write(
        "metaspace",
        "tokenizer.json",
        &changed("pre_tokenizer", json!({"type": "Metaspace", "replacement": "_"})),
    );
    write("fallback", "tokenizer.json", &changed("model.byte_fallback", json!(true)));
    write("dropout", "tokenizer.json", &changed("model.dropout", json!(0.1)));
    write("new-field", "tokenizer.json", &changed("surprise", json!(1)));
    write("cut-short", "tokenizer.json", &good.to_string()[..200]);
    let level = &good["pre_tokenizer"];
    let split = |pattern: &str| {
        let split =
            json!({"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": false});
        json!({"type": "Sequence", "pretokenizers": [split, level]})
    };
    write("pattern", "tokenizer.json", &changed("pre_tokenizer", split("(a")));
    let twice = json!({"type": "Sequence", "pretokenizers": [level, level]});
    write("bytes-twice", "tokenizer.json", &changed("pre_tokenizer", twice));
    let text = json!({"Sequence": {"id": "A", "type_id": 0}});
    let template =
        json!({"type": "TemplateProcessing", "single": [text, text], "pair": [], "special_tokens": {}});
    write("repeated", "tokenizer.json", &changed("post_processor", template));
    write("word-pieces", "tokenizer.json", &changed("model.type", json!("WordPiece")));
    let token = json!({"id": 421, "content": "<m>", "single_word": false, "lstrip": true, "rstrip": false, "normalized": false, "special": true});
    write("stripping", "tokenizer.json", &changed("added_tokens", json!([token])));
    write("merge", "tokenizer.json", &changed("model.merges", json!(["a zz"])));
    let start = "import transformers\nfrom transformers import AutoTokenizer, PreTrainedTokenizerFast\n\
                 load = PreTrainedTokenizerFast.from_pretrained\n";
    let mut wrong = Vec::new();
    for (cell, expected) in REFUSED {
        let error = run(place.path(), &[PathBuf::new()], &format!("{start}{cell}")).1;
        if !error.as_ref().is_some_and(|error| error.starts_with(expected)) {
            wrong.push(format!("{cell}: {error:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let closed = run(place.path(), &[], &format!("{start}AutoTokenizer.from_pretrained('./good')")).1;
    let closed = closed.expect("no file is open");
    assert!(closed.contains("--allow-read"), "{closed}");
    let hub = run(place.path(), &[], &format!("{start}AutoTokenizer.from_pretrained('gpt2')")).1;
    let hub = hub.expect("no file is open");
    assert!(hub.contains("--allow-read") && hub.ends_with("tiktoken.get_encoding('gpt2')"), "{hub}");
}
