"""Python values as YAML, the language of experiment files."""
from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any


def yaml(value: Any) -> str:
    """A value as YAML on one line: mappings, sequences, numbers, words; numpy's too."""
    if hasattr(value, "described"):  # an Arm
        value = value.described
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{json.dumps(str(key))}: {yaml(item)}" for key, item in value.items()) + "}"
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
    return json.dumps(str(value), ensure_ascii=False)
