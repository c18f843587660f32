"""What a forward pass did, noted operation by operation while it ran."""

from dataclasses import dataclass, field

FLOP_PARTS = ("projections", "attention", "mlp", "output_head")
WEIGHT_PARTS = ("projections", "mlp", "output_head", "norms")


@dataclass(frozen=True)
class Operation:
    """One operation that ran: where, on arrays of which shapes, and what it cost.

    `layer` is None after the last layer. `request` is the request's place in the batch, or None where the
    rows of all requests go through together. KV elements are single numbers: one position of one layer
    stores 2 * kv_heads * head_dim of them.
    """

    part: str
    name: str
    layer: int | None
    request: int | None
    shapes: tuple[tuple[int, ...], ...]
    multiply_adds: int = 0
    weight_elements: int = 0
    kv_elements_read: int = 0
    kv_elements_written: int = 0


@dataclass
class Counter:
    """The log of the operations that ran, and its sums. Used for several passes, it adds them up.

    Each number comes from the shapes of the arrays in the operation's hands, never from the configuration.

    Counted: the multiply-adds of every matrix product; every weight element, once for each operation that
    uses it; KV elements as they pass through the cache's door. Left out on purpose: the arithmetic of norms,
    rotary positions, softmax, SwiGLU and residual sums, and the traffic of activations. The embedding is a
    lookup of one row for each token, neither arithmetic nor a read of the table, and is not noted.
    """

    operations: list[Operation] = field(default_factory=list)

    def record(self, part, name, shapes, layer=None, request=None, **amounts):
        """Append an `Operation`; `amounts` are its counts by field name."""
        self.operations.append(Operation(part, name, layer, request, shapes, **amounts))

    @property
    def flops(self):
        """FLOPs by part: one multiply-add is two."""
        return {part: 2 * self._sum("multiply_adds", part) for part in FLOP_PARTS}

    @property
    def weight_elements(self):
        """Weight elements read, by part. A pass reads each weight once, however many rows it multiplies."""
        return {part: self._sum("weight_elements", part) for part in WEIGHT_PARTS}

    @property
    def kv_elements_read(self):
        """K and V elements of positions that were stored before the pass, each read once for each layer."""
        return self._sum("kv_elements_read", "kv_cache")

    @property
    def kv_elements_written(self):
        """K and V elements of the pass's new positions, each written once for each layer."""
        return self._sum("kv_elements_written", "kv_cache")

    def _sum(self, amount, part):
        return sum(getattr(operation, amount) for operation in self.operations if operation.part == part)
