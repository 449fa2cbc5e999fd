"""Writes tests/cmd/files/models: two small models with random weights, of GPT-2's and of Llama's kind, as `transformers` saves
them, and tests/golden/models.json, what they compute. Needs PyTorch 2.6, transformers 4.46 and tokenizers.

    python tests/golden/make_models.py

For each: the tokens of a text, the logits of the last four, and the weights of all heads, computed in float32; the tokens that greedy
decoding adds to the first four.
"""

import json
import os
import shutil

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.join(HERE, "../cmd/files/models")
TEXT = "the river was wide and she sat on the bank and watched the water of the river"
EAGER = {"attn_implementation": "eager"}


def tokenizer():
    """Byte pairs of a few words."""
    tokens = Tokenizer(models.BPE())
    tokens.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokens.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=288, special_tokens=["<|endoftext|>"], initial_alphabet=alphabet)
    tokens.train_from_iterator([TEXT] * 20, trainer)
    return PreTrainedTokenizerFast(tokenizer_object=tokens, eos_token="<|endoftext|>", bos_token="<|endoftext|>")


def save(name, model, dtype=torch.float32):
    folder = os.path.join(OUT, name)
    shutil.rmtree(folder, ignore_errors=True)
    for parameter in model.parameters():
        parameter.data.normal_(0, 0.5)
        if parameter.ndim == 1:
            parameter.data.add_(0.7)
    model.to(dtype).save_pretrained(folder)
    words = tokenizer()
    assert len(words) == model.config.vocab_size, len(words)
    words.save_pretrained(folder)
    model = type(model).from_pretrained(folder, torch_dtype=torch.float32, **EAGER).eval()
    numbers = torch.tensor([words.encode(TEXT)])
    with torch.no_grad():
        found = model(numbers, output_attentions=True)
        greedy = model.generate(numbers[:, :4], max_new_tokens=12, do_sample=False, eos_token_id=None)
    os.remove(os.path.join(folder, "special_tokens_map.json"))
    os.chmod(os.path.join(folder, "model.safetensors"), 0o644)
    return {
        "text": TEXT,
        "tokens": numbers[0].tolist(),
        "logits": rounded(found.logits[0, -4:]),
        "weights": [rounded(layer[0]) for layer in found.attentions],
        "greedy": greedy[0, 4:].tolist(),
        "parameters": model.num_parameters(),
    }


def rounded(tensor):
    return [rounded(part) for part in tensor] if tensor.dim() else round(tensor.item(), 6)


if __name__ == "__main__":
    torch.manual_seed(0)
    size = len(tokenizer())
    ends = {"bos_token_id": 0, "eos_token_id": 0}
    gpt2 = GPT2Config(vocab_size=size, n_positions=32, n_embd=12, n_layer=2, n_head=3, **ends, **EAGER)
    llama = LlamaConfig(
        vocab_size=size,
        hidden_size=16,
        intermediate_size=24,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=64,
        **ends,
        **EAGER,
    )
    found = {
        "gpt2": save("gpt2", GPT2LMHeadModel(gpt2), torch.float16),
        "llama": save("llama", LlamaForCausalLM(llama), torch.bfloat16),
    }
    with open(os.path.join(HERE, "models.json"), "w") as file:
        json.dump(found, file)
        file.write("\n")
