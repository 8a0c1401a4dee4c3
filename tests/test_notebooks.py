"""Every notebook runs from top to bottom, in this interpreter, and is kept without outputs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from ipykernel.kernelspec import get_kernel_dict
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
# Against a kernel that hangs; generous, as a first run compiles the engine.
CELL_TIMEOUT = 900

Notebook = Any


class ThisInterpreter(AsyncKernelManager):
    """Starts one kernel, whatever is asked for: a `python3` that is installed may be another's."""

    @property
    def kernel_spec(self) -> KernelSpec:
        """The spec that ipykernel writes for the interpreter it is imported by."""
        return KernelSpec(**get_kernel_dict())


@pytest.fixture(autouse=True)
def plain_surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the user's IPython profile and choice of plots out of it."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    monkeypatch.delenv("MPLBACKEND", raising=False)


def read(path: Path) -> Notebook:
    return nbformat.read(path, as_version=4)


def run(notebook: Notebook, folder: Path) -> Notebook:
    """Execute a notebook as if it lay in a folder; raises at the first cell that fails."""
    NotebookClient(
        notebook,
        kernel_manager_class=ThisInterpreter,
        resources={"metadata": {"path": str(folder)}},
        timeout=CELL_TIMEOUT,
    ).execute()
    return notebook


def of_code(*sources: str) -> Notebook:
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    return nbformat.v4.new_notebook(cells=cells)


def code_cells(notebook: Notebook) -> dict[str, Any]:
    return {cell.id: cell for cell in notebook.cells if cell.cell_type == "code"}


def said(cell: Any, name: str = "stdout") -> str:
    streams = [out for out in cell.outputs if out.output_type == "stream"]
    return "".join(out.text for out in streams if out.name == name)


def test_there_are_notebooks() -> None:
    assert [path.name for path in NOTEBOOKS][:1] == ["01_first_deal.ipynb"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_kept_without_outputs(path: Path) -> None:
    """So that a change shows what was changed, and no reader takes an old number for today's."""
    notebook = read(path)
    nbformat.validate(notebook)
    for name, cell in code_cells(notebook).items():
        assert not cell.outputs and cell.execution_count is None, name


def test_the_kernel_is_this_interpreter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "share" / "kernels" / "python3"
    other.mkdir(parents=True)
    spec = '{"argv": ["/nowhere/python"], "display_name": "other", "language": "python"}'
    (other / "kernel.json").write_text(spec)
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "share"))
    notebook = run(of_code("import sys; print(sys.executable, sys.prefix)"), tmp_path)
    assert said(notebook.cells[0]).split() == [sys.executable, sys.prefix]


def test_a_cell_that_fails_is_noticed(tmp_path: Path) -> None:
    with pytest.raises(CellExecutionError, match="ZeroDivisionError"):
        run(of_code("1 / 0", "print('after')"), tmp_path)


@pytest.mark.parametrize("folder", [ROOT, ROOT / "notebooks"], ids=["top", "notebooks"])
def test_the_checkout_is_found_from(folder: Path) -> None:
    """Not by way of an installation: the kernel forgets every place that has a checkout."""
    forget = """
import sys
from importlib.util import find_spec
from pathlib import Path
sys.path[:] = [p for p in sys.path if not (Path(p) / "training").exists()]
print(find_spec("training"))
"""
    setup = code_cells(read(ROOT / "notebooks" / "01_first_deal.ipynb"))["setup"].source
    place = "import zhuoji_env, training; print(zhuoji_env.__file__, training.__file__)"
    notebook = run(of_code(forget, setup, place), folder)
    assert said(notebook.cells[0]) == "None\n"
    inside = [ROOT / name / "__init__.py" for name in ("zhuoji_env", "training")]
    assert said(notebook.cells[-1]).split() == [str(path) for path in inside]


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run(path: Path) -> None:
    before = sorted(path.parent.iterdir())
    cells = code_cells(run(read(path), path.parent))
    for name, cell in cells.items():
        assert "Warning" not in said(cell, "stderr"), name
    assert sorted(path.parent.iterdir()) == before
    if path.stem == "01_first_deal":
        check_first_deal(cells)


def check_first_deal(cells: dict[str, Any]) -> None:
    """What the text around the cells says of their outputs is so."""
    bill = said(cells["explain"])
    for item in ("hu", "men_dou", "dian_dou", "charge_ji", "yao_ji", "zhuo_ji"):
        assert f"\n{item} " in bill, item
    assert "the sum is 0\n" in said(cells["explain-sum"])
    won, _, most = said(cells["explain-sum"]).splitlines()[-1].partition("; who earned most: ")
    assert most not in won
    assert "捉鸡" in said(cells["explain-zh"])
    assert "changed" in said(cells["resettle-diff"])
    assert "None – seat" in said(cells["resettle-why"])
    assert "True" in said(cells["hands-end"]) and "False" in said(cells["hands-end"])
    assert said(cells["hands-course-far"]).endswith(" 0\n")
    against_random, against_itself, _ = said(cells["match-play"]).splitlines()
    assert "interval +0.00 to +0.00" in against_itself
    assert float(against_random.partition("interval ")[2].split()[0]) > 0
    plots = [out for out in cells["train-plot"].outputs if "image/png" in out.get("data", {})]
    assert len(plots) == 1
