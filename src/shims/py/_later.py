"""Modules that attn does not have: what serves instead of each.

What a notebook imports beside torch (tables, pictures, loggers) is imported as a stand-in: importing it, or a name from it, is
harmless, so that the rest of a notebook's first cell runs; using it raises an ImportError that says what serves instead. What
would reach out of the lesson (processes, files) cannot even be imported. Packages that code tries and does without
(`try: import flash_attn`) are in neither table: they are not found.
"""

from _frozen_importlib import ModuleSpec

# Names, then advice. A name with a dot is a module within a package that is here.
_LATER = {
    "cmath": "`numpy` computes with complex numbers: `numpy.exp(1j * x)`, `abs(z)`",
    "pandas": "attn has no tables for now; a dict of lists or a tensor serves",
    "scipy sklearn jax tensorflow keras": "attn carries torch alone; torch's own functions do the arithmetic",
    "plotly bertviz mpl_toolkits": "attn draws what matplotlib and seaborn plot; it shows tensors as shaded tables by itself, and "
    "`display(x)` shows a value",
    "transformers tokenizers datasets huggingface_hub sentencepiece spacy nltk gensim": "attn has no pretrained models; "
    "`tiktoken` cuts text into GPT-2's tokens",
    "torchvision torchaudio torchtext torchinfo torchsummary lightning pytorch_lightning accelerate evaluate peft timm "
    "torchmetrics": "attn carries torch alone, the part that attention needs",
    "_tokenize": "attn does not divide Python's source into tokens; `ast.parse(text)` reads it",
    "requests urllib urllib3": "attn has no network: download the file yourself, beside the notebook, and run with --allow-read",
    "altair bokeh colorama cv2 flax gradio google hydra ipywidgets networkx numba omegaconf PIL psutil rich streamlit sympy "
    "tabulate tensorboard tensorboardX termcolor torch.ao torch.autograd.functional torch.autograd.profiler "
    "torch.fft torch.fx torch.hub torch.multiprocessing torch.nn.parallel torch.nn.utils.parametrizations "
    "torch.nn.utils.parametrize torch.onnx torch.optim.swa_utils torch.overrides torch.profiler torch.quantization "
    "torch.special torch.utils.benchmark torch.utils.tensorboard wandb yaml": "attn does not have it",
}

# What reaches out of the lesson. These cannot be imported.
_NEVER = {
    "http socket ssl httpx aiohttp ftplib smtplib websockets": "attn runs lessons without the network; write the text or the "
    "numbers in the cell",
    "subprocess multiprocessing signal concurrent asyncio ctypes pty select selectors": "attn runs lessons on one thread, without "
    "processes",
    "tarfile gzip shelve sqlite3 fileinput": "attn opens plain files only, with --allow-read",
}

# Modules, and the files of packages whose names they have.
_SAME = {
    "matplotlib._artists": "matplotlib.collections matplotlib.colorbar matplotlib.container matplotlib.image matplotlib.legend "
    "matplotlib.lines matplotlib.patches matplotlib.text",
    "matplotlib.pyplot": "matplotlib.pylab",
    "torch.amp": "torch.amp.autocast_mode",
    "torch.autograd": "torch.autograd.function",
    "torch.distributions": "torch.distributions.categorical torch.distributions.normal",
    "torch.nn.utils": "torch.nn.utils.clip_grad",
    "torch.optim": "torch.optim.adam torch.optim.adamw torch.optim.sgd",
    "torch.utils.data": "torch.utils.data.dataloader torch.utils.data.dataset torch.utils.data.sampler",
    "tqdm": "tqdm.auto tqdm.notebook",
}


def find_spec(name):
    """What the last finder on `sys.meta_path` answers."""
    advice = _advice(_LATER, name)
    if advice is not None:
        return ModuleSpec(name, _Loader(lambda spec: Later(name, advice)), is_package=True)
    for target, names in _SAME.items():
        if name in names.split():
            from importlib import import_module

            return ModuleSpec(name, _Loader(lambda spec: import_module(target)))
    top = name.partition(".")[0]
    if top == "torch" and name != top:
        # `from torch.nn import Conv3d` asks here for a module, once `torch.nn` has no such name.
        from torch._names import imported

        error = imported(name)
    else:
        advice = _advice(_NEVER, name)
        error = advice and ModuleNotFoundError(f"No module named '{top}' ({advice})", name=top)
    if error is not None:
        raise error


def _advice(table, module):
    """The advice for a module: of its own name, or of a package that it lies in."""
    for names, advice in table.items():
        if any(module == name or module.startswith(name + ".") for name in names.split()):
            return advice


class _Loader:
    """Loads a module that a function makes from its spec."""

    def __init__(self, make):
        self.create_module = make

    def exec_module(self, module):
        pass


def _part(name, advice):
    """A name of such a module. Errors can be named in `except`, though nothing raises them."""
    if name.endswith(("Error", "Exception")):
        return type(name.rpartition(".")[2], (Exception,), {})
    return Part(name, advice)


class Part:
    """A function or class that is not here, or a module within such a module."""

    def __init__(self, name, advice):
        self.__dict__["_name"] = name
        self.__dict__["_advice"] = advice

    def _refuse(self, *args, **kwargs):
        raise ImportError(f"{self._name} is not here: {self._advice}", name=self._name.partition(".")[0])

    __call__ = __mro_entries__ = __getitem__ = __iter__ = __len__ = __enter__ = __or__ = __ror__ = _refuse
    __setattr__ = __contains__ = __bool__ = __str__ = __format__ = __add__ = __radd__ = _refuse

    def __getattr__(self, name):
        if name[:2] == "__":
            raise AttributeError(f"'{self._name}' has no attribute '{name}'")
        return _part(f"{self._name}.{name}", self._advice)

    def __instancecheck__(self, value):
        return False

    def __repr__(self):
        return f"<{self._name}, which is not here>"


class Later(type(__import__("sys"))):
    """A module that is not here."""

    def __init__(self, name, advice):
        super().__init__(name)
        self.__dict__["_advice"] = advice

    def __getattr__(self, name):
        if name[:2] == "__":
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")
        return _part(f"{self.__name__}.{name}", self._advice)
