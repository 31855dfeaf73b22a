"""Python values as YAML, the language of experiment files."""
from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ._library import seed_of

# Characters that end lines of YAML, also in quotes.
_BREAKS = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}


class Plain(str):
    """A text that is written without quotes."""


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).translate(_BREAKS)


def _keys_at(line: str, column: int) -> list[str]:
    """The keys that lead to a place in a line that yaml() has written, as `key: value`, `- value` or a value."""
    keys: list[str] = []
    at = 0
    if begin := re.match(r"(\w+): ", line):
        keys, at = [begin[1]], begin.end()
    inside: list[list[Any]] = []  # of every open bracket: the key, or position, where it stands
    for token in re.finditer(r'"(?:[^"\\]|\\.)*"(: )?|[\[\]{},]', line[at:column]):
        text = token[0]
        if text in "[{":
            inside.append([0 if text == "[" else None])
        elif text in "]}":
            inside.pop()
        elif text == ",":
            inside[-1][0] = inside[-1][0] + 1 if isinstance(inside[-1][0], int) else None
        elif token[1]:
            inside[-1][0] = json.loads(text[:-2])
    return keys + [str(key[0]) for key in inside if key[0] is not None]


class _Flow:
    """A value on one line, as the library writes it, and how far it has been read."""

    def __init__(self, text: str):
        self.text, self.at = text, 0

    def take(self, what: str) -> bool:
        """Skips blanks, and `what` if it comes next."""
        while self.text[self.at:self.at + 1] == " ":
            self.at += 1
        found = self.text.startswith(what, self.at)
        self.at += found * len(what)
        return found

    def items(self, end: str) -> Iterator[None]:
        """Once before each item of a list or mapping."""
        while not self.take(end):
            if self.at >= len(self.text):
                raise ValueError(f"no {end}")
            yield
            self.take(",")

    def value(self) -> Any:
        if self.take("{"):
            pairs = {}
            for _ in self.items("}"):
                key = str(self.value())
                self.take(":")
                pairs[key] = self.value()
            return pairs
        if self.take("["):
            return [self.value() for _ in self.items("]")]
        found = re.compile(r'"(?:[^"\\]|\\.)*"').match(self.text, self.at)
        if found:
            self.at = found.end()
            return json.loads(found[0])
        found = re.compile(r"'((?:[^']|'')*)'").match(self.text, self.at)
        if found:
            self.at = found.end()
            return found[1].replace("''", "'")
        found = re.compile(r"(?:[^,\[\]{}:]|:(?! |$))*").match(self.text, self.at)
        self.at = found.end() if found else self.at
        return Plain(found[0].strip() if found else "")


def parsed(text: str) -> Any:
    """A value of one line that the library has written: dictionaries, lists and texts, of which those without quotes are
    Plain. ValueError: it is none."""
    return _Flow(text).value()


def named_place(what: str, text: str, message: str, skipped: int = 0) -> str:
    """A message about a text that yaml() has written, with the keys that lead to the place instead of its line and column.
    skipped: characters before the text."""
    found = re.match(rf"{what}:(\d+):(\d+): (.*)", message, re.S)
    lines = text.split("\n")
    if not found or int(found[1]) > len(lines):
        return message
    line = lines[int(found[1]) - 1]
    keys = _keys_at(line, int(found[2]) - 1 - skipped)
    if arm := re.match(r'  - \{"label": ("(?:[^"\\]|\\.)*")', line):
        keys = ["arms", json.loads(arm[1]), *keys]
    rest = found[3]
    said = rest.split(": ")[0]  # the key, or the name of a hyperparameter around it
    if said in keys:
        keys = keys[:len(keys) - 1 - keys[::-1].index(said)]
    return ": ".join(([] if what == "study" else [what]) + [*keys, rest])


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
    if isinstance(value, Plain):
        return str(value)
    return _quoted(str(value))
