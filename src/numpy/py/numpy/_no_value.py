"""The default of parameters for which None means something."""


class _NoValue:
    """No argument."""

    def __repr__(self):
        return "<no value>"


NO_VALUE = _NoValue()
