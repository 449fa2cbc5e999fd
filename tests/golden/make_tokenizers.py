"""Makes the small tokenizers in tokenizers/, runs the programs of tokenizers/*.py with a real `transformers`, and records
what each prints, in tokenizers.json.

Usage: python make_tokenizers.py         (transformers 4.46, tokenizers 0.20, torch 2.6)
       python make_tokenizers.py train   trains the tokenizers anew
"""
import contextlib, io, json, os, pathlib, re, sys

import tokenizers
import transformers
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, processors, trainers

HERE = pathlib.Path(__file__).resolve().parent
PLACE = HERE / "tokenizers"
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
TEXTS = [
    "In this chapter, we'll look at self-attention: how a token attends to the other tokens of its sequence.",
    "The query of a token is compared with the keys of all tokens; the weights sum to 1.0, and they weigh the values.",
    "Your journey starts with one step. It isn't far! Don't you think so? I've seen 1234 steps, they're 56 miles.",
    "na\u00efve caf\u00e9 \u6771\u4eac \U0001f642 def f(x):\n    return x * 2  # twice\n\n",
]


def written(name, tokenizer, config, **changes):
    folder = PLACE / name
    folder.mkdir(parents=True, exist_ok=True)
    made = json.loads(tokenizer.to_str())
    made.update(changes)
    (folder / "tokenizer.json").write_text(json.dumps(made, ensure_ascii=False, separators=(",", ":")) + "\n")
    (folder / "tokenizer_config.json").write_text(json.dumps(config, indent=1) + "\n")
    return made


def train():
    # As GPT-2's: merges are lines.
    gpt2 = Tokenizer(models.BPE(continuing_subword_prefix="", end_of_word_suffix="", fuse_unk=False))
    gpt2.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    gpt2.post_processor = processors.ByteLevel(trim_offsets=False)
    gpt2.decoder = decoders.ByteLevel()
    letters = pre_tokenizers.ByteLevel.alphabet()
    end = "<|endoftext|>"
    gpt2.train_from_iterator(
        TEXTS * 2, trainers.BpeTrainer(vocab_size=420, min_frequency=2, special_tokens=[], initial_alphabet=letters)
    )
    gpt2.add_special_tokens([end])
    made = json.loads(gpt2.to_str())["model"]
    made["merges"] = [" ".join(pair) for pair in made["merges"]]
    written("byte_pairs", gpt2, {"tokenizer_class": "GPT2Tokenizer", "model_max_length": 64}, model=made)
    folder = PLACE / "two_files"
    folder.mkdir(exist_ok=True)
    (folder / "vocab.json").write_text(json.dumps({**made["vocab"], end: len(made["vocab"])}, ensure_ascii=False) + "\n")
    (folder / "merges.txt").write_text("#version: 0.2\n" + "\n".join(made["merges"]) + "\n")
    (folder / "config.json").write_text('{"model_type": "gpt2"}\n')

    # As SmolLM's: each digit alone.
    digits = Tokenizer(models.BPE())
    parts = [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    digits.pre_tokenizer = pre_tokenizers.Sequence(parts)
    digits.decoder = decoders.ByteLevel()
    digits.train_from_iterator(TEXTS * 2, trainers.BpeTrainer(vocab_size=330, min_frequency=2, initial_alphabet=letters))
    digits.add_special_tokens([end])
    written("digits", digits, {"tokenizer_class": "GPT2Tokenizer", "model_max_length": 64})

    # As Llama 3's: a pattern of its own, whole pieces first, a token at the beginning, merges as pairs.
    llama = Tokenizer(models.BPE(ignore_merges=True))
    llama.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(LLAMA3), "isolated", invert=False),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    llama.decoder = decoders.ByteLevel()
    llama.train_from_iterator(
        TEXTS * 2, trainers.BpeTrainer(vocab_size=400, min_frequency=2, initial_alphabet=letters, special_tokens=[])
    )
    special = ["<|begin_of_text|>", "<|end_of_text|>", "<|eot_id|>"]
    llama.add_special_tokens(special)
    begin = llama.token_to_id(special[0])
    template = processors.TemplateProcessing(
        single=f"{special[0]} $A", pair=f"{special[0]} $A {special[0]}:1 $B:1", special_tokens=[(special[0], begin)]
    )
    llama.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=False), template])
    decoder = {
        str(number): {
            "content": token, "lstrip": False, "normalized": False, "rstrip": False, "single_word": False, "special": True
        }
        for number, token in enumerate(special, begin)
    }
    config = {
        "added_tokens_decoder": decoder,
        "bos_token": special[0],
        "eos_token": special[1],
        "clean_up_tokenization_spaces": True,
        "model_input_names": ["input_ids", "attention_mask"],
        "model_max_length": 131072,
        "tokenizer_class": "PreTrainedTokenizerFast",
    }
    written("template", llama, config)


def main():
    if sys.argv[1:] == ["train"]:
        train()
    os.chdir(PLACE)
    cases = []
    for path in sorted(PLACE.glob("*.py")):
        parts = re.split(r"^# %% *(.*)$", path.read_text(), flags=re.M)
        for name, body in zip(parts[1::2], parts[2::2]):
            program = body.strip() + "\n"
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                exec(compile(program, name, "exec"), {})
            cases.append({"family": path.stem, "name": name.strip(), "program": program, "stdout": printed.getvalue()})
    lines = ",\n".join(json.dumps(case) for case in cases)
    versions = {"transformers": transformers.__version__, "tokenizers": tokenizers.__version__}
    head = json.dumps({**versions, "contract": "exact stdout; made by make_tokenizers.py"})
    (HERE / "tokenizers.json").write_text(head[:-1] + ', "cases": [\n' + lines + "\n]}\n")
    print(len(cases), "programs")


if __name__ == "__main__":
    main()
