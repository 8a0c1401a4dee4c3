"""How kernels are compiled: numba, nogil, cached in a folder named after the engine's own sources.

Numba's file cache looks at the edited file alone and misses an edited callee elsewhere, so the
cache folder carries a hash of every source that a kernel may call.
"""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import config
from numpy.typing import NDArray

F = TypeVar("F", bound=Callable[..., Any])

# What kernels take: a record `games[i]` or `rules[i]`, integers of whatever width numba gives them,
# and the table of `tables.wins()`.
Record = Any
Int = Any
Wins = NDArray[np.uint32]

# Python alone: no kernel stands in them.
_PYTHON = ("arguments.py", "games.py", "storage.py")
_PACKAGE = Path(__file__).resolve().parent.parent


def sources_hash(package: Path = _PACKAGE) -> str:
    """Return 12 hex digits over the sources of all that other files' kernels call or read."""
    digest = hashlib.sha256(numba.__version__.encode())
    below = [package / name for name in ("tiles.py", "actions.py", "rules/schema.py")]
    engine = [path for path in (package / "engine").glob("*.py") if path.name not in _PYTHON]
    observation = (package / "observation").glob("*.py")
    for path in sorted([*below, *engine, *observation]):
        digest.update(path.relative_to(package).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def cache_folder() -> Path:
    """Return where compiled kernels are kept: below NUMBA_CACHE_DIR, else the user's cache."""
    given = os.environ.get("NUMBA_CACHE_DIR")
    if given:
        root = Path(given)
    else:
        root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "zhuoji"
    return root / f"kernels-{sources_hash()}"


def _compiler(cache: Path) -> Callable[[F], F]:
    def compile_into(function: F) -> F:
        settings: Any = config
        kept = settings.CACHE_DIR
        settings.CACHE_DIR = str(cache)
        try:
            compiled: Any = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
        finally:
            settings.CACHE_DIR = kept
        return cast(F, compiled)

    return compile_into


_kernel = _compiler(cache_folder())


def kernel(function: F) -> F:
    """Compile a function for records and arrays; its cache folder is ours, not numba's default."""
    return _kernel(function)


def kernels_of(folder: Path) -> Callable[[F], F]:
    """Return `kernel` for a package elsewhere whose kernels call each other across its files."""
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.py")):
        digest.update(path.read_bytes())
    return _compiler(cache_folder() / f"{folder.name}-{digest.hexdigest()[:12]}")
