#!/usr/bin/env python3
"""A scheduler."""
from __future__ import annotations

import os.path, sys as system
from .jobs import (
    Job,
    run,
)

try:
    import fast
except ImportError:
    fast = None

LIMIT = 10
names: dict[str, int] = {"{": 1}
_private = [
    1,
]


def plain(a, b=")", *args, key: str = "x:", **kwargs) -> dict[str, int]:
    """Returns what it is. More text
    on a second line.
    """
    def inner():
        pass
    return {}


# Says hello.
@decorate(lambda x: x)
@other
async def greet(
    name: str,  # who
    /,
    *,
    times: int = 3,
) -> None:
    print(f"{name!r:>{times}} {{")


class Scheduler[T](Base, metaclass=Meta):
    '''Runs jobs.'''

    count: int = 0
    MOST = 5

    def __init__(self, jobs: list[Job] | None = None):
        self.jobs = jobs

    @property
    def 크기(self) -> int:
        return len(self.jobs)

    def _hidden(self): return """
def no(): pass
"""

    class Inner:
        x = 1


if __name__ == "__main__":
    def main(): ...
    main()
