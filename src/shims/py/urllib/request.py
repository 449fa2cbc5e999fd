"""Addresses are refused, with what to do instead."""

from _network import refusing

urlopen, urlretrieve = refusing("urllib.request", "urlopen", "urlretrieve")


class Request:
    def __init__(self, url, data=None, headers={}, origin_req_host=None, unverifiable=False, method=None):
        self.full_url, self.data, self.headers, self.method = url, data, dict(headers), method


def build_opener(*handlers):
    return _Opener()


def install_opener(opener):
    pass


class _Opener:
    addheaders = []

    def open(self, address, data=None, timeout=None):
        return urlopen(address)
