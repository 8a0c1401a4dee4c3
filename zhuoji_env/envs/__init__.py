"""Faces for other people's code: PettingZoo's AEC, Gymnasium, stable-baselines3.

Importing this room puts the environments into the registries; their modules load when made.
"""

from __future__ import annotations

from pettingzoo import aec_registry, register

AEC_ID = "zhuoji/zhuoji-v0"

if AEC_ID not in aec_registry:
    register("aec", AEC_ID, entry_point="zhuoji_env.envs.aec:env")
