"""Page 06."""

import numpy as np

from costmodel import DATASHEET, EXACT, H100, LLAMA_3_8B, PLATE, decode, estimate, prefill

PAGE = "notebooks/06_time_per_token.ipynb"


def facts():
    reading = estimate(prefill(1024), LLAMA_3_8B, H100)
    writing = estimate(decode(1000), LLAMA_3_8B, H100)
    middle, long, longest = (estimate(prefill(tokens), LLAMA_3_8B, H100) for tokens in (4_096, 16_384, 131_072))
    exact, datasheet = (
        [estimate(each, LLAMA_3_8B, H100, assumptions) for each in (prefill(1024), decode(1000))]
        for assumptions in (EXACT, DATASHEET)
    )
    apart = [step.seconds_per_token / prompt.seconds_per_token for prompt, step in (exact, datasheet)]
    sweep = np.arange(1, 2048)
    knee = sweep[estimate(prefill(sweep), LLAMA_3_8B, H100).bound == "compute"][0]
    assert writing.work.weight_bytes > 0.99 * writing.bytes, "nearly all of the reads are weights"
    return [
        f"{PLATE.compute_efficiency:.0%} of the peak arithmetic, "
        f"{PLATE.bandwidth_efficiency:.0%} of the peak bandwidth and {PLATE.overhead_seconds * 1e3:g} ms per pass",
        f"{LLAMA_3_8B.parameters / 1e9:.2f} billion parameters",
        f"{LLAMA_3_8B.weight_bytes / 1e9:.1f} GB",
        f"{H100.peak_flops / 1e12:.0f} TFLOP/s",
        f"{H100.bandwidth / 1e12:.2f} TB/s",
        f"the {writing.work.bytes_by_part['kv_read'] / LLAMA_3_8B.kv_bytes_per_token:,.0f} positions before it",
        f"{writing.work.bytes_by_part['kv_read'] / LLAMA_3_8B.kv_bytes_per_token:,.0f} cached positions",
        f"{reading.tokens:,} tokens",
        f"{reading.tokens:,} prompt tokens",
        f"{reading.seconds * 1e3:.1f} ms",
        f"{reading.seconds_per_token * 1e3:.4f} ms",
        f"{writing.seconds * 1e3:.2f} ms",
        f"{writing.compute_seconds * 1e3:.4f} ms, hidden behind {writing.memory_seconds * 1e3:.2f} ms of reads",
        f"the overhead adds {PLATE.overhead_seconds * 1e3:g} ms",
        f"{writing.seconds_per_token / reading.seconds_per_token:.0f} times as",
        f"{writing.tokens_per_second:.0f} tokens per second",
        f"{knee} tokens",
        f"exact count the two passes take {exact[0].seconds * 1e3:.1f} ms and {exact[1].seconds * 1e3:.2f} ms",
        f"of the datasheet {datasheet[0].seconds * 1e3:.1f} ms and {datasheet[1].seconds * 1e3:.2f} ms",
        f"are then {apart[0]:.0f} and {apart[1]:.0f} times apart "
        f"instead of {writing.seconds_per_token / reading.seconds_per_token:.0f}",
        f"at {middle.tokens:,} only {middle.seconds_per_token / reading.seconds_per_token - 1:.0%} more",
        f"{long.tokens:,} it takes {long.seconds_per_token * 1e3:.4f} ms",
        f"{longest.tokens:,} it takes {longest.seconds_per_token * 1e3:.4f} ms",
        f"{longest.work.flops_by_part['attention'] / longest.flops:.0%} of the arithmetic",
        f"{longest.tokens:,} tokens take {longest.seconds:.1f} seconds",
        # in the names of the model, the accelerator and the exercises
        *(LLAMA_3_8B.name, "Llama 3.1 8B", "H100", "BF16"),
    ]
