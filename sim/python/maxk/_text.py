"""Python values as YAML, the language of experiment files."""
from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from ._library import seed_of

# Characters that end lines of YAML, also in quotes.
_BREAKS = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).translate(_BREAKS)


def yaml(value: Any) -> str:
    """A value as YAML on one line: mappings, sequences, numbers, words; numpy's too, and a seed that its generator draws."""
    if hasattr(value, "bit_generator"):
        value = seed_of("seed", value, 2 ** 53)
    if hasattr(value, "described"):  # an Arm
        value = value.described
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_quoted(str(key))}: {yaml(item)}" for key, item in value.items()) + "}"
    if hasattr(value, "tolist"):  # numpy's arrays and numbers
        return yaml(value.tolist())
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if math.isinf(value):
            return ".inf" if value > 0 else "-.inf"
        return ".nan" if math.isnan(value) else repr(value)
    if isinstance(value, (list, tuple, range)):
        return "[" + ", ".join(yaml(item) for item in value) + "]"
    if value is None:
        return "null"
    return _quoted(str(value))
