"""The native trainer's games: settings, rulesets, draws, and what shards gather."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import zhuoji_env as zj
from agents.network import Network
from tests.shards import RULES, SIGMA, SIZE, plan, same, three_updates, tiny, weights
from training.selfplay import rulesets
from training.selfplay.collect import Batch, LocalCollector, Shard
from training.selfplay.config import Config, ConfigError, build, parse
from training.selfplay.learn import log_policy, mask
from training.selfplay.rows import Rows
from training.selfplay.rulesets import Rulesets, sigma
from training.selfplay.shard import choose
from training.selfplay.tables import GROUPS, LEARNER, PAST, TRUTH, seat_deal
from zhuoji_env import observation
from zhuoji_env.engine.layout import ITEMS
from zhuoji_env.rules import Rules


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


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


def test_a_file_that_is_no_yaml_is_said_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "run.yaml"
    path.write_text("tables: 7\nsteps: [5\n")
    with pytest.raises(ConfigError) as raised:
        parse(["--config", str(path)])
    said = str(raised.value)
    assert str(path) in said and "line 2" in said and "\n" not in said


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


@pytest.fixture
def gathered() -> tuple[list[Batch], Shard]:
    """Three updates of one shard, and the shard as it stands then."""
    return three_updates()


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


def test_a_decision_keeps_the_probability_it_was_played_with() -> None:
    """Also one whose deal is carried into an update of other weights."""
    shard, played = Shard(plan()), [weights(1), weights(5)]
    shard.collect(played[0], weights(2))
    rows = shard.collect(played[1], weights(2)).rows
    shown = (torch.from_numpy(rows.planes), torch.from_numpy(rows.globals))
    fits = []
    for each in played:
        actor = Network(SIZE)
        actor.load_state_dict(dict(each))
        with torch.no_grad():
            known = log_policy(actor, *shown, mask(torch.from_numpy(rows.legal)))
        found = known.gather(1, torch.from_numpy(rows.action)[:, None])[:, 0].numpy()
        fits.append(np.abs(found - rows.log_prob) < 1e-4)
    carried, fresh = fits
    assert (carried | fresh).all()
    assert (carried & ~fresh).any() and (fresh & ~carried).any()
    # What is carried was played first.
    for own in (rows.table == table for table in np.unique(rows.table)):
        deal = rows.deal[own].min()
        old = (carried & ~fresh)[own]
        assert not old[rows.deal[own] > deal].any()


@pytest.mark.parametrize(("shares", "meets"), [((0.0, 1.0, 0.0), True), ((1.0, 0.0, 0.0), False)])
def test_past_seats_are_played_by_the_past_copy(shares: tuple[float, ...], meets: bool) -> None:
    one, other = (
        Shard(plan(shares=shares, past_seats=(3,), steps=90)).collect(weights(1), weights(copied))
        for copied in (2, 6)
    )
    assert len(one.deals) and len(other.deals)
    assert same(one, other) != meets
    assert ((one.deals["who"] == PAST).sum(axis=1) == (3 if meets else 0)).all()


def test_every_bill_item_is_in_one_group() -> None:
    assert sorted(item for items in GROUPS.values() for item in items) == sorted(ITEMS)


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
