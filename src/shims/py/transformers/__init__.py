"""The tokenizers of `transformers`, read from a local folder. Models are not here.
Source: the documentation of `transformers`, 4.46.
"""

from ._auto import AutoTokenizer, GPT2TokenizerFast, Qwen2TokenizerFast
from ._batch import BatchEncoding
from ._fast import PreTrainedTokenizerFast
from ._special import AddedToken

__version__ = "4.46.3"


def __getattr__(name):
    if name[:2] == "__":
        raise AttributeError(f"module 'transformers' has no attribute '{name}'")
    if name.endswith("Tokenizer"):
        advice = "attn has the fast tokenizers, as AutoTokenizer.from_pretrained(FOLDER) gives them"
    else:
        advice = "attn has no pretrained models; `tiktoken` cuts text into GPT-2's tokens"
    raise ImportError(f"transformers.{name} is not here: {advice}", name="transformers")
