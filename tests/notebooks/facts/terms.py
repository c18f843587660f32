"""The glossary: in words, but for the name of a number format."""

PAGE = "book/terms.md"


def facts():
    assert 0.07 < 2**30 / 1e9 - 1 < 0.08, "a GiB is about seven percent more than a GB"
    return ["BF16"]
