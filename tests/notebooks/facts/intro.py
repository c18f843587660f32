"""The introduction."""

import tomllib
from pathlib import Path

from costmodel import H100, LLAMA_3_8B, PLATE, decode, estimate, prefill

PAGE = "book/intro.md"
PROJECT = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def facts():
    reading = estimate(prefill(1024), LLAMA_3_8B, H100)
    writing = estimate(decode(1000), LLAMA_3_8B, H100)
    return [
        f"{reading.tokens:,} tokens",
        f"{reading.seconds * 1e3:.1f} ms",
        f"{reading.seconds_per_token * 1e3:.4f} ms",
        f"{writing.seconds * 1e3:.2f} ms",
        f"{writing.seconds_per_token / reading.seconds_per_token:.0f} times as long",
        f"{PLATE.compute_efficiency:.0%} of the peak arithmetic",
        f"{PLATE.bandwidth_efficiency:.0%} of the peak bandwidth",
        f"each pass takes {PLATE.overhead_seconds * 1e3:g} ms on top",
        f"Python {PROJECT['requires-python'].removeprefix('>=')} or newer",
        *(LLAMA_3_8B.name, "H100"),
    ]
