"""Hypothesis strategies: models, accelerators, assumptions and passes, drawn small enough to be counted by hand."""

import math

from hypothesis import strategies as st

from costmodel import DTYPE_BYTES, Accelerator, Accounting, Assumptions, Model, prefill


def sizes(largest):
    return st.integers(1, largest)


@st.composite
def models(draw):
    kv_heads = draw(sizes(8))
    return Model(
        name="drawn",
        layers=draw(sizes(8)),
        d_model=draw(sizes(256)),
        heads=kv_heads * draw(sizes(16)),
        kv_heads=kv_heads,
        head_dim=draw(sizes(128)),
        d_ff=draw(sizes(512)),
        vocab=draw(sizes(5000)),
        tied_embeddings=draw(st.booleans()),
        gated_mlp=draw(st.booleans()),
        window=draw(st.none() | sizes(300)),
        weight_dtype=draw(st.sampled_from(sorted(DTYPE_BYTES))),
        kv_dtype=draw(st.sampled_from(sorted(DTYPE_BYTES))),
    )


@st.composite
def accelerators(draw):
    """Ridges on both sides of anything that a drawn model's passes reach."""
    bandwidth = draw(st.floats(1e9, 1e13))
    return Accelerator(
        name="drawn",
        peak_flops=bandwidth * draw(st.floats(0.5, 2000)),
        bandwidth=bandwidth,
        memory=draw(st.floats(1e6, 1e12)),
    )


accountings = st.builds(
    Accounting,
    parameters=st.sampled_from(["all", "linear"]),
    output_head=st.sampled_from(["every position", "last position"]),
    attention=st.sampled_from(["causal", "full square"]),
    kv_heads=st.sampled_from(["kv_heads", "heads"]),
)
knees = st.just(math.inf) | st.sampled_from([1.0, 2.0, 3.0]) | st.floats(1, 50)
assumptions = st.builds(
    Assumptions,
    compute_efficiency=st.floats(0.01, 1),
    bandwidth_efficiency=st.floats(0.01, 1),
    overhead_seconds=st.just(0.0) | st.floats(0, 1e-3),
    accounting=accountings,
    knee=knees,
)
groups = st.tuples(sizes(400), st.integers(0, 400), sizes(40))  # new, cached, batch
passes = st.lists(groups, min_size=1, max_size=3).map(
    lambda drawn: sum((prefill(*group) for group in drawn[1:]), start=prefill(*drawn[0]))
)
