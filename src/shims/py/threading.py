"""One thread: locks are always free, and starting a thread raises an error."""

from _thread import RLock, allocate_lock as Lock, get_ident

__all__ = ["Lock", "RLock", "Thread", "current_thread", "get_ident", "local", "main_thread"]


class local:
    pass


class Thread:
    def __init__(self, group=None, target=None, name=None, args=(), kwargs=None, *, daemon=None):
        self.name = name or "Thread-1"
        self.daemon = bool(daemon)

    def start(self):
        raise RuntimeError("can't start new thread: attn runs lessons on one thread")


class _MainThread(Thread):
    def __init__(self):
        super().__init__(name="MainThread")
        self.ident = get_ident()


_main = _MainThread()


def current_thread():
    return _main


main_thread = current_thread


class Condition:
    def __init__(self, lock=None):
        self._lock = lock or RLock()

    def __enter__(self):
        return self._lock.__enter__()

    def __exit__(self, *exception):
        return self._lock.__exit__(*exception)

    def notify(self, n=1):
        pass

    def notify_all(self):
        pass

    def wait(self, timeout=None):
        raise RuntimeError("nothing would wake this thread: attn runs lessons on one thread")
