# Two ways in which a model of GPT-2's size with random weights writes text. It runs after gpt2.py, which has the model, and
# write.py, which has the ways. LAYERS, WIDTH, HEADS and WORDS are set before this runs.
import time

torch.manual_seed(123)
model = Model({"n_layer": LAYERS, "n_embd": WIDTH, "n_head": HEADS, "vocab_size": WORDS, "n_positions": 1024})
model.eval()
# What each new token reads: the weights of all layers, and of the last one that chooses a word.
weight_bytes = sum(4 * p.numel() for name, p in model.named_parameters() if name not in ("word.weight", "place.weight"))


def generate(count, use_cache):
    """The seconds that so many new tokens take."""
    stream = written(model, torch.randint(0, WORDS, (4,)).tolist(), count, cached=use_cache)
    start = time.perf_counter()
    for _ in stream:
        pass
    return time.perf_counter() - start


def sum_speed():
    """Gigabytes a second at which half a gigabyte is summed up: what the memory can deliver."""
    numbers, fewest = torch.ones(125_000_000), float("inf")
    for _ in range(5):
        start = time.perf_counter()
        numbers.sum().item()
        fewest = min(fewest, time.perf_counter() - start)
    return 0.5 / fewest
