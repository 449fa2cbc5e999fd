# %% odd texts
from transformers import AutoTokenizer

texts = [
    "Your journey starts with one step.", "", " ", "   ", "\n", "\n\n  x\t y\r\n  ", "na\u00efve caf\u00e9 \u6771\u4eac \U0001f642\U0001f642", "a" * 130,
    "I'll we've DON'T they'Re 1234567 3.14159", "def f(x):\n    return x  # ok\n\n\n", "e\u0301 \u00c5 \u212b \ufb01 \u01c5", "  leading", "trailing   ",
    "The query<|endoftext|>of a<|begin_of_text|> token<|eot_id|>", "x [SEP] y[MASK]z [UNK] [sep]", "<s>a <mask> b</s> query QUERY Query keys key_ key",
    "\u3000wide\u00a0space\u2028line\u200bzero\u00adsoft", "$5+3=8; a_b-c/d\\e `f` \u201cg\u201d \u2014 h\u2026", "\u0645\u0631\u062d\u0628\u0627 \u0928\u092e\u0938\u094d\u0924\u0947 \u03a3\u03af\u03c3\u03c5\u03c6\u03bf\u03c2 \u0130stanbul STRASSE\u00df",
    "\x00\x01\x7f\ufffd\ue000", "1\u00b2\u00bd\u2167\u0663", "self-attention's weights sum to 1.0",
]
for folder in ["byte_pairs", "two_files", "template", "digits"]:
    tokenizer = AutoTokenizer.from_pretrained("./" + folder)
    print(folder, type(tokenizer).__name__, len(tokenizer), tokenizer.vocab_size, tokenizer.model_max_length)
    for text in texts:
        ids = tokenizer.encode(text)
        print(ids, tokenizer(text, add_special_tokens=False).input_ids == tokenizer.encode(text, add_special_tokens=False))
        print(tokenizer.tokenize(text))
        print(repr(tokenizer.decode(ids)), repr(tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)))

# %% mixed letters
import random
from transformers import AutoTokenizer

random.seed(2)
letters = "abc ABC'sdt12 \n\t\u00e9\u6771\U0001f642,.!the query of a token"
for folder in ["byte_pairs", "template", "digits"]:
    tokenizer = AutoTokenizer.from_pretrained("./" + folder)
    for _ in range(50):
        text = "".join(random.choice(letters) for _ in range(random.randrange(40)))
        ids = tokenizer.encode(text)
        print(ids, tokenizer.decode(ids, skip_special_tokens=True) == text)

# %% what is returned
from transformers import AutoTokenizer

for folder in ["byte_pairs", "template"]:
    tokenizer = AutoTokenizer.from_pretrained("./" + folder)
    print(tokenizer("a query"))
    print(tokenizer(["one", "two steps"], return_token_type_ids=True).token_type_ids)
    for length in range(3, 9):
        for truncation in [True, "only_first", "longest_first", "do_not_truncate"]:
            try:
                print(tokenizer("a query of a token", truncation=truncation, max_length=length)["input_ids"])
            except Exception as error:
                print(type(error).__name__, error)

# %% batches as tensors
import torch
from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("./template", pad_token="<|eot_id|>")
batch = tokenizer(["Your journey starts", "with one step, and another step"], padding=True, return_tensors="pt")
print(batch)
print(batch.input_ids.shape, batch["attention_mask"].dtype, list(batch), "input_ids" in batch, len(batch))
print(batch.to("cpu")["attention_mask"], batch.tokens(0), batch.tokens(1))
print(tokenizer.batch_decode(batch.input_ids), tokenizer.batch_decode(batch["input_ids"], skip_special_tokens=True))
print(tokenizer.decode(batch.input_ids[0]), tokenizer.decode(5), tokenizer.decode(torch.tensor(5)))
print({key: value.shape for key, value in batch.items()})
print(tokenizer.encode("one step", return_tensors="pt"), tokenizer("one step", return_tensors="np"))
print(tokenizer("one step", padding="max_length", max_length=8), tokenizer("one step", padding="max_length", max_length=2))
print(tokenizer("one step of a journey", max_length=4, truncation=True), tokenizer.truncation_side)
tokenizer.truncation_side = "left"
print(tokenizer("one step of a journey", max_length=4, truncation=True)["input_ids"])
try:
    tokenizer(["one", "one step"], return_tensors="pt")
except ValueError as error:
    print(error)

# %% wrong calls
from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("./byte_pairs")
for call in [
    lambda: tokenizer(["a", "a b c"], padding=True),
    lambda: tokenizer(None),
    lambda: tokenizer("a", padding="widest"),
    lambda: tokenizer("a", return_tensors="xx"),
    lambda: tokenizer(),
]:
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)

# %% what a tokenizer says
from transformers import AutoTokenizer, GPT2TokenizerFast, PreTrainedTokenizerFast

for folder in ["byte_pairs", "two_files", "template"]:
    tokenizer = AutoTokenizer.from_pretrained("./" + folder)
    print(tokenizer)
    print(tokenizer.eos_token, tokenizer.eos_token_id, tokenizer.bos_token, tokenizer.bos_token_id, tokenizer.unk_token, tokenizer.pad_token, tokenizer.pad_token_id)
    print(tokenizer.cls_token_id, tokenizer.sep_token_id, tokenizer.mask_token_id, tokenizer.all_special_tokens, tokenizer.all_special_ids)
    print(tokenizer.special_tokens_map, tokenizer.additional_special_tokens, tokenizer.padding_side, tokenizer.is_fast, tokenizer.model_input_names)
    vocab = tokenizer.get_vocab()
    print(len(vocab), sorted(vocab.items(), key=lambda item: item[1])[-12:])
    print(tokenizer.convert_tokens_to_ids(["the", "zzz", "a"]), tokenizer.convert_tokens_to_ids("query"), tokenizer.convert_tokens_to_ids(None))
    print(tokenizer.convert_ids_to_tokens([0, 5, 60]), tokenizer.convert_ids_to_tokens(7), tokenizer.convert_ids_to_tokens([1, 2], skip_special_tokens=True))
    print(isinstance(tokenizer, PreTrainedTokenizerFast))
    ids = tokenizer.encode("a step of the query")
    print(tokenizer.decode(ids + [99999]), tokenizer.decode([]) == "")

# %% tokens that are added
from transformers import AutoTokenizer
from transformers import AddedToken

for folder in ["byte_pairs", "template"]:
    tokenizer = AutoTokenizer.from_pretrained("./" + folder)
    print(tokenizer.add_special_tokens({"pad_token": "[PAD]"}), tokenizer.pad_token, tokenizer.pad_token_id, len(tokenizer), tokenizer.vocab_size)
    print(tokenizer.add_tokens(["newtoken", "step", "newtoken"]), len(tokenizer), tokenizer.tokenize("a newtoken, NewToken steps [PAD]x"))
    print(tokenizer.add_special_tokens({"additional_special_tokens": ["<a>", "<b>"]}), tokenizer.additional_special_tokens, tokenizer.encode("<a>x <b>"))
    print(tokenizer.add_tokens(AddedToken("<w>", special=True)), tokenizer.tokenize("a<w> <w> b"))
    print(tokenizer.decode(tokenizer.encode("x <a>newtoken<b>"), skip_special_tokens=True), tokenizer.added_tokens_encoder)
    print(tokenizer(["a", "a longer text"], padding=True).input_ids)
    tokenizer.pad_token = tokenizer.eos_token
    print(tokenizer.pad_token_id)
    tokenizer.pad_token_id = 3
    print(tokenizer.pad_token, tokenizer.special_tokens_map)

# %% options
from transformers import AutoTokenizer, GPT2TokenizerFast, PreTrainedTokenizerFast

tokenizer = AutoTokenizer.from_pretrained("./byte_pairs", add_prefix_space=True, padding_side="left", pad_token="<|endoftext|>", model_max_length=5)
print(tokenizer.tokenize("the query<|endoftext|>the"), tokenizer(["the", "the query"], padding=True), tokenizer("a b c d e f g h", truncation=True).input_ids)
print(tokenizer("the", padding="max_length").input_ids)
print(GPT2TokenizerFast.from_pretrained("./two_files").encode("the query of"))
plain = PreTrainedTokenizerFast(tokenizer_file="byte_pairs/tokenizer.json")
print(plain.eos_token, plain("the query"), plain.pad_token)
plain = PreTrainedTokenizerFast(tokenizer_file="byte_pairs/tokenizer.json", eos_token="<|endoftext|>", pad_token="<pad>")
print(plain.eos_token_id, plain.pad_token_id, len(plain))
