"""# Seat-v0: one seat of zhuoji against three opponents, for Gymnasium

    import gymnasium

    env = gymnasium.make("zhuoji_env:zhuoji/Seat-v0", opponents="greedy", rules="guiyang")
    observation, info = env.reset(seed=42)
    terminated = False
    while not terminated:
        action = env.action_space.sample(observation["action_mask"])
        observation, reward, terminated, truncated, info = env.step(action)
    print(reward, info["bill"])

`gymnasium.make_vec(..., num_envs=256, vectorization_mode="vector_entry_point")` gives the same many
times over in one batch (`zhuoji_env.envs.vector`), for the same seeds with the same results.

### Arguments

- `rules`: a preset, a YAML file, a mapping of a preset and overrides, or `zj.Rules`.
- `opponents`: a spec (a name such as `"greedy"`, `"module:factory"`, a policy file) or a
  `zj.Agent`; or three of them: next in order of play, across, before.
- `deals`: deals in an episode. Dealer and streak are carried on from deal to deal (R45-R47).
- `seat`: where the learner sits, 0-3; by default a seat is drawn for every episode.
- `illegal`: `"raise"` raises `zj.IllegalAction`, with nothing changed; `"random"` plays a random
  legal action instead, for callers that do not mask, and says so in the infos.
- `skip_forced`: moves without a choice are played unasked, the learner's too.
- `reward_scale`: what a point is worth as a reward, above 0, kept to float32's 24 bits.
- `render_mode`: `None`, `"ansi"` (`render()` returns the table as text) or `"human"` (the same text
  is printed after `reset` and every `step`). It shows what the learner sees, and the bill.
- `tiles`: `"mpsz"` (`5p`) or `"faces"` (`五筒`), and `language`: `"en"` or `"zh"`, for rendering.

### Observation and actions

A dict of `"observation"`, float32 (161, 3, 9), and `"action_mask"`, int8 (58,), both described in
`zhuoji_env.envs.aec`. The mask is never empty: when the episode is over it allows pass alone.

### Rewards

Points of the settlement x `reward_scale`. What is paid between two decisions of the learner,
whoever ended the deal, is the reward of the first; rewards of an episode add up to its score,
exactly. An episode that is over before the learner had anything to decide is shown as it ended,
pass alone is legal, and that step ends the episode and brings its reward.

### Infos

`seat`, the learner's, always. After a deal has ended, in the step that pays for it, `bill` (a list
of (item, payer, payee, fan)) and `results`, a list of how each deal ended since the last decision:
end, winners, shooter, tile, indicator, ready, items, scores, … With `illegal="random"`, where an
action was replaced, `illegal` is the one given and `played` the one played.

### Reset

`reset(seed=s)` begins the walls of that seed, the same as `zhuoji_v0`'s: the same seed, the same
play. Without a seed the next episode goes on to new walls; a first reset without one takes a seed
from the system. `options` hold for that episode alone: `wall` (108 kinds 0-26 or mpsz text, from
the head) and `streak` for its first deal, `dealer` (seat 0-3) for who deals it, `seat` (0-3) for
where the learner sits. Options that are not known are warned about.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import gymnasium
import numpy as np
from gymnasium import logger
from gymnasium.spaces import Box, Dict, Discrete, Space
from numpy.typing import NDArray

from zhuoji_env import observation, render
from zhuoji_env.actions import N_ACTIONS
from zhuoji_env.engine.games import Games
from zhuoji_env.engine.wall import table_seeds
from zhuoji_env.envs import arguments
from zhuoji_env.envs.aec import RENDER_MODES
from zhuoji_env.envs.opponents import Opponent
from zhuoji_env.envs.tables import LearnerTables
from zhuoji_env.errors import IllegalAction, ZhuojiError
from zhuoji_env.rules.ruleset import Source

OPTIONS = ("wall", "dealer", "streak", "seat")
FIRST = np.zeros(1, np.int64)
Observation = dict[str, NDArray[Any]]


def observation_space() -> Space[Observation]:
    """Return the space of one seat's observation and action mask."""
    low, high = observation.bounds()
    space: Any = Dict(
        observation=Box(low, high, dtype=np.float32),
        action_mask=Box(0, 1, (N_ACTIONS,), np.int8),
    )
    return cast("Space[Observation]", space)


class SeatEnv(gymnasium.Env[Observation, np.int64]):
    """One learner and three opponents; the module's docstring is its specification.

    `games` is the table itself (a `Games` of one), `seat` where the learner sits. Raises
    RulesError, ZhuojiError or ValueError for bad arguments.
    """

    # Gymnasium declares it so.
    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012

    def __init__(
        self,
        rules: Source = "guiyang",
        opponents: Opponent | Sequence[Opponent] = "greedy",
        deals: int = 1,
        seat: int | None = None,
        illegal: str = "raise",
        skip_forced: bool = True,
        reward_scale: float = 1.0,
        render_mode: str | None = None,
        tiles: str = "mpsz",
        language: str = "en",
    ) -> None:
        arguments.one_of("render_mode", render_mode, (None, *RENDER_MODES))
        arguments.one_of("tiles", tiles, render.TILES)
        arguments.one_of("language", language, tuple(render.LANGUAGES))
        self.render_mode = render_mode
        self.reward_scale = arguments.exact_scale(reward_scale)
        self.tiles = tiles
        self.language = language
        self.observation_space = observation_space()
        self.action_space = Discrete(N_ACTIONS)
        self._tables = LearnerTables(1, rules, None, deals, illegal, skip_forced, opponents, seat)
        self._tables.watched = render_mode is not None
        self._seeded = False
        self._running = False

    @property
    def games(self) -> Games:
        """The table itself."""
        return self._tables.games

    @property
    def seat(self) -> int:
        """Where the learner sits in this episode, 0-3."""
        return int(self._tables.seats[0])

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode; ValueError, changing nothing, for a bad seed or option."""
        given = known_options(options, OPTIONS)
        first = arguments.seed(seed)
        if first is None and not self._seeded:
            first = int(self.np_random.integers(2**63))
        seeds = None if first is None else {0: int(table_seeds(first, 1)[0])}
        self._tables.deal(FIRST, seeds, **given)
        super().reset(seed=seed)
        self._seeded = self._running = True
        self._tables.advance()
        self._show()
        return self._observe(), {"seat": self.seat}

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play an action, and on to the learner's next decision or the end of the episode.

        IllegalAction, with nothing changed, unless `illegal="random"`.
        """
        if not self._running:
            raise ZhuojiError("no episode is running: call reset()")
        tables = self._tables
        number = self._number(action)
        played = tables.play(FIRST, np.array([number]))
        tables.advance()
        points, told = tables.collect(FIRST)
        self._show()
        info: dict[str, Any] = {"seat": self.seat}
        if played[0] != number:
            info |= {"illegal": int(action), "played": int(played[0])}
        for results in told.values():
            info |= paid(results)
        over = bool(tables.over[0])
        self._running = not over
        reward = int(points[0, self.seat]) * self.reward_scale
        return self._observe(), reward, over, False, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions, (58,) bool, at least one: what sb3-contrib asks for."""
        masks: NDArray[np.bool_] = self._tables.legal()[0]
        return masks

    def render(self) -> str | None:
        """Return what the learner sees as text ("ansi") or print it ("human").

        After the step that ended a deal of a longer episode the finished deal comes first.
        """
        if self.render_mode is None:
            logger.warn("render() does nothing without a render_mode: give 'ansi' or 'human'")
            return None
        finished = self._tables.finished
        page = "".join(self._page(games) for games in (finished, self.games) if games)
        if self.render_mode == "ansi":
            return page
        print(page, flush=True)
        return None

    def _observe(self) -> Observation:
        return {name: array[0] for name, array in self._tables.observe().items()}

    def _number(self, action: Any) -> int:
        number = arguments.action(action, "an integer")
        if 0 <= number < N_ACTIONS:
            return number
        if self._tables.illegal == "random":
            return -1
        raise IllegalAction(0, self.seat, number, np.flatnonzero(self.action_masks()).tolist())

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def _page(self, games: Games) -> str:
        page = render.table(games, tiles=self.tiles, language=self.language, seat=self.seat)
        return page + "\n"


def paid(results: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the infos of deals that ended: results, and the bill of the last."""
    bill = [(item, payer, payee, fan) for item, payer, payee, fan in results[-1]["items"]]
    return {"bill": bill, "results": results}


def known_options(options: dict[str, Any] | None, known: Sequence[str]) -> dict[str, Any]:
    """Return reset options as `Tables.deal` takes them; warn of those that are not known.

    ValueError for what is no mapping, or a wall that is none.
    """
    given = arguments.options(options)
    unknown = [name for name in given if name not in known]
    if unknown:
        logger.warn(
            f"reset options {', '.join(map(repr, unknown))} are unknown and have no effect; "
            f"known: {', '.join(known)}"
        )
    if "wall" in given:
        given["wall"] = arguments.wall(given["wall"])
    return {f"{name}s": given[name] for name in known if name in given}
