"""What is shipped, what it needs, and who may import whom."""

from __future__ import annotations

import ast
import graphlib
import os
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import zhuoji_env as zj
from zhuoji_env.rules import PRESETS

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DIST_INFO = f"{PROJECT['name']}-{PROJECT['version']}.dist-info/"

# DESIGN's order: a room imports from its own row and the rows above, never from below.
# Rendering reads tables alone and stands above the faces, whose render modes use it. "zhuoji_env"
# is the package's front door, which gathers the public names.
LAYERS = (
    {"tiles", "actions", "errors", "writing"},
    {"rules"},
    {"engine"},
    {"observation", "render"},
    {"envs", "zhuoji_v0", "record", "calculator", "baselines", "asking", "specs"},
    {"arena", "handbook", "latency", "ui"},
    {"bench"},
    {"zhuoji_env"},
    {"cli", "__main__"},
    {"agents"},
    {"training"},
)
RANK = {room: rank for rank, layer in enumerate(LAYERS) for room in layer}

# What the extras bring, and what only a checkout has. envs.sb3 is the face for [train].
NOT_CORE = (
    "agents",
    "fastapi",
    "matplotlib",
    "onnx",
    "onnxruntime",
    "onnxscript",
    "openskill",
    "ray",
    "sb3_contrib",
    "safetensors",
    "scipy",
    "stable_baselines3",
    "tensorboard",
    "tensordict",
    "tianshou",
    "torch",
    "torchrl",
    "training",
    "uvicorn",
)
FACES_OF_EXTRAS = {"zhuoji_env.envs.sb3"}

IMPORT_WITHOUT = """
import importlib, sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in blocked:
            raise ImportError(f"the core must not import {name}")

root, (blocked, modules) = sys.argv[1], (arg.split(",") for arg in sys.argv[2:])
sys.path.insert(0, root)
sys.meta_path.insert(0, Refuse())
for module in sorted(modules):
    importlib.import_module(module)
"""

PLAY_A_DEAL = """
from importlib.util import find_spec
from pathlib import Path
import sys

import zhuoji_env as zj
from zhuoji_env import zhuoji_v0

assert Path(zj.__file__).is_relative_to(sys.prefix), zj.__file__
for name in sys.argv[1].split(","):
    assert find_spec(name) is None, f"{name} came along"

games = zj.Games(1, rules="guiyang", seed=0)
games.reset()
while not games.done.all():
    games.step(games.legal.argmax(axis=1))
assert games.scores.sum() == 0

env = zhuoji_v0.env(rules="zhuoji")
env.reset(seed=0)
for agent in env.agent_iter():
    observation, reward, terminated, truncated, info = env.last()
    over = terminated or truncated
    env.step(None if over else int(observation["action_mask"].argmax()))
print("played")
"""


def run(*command: str | Path, cwd: Path) -> str:
    """Run a command away from the checkout's own path and return what it prints."""
    env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{done.args}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def module_name(path: Path) -> str:
    """Return a source file's dotted name, a package's for its __init__.py."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {
    module_name(path): path
    for package in ("zhuoji_env", "agents", "training")
    for path in (ROOT / package).rglob("*.py")
}


def imports(module: str) -> Iterator[str]:
    """Yield every module of ours that a module imports, wherever in the file it does so."""
    path = MODULES[module]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), path)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            package = module if path.name == "__init__.py" else module.rpartition(".")[0]
            if node.level > 1:
                package = package.rsplit(".", node.level - 1)[0]
            parts = ([package] if node.level else []) + ([node.module] if node.module else [])
            names = [".".join([*parts, alias.name]) for alias in node.names]
        else:
            continue
        for name in names:
            while name and name not in MODULES:
                name = name.rpartition(".")[0]
            if name and name != module:
                yield name


def room(module: str) -> str:
    """Return where in DESIGN's order a module lives."""
    parts = module.split(".")
    return parts[1] if parts[0] == "zhuoji_env" and len(parts) > 1 else parts[0]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the sdist and from it the wheel, in a copy: stale build folders would leak in."""
    source = tmp_path_factory.mktemp("source") / "checkout"
    skip = shutil.ignore_patterns(".*", "__pycache__", "build", "dist", "*.egg-info", "runs")
    shutil.copytree(ROOT, source, ignore=skip)
    out = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", out, source, cwd=out)
    (built,) = out.glob("*.whl")
    return built


def test_wheel_holds_the_library_alone(wheel: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if not name.startswith(DIST_INFO)}
    package = ROOT / "zhuoji_env"
    shipped = {
        path.relative_to(ROOT).as_posix()
        for pattern in ("*.py", "*.yaml", "py.typed")
        for path in package.rglob(pattern)
    }
    assert names == shipped
    assert "zhuoji_env/py.typed" in names
    for preset in PRESETS:
        assert f"zhuoji_env/rules/presets/{preset}.yaml" in names


def test_wheel_has_the_licence_and_the_command(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        assert "zhuoji = zhuoji_env.cli:main" in archive.read(
            DIST_INFO + "entry_points.txt"
        ).decode("utf-8")
        assert archive.read(DIST_INFO + "licenses/LICENSE") == (ROOT / "LICENSE").read_bytes()


@pytest.mark.slow
def test_wheel_plays_with_core_dependencies_only(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    scripts = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin")
    python = scripts / "python"
    run(python, "-m", "pip", "install", "-qq", "-c", ROOT / "constraints.txt", wheel, cwd=tmp_path)
    played = run(python, "-I", "-c", PLAY_A_DEAL, ",".join(NOT_CORE), cwd=tmp_path)
    assert played.strip() == "played"
    assert "zhuoji_double" in run(scripts / "zhuoji", "rules", "list", cwd=tmp_path)


def test_version_is_the_projects() -> None:
    assert zj.__version__ == PROJECT["version"]


def test_core_imports_nothing_of_the_extras(tmp_path: Path) -> None:
    core = {name for name in MODULES if name.startswith("zhuoji_env")} - FACES_OF_EXTRAS
    run(
        *(sys.executable, "-c", IMPORT_WITHOUT),
        *(ROOT, ",".join(NOT_CORE), ",".join(core)),
        cwd=tmp_path,
    )


def test_editable_install_reaches_agents_and_training(tmp_path: Path) -> None:
    printed = run(
        *(sys.executable, "-c"),
        "import agents, training, zhuoji_env as z; print(agents.__file__, training.__file__, "
        "z.__file__, sep='\\n')",
        cwd=tmp_path,
    )
    assert [Path(line).parent.parent for line in printed.splitlines()] == [ROOT] * 3


def test_every_room_has_a_place_in_the_order() -> None:
    assert {room(module) for module in MODULES} <= RANK.keys()


@pytest.mark.parametrize("module", sorted(MODULES))
def test_imports_run_downward(module: str) -> None:
    upward = [name for name in imports(module) if RANK[room(name)] > RANK[room(module)]]
    assert not upward, f"{module} imports {', '.join(upward)}"


def test_imports_have_no_circles() -> None:
    graph = {module: set(imports(module)) for module in MODULES}
    assert list(graphlib.TopologicalSorter(graph).static_order())


def test_constraints_pin_public_versions_alone() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert pins == sorted(pins, key=lambda pin: pin.partition("==")[0].lower())
    for pin in pins:
        name, equals, version = pin.partition("==")
        assert name and equals and version and not set("+/@ ") & set(pin), pin
