# %% texts
import tiktoken

texts = [
    "Hello, do you like tea? <|endoftext|> In the sunlit terraces of someunknownPlace.",
    "Akwirw ier", "", " ", "\n\n  x\t y\r\n", "na\u00efve caf\u00e9 \u6771\u4eac \U0001f642\U0001f642", "a" * 500,
    "I'll we've DON'T 1234567 3.14159", "def f(x):\n    return x  # ok\n\n\n", "\ud800x", "\ud83d\ude42", "e\u0301",
    "  leading", "trailing   ", "Every effort moves you",
]
for name in ["gpt2", "r50k_base", "cl100k_base"]:
    enc = tiktoken.get_encoding(name)
    for text in texts:
        ids = enc.encode(text, allowed_special={"<|endoftext|>"})
        print(len(ids), ids[:60], enc.encode(text, allowed_special="all") == ids)
        print(enc.encode_ordinary(text)[:20], enc.encode(text, disallowed_special=())[:20])
        print(repr(enc.decode(ids))[:100], enc.decode_tokens_bytes(ids)[:20])

# %% mixed letters
import random
import tiktoken

random.seed(1)
letters = "abc ABC'sdt12 \n\t\u00e9\u6771\U0001f642,.!"
for name in ["gpt2", "cl100k_base"]:
    enc = tiktoken.get_encoding(name)
    for _ in range(60):
        text = "".join(random.choice(letters) for _ in range(random.randrange(40)))
        ids = enc.encode(text)
        print(ids, enc.decode(ids) == text)

# %% what an encoding says
import tiktoken

for name in ["gpt2", "r50k_base", "cl100k_base"]:
    enc = tiktoken.get_encoding(name)
    print(enc, enc.name, enc.n_vocab, enc.max_token_value, enc.eot_token, sorted(enc.special_tokens_set))
    print(enc.encode_single_token("hello"), enc.encode_single_token(b" the"), enc.encode_single_token("<|endoftext|>"))
    print(enc.encode_batch(["a b", "c"]), enc.decode_bytes([220, 1]), enc.decode([447]))
    for wrong in [
        lambda: enc.encode("a <|endoftext|> b"),
        lambda: enc.encode_single_token("hello world foo"),
        lambda: enc.decode([enc.n_vocab + 5]),
        lambda: enc.decode_single_token_bytes(-1),
    ]:
        try:
            wrong()
        except Exception as error:
            print(type(error).__name__, error)
