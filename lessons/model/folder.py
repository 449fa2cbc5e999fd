"""Opens a model that lies in a folder as `transformers` saves it.

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
    "llama": {"hidden_act": ["silu"], "use_sliding_window": [False]},
}


class ModelError(Exception):
    """What is wrong with the folder: the file, the field, and what can be done."""


def read_json(folder, name):
    try:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            found = json.load(file)
    except FileNotFoundError:
        raise ModelError(f"{name} is missing") from None
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(f"{name} cannot be read as JSON: {error}") from None
    if not isinstance(found, dict):
        raise ModelError(f"{name} is not a JSON object")
    return found


def read_config(folder):
    """The config, and the kind of model: "gpt2" or "llama"."""
    config = read_json(folder, "config.json")
    names = config.get("architectures")
    if not isinstance(names, list) or not names or names[0] not in KINDS:
        raise ModelError(f"config.json: architectures is {json.dumps(names)}; attn reads {', '.join(KINDS)}")
    kind = KINDS[names[0]]
    for field in NEEDED[kind]:
        number = config.get(field)
        if isinstance(number, bool) or not isinstance(number, (int, float)) or number <= 0:
            raise ModelError(f"config.json: {field} is {json.dumps(number)}; it has to be a number above 0")
        if field != "rms_norm_eps" and not isinstance(number, int):
            raise ModelError(f"config.json: {field} is {json.dumps(number)}; it has to be a whole number")
    for field, values in ONLY[kind].items():
        if config.get(field, values[0]) not in values:
            raise ModelError(f"config.json: {field} is {json.dumps(config[field])}; attn has only {json.dumps(values[0])}")
    width, heads = (config["n_embd"], config["n_head"]) if kind == "gpt2" else (config["hidden_size"], config["num_attention_heads"])
    if width % heads and not config.get("head_dim"):
        raise ModelError(f"config.json: a width of {width} cannot be divided between {heads} heads")
    shared = config.get("num_key_value_heads") or heads
    if not isinstance(shared, int) or shared <= 0 or heads % shared:
        raise ModelError(f"config.json: {heads} heads of queries cannot share {shared} heads of keys and values")
    if "quantization_config" in config:
        raise ModelError("config.json: quantization_config is there; attn reads weights in float32, float16 and bfloat16")
    return config, kind


def sizes(config, kind):
    """What the config alone says, without reading a weight."""
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
    parameters = layers * block + ends + words * (1 if tied else 2)
    if parameters > 10**15:
        raise ModelError(f"config.json: its fields make a model of {parameters:,} parameters; one of them is wrong")
    return {
        "kind": kind,
        "architecture": config["architectures"][0],
        "parameters": parameters,
        "layers": layers,
        "heads": heads,
        "kv_heads": shared,
        "head_dim": head_dim,
        "width": width,
        "vocabulary": config["vocab_size"],
        "context_length": length,
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
                raise ModelError(f"model.safetensors.index.json: weight_map names {missing[0]}, which is missing")
        elif any(name.endswith((".bin", ".pt", ".pth")) for name in there):
            name = min(name for name in there if name.endswith((".bin", ".pt", ".pth")))
            raise ModelError(
                f"{name} is a pickle, which can run code; attn reads safetensors. To convert it, in Python with transformers: "
                "AutoModelForCausalLM.from_pretrained(FOLDER).save_pretrained(FOLDER, safe_serialization=True)"
            )
        else:
            raise ModelError("model.safetensors is missing: there are no weights")
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
    try:
        with without_initial_values():
            model = Model(config)
    except KeyError as error:
        raise ModelError(f"config.json: {error} is missing") from None
    except (ValueError, TypeError, AttributeError, ZeroDivisionError) as error:
        raise ModelError(str(error) if "config.json" in str(error) else f"config.json: {error}") from None
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
        raise ModelError("tokenizer.json is missing, and so are vocab.json and merges.txt: there is no tokenizer")
    from transformers import AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(folder)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, NotImplementedError) as error:
        raise ModelError(f"the tokenizer cannot be read: {type(error).__name__}: {error}") from None
    if len(tokenizer) > config["vocab_size"]:
        raise ModelError(
            f"the tokenizer has {len(tokenizer):,} tokens, and config.json says vocab_size {config['vocab_size']:,}: "
            "they belong to different models"
        )
    return tokenizer


def ends(folder, config, tokenizer):
    """The numbers of the tokens that end a text."""
    there = "generation_config.json" in os.listdir(folder)
    own = [config, read_json(folder, "generation_config.json") if there else {}]
    found = {tokenizer.eos_token_id}
    for numbers in [one.get("eos_token_id") for one in own]:
        found.update(numbers if isinstance(numbers, list) else [numbers])
    return found - {None}
