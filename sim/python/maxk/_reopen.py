"""The description of a study that its journal holds, from which Study.open makes it again."""
from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Optional, Union

from ._library import InputError
from ._text import Plain, parsed, yaml
from .space import NO_SPACE, Arm, Categorical, Constant, Integer, Real, Space

# Keys of a journal that belong to the programs of `maxk tune`.
_OF_PROGRAMS = {"command", "shell", "args", "worker", "limits", "timeout", "retries", "success_codes", "launcher", "grace",
                "reevaluate", "answers"}


def journal_of(result: Path) -> Path:
    return Path(f"{result}"[:-3] + ".trials", "journal")


def recorded(result: Path) -> dict[str, Any]:
    """The keys of the study OUT.h5, by name: of `first` and `arms` lists. Scalars are Plain texts."""
    journal = journal_of(result)
    if not journal.is_file():
        raise InputError(f"{result}: has no journal {journal}; expected the path of a study that has been begun")
    found: dict[str, Any] = {}
    key = ""
    for line in journal.read_text(errors="replace").splitlines():
        if not line.startswith("= "):
            if found:
                break
            continue
        text = line[2:-9]  # without its checksum
        if text.startswith("- "):
            found[key].append(parsed(text[2:]))
            continue
        key, rest = text.split(":", 1)
        found[key] = parsed(rest.strip()) if rest.strip() else []
    if not isinstance(found.get("arms"), list) or not found["arms"]:
        raise InputError(f"{journal}: has no arms; expected the journal of a study")
    return found


def _number(text: Any) -> Union[int, float]:
    return int(text) if re.fullmatch(r"[-+]?\d+", text) else float(text)


def value_in_python(text: Any) -> Any:
    """A word of a file: a number without quotes is a number, and None, True and False are themselves."""
    if not isinstance(text, Plain):
        return text
    if text in ("None", "True", "False", "true", "false"):
        return {"None": None, "True": True, "False": False, "true": True, "false": False}[text]
    try:
        return _number(text)
    except ValueError:
        return str(text)


def _end(text: str, whole: bool) -> Any:
    """An end of a range: a number, or a formula."""
    try:
        return int(_number(text)) if whole else _number(text)
    except ValueError:
        return str(text)


def _when(keys: Mapping[str, Any]) -> Optional[dict[str, Any]]:
    conditions = keys.get("when")
    return None if conditions is None else {name: [value_in_python(one) for one in values] if isinstance(values, list)
                                            else value_in_python(values) for name, values in conditions.items()}


def _hyperparameter(keys: Mapping[str, Any]) -> Any:
    if "constant" in keys:
        return Constant((value_in_python(keys["constant"]),))
    when = _when(keys)
    default = None if keys.get("default") is None else value_in_python(keys["default"])
    for kind in ("categorical", "ordinal"):
        if kind in keys:
            return Categorical([value_in_python(one) for one in keys[kind]], kind == "ordinal", default, when)
    kind = "integer" if "integer" in keys else "real"
    low, high = (_end(one, kind == "integer") for one in keys[kind])
    step = None if keys.get("step") is None else _number(keys["step"])
    log = keys.get("log") in ("true", "yes")
    if kind == "integer":
        return Integer(low, high, log, None if step is None else int(step), default, when)
    return Real(low, high, log, step, default, when)


def space_of(arm: Mapping[str, Any]) -> Space:
    keys = dict(arm["space"])
    forbid = None if isinstance(keys.get("forbid"), Mapping) else keys.pop("forbid", None)
    space = Arm({name: _hyperparameter(one) for name, one in keys.items()})
    space.forbid = forbid
    return Arm({}) if set(space) == set(NO_SPACE) and isinstance(space["default"], Constant) else space


def _optimizer(one: Any, on_instances: bool) -> Any:
    """On instances with names their number is not for the optimiser to say."""
    given = isinstance(one, Mapping) and on_instances
    return {name: value for name, value in one.items() if name != "instances"} if given else one


def head_of(keys: Mapping[str, Any]) -> tuple[str, int, str]:
    """What a study says of itself before its arms, its budget, and its arms, as mk_study_open takes them."""
    lines = []
    for key, value in keys.items():
        if key in _OF_PROGRAMS or key in ("arms", "evaluations"):
            continue
        if key == "policy" and isinstance(value, str):
            value = parsed(value)
        if key in ("metric", "metrics"):
            kept = ("maximize", "scale")
            value = {name: one if key == "metric" else {} for name, one in value.items() if key == "metrics" or name in kept}
        if key == "combined":
            value = {name: _optimizer(one, "instances" in keys) for name, one in value.items()}
        lines.append(f"{key}: {yaml(value)}\n")
    named = "instances" in keys
    of_arm = ("label", "space", "optimizer", "own_optimizer")
    arms = [{name: _optimizer(arm[name], named and name == "optimizer") for name in of_arm if name in arm}
            for arm in keys["arms"]]
    return "".join(lines), int(keys.get("evaluations", 0)), "arms:\n" + "".join(f"  - {yaml(arm)}\n" for arm in arms)
