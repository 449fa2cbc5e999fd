"""The tokenizers of single models: their special tokens and inputs."""

from ._fast import PreTrainedTokenizerFast
from ._special import AddedToken

_END = "<|endoftext|>"


class GPT2TokenizerFast(PreTrainedTokenizerFast):
    model_input_names = ["input_ids", "attention_mask"]
    _defaults = {"unk_token": _END, "bos_token": _END, "eos_token": _END}

    def _set_class(self, options):
        self.add_prefix_space = bool(options.get("add_prefix_space", False))
        self._tokenizer.set_prefix_space(self.add_prefix_space)


class RobertaTokenizerFast(GPT2TokenizerFast):
    _defaults = {
        "bos_token": "<s>",
        "eos_token": "</s>",
        "sep_token": "</s>",
        "cls_token": "<s>",
        "unk_token": "<unk>",
        "pad_token": "<pad>",
        "mask_token": AddedToken("<mask>", lstrip=True, normalized=False, special=True),
    }


class Qwen2TokenizerFast(PreTrainedTokenizerFast):
    model_input_names = ["input_ids", "attention_mask"]
    _defaults = {"eos_token": _END, "pad_token": _END}


class BertTokenizerFast(PreTrainedTokenizerFast):
    _defaults = {
        "unk_token": "[UNK]",
        "sep_token": "[SEP]",
        "pad_token": "[PAD]",
        "cls_token": "[CLS]",
        "mask_token": "[MASK]",
    }

    def _set_class(self, options):
        self.do_lower_case = options.get("do_lower_case", True)
        self._tokenizer.set_bert(
            self.do_lower_case, options.get("strip_accents"), options.get("tokenize_chinese_chars", True)
        )


class DistilBertTokenizerFast(BertTokenizerFast):
    model_input_names = ["input_ids", "attention_mask"]
