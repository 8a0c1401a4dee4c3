"""Faces for other people's code: PettingZoo's AEC, Gymnasium, stable-baselines3.

Importing this room puts the environments into the registries; their modules load when made.
"""

from __future__ import annotations

import gymnasium
from pettingzoo import aec_registry, register

AEC_ID = "zhuoji/zhuoji-v0"
SEAT_ID = "zhuoji/Seat-v0"

if AEC_ID not in aec_registry:
    register("aec", AEC_ID, entry_point="zhuoji_env.envs.aec:env")

if SEAT_ID not in gymnasium.registry:
    gymnasium.register(
        SEAT_ID,
        entry_point="zhuoji_env.envs.single:SeatEnv",
        vector_entry_point="zhuoji_env.envs.vector:SeatVectorEnv",
    )
