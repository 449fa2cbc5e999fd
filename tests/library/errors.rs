//! Errors explained: PyTorch's text stays as it is, operands are named, and every fix that is offered works.

use attn::explain::errors::{ErrorCase, ErrorExplanation, explained};
use attn::session::{Raised, Session, SessionOptions, with_large_stack};

fn explanation(session: &Session, raised: &Raised) -> ErrorExplanation {
    let scene = session.error_context();
    let source = |cell: &str| session.source(cell).map(str::to_owned);
    let axes = |name: &str| match name {
        "queries" | "keys" => vec!["token".to_owned(), "d_out".to_owned()],
        _ => Vec::new(),
    };
    explained(&ErrorCase { raised, scene: &scene, source: &source, axes: &axes })
}

const SETUP: &str = "\
import torch
import torch.nn as nn
import torch.nn.functional as F
inputs = torch.rand(6, 3)
W_query = torch.rand(3, 2)
queries = inputs @ W_query
keys = torch.rand(6, 2)
values = torch.rand(6, 2)
batch = torch.rand(2, 6, 3)
scores = torch.rand(2, 4, 4)
mask = torch.ones(6, 6).triu(1).bool()
ids = torch.arange(6)
weight = nn.Parameter(torch.rand(2, 3))
class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.W_key = nn.Linear(3, 2)
    def forward(self, x):
        keys = self.W_key(x)
        return keys @ keys
layer = Layer()
texts = torch.rand(2, 6, 2)
pad = torch.ones(2, 6).bool()
heads = torch.rand(2, 6, 12).view(2, 6, 3, 4)
";

/// What a learner types, what the first fix says, and words that stand somewhere in the explanation.
const CASES: &[(&str, &str, &[&str])] = &[
    (
        "queries @ keys",
        "queries @ keys.T",
        &["2 and 6 must be equal", "queries was made in setup, line 6: queries = inputs @ W_query"],
    ),
    ("queries.T @ input", "inputs", &["input is a function of Python's own."]),
    ("batch @ batch", "batch @ batch.transpose(-2, -1)", &["(2,6,3) @ (2,3,6) -> (2,6,6)"]),
    ("torch.bmm(batch, batch)", "batch.bmm(batch.transpose(-2, -1))", &[]),
    ("(queries + 1) @ keys", "(queries + 1) @ keys.T", &["(6,2) @ (2,6) -> (6,6)"]),
    ("queries @ keys.T.T", "queries @ keys.T", &[]),
    ("inputs @ weight", "inputs @ weight.T", &["(6,3) @ (3,2) -> (6,2)"]),
    ("W_query @ inputs", "inputs @ W_query", &["the other way round"]),
    ("F.linear(W_query, weight)", "W_query.T", &["takes rows of 3 numbers and gives rows of 2"]),
    (
        "torch.softmax(scores, dim=-1) * torch.rand(4, 2)",
        "torch.softmax(scores, dim=-1) @ torch.rand(4, 2)",
        &["@ multiplies matrices"],
    ),
    ("scores / torch.rand(2)", "scores / torch.rand(2).view(-1, 1, 1)", &["or one of them 1"]),
    (
        "scores.masked_fill(mask, -torch.inf)",
        "scores.masked_fill(mask[:4, :4], -torch.inf)",
        &["(2,4,4) with (4,4) -> (2,4,4)"],
    ),
    ("scores.masked_fill_(mask, 0.5)", "scores.masked_fill_(mask[:4, :4], 0.5)", &[]),
    ("inputs.masked_fill(inputs > 0.5, 0).masked_fill(inputs, 0)", "", &["True or False, not a number"]),
    (
        "scores.masked_fill(torch.tril(torch.ones(4, 4)), -1e9)",
        "torch.tril(torch.ones(4, 4)) == 0",
        &[".bool() would hide tokens from themselves"],
    ),
    (
        "scores.masked_fill(torch.ones(4, 4).triu(1), -1e9)",
        "torch.ones(4, 4).triu(1).bool()",
        &["== 0 would hide"],
    ),
    ("scores.masked_fill(torch.ones(4, 4).tril(-1), -1e9)", "", &["True or False"]),
    ("scores.masked_fill(torch.ones(4, 4).triu(), -1e9)", "", &["True or False"]),
    (
        "scores.masked_fill(torch.tensor([1., 1., 0., 1.]), 0)",
        "torch.tensor([1., 1., 0., 1.]).bool()",
        &["torch.tensor([1., 1., 0., 1.]) == 0 |  | fills where it is 0"],
    ),
    (
        "torch.rand(2, 6, 2) @ texts.T",
        "torch.rand(2, 6, 2) @ texts.transpose(-2, -1)",
        &["texts.T reverses all 3 axes of texts, batch included", "(2,6,2) @ (2,2,6) -> (2,6,6)"],
    ),
    ("torch.matmul(texts, (texts * 2).T)", "texts @ (texts * 2).transpose(-2, -1)", &[]),
    (
        "torch.rand(3, 6, 6) @ torch.rand(3, 6, 2).T",
        "torch.rand(3, 6, 6) @ torch.rand(3, 6, 2)",
        &["(3,6,6) @ (3,6,2) -> (3,6,2)"],
    ),
    (
        "heads @ heads",
        "heads.transpose(1, 2) @ heads.transpose(1, 2).transpose(-2, -1)",
        &["(2,3,6,4) @ (2,3,4,6) -> (2,3,6,6)", "the heads before the tokens"],
    ),
    (
        "torch.rand(2, 3, 6, 6) @ heads",
        "torch.rand(2, 3, 6, 6) @ heads.transpose(1, 2)",
        &["(2,3,6,6) @ (2,3,6,4) -> (2,3,6,4)"],
    ),
    // The shapes fit where the batch is as long as another axis: the samples would be mixed.
    ("texts @ texts.permute(2, 1, 0)", "", &["2 and 6 must be equal"]),
    ("texts.reshape(2, 2, 3, 2) @ texts.reshape(2, 2, 3, 2).permute(2, 1, 3, 0)", "", &[]),
    // PyTorch's message speaks of the batch axes first.
    (
        "torch.rand(2, 6, 4) @ torch.rand(2, 6, 4).T",
        "torch.rand(2, 6, 4) @ torch.rand(2, 6, 4).transpose(-2, -1)",
        &["2 and 4 must be equal, or one of them 1"],
    ),
    ("late = early + 1\nearly = 2", "", &["early is made in line 2, below"]),
    ("torch.cat([inputs, keys])", "torch.cat([inputs, keys], dim=1)", &["-> (6,5)"]),
    ("inputs @ W_query.double()", "W_query.double().float()", &["inputs is float32"]),
    ("torch.softmax(ids, dim=0)", "ids.float()", &["int64 -> float32"]),
    ("ids.mean()", "ids.float()", &[]),
    ("inputs.view(4, 4)", "", &["18 elements", "4 · 4 = 16"]),
    ("inputs.view(4, 6)", "inputs.view(-1, 6)", &["-1: whatever is left over"]),
    ("inputs.T.view(18)", "inputs.T.contiguous().view(18)", &["strides (1,3)", "inputs.T.reshape(18)"]),
    ("inputs[6]", "5", &["0 to 5", "counting begins at 0"]),
    ("inputs[0, 9]", "", &["0 to 2"]),
    ("torch.softmax(inputs, dim=2)", "dim=-1", &["There is no dimension 2"]),
    ("F.embedding(torch.tensor([1, 9]), inputs)", "nn.Embedding(10, 3)", &["rows 0 to 5", "asks for row 9"]),
    ("weight.add_(1)", "with torch.no_grad(): weight.add_(1)", &["asks for gradients"]),
    ("inputs.item()", "inputs[0]", &["one element"]),
    ("bool(inputs)", "x.any()", &["one truth value"]),
    ("layer(inputs)", "keys @ keys.T", &["keys was made in line 19: keys = self.W_key(x)"]),
    ("layer(keys)", "", &["x @ self.W_key.weight.T", "takes rows of 3 numbers"]),
    ("layer(inputs, keys)", "", &["counts self"]),
    (
        "F.cross_entropy(torch.rand(2, 5, 10), torch.zeros(2, 5).long())",
        "torch.rand(2, 5, 10).view(-1, 10), torch.zeros(2, 5).long().view(-1)",
        &["axis 1 of torch.rand(2, 5, 10) is read as the classes: 5", "(10,10) with (10,)"],
    ),
    (
        "F.cross_entropy(texts.transpose(0, 1), torch.zeros(6, 2).long().T)",
        "",
        &["axis 1 of texts.transpose(0, 1) is read as the classes: 2"],
    ),
    ("nn.CrossEntropyLoss()(inputs, ids[:4])", "", &["6 rows of 3 scores take 6 classes"]),
    ("F.nll_loss(inputs, ids.view(2, 3))", "inputs, ids.view(2, 3).view(-1)", &[]),
    // A mask of tokens is one of keys, whatever else its sizes fit.
    (
        "torch.rand(2, 4, 6, 6).masked_fill(pad, -torch.inf)",
        "torch.rand(2, 4, 6, 6).masked_fill(pad[:, None, None, :], -torch.inf)",
        &["(2,4,6,6) with (2,1,1,6) -> (2,4,6,6)"],
    ),
    (
        "torch.rand(2, 4, 6, 6).masked_fill(~pad, -torch.inf)",
        "torch.rand(2, 4, 6, 6).masked_fill((~pad)[:, None, None, :], -torch.inf)",
        &["masked_fill(torch.rand(2, 4, 6, 6), ~pad)"],
    ),
    (
        "torch.where(pad, torch.rand(2, 2, 6, 6), 0.)",
        "torch.where(pad[:, None, None, :], torch.rand(2, 2, 6, 6), 0.0)",
        &[],
    ),
    ("torch.rand(2, 6, 6) + pad", "torch.rand(2, 6, 6) + pad[:, None, :]", &["(2,6,6) + (2,1,6) -> (2,6,6)"]),
    ("texts * pad.float()", "texts * pad.float().unsqueeze(-1)", &["(2,6,2) * (2,6,1) -> (2,6,2)"]),
    (
        "F.scaled_dot_product_attention(torch.rand(2, 8, 6, 4), torch.rand(2, 2, 5, 4), torch.rand(2, 2, 5, 3))",
        "enable_gqa=True",
        &["8 and 2 must be equal", "(2,8,6,4) with (2,2,5,4) -> (2,8,6,3)", "serves 4 heads of queries"],
    ),
    (
        "F.scaled_dot_product_attention(torch.rand(2, 8, 6, 4), torch.rand(2, 3, 6, 4), torch.rand(2, 3, 6, 4))",
        "",
        &["8 and 3 must be equal"],
    ),
    (
        "F.scaled_dot_product_attention(texts[:, None], texts[:, None], texts[:, None], attn_mask=pad[:, :4])",
        "",
        &["6 and 4 must be equal"],
    ),
    (
        "F.scaled_dot_product_attention(*[torch.rand(2, 4, 6, 3)] * 3, attn_mask=pad)",
        "attn_mask=pad[:, None, None, :]",
        &["6 and 2 must be equal, or one of them 1"],
    ),
    (
        "loss = (weight * 2).square().sum(); loss.backward(); loss.backward()",
        "retain_graph=True",
        &["computed again"],
    ),
    (
        "torch.optim.AdamW([weight], wd=0.1)",
        "weight_decay",
        &["AdamW takes params, lr, betas, eps, weight_decay"],
    ),
    ("nn.Linear(3, 2, biass=False)", "bias", &["Linear takes in_features, out_features, bias"]),
    ("layer(y=inputs)", "", &["Layer.forward takes x."]),
    ("torch.softmax(inputs, dims=1)", "dim", &["softmax takes input, dim, dtype."]),
    (
        "nn.MultiheadAttention(10, 3)",
        "num_heads=2",
        &["10 / 3 is not whole", "embed_dim=12 |  | 3 heads of width 4"],
    ),
    (
        "torch.einsum('bqhd, bkhd -> bhqk', torch.rand(2, 6, 4, 8), torch.rand(2, 6, 4, 9))",
        "",
        &["d is 8 and 9", "torch.rand(2, 6, 4, 8) and torch.rand(2, 6, 4, 9)", "b q h d ^3 | b k h d ^3"],
    ),
    ("torch.einsum('...qd,kd->...qk', texts, inputs)", "", &["d is 2 and 3", "... q d ^2 | k d ^1"]),
    (
        "torch.einsum('qd,kd->qk', texts, inputs)",
        "",
        &["texts (2,6,2) has 3 dimensions; `qd` in the equation names 2"],
    ),
    ("import flash_attn", "", &["F.scaled_dot_product_attention(q, k, v) computes the same"]),
    (
        "from flash_attn.flash_attn_interface import flash_attn_func",
        "",
        &["use transpose(1, 2) before and after"],
    ),
    ("from torch.nn.attention.flex_attention import flex_attention", "", &["attn_mask=mask"]),
    ("import xformers.ops as xops", "", &["memory_efficient_attention"]),
    ("layer.W_kye", "W_key", &[]),
    ("querys", "queries", &[]),
    ("np", "", &[]),
    ("nn.Linear(3, 2)(inputs).shpae", "", &[]),
    ("layer.state_dict()['W_keys.weight']", "'W_key.weight'", &[]),
];

fn written(found: &ErrorExplanation) -> String {
    let mut text = found.remarks.join("\n");
    if let Some(clash) = &found.clash {
        text.push_str(&format!("\n{}\n{}", clash.text, clash.rule));
        let axes = |at: usize| {
            let operand = &clash.operands[at];
            operand.clash.map_or(String::new(), |axis| format!("{} ^{axis}", operand.axes.join(" ")))
        };
        text.push_str(&format!("\n{} | {}", axes(0), axes(1)));
    }
    for fix in &found.fixes {
        text.push_str(&format!("\n{} | {} | {}", fix.code, fix.shapes, fix.reason));
    }
    text
}

#[test]
fn errors_name_operands_and_offer_what_fits() {
    if crate::apart::ran() {
        return;
    }
    with_large_stack(|| {
        let mut wrong = Vec::new();
        for (typed, fix, words) in CASES {
            let mut session = Session::new(SessionOptions::default());
            assert_eq!(session.run(SETUP, "setup").error, None);
            let raised = session.run(typed, "cell").error.expect(typed);
            let found = explanation(&session, &raised);
            let text = written(&found);
            let first = found.fixes.first().map_or("", |fix| fix.code.as_str());
            if first != *fix || !words.iter().all(|words| text.contains(words)) {
                wrong.push(format!("{typed}: {}\n{text}\n", raised.message));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    });
}

/// Whatever the shapes: a fix that is an expression runs, and what is explained changes nothing.
#[test]
fn every_fix_for_random_shapes_works() {
    if crate::apart::ran() {
        return;
    }
    with_large_stack(|| {
        let mut session = Session::new(SessionOptions::default());
        session.run("import torch", "setup");
        let mut state = 12345_u64;
        let mut draw = |below: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % below
        };
        let (mut raised, mut tried) = (0, 0);
        for _ in 0..400 {
            let mut shape = || {
                let ndim = 1 + draw(3);
                (0..ndim)
                    .map(|_| [1, 2, 3, 4, 40][draw(5) as usize].to_string())
                    .collect::<Vec<_>>()
                    .join(", ")
            };
            let (a, b) = (shape(), shape());
            let forms = [
                "a @ b",
                "a + b",
                "a * b",
                "torch.cat([a, b])",
                "a.masked_fill(b > 0, 1.5)",
                "torch.bmm(a, b)",
                "torch.maximum(a, b)",
            ];
            let form = forms[draw(forms.len() as u64) as usize];
            session.run(&format!("a, b = torch.ones({a}), torch.ones({b})"), "made");
            let Some(error) = session.run(form, "cell").error else { continue };
            raised += 1;
            for fix in explanation(&session, &error).fixes {
                tried += 1;
                let works = session.evaluate(&fix.code, |_, _| ());
                assert!(works.is_ok(), "({a}) and ({b}), {form}: {} raises {works:?}", fix.code);
            }
            let sums = session.evaluate("float(a.sum() + b.sum())", |value, vm| {
                value.try_float(vm).map(|it| it.to_f64()).ok()
            });
            let count = |shape: &str| {
                shape.split(", ").map(|size| size.parse::<f64>().expect("a size")).product::<f64>()
            };
            assert_eq!(sums.expect("they are there"), Some(count(&a) + count(&b)));
        }
        assert!(raised > 100 && tried > 40, "{raised} raised, {tried} fixes");
    });
}
