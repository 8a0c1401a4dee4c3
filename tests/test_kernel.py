"""The kernel cache: an edited callee in another file must be compiled again."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import zhuoji_env
from zhuoji_env.engine.kernel import sources_hash

PACKAGE = Path(zhuoji_env.__file__).parent


def copy_of_the_package(folder: Path) -> Path:
    copy = folder / "zhuoji_env"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


def test_every_source_a_kernel_may_call_changes_the_hash(tmp_path: Path) -> None:
    copy = copy_of_the_package(tmp_path)
    assert sources_hash(copy) == sources_hash(PACKAGE)
    seen = {sources_hash(copy)}
    for name in ("engine/hand.py", "engine/bill.py", "tiles.py", "rules/schema.py"):
        path = copy / name
        path.write_text(path.read_text() + "\n# edited\n")
        seen.add(sources_hash(copy))
    assert len(seen) == 5


SAMPLE = """
import numpy as np
from zhuoji_env.engine import batch
from zhuoji_env.engine.layout import GAME

games = np.zeros(1000, GAME)
games["legal"] = (1 << 27) - 1
out = np.zeros(1000, np.int64)
batch.sample(games, np.arange(1000, dtype=np.uint64), out)
print(out.sum())
"""


def test_an_edited_callee_in_another_file_is_noticed(tmp_path: Path) -> None:
    """batch.sample calls wall.below, which calls wall.mix; numba looks at batch.py alone."""
    copy = copy_of_the_package(tmp_path)
    environment = {
        **os.environ,
        "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
        "PYTHONPATH": str(tmp_path),
    }

    def run() -> str:
        return subprocess.run(
            [sys.executable, "-c", SAMPLE],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    first = run()
    assert run() == first
    path = copy / "engine" / "wall.py"
    path.write_text(path.read_text().replace("0x94D049BB133111EB", "0x94D049BB133111ED"))
    assert run() != first
    assert len(list((tmp_path / "cache").iterdir())) == 2


PACKAGE_ELSEWHERE = {
    "__init__.py": "",
    "kernel.py": """
from pathlib import Path
from zhuoji_env.engine.kernel import kernels_of

kernel = kernels_of(Path(__file__).resolve().parent)
""",
    "callee.py": """
from elsewhere.kernel import kernel

@kernel
def number():
    return 1
""",
    "caller.py": """
from elsewhere.callee import number
from elsewhere.kernel import kernel

@kernel
def twice():
    return 2 * number()

print(twice())
""",
}


def test_an_edited_callee_of_a_package_elsewhere_is_noticed(tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    for name, text in PACKAGE_ELSEWHERE.items():
        (folder / name).write_text(text)
    environment = {
        **os.environ,
        "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
        "PYTHONPATH": f"{tmp_path}:{PACKAGE.parent}",
    }

    def run() -> str:
        return subprocess.run(
            [sys.executable, "-c", "import elsewhere.caller"],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()

    assert run() == "2"
    callee = folder / "callee.py"
    callee.write_text(callee.read_text().replace("return 1", "return 3"))
    assert run() == "6"
