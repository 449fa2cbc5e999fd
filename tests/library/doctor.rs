//! The doctor finds each silent mistake in modified copies of the chapter's classes, however it is written. It finds
//! nothing in the original classes, in PyTorch's own, and in the lessons.

use std::fs;
use std::path::Path;

use attn::explain::{TensorNames, doctor};
use attn::kernel::random::Family;
use attn::session::{Session, SessionOptions, with_large_stack};

use crate::course;

/// Attention with a causal mask, one head.
const CAUSAL: &str = "\
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(123)
x = torch.rand(2, 6, 3)
class Layer(nn.Module):
    def __init__(self, d_in=3, d_out=4, context_length=6, dropout=0.0, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer('mask', torch.triu(torch.ones(context_length, context_length), diagonal=1))
    def forward(self, x):
        b, num_tokens, d_in = x.shape
        queries = self.W_query(x)
        keys = self.W_key(x)
        values = self.W_value(x)
        scores = queries @ keys.transpose(1, 2)
        hide = self.mask.bool()[:num_tokens, :num_tokens]
        scores.masked_fill_(hide, -torch.inf)
        weights = torch.softmax(scores / keys.shape[-1]**0.5, dim=-1)
        weights = self.dropout(weights)
        context = weights @ values
        return context
layer = Layer()
out = layer(x)
";

/// The same with its projections split into heads.
const HEADS: &str = "\
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(123)
x = torch.rand(2, 6, 3)
class Layer(nn.Module):
    def __init__(self, d_in=3, d_out=8, context_length=6, dropout=0.0, num_heads=2):
        super().__init__()
        self.d_out, self.num_heads, self.head_dim = d_out, num_heads, d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out)
        self.W_key = nn.Linear(d_in, d_out)
        self.W_value = nn.Linear(d_in, d_out)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer('mask', torch.triu(torch.ones(context_length, context_length), diagonal=1))
    def split(self, x):
        b, num_tokens, _ = x.shape
        return x.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
    def forward(self, x):
        b, num_tokens, d_in = x.shape
        queries, keys, values = self.split(self.W_query(x)), self.split(self.W_key(x)), self.split(self.W_value(x))
        scores = queries @ keys.transpose(2, 3)
        scores.masked_fill_(self.mask.bool()[:num_tokens, :num_tokens], -torch.inf)
        weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)
        context = self.dropout(weights) @ values
        context = context.transpose(1, 2).contiguous().view(b, num_tokens, self.d_out)
        return self.out_proj(context)
layer = Layer()
out = layer(x)
";

const SOFTMAX: &str = "torch.softmax(scores / keys.shape[-1]**0.5, dim=-1)";
const SCORES: &str = "queries @ keys.transpose(1, 2)";
const MASKED: &str = "scores.masked_fill_(hide, -torch.inf)";
const KEPT: &str =
    "self.register_buffer('mask', torch.triu(torch.ones(context_length, context_length), diagonal=1))";
const HIDE: &str = "hide = self.mask.bool()[:num_tokens, :num_tokens]";
const CONTEXT: &str = "weights @ values";
const TRIANGLE: &str = "torch.triu(torch.ones(context_length, context_length), diagonal=1)";
const SPLIT: &str = "x.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)";
const HEAD_SCALE: &str = "self.head_dim**0.5";

/// A class with each of these replaced.
fn planted(class: &str, changes: &[(&str, &str)]) -> String {
    changes.iter().fold(class.to_owned(), |code, (from, to)| {
        assert!(code.contains(from), "{from} stands in the class");
        code.replace(from, to)
    })
}

/// The names of the mistakes found in these cells, each with its line of code; and the text of all findings.
fn found(cells: &[String]) -> (Vec<(String, String)>, String) {
    let mut session = Session::new(SessionOptions::default());
    let (mut found, mut said) = (Vec::new(), String::new());
    for (at, cell) in cells.iter().enumerate() {
        let (outcome, trace, calls) = session.examined(cell, &format!("cell {at}"), doctor::calls_to_repeat);
        assert_eq!(outcome.error, None, "{cell}");
        let names = TensorNames::new(session.variables().into_iter().map(|it| (it.name, it.value)));
        for finding in doctor::examine(&trace, &names, &calls, &session.sources().collect()) {
            let source = finding.cell.as_deref().and_then(|cell| session.source(cell)).unwrap_or_default();
            let line = finding.line.and_then(|line| source.lines().nth(line - 1)).unwrap_or_default();
            said.push_str(&format!(
                "{}: {}\n  {}\n  {}\n",
                finding.mistake,
                line.trim(),
                finding.observed,
                finding.fix
            ));
            found.push((finding.mistake.to_owned(), line.trim().to_owned()));
        }
    }
    (found, said)
}

/// One case: the name of the mistake, the class, the replacements in it, and a part of the reported line.
type Case = (&'static str, &'static str, &'static [(&'static str, &'static str)], &'static str);

const CASES: &[Case] = &[
    // Softmax along the queries.
    ("softmax-over-queries", CAUSAL, &[("dim=-1", "dim=1")], "softmax"),
    (
        "softmax-over-queries",
        CAUSAL,
        &[(SOFTMAX, "F.softmax(scores / keys.shape[-1]**0.5, dim=-2)")],
        "softmax",
    ),
    (
        "softmax-over-queries",
        CAUSAL,
        &[(SOFTMAX, "nn.Softmax(dim=1)(scores / keys.shape[-1]**0.5)")],
        "Softmax",
    ),
    ("softmax-over-queries", CAUSAL, &[(SOFTMAX, "(scores / keys.shape[-1]**0.5).softmax(1)")], "softmax"),
    (
        "softmax-over-queries",
        CAUSAL,
        &[("dim=-1", "dim=1"), (CONTEXT, "torch.bmm(weights, values)")],
        "softmax",
    ),
    (
        "softmax-over-queries",
        CAUSAL,
        &[("dim=-1", "dim=1"), (CONTEXT, "torch.einsum('bqk,bkd->bqd', weights, values)")],
        "softmax",
    ),
    (
        "softmax-over-queries",
        CAUSAL,
        &[
            ("dim=-1", "dim=1"),
            (SCORES, "torch.einsum('b q d, b k d -> b q k', queries, keys)"),
            (CONTEXT, "torch.einsum('...qk,...kd->...qd', weights, values)"),
        ],
        "softmax",
    ),
    (
        "softmax-over-queries",
        CAUSAL,
        &[
            ("dim=-1", "dim=1"),
            (CONTEXT, "(values.transpose(1, 2) @ weights.transpose(1, 2)).transpose(1, 2)"),
        ],
        "softmax",
    ),
    ("softmax-over-queries", HEADS, &[("dim=-1", "dim=2")], "softmax"),
    // A mask on the weights, and no division after it.
    (
        "mask-after-softmax",
        CAUSAL,
        &[(MASKED, "pass"), (CONTEXT, "(weights * torch.tril(torch.ones(6, 6))) @ values")],
        "tril",
    ),
    (
        "mask-after-softmax",
        CAUSAL,
        &[(MASKED, "pass"), (CONTEXT, "weights.masked_fill(hide, 0) @ values")],
        "hide",
    ),
    (
        "mask-after-softmax",
        CAUSAL,
        &[(MASKED, "pass"), (CONTEXT, "weights.masked_fill_(hide, 0.0) @ values")],
        "hide",
    ),
    (
        "mask-after-softmax",
        CAUSAL,
        &[(MASKED, "pass"), (CONTEXT, "torch.where(hide, 0.0, weights) @ values")],
        "where",
    ),
    (
        "mask-after-softmax",
        CAUSAL,
        &[(MASKED, "pass"), (CONTEXT, "weights.where(~hide, 0.0) @ values")],
        "where",
    ),
    ("mask-after-softmax", CAUSAL, &[(MASKED, "pass"), (CONTEXT, "torch.tril(weights) @ values")], "tril"),
    (
        "mask-after-softmax",
        CAUSAL,
        &[(MASKED, "pass"), ("weights = self.dropout(weights)", "weights[:, hide] = 0")],
        "hide",
    ),
    (
        "mask-after-softmax",
        CAUSAL,
        &[
            (MASKED, "pass"),
            ("dropout=0.0", "dropout=0.5"),
            ("self.dropout(weights)", "self.dropout(weights * ~hide)"),
        ],
        "~hide",
    ),
    // Scores filled with 0.
    ("mask-leaks", CAUSAL, &[(MASKED, "scores.masked_fill_(hide, 0)")], "masked_fill_"),
    ("mask-leaks", CAUSAL, &[(MASKED, "scores = scores.masked_fill(hide, 0.0)")], "masked_fill"),
    ("mask-leaks", CAUSAL, &[(MASKED, "scores = scores * torch.tril(torch.ones(6, 6))")], "tril"),
    ("mask-leaks", CAUSAL, &[(MASKED, "scores = torch.tril(scores)")], "tril"),
    ("mask-leaks", CAUSAL, &[(MASKED, "scores = torch.where(hide, 0.0, scores)")], "where"),
    ("mask-leaks", CAUSAL, &[(MASKED, "scores = torch.where(~hide, scores, torch.zeros(1))")], "where"),
    ("mask-leaks", CAUSAL, &[(MASKED, "scores = scores.where(~hide, torch.zeros(1))")], "where"),
    ("mask-leaks", CAUSAL, &[("-torch.inf)", "-1e-9)")], "masked_fill_"),
    ("mask-leaks", CAUSAL, &[(MASKED, "scores[:, hide] = 0.0")], "[:, hide]"),
    ("mask-leaks", CAUSAL, &[(MASKED, "scores = scores + self.mask")], "self.mask"),
    // A softmax of a softmax, and dropout before it.
    (
        "softmax-twice",
        CAUSAL,
        &[("self.dropout(weights)", "torch.softmax(weights, dim=-1)")],
        "torch.softmax(weights",
    ),
    ("softmax-twice", CAUSAL, &[(CONTEXT, "F.softmax(weights, dim=-1) @ values")], "F.softmax"),
    ("dropout-before-softmax", CAUSAL, &[(MASKED, "scores = F.dropout(scores, 0.5)")], "F.dropout"),
    // The scale.
    ("scale", CAUSAL, &[("scores / keys.shape[-1]**0.5", "scores")], "queries @ keys"),
    ("scale", CAUSAL, &[(SCORES, "torch.einsum('bqd,bkd->bqk', queries, keys)"), ("**0.5", "")], "softmax"),
    ("scale", CAUSAL, &[("**0.5", "")], "softmax"),
    ("scale", CAUSAL, &[(" / keys.shape[-1]**0.5", " * keys.shape[-1]**0.5")], "softmax"),
    ("scale", CAUSAL, &[("keys.shape[-1]**0.5", "math.sqrt(d_in)")], "softmax"),
    (
        "scale",
        CAUSAL,
        &[(SCORES, "torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(keys.shape[-1])")],
        "",
    ),
    ("scale", CAUSAL, &[("queries = self.W_query(x)", "queries = self.W_query(x) * 4**-0.5")], ""),
    (
        "scale",
        CAUSAL,
        &[("queries = self.W_query(x)", "queries = self.W_query(x) * 3"), ("keys.shape[-1]**0.5", "3")],
        "",
    ),
    ("scale", HEADS, &[(HEAD_SCALE, "self.d_out**0.5")], "softmax"),
    ("scale", HEADS, &[(HEAD_SCALE, "torch.sqrt(torch.tensor(self.d_out))")], "softmax"),
    ("scale", HEADS, &[(HEAD_SCALE, "x.shape[-1]**0.5")], "softmax"),
    // Heads by a view alone.
    (
        "heads-by-view-alone",
        HEADS,
        &[(SPLIT, "x.view(b, self.num_heads, num_tokens, self.head_dim)")],
        "view",
    ),
    (
        "heads-by-view-alone",
        HEADS,
        &[(SPLIT, "x.reshape(b, self.num_heads, num_tokens, self.head_dim)")],
        "reshape",
    ),
    (
        "heads-by-view-alone",
        HEADS,
        &[
            (SPLIT, "x.view(b, self.num_heads, num_tokens, self.head_dim)"),
            ("queries @ keys.transpose(2, 3)", "torch.einsum('bhqd,bhkd->bhqk', queries, keys)"),
        ],
        "view",
    ),
    (
        "heads-by-view-alone",
        HEADS,
        &[
            (SPLIT, "x.view(b, num_tokens, self.num_heads, self.head_dim)"),
            ("scores.masked_fill_(self.mask.bool()[:num_tokens, :num_tokens], -torch.inf)", "pass"),
        ],
        "view",
    ),
    // Heads joined by a view alone.
    (
        "heads-joined-by-view-alone",
        HEADS,
        &[("context.transpose(1, 2).contiguous().view", "context.view")],
        "view",
    ),
    (
        "heads-joined-by-view-alone",
        HEADS,
        &[("context.transpose(1, 2).contiguous().view", "context.reshape")],
        "reshape",
    ),
    // An inverted mask.
    ("mask-inverted", CAUSAL, &[(TRIANGLE, "torch.tril(torch.ones(6, 6), diagonal=-1)")], "masked_fill_"),
    ("mask-inverted", CAUSAL, &[(TRIANGLE, "torch.tril(torch.ones(6, 6))")], "masked_fill_"),
    ("mask-inverted", CAUSAL, &[("diagonal=1", "diagonal=0")], "masked_fill_"),
    (
        "mask-inverted",
        CAUSAL,
        &[(
            MASKED,
            "scores = scores + torch.full((6, 6), float('-inf')).tril(diagonal=-1).nan_to_num(0, neginf=-1e30)",
        )],
        "scores + torch.full",
    ),
    ("mask-inverted", CAUSAL, &[(MASKED, "scores[:, hide.T] = -torch.inf")], ""),
    (
        "mask-inverted",
        CAUSAL,
        &[("return context", "return F.scaled_dot_product_attention(queries, keys, values, attn_mask=hide)")],
        "scaled_dot_product_attention",
    ),
    (
        "mask-inverted",
        CAUSAL,
        &[(
            "out = layer(x)",
            "mha = nn.MultiheadAttention(4, 2, batch_first=True)\ny = torch.rand(1, 6, 4)\nmha(y, y, y, attn_mask=torch.tril(torch.ones(6, 6)).bool())",
        )],
        "mha(",
    ),
    // Dropout in evaluation mode.
    (
        "dropout-in-eval",
        CAUSAL,
        &[("self.dropout(weights)", "F.dropout(weights, 0.5)"), ("Layer()", "Layer().eval()")],
        "F.dropout",
    ),
    (
        "dropout-in-eval",
        CAUSAL,
        &[
            ("self.dropout = nn.Dropout(dropout)", "self.layers = [nn.Dropout(0.5)]"),
            ("self.dropout(", "self.layers[0]("),
            ("Layer()", "Layer().eval()"),
        ],
        "self.layers[0](",
    ),
    (
        "dropout-in-eval",
        CAUSAL,
        &[
            ("return context", "return F.scaled_dot_product_attention(queries, keys, values, dropout_p=0.1)"),
            ("Layer()", "Layer().eval()"),
        ],
        "dropout_p",
    ),
    // A mask that the module keeps and never reads.
    ("mask-missing", CAUSAL, &[(MASKED, "pass"), (HIDE, "pass")], "weights = torch.softmax"),
    // A masked copy that is never used.
    ("masked-copy-unused", CAUSAL, &[(MASKED, "scores.masked_fill(hide, -torch.inf)")], "masked_fill"),
    (
        "masked-copy-unused",
        CAUSAL,
        &[(MASKED, "masked = torch.masked_fill(scores, hide, -torch.inf)")],
        "masked_fill",
    ),
    // One projection in place of another.
    ("projection-mixed-up", CAUSAL, &[(CONTEXT, "weights @ keys")], "weights @ keys"),
    ("projection-mixed-up", CAUSAL, &[(SCORES, "queries @ queries.transpose(1, 2)")], "weights @ values"),
    ("projection-mixed-up", CAUSAL, &[(SCORES, "queries @ values.transpose(1, 2)")], "weights @ values"),
    // A nan, where it arises.
    (
        "nan",
        CAUSAL,
        &[(SOFTMAX, "torch.exp(scores * 1000) / torch.exp(scores * 1000).sum(dim=-1, keepdim=True)")],
        "torch.exp",
    ),
    ("nan", CAUSAL, &[(CONTEXT, "(weights - 1).sqrt() @ values")], "sqrt"),
    // Rows in which all keys are hidden.
    ("row-all-hidden", CAUSAL, &[("diagonal=1", "diagonal=0")], "softmax"),
    // Sums that are wrong for another reason.
    (
        "rows-do-not-sum-to-1",
        CAUSAL,
        &[(SOFTMAX, "torch.softmax(scores, dim=-1) / keys.shape[-1]**0.5")],
        "softmax",
    ),
    ("rows-do-not-sum-to-1", CAUSAL, &[(CONTEXT, "(weights + 0.1) @ values")], "values"),
    // A causal mask that begins too far from the diagonal.
    ("mask-off-by-one", CAUSAL, &[("diagonal=1", "diagonal=2")], "masked_fill_"),
    ("mask-off-by-one", HEADS, &[("diagonal=1", "diagonal=2")], "masked_fill_"),
    (
        "mask-off-by-one",
        CAUSAL,
        &[(MASKED, "scores = torch.where(torch.ones(6, 6).tril(1) == 1, scores, float('-inf'))")],
        "torch.where",
    ),
    // Scores in place of weights.
    ("scores-as-weights", CAUSAL, &[(CONTEXT, "scores @ values")], "scores @ values"),
    ("scores-as-weights", CAUSAL, &[(CONTEXT, "torch.einsum('bqk,bkd->bqd', scores, values)")], "einsum"),
    (
        "scores-as-weights",
        HEADS,
        &[("self.dropout(weights) @ values", "self.dropout(scores) @ values")],
        "scores)",
    ),
    (
        "scores-as-weights",
        CAUSAL,
        &[
            (SCORES, "torch.baddbmm(torch.zeros(1), queries, keys.mT, beta=0, alpha=0.5)"),
            (MASKED, "pass"),
            (SOFTMAX, "scores"),
        ],
        "weights @ values",
    ),
    // Samples that meet.
    (
        "samples-mixed",
        CAUSAL,
        &[(SCORES, "queries @ keys.reshape(num_tokens, b, -1).permute(1, 2, 0)"), (MASKED, "pass")],
        "softmax",
    ),
    // A later token in sight.
    ("causal-leak", CAUSAL, &[("Layer", "CausalLayer"), (MASKED, "pass")], "softmax"),
    (
        "causal-leak",
        CAUSAL,
        &[("(self, x):", "(self, x):\n        'Causal self-attention.'"), (MASKED, "pass")],
        "softmax",
    ),
    (
        "causal-leak",
        CAUSAL,
        &[
            (
                "layer = Layer()",
                "class GPT(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.layer = Layer()\n    \
                 def forward(self, x):\n        return self.layer(x)\nlayer = GPT()",
            ),
            (MASKED, "pass"),
        ],
        "softmax",
    ),
    // A projection without effect.
    ("projection-unused", HEADS, &[("self.split(self.W_value(x))", "self.split(self.W_key(x))")], "softmax"),
    ("projection-unused", HEADS, &[("self.split(self.W_key(x))", "self.split(self.W_query(x))")], "softmax"),
    // What a language model is trained on.
    (
        "softmax-before-loss",
        LANGUAGE,
        &[(
            "out = layer(x)",
            "out = layer(x).softmax(-1)\nF.cross_entropy(out.view(12, 10), x.roll(-1, 1).view(12))",
        )],
        "F.cross_entropy",
    ),
    (
        "targets-not-shifted",
        LANGUAGE,
        &[("out = layer(x)", "out = layer(x)\nF.cross_entropy(out.view(12, 10), x.view(12))")],
        "F.cross_entropy",
    ),
];

#[test]
fn each_mistake_is_found_where_it_was_planted() {
    if crate::apart::ran() {
        return;
    }
    with_large_stack(|| {
        let mut missed = Vec::new();
        for (mistake, class, changes, line) in CASES {
            let code = planted(class, changes);
            let (found, said) = found(std::slice::from_ref(&code));
            if !found.iter().any(|(name, at)| name == mistake && at.contains(line)) {
                missed.push(format!("{mistake} {changes:?}: found {said}"));
            }
        }
        assert!(missed.is_empty(), "{} missed:\n{}", missed.len(), missed.join("\n"));
    });
}

/// Correct code, written in several ways.
const RIGHT: &[(&str, &[(&str, &str)])] = &[
    (CAUSAL, &[]),
    (HEADS, &[]),
    (CAUSAL, &[("dropout=0.0", "dropout=0.5")]),
    (CAUSAL, &[("dropout=0.0", "dropout=0.5"), ("Layer()", "Layer().eval()")]),
    (HEADS, &[("dropout=0.0", "dropout=0.2")]),
    (HEADS, &[("num_heads=2", "num_heads=1")]),
    // With as many heads as tokens, the shapes are the same.
    (HEADS, &[("num_heads=2", "num_heads=2"), ("torch.rand(2, 6, 3)", "torch.rand(2, 2, 3)")]),
    (HEADS, &[("d_out=8", "d_out=2")]),
    (CAUSAL, &[("d_out=4", "d_out=1")]),
    (
        CAUSAL,
        &[
            (SCORES, "torch.einsum('bqd,bkd->bqk', queries, keys)"),
            (CONTEXT, "torch.einsum('bqk,bkd->bqd', weights, values)"),
        ],
    ),
    (CAUSAL, &[(SCORES, "torch.bmm(queries, keys.mT)"), (CONTEXT, "weights.bmm(values)")]),
    (
        CAUSAL,
        &[
            ("queries = self.W_query(x)", "queries = self.W_query(x) * 4**-0.5"),
            (" / keys.shape[-1]**0.5", ""),
        ],
    ),
    (
        CAUSAL,
        &[
            ("**0.5, dim=-1", "**0.5, dim=2"),
            (MASKED, "scores = scores + torch.full((6, 6), -torch.inf).triu(1)"),
        ],
    ),
    (CAUSAL, &[(MASKED, "scores = torch.where(hide, -torch.inf, scores)")]),
    (CAUSAL, &[(MASKED, "pass"), (HIDE, "pass"), (KEPT, "pass")]),
    (
        CAUSAL,
        &[
            (MASKED, "pass"),
            (CONTEXT, "(weights * ~hide / (weights * ~hide).sum(dim=-1, keepdim=True)) @ values"),
        ],
    ),
    (CAUSAL, &[(SOFTMAX, "torch.softmax(scores.transpose(1, 2) / 2, dim=1).transpose(1, 2)")]),
    (
        HEADS,
        &[
            (SPLIT, "x.view(b, num_tokens, self.num_heads, self.head_dim)"),
            ("queries @ keys.transpose(2, 3)", "torch.einsum('bqhd,bkhd->bhqk', queries, keys)"),
            ("self.dropout(weights) @ values", "torch.einsum('bhqk,bkhd->bqhd', weights, values)"),
            ("context.transpose(1, 2).contiguous().view", "context.reshape"),
        ],
    ),
    (
        CAUSAL,
        &[("return context", "return F.scaled_dot_product_attention(queries, keys, values, is_causal=True)")],
    ),
    (
        CAUSAL,
        &[(
            "return context",
            "return F.scaled_dot_product_attention(queries, keys, values, attn_mask=~hide)",
        )],
    ),
    (
        CAUSAL,
        &[(
            "out = layer(x)",
            "mha = nn.MultiheadAttention(4, 2, dropout=0.1, batch_first=True)\ny = torch.rand(2, 6, 4)\nhide = layer.mask.bool()\nmha(y, y, y, attn_mask=hide)\nmha.eval()(y, y, y, attn_mask=hide, need_weights=False)\nmha(y, y, y)",
        )],
    ),
    (
        CAUSAL,
        &[(
            "out = layer(x)",
            "block = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)\nblock(torch.rand(2, 6, 4))\nblock.eval()(torch.rand(2, 6, 4))",
        )],
    ),
    // Prototypes to which tokens are assigned, slots that compete for tokens, normalised keys.
    (
        CAUSAL,
        &[(
            "out = layer(x)",
            "slots = torch.rand(3, 3)\nshare = torch.softmax(x @ slots.T, dim=-1)\nshare.transpose(1, 2) @ x\n\
             w = torch.softmax(slots @ x[0].T, dim=0)\n(w / w.sum(dim=-1, keepdim=True)) @ x[0]\n\
             q, k = F.normalize(torch.rand(6, 4), dim=-1), F.normalize(torch.rand(6, 4), dim=-1)\n\
             torch.softmax(2 * q @ k.T, dim=-1) @ x[0]\ngate = torch.sigmoid(torch.rand(6, 6))\n\
             (torch.softmax(q @ k.T, dim=-1) * gate) @ x[0]",
        )],
    ),
];

#[test]
fn correct_code_has_no_findings() {
    if crate::apart::ran() {
        return;
    }
    with_large_stack(|| {
        let mut wrong = Vec::new();
        for (class, changes) in RIGHT {
            let (found, said) = found(&[planted(class, changes)]);
            if !found.is_empty() {
                wrong.push(format!("{changes:?}: {said}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    });
}

/// The names of the mistakes in a program that runs as a whole, from its operations and its training.
fn found_in_program(source: &str) -> Vec<&'static str> {
    let mut session = Session::new(SessionOptions { random: Family::Mkl, ..SessionOptions::default() });
    doctor::watch(&mut session);
    let (outcome, trace, calls) = session.examined(source, "program", doctor::calls_to_repeat);
    assert_eq!(outcome.error, None, "{source}");
    let names = TensorNames::new(session.variables().into_iter().map(|it| (it.name, it.value)));
    let mut all = doctor::examine(&trace, &names, &calls, &session.sources().collect());
    all.extend(doctor::watched(&mut session));
    all.iter().map(|finding| finding.mistake).collect()
}

/// The programs in `tests/zoo/fixed` are programs of `tests/zoo/reported` without their mistake.
#[test]
fn published_mistakes_are_found_and_their_fixes_are_silent() {
    if crate::apart::ran() {
        return;
    }
    with_large_stack(|| {
        let zoo = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/zoo");
        let (mut wrong, mut pairs) = (Vec::new(), 0);
        for entry in fs::read_dir(zoo.join("fixed")).expect("the folder is there") {
            let fixed = entry.expect("it can be read").path();
            if fixed.extension().is_none_or(|it| it != "py") {
                continue;
            }
            pairs += 1;
            let name = fixed.file_name().expect("it has a name");
            let reported =
                fs::read_to_string(zoo.join("reported").join(name)).expect("it is there with its mistake");
            let fixed = fs::read_to_string(&fixed).expect("it can be read");
            let expected = reported.lines().next().and_then(|line| line.strip_prefix("# Expected: "));
            let expected: Vec<&str> = expected.expect("it names its mistake").split(", ").collect();
            let (before, after) = (found_in_program(&reported), found_in_program(&fixed));
            if !before.iter().any(|it| expected.contains(it)) || !after.is_empty() {
                wrong.push(format!("{}: {expected:?}: {before:?}, then {after:?}", name.display()));
            }
        }
        assert!(pairs >= 26, "{pairs} pairs");
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    });
}

/// Heads of queries that share keys and values, two heads for each.
const GROUPED: &str = "\
import torch
import torch.nn as nn
torch.manual_seed(123)
x = torch.rand(2, 5, 8)
class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(8, 8), nn.Linear(8, 4), nn.Linear(8, 4)
        self.out = nn.Linear(8, 8)
    def forward(self, x):
        b, n, _ = x.shape
        q = self.q(x).view(b, n, 4, 2).transpose(1, 2)
        k = self.k(x).view(b, n, 2, 2).transpose(1, 2).repeat_interleave(2, dim=1)
        v = self.v(x).view(b, n, 2, 2).transpose(1, 2).repeat_interleave(2, dim=1)
        weights = torch.softmax(q @ k.transpose(-2, -1) / 2**0.5, dim=-1)
        return self.out((weights @ v).transpose(1, 2).reshape(b, n, 8))
layer = Layer()
out = layer(x)
";

/// Queries of one text, keys and values of another, fused.
const CROSS: &str = "\
import torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(123)
x, other = torch.rand(2, 6, 8), torch.rand(2, 4, 8)
class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.kv, self.out = nn.Linear(8, 8), nn.Linear(8, 16), nn.Linear(8, 8)
    def forward(self, x):
        q = self.q(x).view(2, 6, 2, 4).transpose(1, 2)
        k, v = (it.view(2, 4, 2, 4).transpose(1, 2) for it in self.kv(other).chunk(2, dim=-1))
        context = F.scaled_dot_product_attention(q, k, v)
        return self.out(context.transpose(1, 2).reshape(2, 6, 8))
layer = Layer()
out = layer(x)
";

/// PyTorch's own module, which returns the weights too.
const MODULE: &str = "\
import torch
import torch.nn as nn
torch.manual_seed(123)
x = torch.rand(2, 6, 8)
class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, dropout=0.1, batch_first=True)
    def forward(self, x):
        return self.attention(x, x, x, need_weights=True)[0]
layer = Layer()
out = layer(x)
";

/// A small language model: embedding, one block, cross-entropy with its own output.
const LANGUAGE: &str = "\
import torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(123)
x = torch.randint(0, 10, (2, 6))
class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.places = nn.Embedding(10, 8), nn.Embedding(6, 8)
        self.qkv, self.norm, self.head = nn.Linear(8, 24), nn.LayerNorm(8), nn.Linear(8, 10, bias=False)
        self.head.weight = self.tokens.weight
        self.register_buffer('hide', torch.ones(6, 6).triu(1).bool())
    def forward(self, x):
        h = self.tokens(x) + self.places(torch.arange(6))
        q, k, v = self.qkv(self.norm(h)).chunk(3, dim=-1)
        scores = (q @ k.mT / 8**0.5).masked_fill(self.hide, -torch.inf)
        return self.head(h + scores.softmax(dim=-1) @ v)
layer = Layer()
out = layer(x)
";

/// Ways to train, each for three steps.
const TRAINING: &[&str] = &[
    "\
opt = torch.optim.SGD(layer.parameters(), lr=0.1)
target = torch.rand(out.shape)
for _ in range(3):
    opt.zero_grad()
    loss = nn.functional.mse_loss(layer(x), target)
    loss.backward()
    opt.step()
",
    "\
opt = torch.optim.AdamW(layer.parameters(), lr=0.01)
for _ in range(3):
    out = layer(x)
    loss = nn.functional.cross_entropy(out.flatten(0, -2), torch.arange(out.flatten(0, -2).shape[0]) % out.shape[-1])
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(layer.parameters(), 1.0)
    opt.step()
",
    "\
parameters = list(layer.parameters())
for _ in range(3):
    loss = layer(x).pow(2).mean()
    grads = torch.autograd.grad(loss, parameters)
    with torch.no_grad():
        for parameter, grad in zip(parameters, grads):
            parameter -= 0.1 * grad
",
    "\
opt = torch.optim.SGD(layer.parameters(), lr=0.1)
parameters = list(layer.parameters())
for _ in range(3):
    opt.zero_grad()
    loss = layer(x).pow(2).mean()
    grads = torch.autograd.grad(loss, parameters, create_graph=True)
    penalty = sum((grad @ grad.T if grad.ndim == 2 else grad * grad).sum() for grad in grads)
    (loss + 0.1 * penalty).backward()
    opt.step()
",
];

/// What backward runs is not the learner's code: training adds no finding, neither to correct code nor to a mistake.
#[test]
fn training_adds_no_findings() {
    if crate::apart::ran() {
        return;
    }
    with_large_stack(|| {
        let mut wrong = Vec::new();
        let programs: &[(&str, &[(&str, &str)])] = &[
            (CAUSAL, &[]),
            (CAUSAL, &[(MASKED, "pass"), (HIDE, "pass"), (KEPT, "pass")]),
            (HEADS, &[]),
            (GROUPED, &[]),
            (CROSS, &[]),
            (MODULE, &[]),
            (LANGUAGE, &[]),
        ];
        let mistakes: &[(&str, &[(&str, &str)])] = &[
            (CAUSAL, &[("dim=-1", "dim=1")]),
            (HEADS, &[(HEAD_SCALE, "self.d_out**0.5")]),
            (GROUPED, &[("dim=-1)\n", "dim=-2)\n")]),
            (
                CROSS,
                &[(
                    "F.scaled_dot_product_attention(q, k, v)",
                    "torch.softmax(q @ k.mT / 8**0.5, dim=-1) @ v",
                )],
            ),
            (MODULE, &[("need_weights=True", "attn_mask=torch.ones(6, 6).tril().bool()")]),
            (LANGUAGE, &[("triu(1)", "tril(-1)")]),
            (LANGUAGE, &[("-torch.inf", "0.0")]),
        ];
        let cases = programs.iter().map(|case| (case, true)).chain(mistakes.iter().map(|case| (case, false)));
        for (case, ((class, changes), is_right)) in cases.enumerate() {
            let code = planted(class, changes);
            let (without, _) = found(std::slice::from_ref(&code));
            assert_eq!(without.is_empty(), is_right, "{changes:?} in\n{code}");
            for (way, training) in TRAINING.iter().enumerate() {
                // In one cell or in two, by turns: each program and each training is met in both.
                let cells = match (case + way) % 2 {
                    0 => vec![code.clone() + training],
                    _ => vec![code.clone(), (*training).to_owned()],
                };
                let (mut with, said) = found(&cells);
                // The command shows a line once, however many cells ran it.
                let mut seen = Vec::new();
                with.retain(|it| {
                    !seen.contains(it) && {
                        seen.push(it.clone());
                        true
                    }
                });
                if with != without {
                    wrong.push(format!("{changes:?} with\n{training}before: {without:?}, now:\n{said}"));
                }
            }
        }
        assert!(wrong.is_empty(), "{} of them:\n{}", wrong.len(), wrong.join("\n"));
    });
}

/// A text may have no tokens, as an empty prompt has none; of the others the targets are the next tokens.
#[test]
fn texts_without_tokens_are_passed_over() {
    if crate::apart::ran() {
        return;
    }
    with_large_stack(|| {
        let more = "layer.tokens(torch.empty(1, 0, dtype=torch.long))\n\
                    loss = F.cross_entropy(layer(x).view(-1, 10), x.roll(-1, 1).reshape(-1))\n";
        let (mistakes, said) = found(&[LANGUAGE.to_owned() + more]);
        assert!(mistakes.is_empty(), "{said}");
    });
}

/// A tensor that one cell makes is followed into the next cell.
#[test]
fn tensors_are_followed_from_cell_to_cell() {
    if crate::apart::ran() {
        return;
    }
    with_large_stack(|| {
        let cells = [
            "import torch\ntorch.manual_seed(1)\nx = torch.rand(6, 3)\nW_q, W_k, W_v = (torch.rand(3, 2) for _ in range(3))",
            "queries, keys, values = x @ W_q, x @ W_k, x @ W_v\nscores = queries @ keys.T",
            "weights = torch.softmax(scores / 2**0.5, dim=0)",
            "context = weights @ values",
        ];
        let (mut found, said) = found(&cells.map(str::to_owned));
        // The names in the third cell say it already.
        found.dedup();
        assert_eq!(found.len(), 1, "{said}");
        assert!(found[0].0 == "softmax-over-queries" && found[0].1.contains("dim=0"), "{said}");
        assert!(said.contains("the product of weights and values sums along dimension"), "{said}");
    });
}

/// Only the cells that are marked as wrong have findings.
#[test]
fn only_marked_lesson_cells_have_findings() {
    if crate::apart::ran() {
        return;
    }
    with_large_stack(|| {
        let catalogue = course::catalogue();
        let (mut alarms, mut shown) = (Vec::new(), Vec::new());
        for lesson in catalogue.lessons() {
            let lesson = lesson.expect("lessons are read");
            let mut session = Session::new(SessionOptions::default());
            let prelude = lesson.steps.first().map(|step| catalogue.prelude(step).expect("it is known"));
            for (step, _) in prelude.unwrap_or_default() {
                session.run(&course::shortened(&step.code), &step.name());
            }
            for step in &lesson.steps {
                let code = course::shortened(&step.code);
                let (_, trace, calls) = session.examined(&code, &step.name(), doctor::calls_to_repeat);
                let names = TensorNames::new(session.variables().into_iter().map(|it| (it.name, it.value)));
                for finding in doctor::examine(&trace, &names, &calls, &session.sources().collect()) {
                    match step.wrong {
                        true => shown.push(format!("{}: {}", step.slug, finding.mistake)),
                        false => alarms.push(format!("{} {}: {finding:?}", step.name(), step.slug)),
                    }
                }
            }
        }
        assert!(alarms.is_empty(), "{}", alarms.join("\n"));
        assert_eq!(
            shown,
            [
                "softmax-overflow: nan",
                "zero-is-not-nothing: mask-leaks",
                "diagonal-off-by-one: row-all-hidden",
                "diagonal-off-by-one: mask-inverted",
                "wrong-cut-leaks: heads-by-view-alone",
                "two-mask-conventions: mask-inverted",
                "two-mask-conventions: results-differ",
                "loose-mask: mask-off-by-one",
                "targets-unshifted: targets-not-shifted",
                "cache-spoiled: cache-differs",
                "corner-of-is-causal: cache-differs",
                "chunks: causal-leak",
                "chunks: mask-missing",
                "groups-tiled: group-order",
                "two-layouts: results-differ",
                "long-prompt: row-all-hidden",
            ]
        );
    });
}
