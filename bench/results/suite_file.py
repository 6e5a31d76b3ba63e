"""The file that `stiefel-bench suite` writes (schema stiefel-suite/1, docs/performance/figures.md), read and checked."""

import json
import statistics
from dataclasses import dataclass

SCHEMA = "stiefel-suite/1"


class BadFile(Exception):
    """A file that cannot be used; the message names it and what is wrong."""


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


@dataclass(frozen=True)
class Case:
    """Something that was timed: what it was, how much work it is, and every sample in seconds."""
    labels: dict
    work: dict
    seconds: list
    values: dict
    history: list
    refused: str

    @property
    def median(self):
        """Seconds; None where it did not run."""
        return statistics.median(self.seconds) if self.seconds else None

    @property
    def total(self):
        """Seconds with the set-up, where there is one; None where it did not run."""
        setup = self.values.get("setup_seconds")
        return self.median + (setup if is_number(setup) else 0) if self.seconds else None

    def rate(self, what):
        """`what` ("flops" or "bytes") a second; None where it did not run or has no such count."""
        amount, seconds = self.work.get(what), self.median
        return amount / seconds if amount and seconds else None

    def key(self):
        """Equal for the same case of two files."""
        return tuple(sorted((name, str(value)) for name, value in self.labels.items()))


@dataclass(frozen=True)
class SuiteFile:
    path: str
    suite: str
    started: str
    machine: dict
    build: dict
    libraries: dict
    cases: list

    @property
    def timed(self):
        return [case for case in self.cases if case.seconds]

    def bandwidth(self, backend):
        """Measured beside the cases, bytes a second; None where it was not."""
        return self.machine.get("gpu_bandwidth" if backend == "cuda" else "host_bandwidth")


def read_case(path, number, entry):
    where = f"{path}: case {number}"
    if not isinstance(entry, dict) or not isinstance(entry.get("labels"), dict) or not entry["labels"]:
        raise BadFile(f"{where} has no labels")
    seconds = entry.get("seconds") or []
    if not isinstance(seconds, list) or not all(is_number(s) and s > 0 for s in seconds):
        raise BadFile(f"{where}: seconds must be a list of positive numbers")
    if not seconds and not entry.get("refused"):
        raise BadFile(f"{where} has neither seconds nor a reason in refused")
    return Case(entry["labels"], entry.get("work") or {}, seconds, entry.get("values") or {}, entry.get("history") or [],
                entry.get("refused") or "")


def read_suite_file(path):
    """Raises BadFile with the reason."""
    try:
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
    except OSError as problem:
        raise BadFile(f"{path} cannot be read: {problem.strerror}") from None
    except json.JSONDecodeError as problem:
        raise BadFile(f"{path}:{problem.lineno}:{problem.colno}: no JSON: {problem.msg}") from None
    except UnicodeDecodeError:
        raise BadFile(f"{path} is no text") from None
    schema = content.get("schema") if isinstance(content, dict) else None
    if schema != SCHEMA:
        raise BadFile(f"{path} is no file of a suite: its schema is {schema!r}, not {SCHEMA!r}; "
                      "stiefel-bench suite writes such files")
    if not isinstance(content.get("suite"), str) or not isinstance(content.get("cases"), list):
        raise BadFile(f"{path} lacks suite, its name, or cases, its list")
    cases = [read_case(path, number, entry) for number, entry in enumerate(content["cases"])]
    return SuiteFile(path, content["suite"], content.get("started") or "", content.get("machine") or {},
                     content.get("build") or {}, content.get("libraries") or {}, cases)
