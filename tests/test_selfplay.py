"""The native trainer's parts: settings, draws, shards, critic, update, league, strength."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import zhuoji_env as zj
from agents.network import Network, NetworkConfig
from tests.hidden import redealt
from training.selfplay import rulesets
from training.selfplay.collect import Batch, LocalCollector, Shard, ShardPlan, Weights
from training.selfplay.config import Config, ConfigError, build, parse
from training.selfplay.critic import Bins, Critic, begin, begin_critic
from training.selfplay.league import League
from training.selfplay.learn import LEAST_SCALE, MOST_ENTROPY, Learner, Played, log_policy, mask
from training.selfplay.rows import Rows
from training.selfplay.rulesets import Rulesets, sigma
from training.selfplay.shard import choose
from training.selfplay.tables import GROUPS, LEARNER, PAST, TRUTH, seat_deal, trace
from zhuoji_env import observation
from zhuoji_env.engine.layout import ITEMS
from zhuoji_env.rules import Rules

SIZE = NetworkConfig(channels=8, convolutions=2, hidden=16, value=0)
TINY = {
    "tables": 24,
    "shards": 2,
    "steps": 24,
    "channels": 8,
    "hidden": 16,
    "critic_channels": 8,
    "critic_hidden": 16,
    "batch_size": 128,
    "bfloat16": False,
}
RULES = (Rules.load("guiyang"), Rules.load("zhuoji"))
SIGMA = (6.5, 61.0)


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def tiny(**changed: Any) -> Config:
    """Return the settings of a tiny run."""
    return build({**TINY, **changed}, "test")


def plan(first: int = 0, tables: int = 24, **changed: Any) -> ShardPlan:
    """Return a small shard's plan, in float32 and both rulesets, with everybody at the tables."""
    given: dict[str, Any] = {
        "rules": RULES,
        "sigma": SIGMA,
        "rules_index": tuple(i % 2 for i in range(tables)),
        "seed": 3,
        "first": first,
        "steps": 40,
        "network": SIZE,
        "bfloat16": False,
        "agents": ("greedy",),
        "shares": (0.5, 0.3, 0.2),
        "past_seats": (1, 2),
        "agent_seats": (1, 2, 3),
    }
    return ShardPlan(**{**given, **changed})


def weights(seed: int, gain: float = 0.3) -> Weights:
    """Return an actor's weights that tell positions apart."""
    actor = Network(SIZE)
    begin(actor, seed, {"heads.kind": gain, "heads.plain": gain})
    return {name: tensor.detach() for name, tensor in actor.state_dict().items()}


def same(one: Batch, other: Batch) -> bool:
    """Whether two batches are the same, bit for bit."""
    pairs = [(one.rows.arrays()[name], other.rows.arrays()[name]) for name in one.rows.arrays()]
    for name in ("last", "reward", "items", "deals"):
        pairs.append((getattr(one, name), getattr(other, name)))
    return all(a.tobytes() == b.tobytes() and a.shape == b.shape for a, b in pairs)


# Settings


def test_every_setting_says_what_it_is() -> None:
    for name, field in Config.model_fields.items():
        assert field.description and field.description.endswith("."), name


@pytest.mark.parametrize(
    ("tree", "said"),
    [
        ({"tabels": 3}, "unknown key 'tabels'; allowed: rules, seed"),
        ({"tables": 0}, "tables is 0"),
        ({"rules": [{"rules": "guiyang", "wieght": 2}]}, "wieght"),
        ({"rules": [{"rules": "guiyang", "variants": 2}]}, "variants above 1 need `vary`"),
        ({"opponents": {"current": 0}}, "the shares are all 0"),
        ({"opponents": {"current": -1}}, "opponents.current is -1"),
        ({"learning_rate": 1e-5}, "final_learning_rate is above learning_rate"),
        ({"past_seats": [4]}, "past_seats.0 is 4"),
    ],
)
def test_wrong_settings_are_named(tree: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError) as raised:
        build(tree, "my.yaml")
    assert said in str(raised.value) and "my.yaml" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_the_command_line_comes_on_top(tmp_path: Path) -> None:
    path = tmp_path / "run.yaml"
    path.write_text("tables: 7\nsteps: 5\n")
    argv = ["--config", str(path), "--steps", "9", "--learning-rate", "2e-3"]
    config, resume = parse([*argv, "--rules", "[duole]", "--resume"])
    assert (config.tables, config.steps, resume) == (7, 9, True)
    assert [entry.rules for entry in config.rules] == ["duole"]
    assert config.learning_rate == 2e-3


@pytest.mark.parametrize("path", sorted(Path("configs/selfplay").glob("*.yaml")), ids=str)
def test_committed_settings_are_whole(path: Path) -> None:
    config, _ = parse(["--config", str(path)])
    assert rulesets.rulesets(config).rules


# Rulesets


def test_tables_are_shared_out_by_weight() -> None:
    index = Rulesets(RULES, (0.25, 0.75)).index(8)
    assert index == (0, 0, 1, 1, 1, 1, 1, 1)


def test_variants_are_drawn_from_the_ranges() -> None:
    entry = {"rules": "zhuoji", "vary": {"ji.wu_gu": [0, 2], "base": [1, 3]}, "variants": 20}
    drawn = rulesets.rulesets(tiny(rules=["guiyang", entry]))
    assert drawn.rules[0].name == "guiyang"
    assert drawn.shares[0] == pytest.approx(0.5)
    assert {(r.codes["ji.wu_gu"], r.base) for r in drawn.rules[1:]} == {
        *((0, 1), (0, 3), (2, 1), (2, 3))
    }
    assert drawn == rulesets.rulesets(tiny(rules=["guiyang", entry]))


def test_more_rulesets_than_tables_are_refused() -> None:
    entry = {"rules": "zhuoji", "vary": {"base": [1, 2]}, "variants": 9}
    with pytest.raises(ConfigError, match="9 rulesets at 8 tables"):
        rulesets.rulesets(tiny(rules=[entry], tables=4))


def test_sigma_is_the_deviation_of_a_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rulesets, "SIGMA_DEALS", 60)
    one, double = (sigma(Rules.load({"preset": "guiyang", "base": base})) for base in (1, 2))
    assert one > 1 and double == pytest.approx(2 * one)


# Draws


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_actions_are_drawn_from_the_softmax_over_legal_ones(seed: int) -> None:
    rng = np.random.default_rng(seed)
    actor = Network(SIZE)
    actor.load_state_dict(dict(weights(seed % 1000)))
    planes = rng.integers(0, 3, (1, observation.N_PLANES, 27)).astype(np.int8)
    rows = rng.random((1, observation.N_GLOBALS), np.float32)
    legal = rng.integers(1, 1 << 58)
    n = 2000
    out = Rows.empty(n)
    with torch.inference_mode():
        choose(
            *(actor, np.repeat(planes, n, 0), np.repeat(rows, n, 0)),
            *(np.full(n, legal), (np.arange(n) + 0.5) / n, out),
        )
        allowed = mask(torch.tensor([legal]))
        known = log_policy(actor, torch.from_numpy(planes), torch.from_numpy(rows), allowed)[0]
    # Draws on an even grid hit every action as often as its probability says.
    counted = np.bincount(out.action, minlength=58) / n
    assert np.abs(counted - known.exp().numpy()).max() <= 1.01 / n
    np.testing.assert_allclose(out.log_prob, known.numpy()[out.action], atol=1e-5)


def test_seats_are_drawn_in_the_shares_asked_for() -> None:
    games = zj.Games(6000, seed=1, purpose="training")
    games.reset()
    who = np.zeros((6000, 4), np.int8)
    shares = np.array([0.8, 0.15, 0.05])
    for i in range(6000):
        seat_deal(games.state[i], shares, np.array([1, 2]), np.array([3]), who[i])
    kind = who.max(axis=1)
    assert np.abs(np.bincount(kind) / 6000 - shares).max() < 0.02
    assert set((who[kind == PAST] == PAST).sum(axis=1)) == {1, 2}
    assert set((who[kind == 2] == 2).sum(axis=1)) == {3}
    # Every seat, and every pair of seats, is as likely to be another's.
    pairs = who[(who == PAST).sum(axis=1) == 2] == PAST
    for a in range(4):
        for b in range(a):
            assert abs((pairs[:, a] & pairs[:, b]).mean() - 1 / 6) < 0.06


# Shards


@pytest.fixture(scope="module")
def gathered() -> tuple[list[Batch], Shard]:
    """Three updates of one shard, and the shard as it stands then."""
    shard = Shard(plan())
    return [shard.collect(weights(1), weights(2)) for _ in range(3)], shard


def test_a_batch_depends_on_nothing_but_weights_and_the_shard(
    gathered: tuple[list[Batch], Shard],
) -> None:
    for threads, number in ((1, 2), (2, 3)):
        plans = [plan(24 * i) for i in range(number)]
        collector = LocalCollector(plans, threads)
        for expected in gathered[0]:
            got = collector.collect(weights(1), [weights(2)] * number)
            assert same(got[0], expected) and not same(got[1], expected)


def test_a_shard_goes_on_from_its_state(gathered: tuple[list[Batch], Shard]) -> None:
    collector = LocalCollector([plan()])
    collector.collect(weights(1), [weights(2)])
    kept = collector.state()
    collector.collect(weights(1), [weights(2)])
    other = LocalCollector([plan()])
    other.load_state(kept)
    for expected in gathered[0][1:]:
        assert same(other.collect(weights(1), [weights(2)])[0], expected)


def test_only_the_learners_real_choices_are_kept(gathered: tuple[list[Batch], Shard]) -> None:
    for batch in gathered[0]:
        rows = batch.rows
        assert all(int(bits).bit_count() > 1 for bits in rows.legal)
        assert (rows.legal >> rows.action & 1).all()
        deals = {(d["table"], d["deal"]): d for d in batch.deals}
        for table, deal, seat in zip(rows.table, rows.deal, rows.seat, strict=True):
            assert deals[table, deal]["who"][seat] == LEARNER


def test_trajectories_lie_end_to_end_in_the_order_of_play(
    gathered: tuple[list[Batch], Shard],
) -> None:
    for batch in gathered[0]:
        rows, seen, before = batch.rows, set(), None
        for m in range(len(rows)):
            place = (rows.table[m], rows.deal[m], rows.seat[m])
            assert (place == before) == (m > 0 and not batch.last[m - 1])
            if place != before:
                assert place not in seen
                seen.add(place)
            else:
                # The wall only shrinks.
                assert rows.globals[m, 0] <= rows.globals[m - 1, 0]
            before = place


def test_rewards_are_what_the_deal_paid(gathered: tuple[list[Batch], Shard]) -> None:
    for batch in gathered[0]:
        deals = {(d["table"], d["deal"]): d for d in batch.deals}
        assert not batch.deals["scores"].sum(axis=1).any()
        np.testing.assert_array_equal(batch.deals["items"].sum(axis=2), batch.deals["scores"])
        for m in range(len(batch.rows)):
            deal = deals[batch.rows.table[m], batch.rows.deal[m]]
            points = deal["scores"][batch.rows.seat[m]]
            assert batch.reward[m] == np.float32(points / SIGMA[deal["rules"]])
        np.testing.assert_allclose(batch.items.sum(axis=1), batch.reward, atol=1e-5)
    assert any(batch.deals["scores"].any() for batch in gathered[0])


def test_no_decision_is_lost_or_counted_twice() -> None:
    """Every choice of the learner is in one batch or still open, also across updates."""
    shard = Shard(plan(steps=25))
    asked = 0
    decide = shard._decide

    def counting(*arguments: Any) -> int:
        nonlocal asked
        filled = decide(*arguments)
        asked += filled - arguments[3]
        return filled

    shard._decide = counting  # type: ignore[assignment, method-assign]
    batches = [shard.collect(weights(1), weights(2)) for _ in range(4)]
    assert sum(len(batch.rows) for batch in batches) + len(shard.open) == asked > 1000


def test_every_bill_item_is_in_one_group() -> None:
    assert sorted(item for items in GROUPS.values() for item in items) == sorted(ITEMS)


# What is hidden


@pytest.mark.parametrize("seed", range(3))
def test_hidden_truth_never_reaches_the_actor(seed: int) -> None:
    games = zj.Games(64, seed=seed, purpose="training")
    games.reset()
    states = np.arange(1, 65, dtype=np.uint64)
    for _ in range(20 + 10 * seed):
        games.step(games.sample(states))
    games = games[~games.done]
    viewer = int(games.seat[0])
    games = games[games.seat == viewer]
    other = redealt(games, viewer, np.random.default_rng(seed))
    actor = Network(SIZE)
    actor.load_state_dict(dict(weights(seed)))
    shown = [each.observe(oracle=True) for each in (games, other)]
    assert (shown[0][2] != shown[1][2]).any(axis=(1, 2)).all()
    with torch.inference_mode():
        one, two = (actor(torch.from_numpy(s[0]), torch.from_numpy(s[1])) for s in shown)
    assert torch.equal(one, two)


def learner(config: Config) -> Learner:
    """Return a learner with first weights."""
    actor, critic = Network(SIZE), Critic(config)
    begin(actor, config.seed, {"heads.kind": 0.3, "heads.plain": 0.3})
    begin_critic(critic, config.seed + 1)
    return Learner(config, actor, critic)


def test_the_truth_moves_the_critic_alone(gathered: tuple[list[Batch], Shard]) -> None:
    played = Played.of(gathered[0])
    truth = copy.copy(played)
    truth.truth = torch.randint_like(played.truth, 4)
    gradients = []
    for each in (played, truth):
        replica = learner(tiny(threads=1))._replicas[0]
        at = torch.arange(len(each))
        replica.differentiate(each, each.reward, at, 0.01)
        gradients.append({name: p.grad for name, p in replica.actor.named_parameters()})
        gradients[-1]["critic"] = replica.critic.value.weight.grad
    for name, gradient in gradients[0].items():
        other = gradients[1][name]
        assert gradient is not None and other is not None
        assert torch.equal(gradient, other) == (name != "critic"), name


# The critic


@given(payment=st.floats(-30, 30), count=st.integers(5, 80))
@settings(max_examples=60, deadline=None)
def test_a_smoothed_payment_keeps_its_mean(payment: float, count: int) -> None:
    bins = Bins(count, span=30.0)
    target = bins.targets(torch.tensor([payment]))
    assert target.sum().item() == pytest.approx(1, abs=1e-5)
    assert bins.mean((target + 1e-30).log()).item() == pytest.approx(payment, abs=0.02)


def test_a_payment_beyond_the_span_counts_as_its_end() -> None:
    bins = Bins(51, span=4.0)
    ends = bins.mean((bins.targets(torch.tensor([-9.0, 4.0, 9.0])) + 1e-30).log())
    assert ends.tolist() == pytest.approx([-4.0, 4.0, 4.0], abs=0.05)


def test_the_items_values_sum_to_the_value(gathered: tuple[list[Batch], Shard]) -> None:
    critic = learner(tiny()).critic
    played = Played.of(gathered[0])
    logits, items = critic(played.planes, played.truth, played.rows)
    torch.testing.assert_close(items.sum(1), critic.bins.mean(logits), atol=1e-5, rtol=0)


# The update


@given(data=st.data(), decay=st.floats(0, 1))
@settings(max_examples=40, deadline=None)
def test_advantages_are_those_of_the_textbook(data: st.DataObject, decay: float) -> None:
    lengths = data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=5))
    n = sum(lengths)
    floats = st.lists(st.floats(-5, 5, width=32), min_size=n, max_size=n)
    values = np.array(data.draw(floats), np.float32)
    last = np.zeros(n, np.bool_)
    last[np.cumsum(lengths) - 1] = True
    paid = np.repeat(data.draw(floats)[: len(lengths)], lengths).astype(np.float32)
    out = np.empty(n, np.float32)
    trace(values, paid, last, decay, out)
    start = 0
    for length in lengths:
        v = np.append(values[start : start + length], paid[start]).astype(float)
        for t in range(length):
            steps = range(t, length)
            expected = sum(decay ** (k - t) * (v[k + 1] - v[k]) for k in steps)
            assert out[start + t] == pytest.approx(expected, abs=1e-3)
        start += length


def test_an_update_is_the_same_each_time_and_learns(gathered: tuple[list[Batch], Shard]) -> None:
    config = tiny(threads=2, epochs=3)
    told = []
    for _ in range(2):
        one = learner(config)
        told.append([one.update(gathered[0], number, 0.0) for number in range(3)])
    assert told[0] == told[1]
    assert told[0][2]["loss"] < told[0][0]["loss"]


def test_a_rewarded_action_becomes_likelier(gathered: tuple[list[Batch], Shard]) -> None:
    """Where the first legal action is paid and the others cost, the policy turns to it."""
    batch = gathered[0][1]
    first = np.array([int(bits & -bits).bit_length() - 1 for bits in batch.rows.legal.tolist()])
    paid = np.where(batch.rows.action == first, 1, -1).astype(np.float32)
    # Every decision a trajectory of its own.
    batch = replace(batch, reward=paid, last=np.ones(len(paid), np.bool_))
    one = learner(tiny(learning_rate=3e-3, bfloat16=True))
    played = Played.of([batch])

    def likelihood() -> float:
        with torch.no_grad():
            found = log_policy(one.actor, played.planes, played.rows, mask(played.legal))
        return found.exp().gather(1, torch.from_numpy(first)[:, None]).mean().item()

    before = likelihood()
    for number in range(5):
        one.update([batch], number, 0.0)
    # PPO's clip lets no ratio count beyond 1.2.
    assert likelihood() > 1.1 * before


def test_the_critic_alone_learns_at_first(gathered: tuple[list[Batch], Shard]) -> None:
    one = learner(tiny(critic_first=1))
    actor, critic = copy.deepcopy(one.actor.state_dict()), copy.deepcopy(one.critic.state_dict())
    one.update(gathered[0], 0, 0.0)
    assert all(torch.equal(actor[k], v) for k, v in one.actor.state_dict().items())
    assert not torch.equal(critic["value.weight"], one.critic.state_dict()["value.weight"])
    one.update(gathered[0], 1, 0.0)
    assert not torch.equal(actor["heads.kind.weight"], one.actor.heads.kind.weight)


def test_entropy_and_step_are_steered() -> None:
    one = learner(tiny(entropy=0.01, entropy_floor=0.5, target_kl=0.02))
    for _ in range(100):
        one._steer({"entropy": 0.1, "kl": 1.0})
    assert one.steering.entropy == pytest.approx(0.01 * MOST_ENTROPY)
    assert one.steering.scale == LEAST_SCALE
    for _ in range(100):
        one._steer({"entropy": 1.0, "kl": 0.001})
    assert (one.steering.entropy, one.steering.scale) == (0.01, 1.0)


def test_the_step_falls_to_its_end() -> None:
    one = learner(tiny(learning_rate=1e-3, final_learning_rate=1e-4))
    assert one.learning_rate(0) == pytest.approx(1e-3)
    assert one.learning_rate(1) == one.learning_rate(2) == pytest.approx(1e-4)
    one.steering.caution = 0.5
    assert one.learning_rate(0) == pytest.approx(5e-4)


# The league


def test_a_full_league_keeps_copies_of_many_ages() -> None:
    league = League(4, seed=0)
    for update in range(60):
        league.add({"w": torch.tensor(float(update))}, update)
    ages = sorted(float(copied["w"]) for copied in league.copies)
    assert len(ages) == 4 and ages[-1] == 59 and ages[0] < 55
    met = {float(league.meet(update, 1)["w"]) for update in range(40)}
    assert met == set(ages)
    assert league.meet(5, 1) is league.meet(5, 1)


def test_a_copy_does_not_move_with_the_learner() -> None:
    league, moving = League(2, seed=0), torch.zeros(1)
    league.add({"w": moving}, 0)
    moving += 1
    assert league.meet(0, 0)["w"].item() == 0


def test_the_truth_tells_how_near_the_others_are(gathered: tuple[list[Batch], Shard]) -> None:
    """A seat that waits (its oracle row of waits is not empty) is at distance 0, and only then."""
    truth = np.concatenate([batch.rows.truth for batch in gathered[0]])
    ready_rows = truth[:, 3:6].any(axis=2)
    far = truth[:, TRUTH - 3 :]
    assert (far == far[:, :, :1]).all() and far.max() <= 8
    assert ready_rows.any() and (far[:, :, 0][ready_rows] == 0).all()
    needed = truth[:, TRUTH - 6 : TRUTH - 3]
    # What completes a hand is what brings a ready one nearer, four of a kind in hand left out.
    assert (needed[ready_rows] >= truth[:, 3:6][ready_rows]).all()
