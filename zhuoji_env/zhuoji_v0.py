"""Zhuoji as a PettingZoo module: ``zhuoji_v0.env()`` and ``zhuoji_v0.raw_env()``."""

from zhuoji_env.envs.aec import env, raw_env

__all__ = ["env", "raw_env"]
