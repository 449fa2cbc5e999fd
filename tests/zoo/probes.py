"""Shows with PyTorch that each program in reported/ is wrong: what was changed, and what moved.

Usage: python probes.py [NAME...]           exit code 1 if a mistake cannot be shown

A probe gets the program's variables after its run. It returns a sentence with figures and whether the mistake is there.
"""
import contextlib
import io
import runpy
import sys
from pathlib import Path

import torch
import torch.nn.functional as F

HERE = Path(__file__).resolve().parent / "reported"
PROBES = {}


def probe(function):
    PROBES[function.__name__] = function
    return function


def far(a, b):
    return (a - b).abs().max().item()


@torch.no_grad()
def changed(f, x, at, watch, what):
    """Adds 1 to x at an index, and says how far the output moves at another one."""
    before = f(x)
    other = x.clone()
    other[at] += 1.0
    moved = far(before[watch], f(other)[watch])
    return f"{what}: moved by {moved:.4f}", moved > 1e-6


def later(f, x):
    last = x.shape[1] - 1
    return changed(f, x, (slice(None), last), (slice(None), slice(0, last)), f"changed token {last}, watched the outputs before it")


def sample(f, x):
    return changed(f, x, (1,), (0,), "changed sample 1, watched the output of sample 0")


def sums(weights, dim=-1):
    total = weights.sum(dim)
    return f"rows of weights sum to {total.min():.4f} ... {total.max():.4f}", far(total, torch.ones_like(total)) > 1e-3


def weights_of(module, *inputs):
    """What nn.Softmax or the first call of softmax returns while a module runs."""
    seen = []
    real = torch.softmax, torch.Tensor.softmax, F.softmax

    def keep(f):
        def call(*args, **kw):
            seen.append(f(*args, **kw))
            return seen[-1]
        return call
    torch.softmax, torch.Tensor.softmax, F.softmax = (keep(f) for f in real)
    try:
        with torch.no_grad():
            module(*inputs)
    finally:
        torch.softmax, torch.Tensor.softmax, F.softmax = real
    return seen[0]


def without_gradient(ns, loss, names):
    """Parameters that no loss reaches."""
    for p in ns["layer"].parameters():
        p.grad = None
    loss.backward()
    found = [n for n, p in ns["layer"].named_parameters() if p.grad is None or not p.grad.any()]
    return f"no gradient in {', '.join(found) or 'nothing'}", set(names) <= set(found)


@probe
def softmax_over_pixels(ns):
    return sums(weights_of(ns["layer"], torch.randn(2, 8, 3, 3)), dim=2)


@probe
def softmax_dim_2_of_4(ns):
    return sums(weights_of(ns["layer"], torch.randn(2, 5, 8)))


@probe
def softmax_over_rows_of_batch(ns):
    return sums(ns["weights"])


@probe
def pooling_all_ones(ns):
    w = weights_of(ns["layer"], ns["history"])
    return f"weights are between {w.min():.4f} and {w.max():.4f}", bool((w == 1).all())


def joined(ns):
    """Equal tokens have equal rows before the output layer, whatever the weights; joined in the wrong order they do not."""
    layer = ns["layer"]
    last = list(layer.children())[-1]
    seen = []
    hook = last.register_forward_pre_hook(lambda m, args: seen.append(args[0]))
    x = torch.randn(1, 4, last.in_features)
    x[:, 2:] = x[:, 1:2]
    with torch.no_grad():
        layer(x)
    hook.remove()
    moved = far(seen[0][:, 1], seen[0][:, 2])
    return f"tokens 1 and 2 are equal, and what is joined for them differs by {moved:.4f}", moved > 1e-4


PROBES["joined_without_permute"] = PROBES["joined_from_flat_batch"] = joined


@probe
def split_into_batch(ns):
    """Fields in another order give the same outputs in that order."""
    x, order = torch.randn(2, 6, 5), torch.tensor([3, 0, 5, 1, 4, 2])
    with torch.no_grad():
        moved = far(ns["layer"](x)[:, order], ns["layer"](x[:, order]))
    return f"permuted the fields, and the outputs are not the permuted ones: they differ by {moved:.4f}", moved > 1e-4


@probe
def heads_before_batch(ns):
    return sample(ns["layer"], ns["x"])


@probe
def mask_tiled_over_heads(ns):
    return changed(lambda x: ns["layer"].eval()(x, ns["padding"]), ns["x"], (1, 4), (1, slice(0, 3)), "changed padded token 4 of sample 1, watched its real tokens")


def scale(wanted):
    def look(ns):
        layer = ns["layer"][0] if isinstance(ns["layer"], torch.nn.ModuleList) else ns["layer"]
        used = getattr(layer, "scale", None) or ns["n_embd"] ** -0.5
        return f"scores are multiplied by {used:.4f}; 1 / root of the head's width is {wanted ** -0.5:.4f}", abs(used - wanted ** -0.5) > 1e-3
    return look


PROBES["scale_of_the_model"] = scale(4)
PROBES["scale_of_the_input"] = scale(8)


@probe
def mask_value_positive(ns):
    return changed(lambda x: ns["layer"](x, ns["mask"]), ns["x"], (1, 5), (1, slice(0, 4)), "changed padded token 5 of sample 1, watched its real tokens")


@probe
def mask_by_product(ns):
    return changed(lambda x: ns["layer"](x, ns["mask"])[0], ns["x"], (1, 4), (1,), "changed padded patch 4 of bag 1, watched its vector")


@probe
def mask_tiny_number(ns):
    hidden = ns["layer"](ns["x"], ns["x_mask"])[ns["x_mask"]]
    return f"hidden words have weights up to {hidden.max():.4f}", hidden.max().item() > 1e-3


@probe
def fill_not_in_place(ns):
    out = ns["layer"](ns["x"], ns["media"], ns["nothing_yet"])
    size = out[0, 0].abs().max().item()
    return f"text without media gets an output of size {size:.4f}, and 0 was meant", size > 1e-3


@probe
def valid_positions_filled(ns):
    """The first block has a padded place on its left."""
    w = weights_of(ns["layer"], ns["x"])[0, 0, 0]
    return f"the first token gives the padding on its left the weight {w[0]:.4f}", w[0].item() > 0.99


@probe
def sdpa_mask_of_padding(ns):
    return changed(lambda x: ns["layer"](x, ns["padding_mask"]), ns["x"], (1, 4), (1,), "changed padded token 4 of sample 1, watched its output")


@probe
def triu_kept(ns):
    f = lambda x: ns["decode"](x, ns["decoder_mask"])
    return later(f, ns["decoder_input"])


@probe
def diagonal_hidden(ns):
    out = ns["layer"](ns["x"])
    return f"{int(out.isnan().any(-1).sum())} of {out.shape[0] * out.shape[1]} outputs are nan", bool(out.isnan().any())


@probe
def masked_after_softmax(ns):
    w = weights_of(ns["layer"], ns["x"], ns["keep"])
    left = (w * ns["keep"][:, None, None, :]).sum(-1)
    return f"rows of sample 1 sum to {left[1].min():.4f} ... {left[1].max():.4f} when they meet the values", left[1].max().item() < 0.99


@probe
def sdpa_dropout_in_eval(ns):
    with torch.no_grad():
        moved = far(ns["layer"](ns["x"]), ns["layer"](ns["x"]))
    return f"two calls in eval mode differ by {moved:.4f}", moved > 1e-4


@probe
def softmax_before_loss(ns):
    perfect = F.cross_entropy(torch.eye(10), torch.arange(10)).item()
    total = ns["model"](ns["ids"]).sum(-1)
    return f"what is called logits sums to {total.mean():.4f}; a perfect prediction still has loss {perfect:.3f}", far(total, torch.ones_like(total)) < 1e-5


@probe
def targets_not_shifted(ns):
    same = torch.equal(ns["labels"], ns["input_ids"])
    logits = ns["model"](ns["patches"], ns["input_ids"])
    right = (logits.argmax(-1) == ns["input_ids"]).float().mean().item()
    return f"{right:.0%} of the predictions are the token that the position sees", same and right > 0.8


@probe
def targets_shifted_twice(ns):
    logits, ids = ns["model"](ns["ids"]), ns["ids"]
    once = F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten()).item()
    twice = F.cross_entropy(logits[:, :-2].flatten(0, 1), ids[:, 2:].flatten()).item()
    return f"the loss {ns['loss'].item():.4f} is that of two tokens ahead, {twice:.4f}; of the next token it is {once:.4f}", abs(ns["loss"].item() - twice) < 1e-5


@probe
def causal_flag_with_cache(ns):
    moved = far(torch.cat(ns["outputs"], dim=1), ns["layer"](ns["x"]))
    return f"with and without the cache the outputs differ by {moved:.4f}", moved > 1e-3


@probe
def window_forgets_future(ns):
    return later(ns["model"], ns["x"])


@probe
def causal_only_with_padding(ns):
    return later(ns["layer"], ns["x"])


@probe
def causal_dropped_by_to(ns):
    return later(lambda x: ns["layer"](x, ns["mask"]), ns["x"])


@probe
def tied_by_copy(ns):
    moved = far(ns["model"].tok_emb.weight, ns["model"].out_head.weight)
    return f"after one update the two weights differ by {moved:.4f}", moved > 0


@probe
def batch_as_sequence(ns):
    return sample(lambda x: ns["layer"](x, ns["pos"]), ns["x"])


@probe
def encoder_batch_as_sequence(ns):
    rows = ns["rows"].clone()
    with torch.no_grad():
        before = ns["model"](rows)
        rows[1] = (rows[1] + 1) % 20
        moved = far(before[0], ns["model"](rows)[0])
    return f"changed row 1, watched the output of row 0: moved by {moved:.4f}", moved > 1e-6


@probe
def rope_conventions_mixed(ns):
    with torch.no_grad():
        moved = far(ns["layer"](ns["x"]), ns["layer"](ns["x"], start=20))
    return f"all positions moved along by 20: the outputs differ by {moved:.4f}", moved > 1e-3


@probe
def rope_over_heads(ns):
    x = torch.randn(1, 1, 16).expand(1, 6, 16) + torch.zeros(1, 6, 16)
    x[:, 2], x[:, 3] = torch.randn(16), torch.randn(16)
    other = x.clone()
    other[:, 2], other[:, 3] = x[:, 3], x[:, 2]
    with torch.no_grad():
        moved = far(ns["layer"](x)[:, -1], ns["layer"](other)[:, -1])
    return f"exchanged tokens 2 and 3: the last output moves by {moved:.1e}, as if there were no positions", moved < 1e-5


@probe
def keys_in_value_cache(ns):
    layer = ns["layer"]
    before = layer.v_proj.weight.data.clone()
    run = lambda: (setattr(layer, "seen", 0), layer(ns["x"]))[1]
    with torch.no_grad():
        one = run()
        layer.v_proj.weight.data += 1
        moved = far(one, run())
        layer.v_proj.weight.data = before
    return f"changed the weight of v_proj: the output moves by {moved:.4f}", moved == 0


@probe
def rope_cache_without_offset(ns):
    with torch.no_grad():
        ns["layer"].rotary.cache.clear()
        full, _ = ns["layer"](ns["x"])
    moved = far(full, torch.cat(ns["pieces"], dim=1))
    return f"with and without the cache the outputs differ by {moved:.4f}", moved > 1e-3


@probe
def offset_jumps(ns):
    model, seen = ns["model"], []
    hook = model.pos.register_forward_pre_hook(lambda m, args: seen.append(args[0].tolist()))
    ns["generate"](model, ns["prompt"], 3)
    hook.remove()
    return f"positions are {seen}", seen[1][0] != 5 or seen[2][0] != 6


@probe
def decoder_ignores_encoder(ns):
    moved = far(ns["layer"](ns["x"], ns["memory"]), ns["layer"](ns["x"], ns["memory"] + 1))
    return f"changed the encoder's output: the decoder's moves by {moved:.4f}", moved == 0


@probe
def mask_of_rows(ns):
    w = weights_of(ns["model"], ns["ids"])[0]
    return f"real words give padding the weight {w[:3, 3:].sum(-1).max():.4f}", w[:3, 3:].sum(-1).max().item() > 0.01


@probe
def padding_only_in_loss(ns):
    w = weights_of(ns["model"], ns["ids"])[0]
    return f"real words give padding the weight {w[:3, 3:].sum(-1).max():.4f}", w[:3, 3:].sum(-1).max().item() > 0.01


@probe
def groups_tiled(ns):
    layer, x = ns["layer"], ns["x"]
    q = layer.q_proj(x).view(1, 5, 4, 4).transpose(1, 2)
    k, v = (p(x).view(1, 5, 2, 4).transpose(1, 2) for p in (layer.k_proj, layer.v_proj))
    y = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
    moved = far(layer(x), layer.o_proj(y.transpose(1, 2).reshape(1, 5, -1)))
    return f"with enable_gqa=True the same weights give other outputs, {moved:.4f} away", moved > 1e-3

def pieces(whole, in_pieces):
    moved = far(whole, in_pieces)
    return f"at once and in pieces the outputs differ by {moved:.4f}", moved > 1e-3


@probe
@torch.no_grad()
def causal_top_left_with_cache(ns):
    layer, x = ns["CachedSelfAttention"](dim=24, n_head=4), torch.randn(2, 9, 24)
    first, past = layer(x[:, :5])
    return pieces(layer(x)[0], torch.cat([first, layer(x[:, 5:], past)[0]], dim=1))


@probe
def window_one_key_too_many(ns):
    return pieces(ns["prompt"], ns["decoded"])


@probe
@torch.no_grad()
def rope_memo_without_offset(ns):
    ns["layer"].rotary.memo.clear()
    return pieces(ns["layer"](ns["x"])[0], ns["out"])


@probe
def bias_without_memory(ns):
    return pieces(ns["whole"], ns["pieces"])


@probe
@torch.no_grad()
def kv_heads_repeated_whole(ns):
    layer, x = ns["layer"], ns["x"]
    q = layer.wq(x).view(2, 7, 6, 5).transpose(1, 2)
    k, v = (p(x).view(2, 7, 3, 5).transpose(1, 2) for p in (layer.wk, layer.wv))
    y = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
    moved = far(layer(x), layer.wo(y.transpose(1, 2).reshape(2, 7, -1)))
    return f"with enable_gqa=True the same weights give other outputs, {moved:.4f} away", moved > 1e-3


@probe
def rope_tables_in_halves(ns):
    equal = torch.randn(8).expand(1, 1, 6, 8)
    q, k = ns["apply_rotary"](equal, equal, *ns["rotary_tables"](6, 8))
    same = (q @ k.transpose(2, 3))[0, 0].diagonal()
    spread = (same.max() - same.min()).item()
    return f"equal tokens, each with itself: the scores spread over {spread:.4f}", spread > 1e-4


@probe
@torch.no_grad()
def dropout_p_in_eval(ns):
    moved = far(ns["block"](ns["x"]), ns["block"](ns["x"]))
    return f"two calls in eval mode differ by {moved:.4f}", moved > 1e-4


@probe
def softmax_over_image_queries(ns):
    return sums(weights_of(ns["block"], ns["image"]), dim=2)


@probe
@torch.no_grad()
def label_queries_see_padding(ns):
    model, ids = ns["model"], ns["ids"]
    moved = far(model(ids)[:1], model(ids[:1, :5]))
    return f"text 0 without its padding: the outputs differ by {moved:.4f}", moved > 1e-4


@probe
def left_padding_nan(ns):
    lost = int(ns["logits"][:, -1].isnan().any(-1).sum())
    return f"{lost} of {len(ns['logits'])} texts end with nan", lost > 0


@probe
@torch.no_grad()
def cross_weights_as_bias(ns):
    seen = []
    hooks = [block.cross_attn.register_forward_pre_hook(lambda m, args: seen.append(args[3])) for block in ns["stack"].blocks]
    ns["stack"](torch.randn(2, 5, 24), torch.randn(2, 7, 24))
    for hook in hooks:
        hook.remove()
    total = seen[1].sum(-1)
    return f"rows of the second layer's bias sum to {total.min():.4f} ... {total.max():.4f}", far(total, torch.ones_like(total)) < 1e-5


@probe
def heads_merged_by_reshape(ns):
    return joined({"layer": ns["layer"].attn})


@probe
@torch.no_grad()
def shifted_by_model_and_loss(ns):
    ids = ns["ids"]
    logits, loss = ns["model"](ids, labels=ids)
    once = F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten()).item()
    twice = F.cross_entropy(logits[:, :-2].flatten(0, 1), ids[:, 2:].flatten()).item()
    return f"the loss {loss.item():.4f} is that of two tokens ahead, {twice:.4f}; of the next token it is {once:.4f}", abs(loss.item() - twice) < 1e-5


@probe
@torch.no_grad()
def loss_over_padding(ns):
    ids, mask = ns["ids"], ns["mask"]
    moved = abs(ns["nll_loss"](ns["model"], ids.masked_fill(mask == 0, 1), mask) - ns["loss"]).item()
    return f"other tokens in the padding: the loss moves by {moved:.4f}", moved > 1e-4


@probe
def schedule_on_micro_batches(ns):
    steps, updates = ns["scheduler"].last_epoch, len(ns["rates"])
    return f"the schedule made {steps} steps, and the optimizer {updates}", steps != updates



def main(names):
    missing = 0
    for file in sorted(HERE.glob("*.py")):
        if names and file.stem not in names:
            continue
        torch.manual_seed(0)
        with contextlib.redirect_stdout(io.StringIO()):
            ns = runpy.run_path(str(file), run_name="__main__")
        seen, wrong = PROBES[file.stem](ns)
        missing += not wrong
        print(f"{'wrong  ' if wrong else 'NOT SHOWN'} {file.stem}: {seen}")
    return missing


if __name__ == "__main__":
    sys.exit(bool(main(sys.argv[1:])))
