"""How the expert's kernels are compiled: their cache is keyed to every file of this package."""

from pathlib import Path

from zhuoji_env.engine.kernel import kernels_of

kernel = kernels_of(Path(__file__).resolve().parent)
