"""The native trainer's learning: what is hidden, the critic, the update, past copies."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import zhuoji_env as zj
from agents.network import Network
from tests.hidden import redealt
from tests.shards import SIZE, three_updates, tiny, weights
from training.selfplay.collect import Batch, Shard
from training.selfplay.config import Config
from training.selfplay.critic import Bins, Critic, begin, begin_critic
from training.selfplay.league import League
from training.selfplay.learn import (
    FIGURES,
    LEAST_SCALE,
    MOST_ENTROPY,
    Learner,
    Played,
    log_policy,
    mask,
)
from training.selfplay.tables import trace


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def gathered() -> tuple[list[Batch], Shard]:
    """Three updates of one shard, and the shard as it stands then."""
    return three_updates()


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
    config = tiny(threads=2)
    told = []
    for _ in range(2):
        one = learner(config)
        told.append([one.update(gathered[0], number, 0.0) for number in range(2)])
    assert told[0] == told[1]
    assert told[0][1]["loss"] < told[0][0]["loss"]


def test_a_single_decision_is_learnt_from(gathered: tuple[list[Batch], Shard]) -> None:
    """Fewer decisions than threads, as the first update of few tables may have."""
    batch = gathered[0][1]
    end = int(np.flatnonzero(batch.last)[0])
    parts = {name: getattr(batch, name)[end : end + 1] for name in ("last", "reward", "items")}
    one = learner(tiny(threads=2))
    figures = one.update([replace(batch, rows=batch.rows.take(slice(end, end + 1)), **parts)], 0, 0)
    assert all(np.isfinite(value) for value in figures.values())


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


def test_the_surrogate_is_clipped_on_the_pessimistic_side() -> None:
    """A ratio beyond the clip counts no further where that would flatter, and does where not."""
    config = tiny(clip=0.2, pull=0.0)
    replica = learner(config)._replicas[0]
    played = Played.of([three_updates()[0][1]])
    now = torch.full((4, 2), 0.5).log().requires_grad_(True)
    played.action, at = torch.zeros(4, 1, dtype=torch.int64), torch.arange(4)
    ratio = torch.tensor([1.5, 0.5, 1.5, 0.5])
    played.log_prob = now.detach()[:, 0] - ratio.log()
    advantage = torch.tensor([2.0, -2.0, -2.0, 2.0])
    loss, figures = replica._acting(now, now.detach(), played, advantage, at, 0.0)
    loss.backward()
    assert now.grad is not None
    expected = -torch.tensor([0.0, 0.0, -2.0 * 1.5, 2.0 * 0.5]) / 4
    torch.testing.assert_close(now.grad[:, 0], expected)
    gains = torch.tensor([1.2 * 2, 0.8 * -2, 1.5 * -2, 0.5 * 2])
    assert loss.item() == pytest.approx(-gains.mean().item())
    kl = (ratio - 1 - ratio.log()).mean().item()
    assert figures.tolist() == pytest.approx([np.log(2), kl, 1.0, 0.0], abs=1e-6)


@pytest.mark.parametrize(
    ("settings", "name", "rises"),
    [
        ({"pull": 0.0, "entropy": 1.0}, "entropy", True),
        ({"pull": 1.0, "entropy": 0.0}, "from_average", False),
    ],
)
def test_without_rewards_the_policy_turns_to_what_holds_it(
    gathered: tuple[list[Batch], Shard], settings: dict[str, float], name: str, rises: bool
) -> None:
    """To evenness by its entropy's weight, to its average by the pull."""
    one = learner(tiny(**settings, average=0.999))
    with torch.no_grad():
        for parameter in one.actor.heads.parameters():
            parameter.mul_(3)
    played = Played.of(gathered[0])
    nothing, every = torch.zeros(len(played)), np.arange(len(played))
    place = FIGURES.index(name)
    told = [one._step(played, nothing, every, True)[place].item() for _ in range(6)]
    assert told == sorted(told, reverse=not rises) and told[0] != told[-1]


def test_the_average_follows_the_actor(gathered: tuple[list[Batch], Shard]) -> None:
    one = learner(tiny(average=0.75))
    before = [slow.clone() for slow in one.average.parameters()]
    played = Played.of(gathered[0])
    one._step(played, played.reward, np.arange(len(played)), True)
    triples = zip(before, one.average.parameters(), one.actor.parameters(), strict=True)
    for old, slow, fast in triples:
        torch.testing.assert_close(slow, 0.75 * old + 0.25 * fast)
    assert any(not torch.equal(o, s) for o, s in zip(before, one.average.parameters(), strict=True))


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
