import torch


class Cache:
    def scores(self, key):
        self.keys = torch.cat((self.keys, key))
        return key @ self.keys.T


cache = Cache()
cache.keys = torch.ones(1, 2)
for _ in range(3):
    cache.scores(torch.ones(1, 2))
