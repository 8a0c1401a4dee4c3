"""# Zhuoji (捉鸡麻将)

| | |
|---|---|
| Import | `from zhuoji_env import zhuoji_v0` |
| Registry | `pettingzoo.make("aec", "zhuoji/zhuoji-v0")` after `import zhuoji_env` |
| Actions | Discrete |
| Parallel API | no |
| Manual control | no |
| Agents | `player_0` … `player_3` = East, South, West, North |
| Action shape | `Discrete(58)` |
| Observation shape | `(161, 3, 9)` float32, and an action mask `(58,)` int8 |
| State shape | `(921,)` float32 |

Zhuoji ("catch the chicken") is the mahjong of Guiyang: four players, 108 tiles of three suits, no
chi, and a settlement in which kongs (dou 豆) and bonus tiles (ji 鸡) often pay more than the win.

    from zhuoji_env import zhuoji_v0

    env = zhuoji_v0.env(rules="guiyang", deals=1, render_mode="human")
    env.reset(seed=42)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        if termination or truncation:
            action = None
        else:
            action = env.action_space(agent).sample(observation["action_mask"])
        env.step(action)
    env.close()

### Arguments

`zhuoji_v0.env(rules="guiyang", deals=1, render_mode=None, reward_scale=1.0, tiles="mpsz",
language="en")`, and the same for `raw_env`.

- `rules`: a preset (`guiyang`, `zhuoji`, `zhuoji_double`, `duole`, `guiyang_street`), a YAML file,
  a mapping of a preset and overrides, or `zj.Rules`.
- `deals`: deals in a session. Dealer and streak are carried on from deal to deal (R45-R47); the
  session, and with it every agent's episode, ends with the last of them.
- `render_mode`: `None`, `"ansi"` (`render()` returns the table as text) or `"human"` (the same text
  is printed after `reset` and every `step`). It is a spectator's view: **all hands are open**. Do
  not show it to a player; `zhuoji_env.render.table(games, i, seat=…)` draws what one seat sees.
- `reward_scale`: what a point is worth as a reward, above 0; kept to float32's 24 bits, so that
  points x scale and sums of them are exact in Python's floats.
- `tiles`: `"mpsz"` (`5p`) or `"faces"` (`五筒`), and `language`: `"en"` or `"zh"`, for rendering.

`env()` is `raw_env()` in PettingZoo's bounds and order checks, nothing else. An illegal action of
the 58 raises `zj.IllegalAction`, which names the seat, the action and what is legal; nothing has
changed and another action may be given. What is none of the 58 is refused too: by `env()` with the
AssertionError of PettingZoo's bounds wrapper, which looks first, by `raw_env()` with
`zj.IllegalAction`, or with `zj.ZhuojiError` if it is no integer.

### Rules in brief

A turn is a draw and a discard; instead, or before it, the player may win (`hu`), declare a kong
(`gang`: concealed *men*, added *zhuan_wan*) whose replacement comes from the wall's tail, or, with
rules that have it, declare a ready hand (`baoting`), which freezes the hand. A discard may be
claimed by `peng`, `gang` (*dian*) or `hu`. Those who may win are asked first, in order of play,
each among all their options; then, if nobody has taken anything, the one who may peng or gang.
A player with nothing but a pass is not asked. A hand of the common pattern may win on a discard
only with a kong of its own (the passport), bar the exceptions of R17. The deal ends with a win, by
several players at once where they all claim it, or with the wall.

After a win the next tile is flipped: its successor is the *zhuo ji*. Winners are paid for their
hands, everybody for their dou and ji, as the ruleset says. Clauses (R12, …) are those of the
project's rules page.

### Observation

A dict of `"observation"`, float32 of shape (161, 3, 9) over suits (m, p, s) and ranks 1-9, and
`"action_mask"`. The channels are the planes and, spread over all 27 places, the globals of
`zhuoji_env.observation` (version 2, where each is described with its range). Seats are relative to
the observer: self, next in order of play, across, before.

| Channel | Name | Content |
|---|---|---|
| 0 | `hand` | own concealed tiles |
| 1-4 | `hand_1` … `hand_4` | at least 1 … 4 in hand |
| 5 | `drawn` | the tile just drawn |
| 6 | `waits` | kinds that complete the hand |
| 7 | `tile` | the tile in question |
| 8 | `unseen` | copies in no place that the observer sees |
| 9-10 | `ji_held`, `ji_river` | price of standing ji, in units of ping_hu |
| 11 | `zhuo_chance` | chance in % that a flip makes it a zhuo ji |
| 12-13 | `may_discard`, `may_gang` | legal discards and kongs |
| 14-29 | `peng_self` … `men_before` | melds: peng, dian, zhuan_wan, men, of the four seats each |
| 30-33 | `river_self` … `river_before` | unclaimed discards |
| 34-37 | `recent_self` … `recent_before` | the last eight discards, the latest greatest |
| 38-41 | `drawn_river_self` … `drawn_river_before` | discards thrown as drawn |
| 42-45 | `claimed_self` … `claimed_before` | discards that were claimed |
| 46-48 | `let_go_next` … `let_go_before` | not won on since the seat's last draw |
| 49-50 | `advance`, `left` | kinds that advance the hand; the distance a discard leaves |
| 51-53 | `danger_next` … `danger_before` | an estimate of a discard's danger, in % |
| 54-55 | `wall_left`, `streak` | undrawn tiles / 55, the dealer's streak / 10 |
| 56-59 | `dealer_self` … `dealer_before` | who deals |
| 60-63 | `phase_turn` … `phase_rob` | own turn, after a peng, claim, robbing |
| 64-66 | `shooter_next` … `shooter_before` | whose the tile in question is |
| 67-70 | `baoting_self` … `baoting_before` | who is baoting |
| 71-78 | `melds_self` … `dou_before` | numbers of melds and of kongs / 4 |
| 79-83 | `declared` … `ready` | baoting owes its discard, marked, hot, replacement, ready |
| 84 | `passport` | a ping_hu may win on a discard |
| 85-93 | `yaoji_none` … `zeren_before` | what became of the first yaoji |
| 94-97 | `may_peng` … `may_pass` | legal peng, hu, baoting, pass |
| 98-154 | `rule_base` … `rule_dealer.on_draw` | every switch of the ruleset, scaled |
| 155-160 | `to_standard` … `to_suit_s` | distances to each route |

`action_mask` is int8, 1 where an action is legal. `observe(agent)` gives an all-zero mask to a seat
that is not to act. When the session is over the agent that is selected is shown pass alone, though
PettingZoo takes only `None` from it.

Nothing hidden is shown: not the others' concealed tiles, the undrawn wall, or what another seat
has answered when asked for a claim.

### Actions

| Action | Meaning |
|---|---|
| 0-26 | discard 1m-9m, 1p-9p, 1s-9s (characters, dots, bamboo) |
| 27 | peng |
| 28-54 | gang 1m … 9s (men, zhuan_wan or dian as the position has it) |
| 55 | hu |
| 56 | baoting |
| 57 | pass |

### Rewards

All four agents are paid in the step that ends a deal: points of the settlement x `reward_scale`,
and 0 in every other step. The four rewards add up to 0, and a seat's rewards over a session to its
score x `reward_scale`, exactly. In a session of several deals `last()` hands an agent what was paid
since its own last decision.

### Infos

Empty but for the end of a deal, when all four get

| Key | Content |
|---|---|
| `bill` | the settlement: a list of (item, payer, payee, fan) |
| `result` | how it ended: end, winners, shooter, tile, indicator, ready, items, scores, … |
| `results` | every result since this agent's last decision, the latest last |

They stay until the agent has decided again, so that `last()` shows them in the next deal of the
session too.

### Reset

`reset(seed=s)` begins the walls of that seed: the same seed, the same play, in every deal of the
session. Without a seed the next session goes on to new walls; a first reset without one takes a
seed from the system. `options` hold for that session alone: `wall` (108 kinds 0-26 or mpsz text,
from the head) and `streak` for its first deal, `dealer` (seat 0-3) for who deals it. Options that
are not known are warned about through PettingZoo's logger.

### State

`state()` is the full table as one float32 vector (the wall in order, all hands, melds, rivers,
pending answers, scores); `STATE` maps the name of each part to its slice.

### Version history

* v0: first release
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from gymnasium import logger
from gymnasium.spaces import Box, Dict, Discrete
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.env_logger import EnvLogger
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper

from zhuoji_env import observation, render, tiles
from zhuoji_env.actions import N_ACTIONS, PASS
from zhuoji_env.engine.games import Games
from zhuoji_env.engine.layout import GAME, N_SEATS
from zhuoji_env.envs import arguments
from zhuoji_env.errors import IllegalAction, ZhuojiError
from zhuoji_env.record.result import results
from zhuoji_env.rules.ruleset import Source

AGENTS = tuple(f"player_{seat}" for seat in range(N_SEATS))
SEATS = {agent: seat for seat, agent in enumerate(AGENTS)}
RENDER_MODES = ("ansi", "human")
OPTIONS = ("wall", "dealer", "streak")
SHOWN_EVENTS = 6

# GAME's fields in `state()`; those left out follow from these or, like the seed, are no position.
_STATE_FIELDS = (
    "phase",
    "seat",
    "dealer",
    "streak",
    "dice",
    "wall",
    "head",
    "tail",
    "hand",
    "meld_type",
    "meld_kind",
    "meld_from",
    "meld_late",
    "n_melds",
    "discards",
    "discard_seat",
    "discard_flag",
    "n_discards",
    "river",
    "first_yaoji",
    "first_wu_gu",
    "drawn",
    "replacement",
    "turn_kongs",
    "declared",
    "tile",
    "shooter",
    "may_hu",
    "claimer",
    "answer",
    "baoting",
    "marked",
    "acted",
    "discarded",
    "n_draws",
    "any_meld",
    "end",
    "winners",
    "indicator",
    "ready",
    "pattern",
    "fan",
    "scores",
    "next_dealer",
    "next_streak",
)
# Sets of kinds, one bit a kind in GAME and one number a kind in `state()`.
_STATE_SETS = ("drawn_bits", "dealt_quad", "waits")
# What the session adds: the deal's number from 0, and points so far.
_STATE_SESSION = {"session_deal": 1, "session_scores": N_SEATS}


def _state_slices() -> dict[str, slice]:
    sizes = {name: int(np.prod(GAME[name].shape, dtype=int)) for name in _STATE_FIELDS}
    for name in _STATE_SETS:
        sizes[name] = int(np.prod(GAME[name].shape, dtype=int)) * tiles.N_KINDS
    sizes |= _STATE_SESSION
    ends = np.cumsum(list(sizes.values())).tolist()
    return {name: slice(end - sizes[name], end) for name, end in zip(sizes, ends, strict=True)}


STATE: dict[str, slice] = _state_slices()
"""Where each part of `state()` lies; the parts are GAME's fields by name, seats absolute."""
N_STATE = STATE["session_scores"].stop


def env(
    rules: Source = "guiyang",
    deals: int = 1,
    render_mode: str | None = None,
    reward_scale: float = 1.0,
    tiles: str = "mpsz",
    language: str = "en",
) -> OrderEnforcingWrapper[str, dict[str, Any], int]:
    """Return the environment with PettingZoo's checks of bounds and order of calls."""
    raw = raw_env(rules, deals, render_mode, reward_scale, tiles, language)
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(raw))


# PettingZoo ships no types, which leaves its base class Any.
class raw_env(AECEnv[str, dict[str, Any], int]):  # type: ignore[misc]
    """One table as a PettingZoo AEC environment; the module's docstring is its specification.

    `games` is the table itself (a `Games` of one), `scores` (4,) int64 the session's points.
    Copies and pickles keep the position. Raises RulesError or ValueError for bad arguments.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "zhuoji_v0",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(
        self,
        rules: Source = "guiyang",
        deals: int = 1,
        render_mode: str | None = None,
        reward_scale: float = 1.0,
        tiles: str = "mpsz",
        language: str = "en",
    ) -> None:
        super().__init__()
        self.deals = arguments.count("deals", deals)
        arguments.one_of("render_mode", render_mode, (None, *RENDER_MODES))
        arguments.one_of("tiles", tiles, render.TILES)
        arguments.one_of("language", language, tuple(render.LANGUAGES))
        self.render_mode = render_mode
        self.reward_scale = arguments.exact_scale(reward_scale)
        self.tiles = tiles
        self.language = language
        self.games = Games(1, rules)
        self.scores = np.zeros(N_SEATS, np.int64)
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        self.observation_spaces = {agent: _observation_space() for agent in AGENTS}
        self.action_spaces = {agent: Discrete(N_ACTIONS) for agent in AGENTS}
        self.state_space = Box(-np.inf, np.inf, (N_STATE,), np.float32)
        self._deal = 0
        self._seeded = False
        self._action = np.zeros(1, np.int64)
        self._viewer = np.zeros(1, np.int8)
        self._lookout = observation.Lookout(1)
        self._events: deque[tuple[int, int]] = deque(maxlen=SHOWN_EVENTS)
        self._finished: Games | None = None

    def observation_space(self, agent: str) -> Dict:
        """Return an agent's space, the same object at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        """Return an agent's space, the same object at every call."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin a session; ValueError, changing nothing, for a bad seed or option."""
        given = arguments.options(options)
        wall = arguments.wall(given.get("wall"))
        unknown = [name for name in given if name not in OPTIONS]
        first = arguments.seed(seed)
        if first is None and not self._seeded:
            first = int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
        self.games.reset(
            walls=wall, dealers=given.get("dealer"), streaks=given.get("streak"), seed=first
        )
        if unknown:
            EnvLogger.get_logger().warning(
                "reset options %s are unknown and have no effect; known: %s",
                ", ".join(map(repr, unknown)),
                ", ".join(OPTIONS),
            )
        self._seeded = True
        self._deal = 0
        self.scores[:] = 0
        self._events.clear()
        self._finished = None
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self.agent_selection = AGENTS[self.games.seat[0]]
        self._show()

    def step(self, action: int | None) -> None:
        """Play the selected agent's action; IllegalAction, changing nothing, if it is not legal."""
        if not self.agents:
            raise ZhuojiError("no agent is left to act: call reset()")
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        self._action[0] = chosen = self._number(action)
        ended = self.games.step(self._action)
        if self.infos[agent]:
            self.infos[agent] = {}
        self._cumulative_rewards[agent] = 0.0
        if any(self.rewards.values()):
            self.rewards = dict.fromkeys(AGENTS, 0.0)
        if self.render_mode is not None:
            if self._finished is not None:
                self._finished = None
                self._events.clear()
            self._events.append((SEATS[agent], chosen))
        if ended:
            self._end_deal()
        else:
            self.agent_selection = AGENTS[self.games.seat[0]]
        self._show()

    def observe(self, agent: str) -> dict[str, Any]:
        """Return what an agent sees: "observation" (C, 3, 9), "action_mask" (58,), both new.

        ZhuojiError for a name that no agent has.
        """
        self._viewer[0] = _seat(agent)
        self._lookout.look(self.games, self._viewer)
        shown = observation.stack(self._lookout.planes, self._lookout.globals)
        return {
            "observation": shown[0],
            "action_mask": self._mask(agent),
        }

    def state(self) -> NDArray[np.float32]:
        """Return the full table, hidden tiles and all: (N_STATE,) float32, laid out by `STATE`."""
        g = self.games.state[0]
        parts = [np.ravel(g[name]) for name in _STATE_FIELDS]
        kinds = np.arange(tiles.N_KINDS)
        parts += [np.ravel(np.ravel(g[name])[:, None] >> kinds & 1) for name in _STATE_SETS]
        parts += [np.array([self._deal]), self.scores]
        return np.concatenate(parts).astype(np.float32)

    def render(self) -> str | None:
        """Return the spectator's table as text ("ansi") or print it ("human").

        After the step that ended a deal of a longer session the finished deal comes first.
        """
        if self.render_mode is None:
            logger.warn("render() does nothing without a render_mode: give 'ansi' or 'human'")
            return None
        page = self._page()
        if self.render_mode == "ansi":
            return page
        print(page, flush=True)
        return None

    def close(self) -> None:
        """Do nothing: no window or file is held."""

    def _end_deal(self) -> None:
        """Pay all four, then deal on or end the session."""
        result = results(self.games.state)[0]
        points = self.games.scores[0]
        self.scores += points
        for seat, agent in enumerate(AGENTS):
            self.rewards[agent] = int(points[seat]) * self.reward_scale
            earlier = self.infos[agent].get("results", [])
            self.infos[agent] = {
                "bill": self.games.bill(0),
                "result": result,
                "results": [*earlier, result],
            }
        self._accumulate_rewards()
        if self._deal + 1 < self.deals:
            if self.render_mode is not None:
                self._finished = self.games.copy()
            self.games.next_deal()
            self._deal += 1
            self.agent_selection = AGENTS[self.games.seat[0]]
        else:
            self.terminations = dict.fromkeys(AGENTS, True)
            self.agent_selection = AGENTS[0]

    def _mask(self, agent: str) -> NDArray[np.int8]:
        if not self.agents or agent != self.agent_selection:
            return np.zeros(N_ACTIONS, np.int8)
        mask: NDArray[np.int8] = self.games.legal[0].view(np.int8)
        if self.terminations[agent]:
            mask[PASS] = 1
        return mask

    def _number(self, action: Any) -> int:
        """Return the action as an int that the engine can be given, or raise."""
        number = arguments.action(action, f"{self.agent_selection} is to act: an integer")
        if not 0 <= number < N_ACTIONS:
            legal = np.flatnonzero(self.games.legal[0]).tolist()
            raise IllegalAction(0, SEATS[self.agent_selection], number, legal)
        return number

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def _page(self) -> str:
        events = tuple(self._events)
        if self._finished is None:
            return self._table(self.games, self._deal, events)
        finished = self._table(self._finished, self._deal - 1, events)
        return f"{finished}\n{self._table(self.games, self._deal)}"

    def _table(self, games: Games, deal: int, events: tuple[tuple[int, int], ...] = ()) -> str:
        page = render.table(games, tiles=self.tiles, language=self.language, events=events)
        if self.deals > 1:
            title = render.session(
                deal + 1, self.deals, self.scores.tolist(), language=self.language
            )
            page = f"{title}\n{page}"
        return page + "\n"


def _seat(agent: str) -> int:
    seat = SEATS.get(agent)
    if seat is None:
        raise ZhuojiError(f"agent is {agent!r}; allowed: {', '.join(AGENTS)}")
    return seat


def _observation_space() -> Dict:
    low, high = observation.bounds()
    return Dict(
        {
            "observation": Box(low, high, dtype=np.float32),
            "action_mask": Box(0, 1, (N_ACTIONS,), np.int8),
        }
    )
