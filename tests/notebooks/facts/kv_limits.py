"""Page 08. The limits are scanned here as well, so that the closed forms do not vouch for themselves."""

import numpy as np

from costmodel import (
    ACCELERATORS,
    EXACT,
    H100,
    LLAMA_3_8B,
    compute_bound_batch,
    critical_context,
    decode,
    decode_ceiling,
    estimate,
    kv_parity_batch,
    max_batch,
)
from course.figures.kv_limits import CONTEXTS, EIGHT_BIT_KV, MULTI_HEAD

PAGE = "notebooks/08_kv_limits.ipynb"
BATCHES = np.arange(1, 4097)


def first_compute_bound(cached):
    """The smallest batch that is compute-bound, by scan."""
    return BATCHES[estimate(decode(cached, BATCHES), LLAMA_3_8B, H100).bound == "compute"][0]


def share_of_ceiling(cached):
    """Share of the ceiling that a full memory reaches."""
    full = estimate(decode(cached, max_batch(LLAMA_3_8B, H100, cached)), LLAMA_3_8B, H100)
    return full.tokens_per_second / decode_ceiling(LLAMA_3_8B, H100, cached).tokens_per_second


def facts():
    shortest, short, usual, *_, longest = (int(context) for context in CONTEXTS)
    model = LLAMA_3_8B
    parity, held = kv_parity_batch(model, usual), max_batch(model, H100, usual)
    ceiling = decode_ceiling(model, H100, usual)
    assert ceiling.bound == decode_ceiling(MULTI_HEAD, H100, usual).bound == "memory"
    assert ceiling == decode_ceiling(model, H100, usual, EXACT)
    assert 0.7 < share_of_ceiling(usual) < 0.8  # about three quarters

    contexts = np.arange(1, 1000)
    fits = compute_bound_batch(model, H100, contexts) <= max_batch(model, H100, contexts)
    kv_first = kv_parity_batch(model, contexts) < compute_bound_batch(model, H100, contexts)
    assert not kv_first[: np.argmax(kv_first)].any() and kv_first[np.argmax(kv_first) :].all()
    ratio = max_batch(model, H100, contexts) / kv_parity_batch(model, contexts)
    assert np.ptp(ratio.round(1)) == 0
    assert max_batch(model, H100, longest) == 3
    eight_bit = decode_ceiling(EIGHT_BIT_KV, H100, usual)
    assert eight_bit.bound == "compute"
    return [
        f"With {usual:,} cached positions per request",
        f"tends to {ceiling.tokens_per_second:,.0f} tokens per second",
        f"With {usual:,} cached positions the KV equals the weights at {parity:.0f} requests",
        f"Memory holds {held} requests",
        f"{max_batch(model, H100, usual, reserve=0)} with none",
        f"From {critical_context(model, H100):.0f} attended positions on",
        f"Parity then comes at {kv_parity_batch(model, usual, EXACT.accounting):.0f} requests",
        f"the critical context at {critical_context(model, H100, EXACT):.0f} positions",
        f"With {shortest} cached positions a pass of {first_compute_bound(shortest)} requests",
        f"memory would hold {max_batch(model, H100, shortest):,}",
        f"the KV equals the weights at {kv_parity_batch(model, shortest):.0f},",
        f"With {short} the order",
        f"The KV equals the weights at {kv_parity_batch(model, short):.0f} requests",
        f"memory is full at {max_batch(model, H100, short)}, and",
        f"take over at {first_compute_bound(short):,}",
        f"From {contexts[kv_first][0]} cached positions on the KV equals the weights before arithmetic",
        f"Up to {contexts[fits][-1]} some batch",
        f"the free memory is {ratio[0]:.1f} times the weights",
        f"memory is full at {ratio[0]:.1f} times",
        f"{share_of_ceiling(usual):.0%} at {usual:,} cached positions",
        f"{share_of_ceiling(longest):.0%} at {longest:,}",
        f"from {usual:,} cached positions on a context",
        f"stand at {usual:,} cached positions",
        f"has {model.heads} query heads",
        f"With {MULTI_HEAD.kv_heads} key/value heads each position would take {MULTI_HEAD.kv_bytes_per_token:,} bytes",
        f"instead of {model.kv_bytes_per_token:,}",
        f"{MULTI_HEAD.parameters / 1e9:.2f} billion parameters, {MULTI_HEAD.weight_bytes / 1e9:.1f} GB",
        "8-bit elements",
        f"With {MULTI_HEAD.kv_heads} key/value heads, {max_batch(MULTI_HEAD, H100, usual)} requests with {usual:,}",
        f"would be {decode_ceiling(MULTI_HEAD, H100, usual).tokens_per_second:,.0f} tokens per second",
        f"With an 8-bit cache {max_batch(EIGHT_BIT_KV, H100, usual)} fit",
        f"moves to {critical_context(EIGHT_BIT_KV, H100):,.0f} positions",
        f"at {usual:,} arithmetic sets the ceiling, at {eight_bit.tokens_per_second:,.0f} tokens per second",
        # the exercises, which compute their answers
        *("64 requests are to run", "4,000 cached positions", "A100", "H200"),
        f"a tenth of its memory, {H100.memory / 1e9:.0f} GB",
        f"{ACCELERATORS['H200 SXM'].bandwidth / 1e12:.1f} TB/s",
        # the takeaway
        f"with {usual:,} cached positions the KV equals the weights at {parity:.0f} requests",
        f"memory is full at {held}, and no batch",
        f"beyond **{ceiling.tokens_per_second:,.0f} tokens per second**",
        # the names of the model and the accelerator
        *(model.name, "H100"),
    ]
