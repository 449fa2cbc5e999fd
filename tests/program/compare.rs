//! `attn compare`: a copy of a program in which one line was changed parts from it at that line; references are equal to
//! PyTorch's modules and to other published code of the same attention. `tests/golden/references.py` compares them with
//! PyTorch itself.

use std::fs;
use std::process::Command;

use serde_json::Value;

const FILES: &str = "tests/cmd/files/";

/// What `attn compare` writes, and its exit code.
fn compared(arguments: &[&str]) -> (Value, String, i32) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_attn"));
    let output = command.arg("compare").args(arguments).arg("--json").output().expect("attn runs");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    (serde_json::from_slice(&output.stdout).unwrap_or_default(), error, output.status.code().unwrap_or(-1))
}

#[track_caller]
fn equal(one: &str, two: &str) {
    let (found, error, code) = compared(&[one, two]);
    assert_eq!((found["equal"].as_bool(), code), (Some(true), 0), "{one} and {two}: {error}{found}");
    assert_eq!(found["gradients"]["differing"], Value::from(Vec::<String>::new()), "{one} and {two}");
    assert!(!found["gradients"]["compared"].as_array().expect("gradients").is_empty(), "{one} and {two}");
}

#[test]
fn a_changed_line_is_where_two_programs_part() {
    let changes = [
        ("keys.shape[-1]**0.5", "keys.shape[-1]"),
        ("attn_scores / keys.shape[-1]**0.5, dim=-1", "attn_scores / keys.shape[-1]**0.5, dim=-2"),
        ("num_tokens], -torch.inf", "num_tokens], -1.0"),
        ("self.mask.bool()[", "~self.mask.bool()["),
        ("queries @ keys.transpose(2, 3)", "keys @ queries.transpose(2, 3)"),
        ("queries @ keys.transpose(2, 3)", "queries @ values.transpose(2, 3)"),
        ("self.dropout(attn_weights) @ values", "self.dropout(attn_weights) @ keys"),
        ("self.dropout(attn_weights) @ values", "attn_scores @ values"),
        ("keys = self.W_key(x)", "keys = self.W_query(x)"),
        ("self.out_proj(context_vec.contiguous()", "self.out_proj(2 * context_vec.contiguous()"),
        (
            "keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)",
            "keys = self.W_key(x).view(b, self.num_heads, num_tokens, self.head_dim)",
        ),
    ];
    let folder = tempfile::tempdir().expect("a folder");
    let file = format!("{FILES}book_attention.py");
    let source = fs::read_to_string(&file).expect("the file");
    for (at, (old, new)) in changes.iter().enumerate() {
        let changed = source.replacen(old, new, 1);
        let line = source.lines().zip(changed.lines()).position(|(a, b)| a != b).expect("a change") + 1;
        let other = folder.path().join(format!("changed_{at}.py"));
        fs::write(&other, changed).expect("written");
        let (found, error, code) = compared(&[&file, &other.to_string_lossy()]);
        assert_eq!(code, 1, "{new}: {error}");
        // Where the wrong one has nothing of its own there, the right one has.
        let lines = [0, 1].map(|side| found["parted"]["sides"][side]["line"].as_u64());
        assert!(lines.contains(&Some(line as u64)), "{new}: {}", found["parted"]);
    }
    let scaled = folder.path().join("changed_0.py").to_string_lossy().into_owned();
    let factor = compared(&[&file, &scaled]).0["parted"]["relation"]["factor"].as_f64().expect("a factor");
    // Heads of 48 / 6 numbers: divided by 8, and not by its root.
    assert!((factor - 8.0_f64.powf(-0.5)).abs() < 1e-4, "{factor}");
}

/// However a program names the number of its heads: a run shows it, and where it does not, nothing is assumed.
#[test]
fn heads_are_counted_in_a_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = fs::read_to_string(format!("{FILES}book_attention.py")).expect("the file");
    let counts = folder.path().join("counts.py").to_string_lossy().into_owned();
    fs::write(&counts, source.replace("self.num_heads", "self.count")).expect("written");
    equal(&counts, "@mha");
    let hidden = folder.path().join("hidden.py").to_string_lossy().into_owned();
    let method =
        source.replace("self.num_heads", "self.count").replace("torch.softmax(", "torch.Tensor.softmax(");
    fs::write(&hidden, method).expect("written");
    let (_, error, code) = compared(&[&hidden, "@mha"]);
    assert!(code == 3 && error.contains("'@mha(heads=4)'"), "{code}: {error}");
}

#[test]
fn references_are_what_they_are_called() {
    let module = format!("{FILES}book_attention.py:nn.MultiheadAttention(48, 6, batch_first=True)");
    equal(&module, "@mha");
    equal(&format!("{FILES}book_attention.py"), "@mha");
    equal(&format!("{FILES}book_attention.py"), "@gpt2");
    equal("@gqa(groups=6)", "@gpt2");
    equal("@llama(groups=6)", "@rope-halves");
    let (found, _, code) = compared(&["@rope-halves", "@rope-pairs"]);
    assert_eq!((found["equal"].as_bool(), code), (Some(false), 1));
}

#[test]
fn weights_are_paired_in_one_matrix_and_transposed() {
    let packed = format!("{FILES}packed_attention.py");
    equal(&format!("{FILES}book_attention.py"), &packed);
    equal(&packed, "@gpt2");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("matrices.py");
    let code = "import torch\nfrom torch import nn\n\nclass Attention(nn.Module):\n    def __init__(self, dim):\n        \
                super().__init__()\n        self.a, self.b, self.c, self.d = (nn.Parameter(torch.rand(dim, dim)) for _ in range(4))\n\n    \
                def forward(self, h):\n        q, k, v = h @ self.a, h @ self.b, h @ self.c\n        \
                return torch.softmax(q @ k.mT / q.shape[-1] ** 0.5, dim=-1) @ v @ self.d\n";
    fs::write(&file, code).expect("written");
    equal(&file.to_string_lossy(), "@mha");
    // As a linear layer has them: the other way round.
    fs::write(
        &file,
        code.replace("self.a,", "self.a.T,")
            .replace("h @ self.b", "h @ self.b.T")
            .replace("self.c\n", "self.c.T\n")
            .replace("v @ self.d\n", "v @ self.d.T\n")
            .replace("        self.a.T,", "        self.a,"),
    )
    .expect("written");
    equal(&file.to_string_lossy(), "@mha");
}

#[test]
fn what_cannot_be_compared_is_said() {
    let file = format!("{FILES}book_attention.py");
    let cases: [(&[&str], &str); 7] = [
        (&[&file, "@mla"], "did you mean @mha?"),
        (&[&file, "nothing.py"], "nothing.py:"),
        (&[&file, "lesson.md"], "is no .py file and no reference"),
        (&[&format!("{file}:Attention"), "@mha"], "the file has MultiHeadAttention"),
        (&[&file, "@mha(heads=7)"], "has no 7 heads"),
        (&[&file, "@mha", "--map", "W_query.weight=W_q"], "no parameter is called W_q"),
        (&[&file, "@mha", "--input", "x=torch.randn(2, 3)"], "inputs that are named"),
    ];
    for (arguments, words) in cases {
        let (_, error, code) = compared(arguments);
        assert!(error.contains(words) && code > 1, "{arguments:?}: {code} {error}");
    }
}
