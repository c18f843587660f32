"""Page 07."""

import numpy as np

from costmodel import H100, LLAMA_3_8B, PLATE, count, decode, estimate
from course.figures.batching import INTENSITY_BATCHES, INTENSITY_CONTEXTS

PAGE = "notebooks/07_batching.ipynb"


def facts():
    kv = LLAMA_3_8B.kv_bytes_per_token
    batches = np.array([1, 8, 64, 256])
    passes = estimate(decode(1000, batches), LLAMA_3_8B, H100)
    one, eight, many, most = (f"{seconds * 1e3:.3g} ms" for seconds in passes.seconds)
    time = passes.seconds / passes.seconds[0]
    throughput = passes.tokens_per_second / passes.tokens_per_second[0]
    bytes_per_token = passes.bytes / batches / 1e9
    most_kv, weights = passes.work.kv_bytes[-1], LLAMA_3_8B.weight_bytes
    assert most_kv > 2 * weights
    brief, lengthy = 100, 4000
    mean = (brief + lengthy) // 2
    mixed, alike = (count(LLAMA_3_8B, each) for each in (decode(brief) + decode(lengthy), decode(mean, batch=2)))
    assert (mixed.flops, mixed.bytes) == (alike.flops, alike.bytes)

    scan = np.arange(1, INTENSITY_BATCHES[-1] + 1)
    short, middle, long = INTENSITY_CONTEXTS
    bound = estimate(decode(INTENSITY_CONTEXTS[:, None], scan), LLAMA_3_8B, H100).bound
    assert not (bound[1:] == "compute").any()
    last = count(LLAMA_3_8B, decode(INTENSITY_CONTEXTS, INTENSITY_BATCHES[-1])).intensity
    linear = count(LLAMA_3_8B, decode(0, scan))
    linear = (linear.flops - linear.flops_by_part["attention"]) / linear.weight_bytes
    ridge = PLATE.reached(H100).ridge
    return [
        f"{count(LLAMA_3_8B, decode(4)).kv_bytes / 1e6:.3f} MB",
        f"{weights / 1e9:.2f} GB",
        f"{kv:,} bytes of keys and values",
        f"{middle:,} cached positions",
        f"moves {bytes_per_token[0]:.1f} GB",
        f"{batches[-1]} of them move {bytes_per_token[-1]:.2f} GB per token",
        f"with {batches[-1]} requests the KV alone is {most_kv / 1e9:.1f} GB",
        f"Eight requests take {eight} where one takes {one}: {time[1] - 1:.0%} more time, {throughput[1]:.1f} times",
        f"{batches[2]} requests a pass takes {many}, and with {batches[3]} it takes {most}",
        f"{passes.tokens_per_second[-1]:,.0f} tokens per second, {throughput[-1]:.0f} times",
        f"waits {time[-1]:.1f} times",
        f"with {brief} and {lengthy:,} cached positions cost what two with {mean:,} cost",
        f"{H100.ridge:.0f} FLOPs per byte",
        f"it is {ridge:.0f}",
        f"with {scan[linear >= ridge][0]} requests",
        f"{short} cached positions it takes {scan[bound[0] == 'compute'][0]} requests",
        f"With {middle:,} the curve ends near {last[1]:.0f} at {INTENSITY_BATCHES[-1]:,} requests",
        f"with {long:,} near {last[2]:.0f}",
        # the exercises, which compute their answers
        *("A ninth joins them with 100,000", "64 requests with 500", "4,000 each", "the 64 get"),
        # the takeaway
        f"{time[1] - 1:.0%} more time than one for **{throughput[1]:.1f} times",
        f"{batches[3]} requests {time[-1]:.1f} times the time for {throughput[-1]:.0f} times",
        # the name of the model
        LLAMA_3_8B.name,
    ]
