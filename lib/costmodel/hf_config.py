"""Hugging Face `config.json` read as the fields of a `Model`. What is not understood is an error, never a guess."""

import json
from pathlib import Path

_DTYPES = {"float32": "fp32", "bfloat16": "bf16", "float16": "fp16"}


def read_hf_config(source):
    """The arguments of `Model` for a config given as a path, as JSON text or as a dict."""
    config = _load(source)
    family = _field(config, "model_type", str)
    if family not in _READERS:
        raise ValueError(f"model_type must be one of {', '.join(map(repr, _READERS))}, not {family!r}")
    return _READERS[family](config)


def _load(source):
    if isinstance(source, dict):
        return source
    if isinstance(source, str) and source.lstrip().startswith("{"):
        text = source
    elif isinstance(source, (str, Path)):
        text = Path(source).read_text(encoding="utf-8")
    else:
        raise TypeError(f"source must be a path, JSON text or a dict, not {source!r}")
    try:
        config = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"source must hold JSON: {error}") from None
    if not isinstance(config, dict):
        raise ValueError(f"source must hold a JSON object, not {config!r}")
    return config


def _llama(config):
    """Llama and its kin: RMSNorm, no biases, a gated MLP. The defaults are those of the library that writes configs."""
    for uncounted in ("attention_bias", "mlp_bias", "quantization_config"):
        if config.get(uncounted):
            raise ValueError(f"{uncounted} must be absent or false, as it is not counted, not {config[uncounted]!r}")
    d_model = _field(config, "hidden_size", int)
    heads = _field(config, "num_attention_heads", int)
    head_dim = _optional(config, "head_dim", int, None)
    if head_dim is None:
        if heads < 1 or d_model % heads:
            raise ValueError(
                f"head_dim must be given where num_attention_heads ({heads}) does not divide hidden_size ({d_model})"
            )
        head_dim = d_model // heads
    dtype = _optional(config, "dtype", str, None) or _field(config, "torch_dtype", str)
    if dtype not in _DTYPES:
        raise ValueError(f"torch_dtype must be one of {', '.join(map(repr, _DTYPES))}, not {dtype!r}")
    return {
        "name": _optional(config, "_name_or_path", str, "") or config["model_type"],
        "layers": _field(config, "num_hidden_layers", int),
        "d_model": d_model,
        "heads": heads,
        "kv_heads": _optional(config, "num_key_value_heads", int, heads),
        "head_dim": head_dim,
        "d_ff": _field(config, "intermediate_size", int),
        "vocab": _field(config, "vocab_size", int),
        "tied_embeddings": _optional(config, "tie_word_embeddings", bool, False),
        "weight_dtype": _DTYPES[dtype],
        "kv_dtype": _DTYPES[dtype],
    }


def _mistral(config):
    """Mistral: Llama with a sliding window, which null takes away. No default: the library always writes it."""
    if "sliding_window" not in config:
        raise ValueError("sliding_window is missing from the config")
    return _llama(config) | {"window": _optional(config, "sliding_window", int, None)}


def _optional(config, name, kind, default):
    """A field that may be missing or null."""
    return default if config.get(name) is None else _field(config, name, kind)


def _field(config, name, kind):
    if name not in config:
        raise ValueError(f"{name} is missing from the config")
    value = config[name]
    if type(value) is not kind:  # not isinstance: true is no int
        raise ValueError(f"{name} must be of type {kind.__name__} in the config, not {value!r}")
    return value


_READERS = {"llama": _llama, "mistral": _mistral}
