//! Models in folders: what is said of a folder that is no model, or not a whole one, names the file and the field.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

const GPT2: &str = "tests/cmd/files/models/gpt2";
const LLAMA: &str = "tests/cmd/files/models/llama";

fn attn(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_attn"))
        .args(args)
        .env("ATTN_STATE_DIR", "tests/cmd/nobody")
        .env("COLUMNS", "1000")
        .output()
        .expect("the program runs")
}

/// Copies a model, changes the copy, and returns what `attn look` says of it on stderr.
#[track_caller]
fn said(model: &str, change: impl FnOnce(&Path)) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let copy = folder.path().join("copy");
    fs::create_dir(&copy).expect("a folder");
    for entry in fs::read_dir(model).expect("the model") {
        let entry = entry.expect("a file");
        fs::copy(entry.path(), copy.join(entry.file_name())).expect("a copy");
    }
    change(&copy);
    let output = attn(&["look", "--model", copy.to_str().expect("a path"), "the river"]);
    let words = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(3), "{words}");
    let prefix = format!("attn: {}: ", copy.display());
    words
        .strip_prefix(&prefix)
        .unwrap_or_else(|| panic!("it begins with the folder: {words}"))
        .trim_end()
        .to_owned()
}

/// Changes a field of the config; `null` takes it away.
fn field(name: &'static str, value: Value) -> impl FnOnce(&Path) {
    move |folder| {
        let file = folder.join("config.json");
        let mut config: Value = serde_json::from_slice(&fs::read(&file).expect("a config")).expect("JSON");
        config[name] = value;
        fs::write(file, config.to_string()).expect("it is written");
    }
}

fn without(name: &'static str) -> impl FnOnce(&Path) {
    move |folder| fs::remove_file(folder.join(name)).expect("the file was there")
}

#[test]
fn a_config_that_attn_does_not_read_is_named_with_its_field() {
    let all = "attn reads GPT2LMHeadModel, GPT2Model, LlamaForCausalLM, MistralForCausalLM, Qwen2ForCausalLM, Qwen3ForCausalLM";
    assert_eq!(said(GPT2, without("config.json")), "config.json is missing");
    let torn = |folder: &Path| fs::write(folder.join("config.json"), "{\"n_embd\": ").expect("it is written");
    assert!(said(GPT2, torn).starts_with("config.json cannot be read as JSON: "));
    let list = |folder: &Path| fs::write(folder.join("config.json"), "[]").expect("it is written");
    assert_eq!(said(GPT2, list), "config.json is not a JSON object");
    for (model, name, value, wanted) in [
        (
            GPT2,
            "architectures",
            json!(["MambaForCausalLM"]),
            format!("architectures is [\"MambaForCausalLM\"]; {all}"),
        ),
        (GPT2, "architectures", Value::Null, format!("architectures is null; {all}")),
        (GPT2, "n_head", json!(0), "n_head is 0; it has to be a number above 0".to_owned()),
        (GPT2, "n_head", json!(5), "a width of 12 cannot be divided between 5 heads".to_owned()),
        (GPT2, "n_layer", json!(1.5), "n_layer is 1.5; it has to be a whole number".to_owned()),
        (
            GPT2,
            "vocab_size",
            json!("many"),
            "vocab_size is \"many\"; it has to be a number above 0".to_owned(),
        ),
        (
            GPT2,
            "activation_function",
            json!("relu"),
            "activation_function is \"relu\"; attn has only \"gelu_new\"".to_owned(),
        ),
        (
            LLAMA,
            "num_key_value_heads",
            json!(3),
            "4 heads of queries cannot share 3 heads of keys and values".to_owned(),
        ),
        (
            LLAMA,
            "rope_scaling",
            json!({"rope_type": "yarn", "factor": 2.0}),
            "rope_scaling of the kind 'yarn' is not part of attn".to_owned(),
        ),
        (LLAMA, "rope_scaling", json!({"rope_type": "linear"}), "'factor' is missing".to_owned()),
        (
            LLAMA,
            "quantization_config",
            json!({}),
            "quantization_config is there; attn reads weights in float32, float16 and bfloat16".to_owned(),
        ),
    ] {
        assert_eq!(said(model, field(name, value)), format!("config.json: {wanted}"), "{name}");
    }
}

#[test]
fn sizes_are_checked_before_memory_is_taken() {
    let huge = said(GPT2, field("n_embd", json!(300_000)));
    assert!(huge.contains("parameters of config.json take 8.6 TB in float32, and cells may take "), "{huge}");
    let endless = said(GPT2, field("n_layer", json!(10_u64.pow(18))));
    assert!(endless.starts_with("config.json: its fields make a model of "), "{endless}");
    let output = attn(&["write", "--model", LLAMA, "--max-memory", "40K", "the"]);
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn weights_that_do_not_fit_are_named_with_their_file() {
    assert_eq!(
        said(GPT2, without("model.safetensors")),
        "model.safetensors is missing: there are no weights"
    );
    let pickle = said(GPT2, |folder| {
        fs::rename(folder.join("model.safetensors"), folder.join("pytorch_model.bin"))
            .expect("it is renamed");
    });
    assert!(pickle.starts_with(
        "pytorch_model.bin is a pickle, which can run code; attn reads safetensors. To convert it"
    ));
    let cut = said(GPT2, |folder| {
        let file = folder.join("model.safetensors");
        let bytes = fs::read(&file).expect("the weights");
        fs::write(file, &bytes[..bytes.len() - 1000]).expect("it is written");
    });
    assert!(cut.starts_with("model.safetensors cannot be read: "), "{cut}");
    let other = said(LLAMA, |folder| {
        fs::write(folder.join("model.safetensors"), "this is no file of tensors").expect("it is written");
    });
    assert!(other.starts_with("model.safetensors cannot be read: "), "{other}");
    assert_eq!(
        said(GPT2, field("n_layer", json!(3))),
        "model.safetensors: the tensor h.2.attn.c_attn.weight is missing"
    );
    assert_eq!(
        said(GPT2, field("n_positions", json!(64))),
        "model.safetensors: place.weight has the shape (32, 12); by config.json it has to be (64, 12)"
    );
    let listed = |map: Value| {
        move |folder: &Path| {
            fs::remove_file(folder.join("model.safetensors")).expect("it was there");
            let index = folder.join("model.safetensors.index.json");
            fs::write(index, json!({"weight_map": map}).to_string()).expect("it is written");
        }
    };
    assert_eq!(
        said(GPT2, listed(json!({"wte.weight": "model-00001-of-00002.safetensors"}))),
        "model.safetensors.index.json: weight_map names model-00001-of-00002.safetensors, which is missing"
    );
    assert_eq!(said(GPT2, listed(Value::Null)), "model.safetensors.index.json: weight_map is missing");
}

#[test]
fn a_tokenizer_that_does_not_fit_is_named() {
    assert_eq!(
        said(GPT2, without("tokenizer.json")),
        "tokenizer.json is missing, and so are vocab.json and merges.txt: there is no tokenizer"
    );
    assert_eq!(
        said(GPT2, field("vocab_size", json!(96))),
        "the tokenizer has 288 tokens, and config.json says vocab_size 96: they belong to different models"
    );
    let torn = said(GPT2, |folder| fs::write(folder.join("tokenizer.json"), "{").expect("it is written"));
    assert!(torn.starts_with("the tokenizer cannot be read: "), "{torn}");
}

/// Hugging Face's cache: the files of a version are links into a folder beside it.
#[cfg(unix)]
#[test]
fn a_folder_of_the_cache_is_read_and_nothing_outside_of_it() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("models--random--gpt2");
    let version = root.join("snapshots/607a30d");
    for path in [&version, &root.join("blobs"), &root.join("refs")] {
        fs::create_dir_all(path).expect("a folder");
    }
    fs::write(root.join("refs/main"), "607a30d").expect("it is written");
    for entry in fs::read_dir(GPT2).expect("the model") {
        let (from, name) = entry.map(|entry| (entry.path(), entry.file_name())).expect("a file");
        fs::copy(from, root.join("blobs").join(&name)).expect("a copy");
        symlink(Path::new("../../blobs").join(&name), version.join(name)).expect("a link");
    }
    let written = |folder: &Path| {
        let output =
            attn(&["write", "--model", folder.to_str().expect("a path"), "the river", "--tokens", "3"]);
        (output.status.code(), String::from_utf8(output.stdout).expect("text"))
    };
    let wanted = written(Path::new(GPT2));
    assert_eq!(wanted.0, Some(0));
    assert_eq!(written(&version), wanted);
    assert_eq!(written(&root), wanted);
    // A link out of the folder is not followed.
    let outside = folder.path().join("outside.json");
    fs::rename(root.join("blobs/config.json"), &outside).expect("it is moved");
    symlink(&outside, root.join("blobs/config.json")).expect("a link");
    assert_eq!(written(&version).0, Some(3));
}
