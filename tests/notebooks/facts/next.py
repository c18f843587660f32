"""The outlook on batching and scheduling."""

from costmodel import H100, LLAMA_3_8B, PLATE, decode, estimate, max_batch, prefill
from course.figures.two_latencies import chunked

PAGE = "book/next.md"
RUN = {"model": LLAMA_3_8B, "accelerator": H100}


def facts():
    many, half = (estimate(decode(1000, batch), **RUN) for batch in (64, 32))
    whole, chunks = (chunked(8192, chunk, 32, 1000, PLATE, **RUN).seconds for chunk in (8192, 512))
    prompt = prefill(8192)
    return [
        f"half of {many.tokens} requests with 1,000 cached positions have ended",
        f"falls from {many.tokens_per_second:,.0f} to {half.tokens_per_second:,.0f} tokens per second",
        f"A prompt of {prompt.tokens:,} tokens",
        f"keeps {half.tokens} decoding requests waiting for {whole[0] * 1e3:.0f} ms",
        f"in chunks of 512 tokens they wait at most {chunks.max() * 1e3:.1f} ms",
        f"takes {chunks.sum() * 1e3:.0f} ms instead of {whole.sum() * 1e3:.0f} ms",
        f"Setting aside 8,192 positions for each request leaves room for {max_batch(**RUN, cached=8191)}",
        f"if they hold 1,001 positions each, there is room for {max_batch(**RUN, cached=1000)}",
        f"{half.seconds * 1e3:.2f} ms instead of {whole[0] * 1e3:.0f} ms in the example above",
        f"{prompt.positions_written * LLAMA_3_8B.kv_bytes_per_token / 1e9:.2f} GB for {prompt.tokens:,} tokens",
    ]
