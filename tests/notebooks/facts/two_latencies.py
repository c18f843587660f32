"""Page 09."""

import numpy as np

from costmodel import (
    H100,
    LLAMA_3_8B,
    PLATE,
    decode,
    estimate,
    generation,
    max_batch,
    prefill,
)
from course.figures.two_latencies import chunked, floor_seconds

PAGE = "notebooks/09_two_latencies.ipynb"
RUN = {"model": LLAMA_3_8B, "accelerator": H100}
RESERVE = 0.1


def facts():
    return [*one_request(), *frontier(), *prompts(), *neighbour(), "H100"]


def one_request():
    request = generation(1024, 256, **RUN)
    even = generation(16_384, 64, **RUN)
    growing = generation(1024, 32_768, **RUN).decode_seconds
    eight = generation(1024, 32_768, **RUN, batch=8).decode_seconds
    position = estimate(decode(2000), **RUN).seconds - estimate(decode(1000), **RUN).seconds
    first = request.time_to_first_token_seconds
    return [
        f"{LLAMA_3_8B.name} answers a prompt of 1,024 tokens with its first token after {first * 1e3:.1f} ms",
        f"every {request.time_per_output_token_seconds * 1e3:.2f} ms",
        f"An answer of {1 + len(request.decode_seconds)} tokens is complete after {request.total_seconds:.2f} s",
        f"the prefill is {first / request.total_seconds:.1%}",
        "a prompt of 16,384 tokens and an answer of 64, prefill is "
        f"{even.time_to_first_token_seconds / even.total_seconds:.0%} of the time",
        f"1,000 positions add {position * 1e3:.4f} ms",
        "a prompt of 1,024 tokens. The weights",  # the caption
        f"over {1 + len(growing):,} tokens a decode grows from {growing[0] * 1e3:.2f} ms to {growing[-1] * 1e3:.2f} ms",
        f"from {eight[0] * 1e3:.2f} ms to {eight[-1] * 1e3:.1f} ms",
    ]


def frontier():
    full, full_at_4000 = (max_batch(**RUN, cached=cached, reserve=RESERVE) for cached in (1000, 4000))
    one, many, more, most = estimate(decode(1000, np.array([1, 64, 256, full])), **RUN).seconds
    rates = np.array([1, 64, 256, full]) / [one, many, more, most]
    held = H100.memory * (1 - RESERVE)
    ends = {f"{estimate(decode(*end), **RUN).seconds * 1e3:.0f} ms" for end in ((1000, full), (4000, full_at_4000))}
    return [
        "At 1,000 cached positions, one",
        f"a token every {one * 1e3:.2f} ms and the accelerator writes {rates[0]:.0f} tokens per second",
        f"With 64 requests each waits {many * 1e3:.2f} ms, {many / one - 1:.0%} longer",
        f"{rates[1]:,.0f} tokens per second, {rates[1] / rates[0]:.0f} times as many",
        f"64 requests wait **{many / one - 1:.0%} longer** for each token and receive "
        f"**{rates[1] / rates[0]:.0f} times as many**",
        f"from 256 to {full} requests each waits {most / more - 1:.0%} longer for {rates[3] / rates[2] - 1:.0%} more",
        f"with {RESERVE:.0%} of it kept free",
        f"With 4,000 cached positions it ends at {full_at_4000} requests instead of {full}",
        *(f"almost the same pace of {end}" for end in ends),
        f"{held / 1e9:.0f} GB take {held / PLATE.reached(H100).bandwidth * 1e3:.1f} ms",
        f"no decode takes less than {floor_seconds(PLATE, **RUN) * 1e3:.2f} ms",
    ]


def prompts():
    alone = estimate(prefill(1024), **RUN)
    together = estimate(prefill(1024, batch=8), **RUN)
    waits = alone.seconds * np.arange(1, 9)
    return [
        f"A prefill of {alone.tokens:,} tokens is already {alone.bound}-bound",
        f"all wait {together.seconds * 1e3:.0f} ms",
        f"the first waits {waits[0] * 1e3:.1f} ms, the last {waits[-1] * 1e3:.0f} ms, "
        f"and the average is {waits.mean() * 1e3:.0f} ms",
    ]


def neighbour():
    alone = estimate(decode(1000, 32), **RUN)
    whole, large, small = (chunked(8192, chunk, 32, 1000, PLATE, **RUN) for chunk in (8192, 512, 128))
    assert set(large.bound) == {"compute"} and set(small.bound) == {"memory"}
    more = large.seconds.sum() - whole.seconds.sum()
    passes = len(large.seconds) - 1
    return [
        "32 requests decode at 1,000 cached positions, and let a prompt of 8,192 tokens arrive",
        f"Without the prompt a token takes {alone.seconds * 1e3:.2f} ms",
        f"each of the {alone.tokens} requests waits {whole.seconds[0] * 1e3:.0f} ms for one token, "
        f"{whole.seconds[0] / alone.seconds:.0f} times as long",
        f"A prompt of 8,192 tokens comes in while {alone.tokens} requests decode",
        f"In chunks of 512 nobody waits longer than {large.seconds.max() * 1e3:.1f} ms",
        f"read after {large.seconds.sum() * 1e3:.0f} ms instead of {whole.seconds.sum() * 1e3:.0f} ms",
        f"These {more * 1e3:.1f} ms consist of the overhead of {passes} more passes, "
        f"{passes * PLATE.overhead_seconds * 1e3:.2f} ms",
        "A chunk of 512 is large enough",
        "Chunks of 128 are not",
        f"The wait falls to {small.seconds.max() * 1e3:.2f} ms",
        f"the prompt takes {small.seconds.sum() * 1e3:.0f} ms",
        # given in the exercises
        "a token every 10 ms",
        "requests with 1,000 cached positions may",
        "A prompt has 8,192 tokens",
        "at most 40 ms",
    ]
