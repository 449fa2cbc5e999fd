"""Addresses are refused, with what to do instead."""

from _network import refusing

get, post, head, put = refusing("requests", "get", "post", "head", "put")


class RequestException(IOError):
    pass


class Session:
    """A session, whose addresses are refused as well."""

    def __init__(self):
        self.headers = {}

    get, post = map(staticmethod, refusing("requests.Session", "get", "post"))

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass


class exceptions:
    RequestException = RequestException
    HTTPError = ConnectionError = Timeout = RequestException
