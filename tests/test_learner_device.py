"""Where the update is computed: all of it in one place, without a GPU to try it on."""

from __future__ import annotations

import pytest
import torch

from agents.network import Network
from tests.shards import SIZE, plan, tiny, weights
from training.selfplay import learn
from training.selfplay.collect import LocalCollector
from training.selfplay.config import ConfigError
from training.selfplay.critic import Critic
from training.selfplay.learn import Learner, Played, device_of

# Its tensors have no values, and an operation that mixes them with others fails as on a GPU.
ELSEWHERE = torch.device("meta")


def test_a_loss_is_computed_where_the_learner_is(monkeypatch: pytest.MonkeyPatch) -> None:
    batches = LocalCollector([plan(steps=60)]).collect(weights(1), [weights(2)])
    monkeypatch.setattr(learn, "device_of", lambda _: ELSEWHERE)
    learner = Learner(tiny(threads=2), Network(SIZE), Critic(tiny()))
    # One thread feeds a GPU.
    (replica,) = learner._replicas
    played = Played.of(batches, ELSEWHERE)
    assert len(played) > 0
    assert learner._expected(played, 0).device == ELSEWHERE
    zeros = torch.zeros
    monkeypatch.setattr(torch, "zeros", lambda n: zeros(n, device=ELSEWHERE))
    advantage = torch.empty(len(played), device=ELSEWHERE)
    replica.differentiate(played, advantage, torch.arange(len(played)), entropy=0.01)
    found = {
        parameter.grad.device for parameter in replica.parameters if parameter.grad is not None
    }
    assert found == {ELSEWHERE}


@pytest.mark.parametrize(
    ("gpu", "asked", "used"),
    [(True, "auto", "cuda"), (True, "cpu", "cpu"), (False, "auto", "cpu"), (True, "cuda", "cuda")],
)
def test_a_gpu_is_used_where_there_is_one(
    monkeypatch: pytest.MonkeyPatch, gpu: bool, asked: str, used: str
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: gpu)
    assert device_of(tiny(device=asked)).type == used


def test_a_gpu_that_is_not_there_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ConfigError, match="torch finds no GPU; allowed: 'cpu' or 'auto'"):
        device_of(tiny(device="cuda"))
