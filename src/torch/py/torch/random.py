"""torch.random: the default generator."""

from _torch import initial_seed, manual_seed
from torch import default_generator
from torch._arguments import hint
from torch._more import get_rng_state, seed, set_rng_state


class fork_rng:
    """A context that restores the state of the generator on exit."""

    def __init__(self, devices=None, enabled=True, **kwargs):
        hint(devices, kwargs)
        self._enabled = enabled

    def __enter__(self):
        self._state = get_rng_state()

    def __exit__(self, *error):
        if self._enabled:
            set_rng_state(self._state)
