"""One request's keys and values, kept so that past positions are never computed again."""

import numpy as np


class Cache:
    """The KV cache of one request, empty at first.

    `keys[layer]` and `values[layer]` are float32 arrays [positions, kv_heads, head_dim]; row i belongs to
    position i. Keys are stored after their rotation. `config` is any object with the integers `layers`,
    `kv_heads` and `head_dim`.

    `read` and `write` are the cache's door: what passes through it is what the counter counts as KV traffic.
    """

    def __init__(self, config):
        empty = np.zeros((0, config.kv_heads, config.head_dim), dtype=np.float32)
        self.keys = [empty] * config.layers
        self.values = [empty] * config.layers

    def __len__(self):
        """Positions that have K/V in every layer."""
        return min(self.lengths)

    def __repr__(self):
        return f"Cache(positions={len(self)}, layers={len(self.keys)})"

    @property
    def lengths(self):
        """Positions that have K/V, layer by layer: equal between passes, different while a pass runs."""
        return tuple(len(keys) for keys in self.keys)

    def read(self, layer, record):
        """Keys and values of all positions stored so far, each [positions, kv_heads, head_dim]."""
        keys, values = self.keys[layer], self.values[layer]
        record("kv_cache", "read", (keys.shape, values.shape), kv_elements_read=keys.size + values.size)
        return keys, values

    def write(self, layer, keys, values, record):
        """Append the keys and values of new positions, each [new, kv_heads, head_dim]."""
        record("kv_cache", "write", (keys.shape, values.shape), kv_elements_written=keys.size + values.size)
        self.keys[layer] = np.concatenate([self.keys[layer], keys])
        self.values[layer] = np.concatenate([self.values[layer], values])
