"""Versions of the packages that attn provides."""


class PackageNotFoundError(ModuleNotFoundError):
    def __str__(self):
        return f"No package metadata was found for {self.name}"

    @property
    def name(self):
        return self.args[0]


_VERSIONS = {
    "einops": "0.8.1",
    "matplotlib": "3.9.2",
    "numpy": "1.26.4",
    "packaging": "24.2",
    "safetensors": "0.5.3",
    "seaborn": "0.13.2",
    "tiktoken": "0.9.0",
    "torch": "2.6.0",
    "tqdm": "4.67.1",
    "transformers": "4.46.3",
}


def version(distribution_name):
    if not distribution_name:
        raise ValueError("A distribution name is required.")
    name = distribution_name.lower().replace("_", "-")
    if name not in _VERSIONS:
        raise PackageNotFoundError(distribution_name)
    return _VERSIONS[name]
