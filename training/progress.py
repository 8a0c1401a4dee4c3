"""What happens beside learning: statistics, frozen copies, checkpoints, the progress shown."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from stable_baselines3.common.callbacks import BaseCallback

from training.config import Args
from training.maskable import Policy
from training.pool import Pool
from zhuoji_env.envs.sb3 import SeatVecEnv

# Without a terminal a line is printed this often, in seconds.
LINE_EVERY = 20.0


class Statistics:
    """Sums over the deals that ended since the last `take`."""

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self.points: dict[str, list[float]] = {}
        self.counts = {"win": 0, "deal_in": 0, "draw": 0, "ready_at_draw": 0}

    def add(self, deal: dict[str, Any]) -> None:
        """Count one deal as `SeatVecEnv` reports it."""
        seat = deal["seat"]
        self.points.setdefault(deal["opponents"], []).append(deal["scores"][seat])
        self.counts["win"] += seat in deal["winners"]
        self.counts["deal_in"] += deal["shooter"] == seat
        self.counts["draw"] += deal["end"] == "draw"
        self.counts["ready_at_draw"] += deal["end"] == "draw" and deal["ready"][seat]

    def take(self) -> dict[str, Any]:
        """Return a row of the curve and begin anew."""
        row = {
            "points": {who: [sum(p), len(p)] for who, p in sorted(self.points.items())},
            "deals": sum(map(len, self.points.values())),
            **self.counts,
        }
        self._begin()
        return row


class Beside(BaseCallback):
    """MaskablePPO's callback: one row of the curve, and what else is due, after every rollout."""

    def __init__(
        self,
        args: Args,
        pool: Pool,
        curve: list[dict[str, Any]],
        updates: int,
        save: Callable[[], None],
        console: Console,
    ) -> None:
        super().__init__()
        self.args, self.pool, self.curve, self.updates = args, pool, curve, updates
        self._save, self._console = save, console
        self._statistics = Statistics()
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:3.0f}%"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task("collecting", total=args.decisions)
        self._seconds = {"collect": 0.0, "learn": 0.0}
        self._collected = 0
        self._mark = self._line_at = time.perf_counter()

    def _on_training_start(self) -> None:
        self._bar.start()
        self._mark = time.perf_counter()

    def _on_rollout_start(self) -> None:
        # Called after every update too, and before the first one.
        self._lap("learn")
        if self.updates and self.updates % self.args.checkpoint_every == 0:
            self._save()
        if self.updates and self.updates % self.args.snapshot_every == 0:
            policy, env = self.model.policy, self.training_env
            assert isinstance(policy, Policy) and isinstance(env, SeatVecEnv)
            self.pool.add(policy.network_weights())
            env.set_opponents(self.pool.opponents())
        self._mark = time.perf_counter()

    def _on_step(self) -> bool:
        infos = self.locals["infos"]
        for i in np.flatnonzero(self.locals["dones"]):
            self._statistics.add(infos[i]["deal"])
        return True

    def _on_rollout_end(self) -> None:
        self._lap("collect")
        self.updates += 1
        self._collected += self.args.tables * self.args.steps
        row = {"decisions": self.model.num_timesteps, **self._statistics.take()}
        self.curve.append(row)
        self._log(row)
        self._show(row)

    def _on_training_end(self) -> None:
        self._lap("learn")
        self._bar.stop()

    def stop(self) -> None:
        """Take the bar away, however training ended."""
        self._bar.stop()

    def _lap(self, what: str) -> None:
        now = time.perf_counter()
        self._seconds[what] += now - self._mark
        self._mark = now

    def speeds(self) -> dict[str, float]:
        """Return the learner's decisions per second: collecting, learning, and all in all."""
        seconds = {**self._seconds, "overall": sum(self._seconds.values())}
        return {name: self._collected / max(spent, 1e-9) for name, spent in seconds.items()}

    def _log(self, row: dict[str, Any]) -> None:
        deals = max(row["deals"], 1)
        for who, (points, n) in row["points"].items():
            self.logger.record(f"points_per_deal/{who}", points / n)
        self.logger.record("deals/win_rate", row["win"] / deals)
        self.logger.record("deals/deal_in_rate", row["deal_in"] / deals)
        self.logger.record("deals/draw_rate", row["draw"] / deals)
        self.logger.record("deals/ready_at_draw", row["ready_at_draw"] / max(row["draw"], 1))
        for name, speed in self.speeds().items():
            self.logger.record(f"decisions_per_second/{name}", speed)

    def _show(self, row: dict[str, Any]) -> None:
        speeds = self.speeds()
        points = "  ".join(f"{who} {p / n:+.2f}" for who, (p, n) in row["points"].items())
        text = f"{speeds['overall']:,.0f} decisions/s  points per deal: {points}"
        self._bar.update(self._task, completed=row["decisions"], description=text)
        now = time.perf_counter()
        if not self._console.is_terminal and now - self._line_at >= LINE_EVERY:
            self._line_at = now
            share = row["decisions"] / self.args.decisions
            self._console.print(f"{share:4.0%}  {text}", soft_wrap=True, highlight=False)
            sys.stdout.flush()
