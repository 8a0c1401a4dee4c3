"""A policy as an ONNX model, for programs that have neither this library's kernels nor torch.

    python -m agents.export POLICY --out FILE.onnx

POLICY is a policy file or the name of one that is shipped. The model takes `planes` (N, P, 27) int8
and `globals` (N, G) float32 and gives `logits` (N, 58) float32, refused actions among them, for any
N. Its metadata says what the policy file says. `load` plays it by onnxruntime.
"""

from __future__ import annotations

import argparse
import logging
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import agents
from agents.inference import Floats
from agents.policy import (
    LARGEST,
    PolicyAgent,
    PolicyError,
    describe,
    line,
    read_header,
)
from agents.policy import load as load_policy
from zhuoji_env.errors import ZhuojiError
from zhuoji_env.tiles import N_KINDS
from zhuoji_env.writing import write_whole

# Read by every onnxruntime since 1.14.
OPSET = 18
INPUTS, OUTPUTS = ("planes", "globals"), ("logits",)
BAD_INPUT = 2


def to_onnx(policy: PolicyAgent) -> bytes:
    """Return the model of a policy whose network is torch's."""
    import onnx
    import torch

    info = policy.info
    planes = torch.zeros(2, info.network.planes, N_KINDS, dtype=torch.int8)
    rows = torch.zeros(2, info.network.globals)
    batch = {0: torch.export.Dim("N")}
    with warnings.catch_warnings():
        # The exporter uses names that torch itself has deprecated.
        warnings.simplefilter("ignore", FutureWarning)
        # Strictly: what is not strict takes len(planes) for the number that it is here.
        traced = torch.export.export(
            policy.network, (planes, rows), dynamic_shapes=(batch, batch), strict=True
        )
        program = torch.onnx.export(
            traced,
            input_names=INPUTS,
            output_names=OUTPUTS,
            opset_version=OPSET,
            verbose=False,
        )
    assert program is not None
    model = program.model_proto
    onnx.helper.set_model_props(model, describe(info))
    onnx.checker.check_model(model, full_check=True)
    return bytes(model.SerializeToString())


class OnnxNetwork:
    """A network as onnxruntime computes it, on one thread."""

    def __init__(self, path: Path) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        try:
            if path.stat().st_size > LARGEST:
                raise PolicyError(f"{path}: {path.stat().st_size} bytes; allowed: up to {LARGEST}")
            data = path.read_bytes()
        except OSError as error:
            raise PolicyError(f"{path}: cannot be read ({type(error).__name__})") from error
        try:
            self._session = onnxruntime.InferenceSession(
                data, options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # its errors have no base of their own
            raise PolicyError(f"{path}: not an ONNX model ({line(error)})") from error
        self.described = dict(self._session.get_modelmeta().custom_metadata_map)

    def logits(self, planes: NDArray[np.int8], rows: Floats) -> Floats:
        """Return unmasked logits (N, 58) of planes (N, P, 27) and globals (N, G)."""
        shown = dict(zip(INPUTS, (planes, rows), strict=True))
        logits: Floats = self._session.run(OUTPUTS, shown)[0]
        return logits


def load(path: str | Path, *, sample: bool = False, seed: int = 0) -> PolicyAgent:
    """Return the agent of a model that `to_onnx` made; PolicyError if it is no such file."""
    path = Path(path)
    network = OnnxNetwork(path)
    info = read_header(path, network.described)
    return PolicyAgent(network, info, name=path.stem, sample=sample, seed=seed)


def main(argv: Sequence[str] | None = None) -> int:
    """Export from a command line; return the exit code."""
    parser = argparse.ArgumentParser("agents.export", description="Write a policy as ONNX.")
    parser.add_argument("policy", help="a policy file, or the name of one that is shipped")
    parser.add_argument("--out", type=Path, required=True, help="the ONNX file to write")
    args = parser.parse_args(argv)
    try:
        path = agents.POLICIES.get(args.policy, Path(args.policy))
        policy = load_policy(path, backend="torch")
        # The exporter warns of torchvision, which it does without here; torch set its loggers up.
        logging.getLogger("torch.onnx").setLevel(logging.ERROR)
        write_whole(args.out, to_onnx(policy))
    except (ZhuojiError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return BAD_INPUT
    print(f"{args.out}: {args.out.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
