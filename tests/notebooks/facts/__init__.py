"""The numbers that stand in the prose of each page, computed from the library: a module a page.

`facts()` returns every number as it is written on the page, with its unit. `test_prose.py` finds each of them there,
and finds no number that is not among them.
"""
