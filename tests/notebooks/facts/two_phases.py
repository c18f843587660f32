"""Page 01."""

from costmodel import H100, LLAMA_3_8B, generation
from course.figures.two_phases import CONFIG, PROMPT, run, small_decoder
from decoder import Counter

PAGE = "notebooks/01_two_phases.ipynb"


def facts():
    passes = run()
    decoder, without = small_decoder(), Counter()
    text = []
    for one in passes:
        text += one.tokens
        decoder.forward([text], [decoder.new_cache()], without)
    kept, again = sum(sum(one.counter.flops.values()) for one in passes), sum(without.flops.values())
    return [
        *passes[0].names(len(PROMPT)),
        *(one.output for one in passes[:2]),
        f"a vocabulary of {CONFIG.vocab} tokens",
        f"{kept:,} FLOPs with it",
        f"{again:,} without",
        "answered with 20",  # the input of an exercise
        f"20 tokens takes **one prefill and {len(generation(10, 20, LLAMA_3_8B, H100).decode_seconds)} decodes**",
    ]
