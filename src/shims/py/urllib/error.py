"""The errors of addresses."""


class URLError(OSError):
    def __init__(self, reason, filename=None):
        self.args = (reason,)
        self.reason = reason


class HTTPError(URLError):
    pass


class ContentTooShortError(URLError):
    pass
