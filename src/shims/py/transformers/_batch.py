"""What a tokenizer returns: a dict whose entries are attributes too."""

from collections import UserDict


def tensors(kind):
    """The function that makes a tensor or an array of lists."""
    kind = getattr(kind, "value", kind)
    if kind == "pt":
        import torch

        return torch.tensor
    if kind == "np":
        import numpy

        return numpy.asarray
    if kind in ("tf", "jax", "mlx"):
        raise ImportError(f"return_tensors={kind!r}: attn has tensors of torch ('pt') and arrays of NumPy ('np')")
    raise ValueError(
        f"{kind} is not a valid TensorType, please select one of ['pt', 'tf', 'np', 'jax', 'mlx']"
    )


_PLACES = (
    "word_ids words sequence_ids token_to_word token_to_chars char_to_token char_to_word word_to_tokens word_to_chars"
).split()


class BatchEncoding(UserDict):
    def __init__(self, data=None, encoding=None, tensor_type=None, prepend_batch_axis=False):
        super().__init__(data)
        self._tokens = encoding
        self.convert_to_tensors(tensor_type, prepend_batch_axis)

    def __getitem__(self, item):
        if isinstance(item, str):
            return self.data[item]
        raise NotImplementedError("attn's BatchEncoding has no `Encoding` of each text; tokens(batch_index) has its tokens")

    def __getattr__(self, item):
        if item == "data":
            raise AttributeError(item)
        if item in _PLACES:
            raise NotImplementedError(f"attn's BatchEncoding does not have {item}: it keeps no places in the text")
        try:
            return self.data[item]
        except KeyError:
            raise AttributeError from None

    def keys(self):
        return self.data.keys()

    def values(self):
        return self.data.values()

    def items(self):
        return self.data.items()

    def tokens(self, batch_index=0):
        if self._tokens is None:
            raise ValueError(
                "tokens() is not available when using non-fast tokenizers (e.g. instance of a `XxxTokenizerFast` class)."
            )
        return self._tokens[batch_index]

    def convert_to_tensors(self, tensor_type=None, prepend_batch_axis=False):
        if tensor_type is None:
            return self
        make = tensors(tensor_type)
        for key, value in self.items():
            if not isinstance(value, list):
                continue
            try:
                self[key] = make([value] if prepend_batch_axis else value)
            except Exception as error:
                raise ValueError(
                    "Unable to create tensor, you should probably activate truncation and/or padding with"
                    " 'padding=True' 'truncation=True' to have batched tensors with the same length. Perhaps your"
                    f" features (`{key}` in this case) have excessive nesting (inputs type `list` where type `int` is"
                    " expected)."
                ) from error
        return self

    def to(self, device):
        import torch

        if not isinstance(device, (str, int, torch.device)):
            raise NotImplementedError(f"attn's BatchEncoding.to takes a device, not {device!r}")
        self.data = {
            key: value.to(device=device) for key, value in self.data.items() if isinstance(value, torch.Tensor)
        }
        return self
