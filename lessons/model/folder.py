"""Opens a model that lies in a folder as `transformers` saves it, and writes text with it.

The folder has `config.json`, `model.safetensors` (or parts of it and `model.safetensors.index.json`), and the files of a
tokenizer. `Model` and `weights` are those of gpt2.py or llama.py. Nothing in the folder is run as code.
"""

import contextlib
import json
import os

import torch
import torch.nn as nn
from safetensors import SafetensorError, safe_open

KINDS = {
    "GPT2LMHeadModel": "gpt2",
    "GPT2Model": "gpt2",
    "LlamaForCausalLM": "llama",
    "MistralForCausalLM": "llama",
    "Qwen2ForCausalLM": "llama",
    "Qwen3ForCausalLM": "llama",
}
NEEDED = {
    "gpt2": ["n_embd", "n_layer", "n_head", "n_positions", "vocab_size"],
    "llama": [
        "hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads",
        "max_position_embeddings", "vocab_size", "rms_norm_eps",
    ],
}  # fmt: skip
# What the code of a kind does not compute: a config that asks for it is refused.
ONLY = {
    "gpt2": {
        "activation_function": ["gelu_new", "gelu_pytorch_tanh"],
        "scale_attn_weights": [True],
        "scale_attn_by_inverse_layer_idx": [False],
        "add_cross_attention": [False],
    },
    "llama": {"hidden_act": ["silu"]},
}


class ModelError(Exception):
    """What is wrong with the folder: the file, the field, and what can be done."""


def read_json(folder, name):
    try:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            found = json.load(file)
    except FileNotFoundError:
        raise ModelError(f"{folder} has no {name}") from None
    except (OSError, ValueError) as error:
        raise ModelError(f"{os.path.join(folder, name)} cannot be read as JSON: {error}") from None
    if not isinstance(found, dict):
        raise ModelError(f"{os.path.join(folder, name)} is not a JSON object")
    return found


def read_config(folder):
    """The config, and the kind of model: "gpt2" or "llama"."""
    config = read_json(folder, "config.json")
    names = config.get("architectures")
    name = names[0] if isinstance(names, list) and names else None
    if name not in KINDS:
        raise ModelError(f"config.json: architectures is {names}; attn reads {', '.join(KINDS)}")
    kind = KINDS[name]
    for field in NEEDED[kind]:
        number = config.get(field)
        if isinstance(number, bool) or not isinstance(number, (int, float)) or number <= 0:
            raise ModelError(f"config.json: {field} is {json.dumps(number)}; it has to be a number above 0")
        if field != "rms_norm_eps" and not isinstance(number, int):
            raise ModelError(f"config.json: {field} is {json.dumps(number)}; it has to be a whole number")
    for field, values in ONLY[kind].items():
        if config.get(field, values[0]) not in values:
            raise ModelError(f"config.json: {field} is {json.dumps(config[field])}; attn has {json.dumps(values[0])} alone")
    width, heads = (config["n_embd"], config["n_head"]) if kind == "gpt2" else (config["hidden_size"], config["num_attention_heads"])
    if width % heads and not config.get("head_dim"):
        raise ModelError(f"config.json: a width of {width} cannot be divided between {heads} heads")
    shared = config.get("num_key_value_heads") or heads
    if heads % shared:
        raise ModelError(f"config.json: {heads} heads of queries cannot share {shared} heads of keys and values")
    return config, kind


def sizes(config, kind):
    """What the config alone says: parameters, layers, heads, and bytes of a cache for each token, in float32."""
    if kind == "gpt2":
        width, layers, heads = config["n_embd"], config["n_layer"], config["n_head"]
        shared, head_dim, inner = heads, width // heads, config.get("n_inner") or 4 * width
        block = 4 * width * width + 4 * width + 2 * width * inner + inner + width + 4 * width
        ends = config["n_positions"] * width + 2 * width
        tied, length = config.get("tie_word_embeddings", True), config["n_positions"]
    else:
        width, layers, heads = config["hidden_size"], config["num_hidden_layers"], config["num_attention_heads"]
        shared = config.get("num_key_value_heads") or heads
        head_dim, inner = config.get("head_dim") or width // heads, config["intermediate_size"]
        name = config["architectures"][0]
        both = (heads + 2 * shared) * head_dim if config.get("attention_bias", name.startswith("Qwen2")) else 0
        both += width if config.get("attention_bias", False) else 0
        both += 2 * head_dim if name.startswith("Qwen3") else 0
        both += 2 * inner + width if config.get("mlp_bias", False) else 0
        block = width * head_dim * (2 * heads + 2 * shared) + 3 * width * inner + 2 * width + both
        ends, tied, length = width, config.get("tie_word_embeddings", False), config["max_position_embeddings"]
    words = config["vocab_size"] * width
    return {
        "parameters": layers * block + ends + words * (1 if tied else 2),
        "layers": layers,
        "heads": heads,
        "kv_heads": shared,
        "head_dim": head_dim,
        "width": width,
        "vocabulary": config["vocab_size"],
        "context_length": length,
        "cache_bytes_per_token": 2 * layers * shared * head_dim * 4,
    }


class Tensors:
    """The tensors of one or several safetensors files, each read when it is asked for."""

    def __init__(self, folder):
        self.folder, self.files, self.where = folder, {}, {}
        there = set(os.listdir(folder))
        if "model.safetensors" in there:
            names = ["model.safetensors"]
        elif "model.safetensors.index.json" in there:
            listed = read_json(folder, "model.safetensors.index.json").get("weight_map")
            if not isinstance(listed, dict):
                raise ModelError("model.safetensors.index.json: weight_map is missing")
            names = sorted(set(map(str, listed.values())))
            missing = [name for name in names if name not in there]
            if missing:
                raise ModelError(f"model.safetensors.index.json names {missing[0]}, which is not in {folder}")
        elif any(name.endswith((".bin", ".pt", ".pth")) for name in there):
            name = min(name for name in there if name.endswith((".bin", ".pt", ".pth")))
            raise ModelError(
                f"{name} is a pickle, which can run code; attn reads safetensors. Under Python with transformers: "
                "AutoModelForCausalLM.from_pretrained(FOLDER).save_pretrained(FOLDER, safe_serialization=True)"
            )
        else:
            raise ModelError(f"{folder} has no model.safetensors")
        for name in names:
            try:
                self.files[name] = safe_open(os.path.join(folder, name), framework="pt")
            except (OSError, SafetensorError) as error:
                raise ModelError(f"{name} cannot be read: {error}") from None
            for key in self.files[name].keys():
                # Files of a model without its last layer leave the prefix out.
                self.where[key.removeprefix("transformer.").removeprefix("model.")] = name, key

    def read(self, name, *default):
        """A tensor as float32; without a default one that is missing is an error."""
        if name not in self.where:
            if default and (default[0] is not None or not name.startswith("lm_head")):
                return default[0]
            raise ModelError(f"{', '.join(self.files)}: the tensor {name} is missing")
        file, key = self.where[name]
        try:
            return self.files[file].get_tensor(key).float()
        except SafetensorError as error:
            raise ModelError(f"{file} cannot be read: {error}") from None


@contextlib.contextmanager
def without_initial_values():
    """Layers made inside keep the memory as it is: their values are replaced."""
    kept = {layer: layer.reset_parameters for layer in [nn.Linear, nn.Embedding]}
    for layer in kept:
        layer.reset_parameters = lambda self: None
    try:
        yield
    finally:
        for layer, function in kept.items():
            layer.reset_parameters = function


def open_model(folder, config):
    """The model of a folder, in eval mode."""
    tensors = Tensors(folder)
    with without_initial_values():
        model = Model(config)
    expected = {name: parameter.shape for name, parameter in model.state_dict().items()}
    state = weights(tensors.read, config)
    for name, shape in expected.items():
        if name not in state:
            raise ModelError(f"{', '.join(tensors.files)}: the values of {name} are missing")
        if state[name].shape != shape:
            raise ModelError(
                f"{', '.join(tensors.files)}: {name} has the shape {tuple(state[name].shape)}; "
                f"by config.json it has to be {tuple(shape)}"
            )
    extra = [name for name in state if name not in expected]
    if extra:
        raise ModelError(f"{', '.join(tensors.files)}: config.json says nothing of {extra[0]}")
    model.load_state_dict(state, assign=True)
    return model.eval()


def open_tokenizer(folder, config):
    """The tokenizer of a folder: tokenizer.json, or vocab.json and merges.txt."""
    there = os.listdir(folder)
    if "tokenizer.json" not in there and not {"vocab.json", "merges.txt"} <= set(there):
        raise ModelError(f"{folder} has no tokenizer: neither tokenizer.json nor vocab.json and merges.txt")
    from transformers import AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(folder)
    except (OSError, ValueError, KeyError, NotImplementedError) as error:
        raise ModelError(f"the tokenizer of {folder} cannot be read: {error}") from None
    if len(tokenizer) > config["vocab_size"]:
        raise ModelError(
            f"the tokenizer has {len(tokenizer):,} tokens, and vocab_size in config.json is {config['vocab_size']:,}: "
            "they belong to different models"
        )
    return tokenizer


def chosen(logits, temperature=0.0, top_k=None, top_p=None):
    """The number of the next token: the most likely one, or one that is drawn."""
    if temperature <= 0.0:
        return logits.argmax().item()
    logits = logits / temperature
    if top_k is not None:
        logits = logits.masked_fill(logits < logits.topk(min(top_k, len(logits))).values[-1], -torch.inf)
    if top_p is not None:
        ordered, places = torch.softmax(logits, dim=-1).sort(descending=True)
        # A token stays while those before it have less than top_p together.
        logits[places[ordered.cumsum(dim=-1) - ordered >= top_p]] = -torch.inf
    return torch.multinomial(torch.softmax(logits, dim=-1), num_samples=1).item()


def written(model, numbers, tokens, stop=(), **choice):
    """Yields one token after another. Each one is read once: the cache has the keys and values of all before it."""
    caches = [{} for _ in model.blocks]
    texts = torch.tensor([numbers])
    with torch.no_grad():
        for _ in range(min(tokens, model.context_length - len(numbers))):
            logits = model(texts, caches)[0, -1]
            number = chosen(logits, **choice)
            if number in stop:
                return
            yield number
            texts = torch.tensor([[number]])


def pieces(tokenizer, numbers):
    """Each token as text; a space is shown as a middle dot, the end of a line as an arrow."""
    return [tokenizer.decode([number]).replace(" ", "·").replace("\n", "↵") for number in numbers]


def behaviours(weights, numbers):
    """How much of its weight each head of a layer gives, on average over the tokens that look: to the token before, to the
    first token, and to earlier tokens that are the same as the one that looks (None if no token comes again)."""
    numbers = torch.tensor(numbers)
    same = (numbers[:, None] == numbers).tril(diagonal=-1)
    again = same.any(dim=1)
    before = weights.diagonal(-1, 1, 2).mean(dim=-1)
    rows = [before, weights[:, 1:, 0].mean(dim=-1)]
    rows.append((weights * same).sum(dim=-1)[:, again].mean(dim=-1) if again.any() else None)
    return rows


def induction(model, length=24, seed=0):
    """For each layer and head the weight that goes from the second copy of random tokens to the token after the first copy of
    the one that looks: what a head needs to go on with a text that it has seen before."""
    length = min(length, model.context_length // 2)
    random = torch.randint(0, model.word.num_embeddings, (length,), generator=torch.Generator().manual_seed(seed)).tolist()
    _, caught = seen(model, random * 2)
    layers = range(len(model.blocks))
    return [caught["weights", layer].diagonal(1 - length, 1, 2)[:, 1:].mean(dim=-1) for layer in layers]


@torch.no_grad()
def look_at_folder(model, tokenizer, text, at=None, without=(), answer=None, head=None):
    """What `look` says of the trained model, of one in a folder: maps of one head alone, and what all heads do."""
    numbers = tokenizer.encode(text)
    if not 0 < len(numbers) <= model.context_length:
        raise ModelError(f"the text has {len(numbers):,} tokens; the model reads 1 to {model.context_length:,}")
    at = len(numbers) - 1 if at is None else at
    logits, caught = seen(model, numbers, without)
    probabilities = torch.softmax(logits[at], dim=-1)
    best = probabilities.topk(5).indices.tolist()
    chosen = best[0]
    if answer is not None:
        found = tokenizer.encode(answer.replace("·", " "))
        if len(found) != 1:
            raise ModelError(f"{answer!r} is no single token; it is {pieces(tokenizer, found)}")
        chosen = found[0]
    whole = torch.softmax(seen(model, numbers)[0][at], dim=-1) if without else probabilities
    listed = list(dict.fromkeys(whole.topk(5).indices.tolist() + [chosen] + best)) if without or answer else best
    repeats, rows = induction(model), []
    for layer in range(len(model.blocks)):
        *shares, same = behaviours(caught["weights", layer], numbers)
        last = caught["weights", layer][:, at, : at + 1].max(dim=-1)
        rows.append([
            {
                "previous": rounded(shares[0][number]),
                "first": rounded(shares[1][number]),
                "same": None if same is None else rounded(same[number]),
                "induction": rounded(repeats[layer][number]),
                "most": last.indices[number].item(),
                "weight": rounded(last.values[number]),
            }
            for number in range(len(shares[0]))
        ])  # fmt: skip
    maps = [[[] for _ in layer] for layer in rows]
    if head is not None:
        maps[head[0]][head[1]] = rounded(caught["weights", head[0]][head[1]])
    return {
        "words": pieces(tokenizer, numbers),
        "at": at,
        "next": [
            {"word": word, "share": rounded(probabilities[number]), "whole": rounded(whole[number])}
            for number, word in zip(listed, pieces(tokenizer, listed))
        ],
        "heads": rows,
        "weights": maps,
        "why": {
            "word": pieces(tokenizer, [chosen])[0],
            "logit": rounded(logits[at, chosen] - logits[at].mean()),
            "parts": parts(model, caught, at, chosen, without),
        },
    }
