"""Collecting by threads here and by Ray's actors, and what an update costs beside it.

    pip install -c constraints.txt -e '.[train,distributed]'
    python configs/bench/collecting.py [--tables 256] [--updates 8]

Two shards are played by an untrained actor of the default size. Processor seconds count, of this
process and all that Ray starts: on a machine with other work they say more than time does.
"""

from __future__ import annotations

import argparse
import time
import zlib
from collections.abc import Callable, Sequence

import psutil
import torch

from agents.network import Network, NetworkConfig
from training.selfplay.collect import Batch, Collector, LocalCollector, ShardPlan, Weights
from training.selfplay.config import Config, build
from training.selfplay.critic import Critic, begin, begin_critic
from training.selfplay.learn import Learner, Played
from training.selfplay.ray_collector import RayCollector
from training.selfplay.rulesets import rulesets

SHARDS = 2
# Updates after which as many deals end as begin, and all is compiled.
WARM_UP = 3
SIGMA = 6.5


def processor() -> dict[str, float]:
    """Return the processor seconds of this process and those it started, by name."""
    me, found = psutil.Process(), dict[str, float]()
    for process in [me, *me.children(recursive=True)]:
        try:
            times = process.cpu_times()
            name = "learner's process" if process == me else process.name()
        except psutil.NoSuchProcess:
            continue
        found[name] = found.get(name, 0.0) + times.user + times.system
    return found


def plans(config: Config, size: NetworkConfig) -> list[ShardPlan]:
    """Return shards of one ruleset at which all seats learn."""
    return [
        ShardPlan(
            rules=rulesets(config).rules,
            sigma=(SIGMA,),
            rules_index=(0,) * config.tables,
            seed=config.seed,
            first=shard * config.tables,
            steps=config.steps,
            network=size,
            bfloat16=config.bfloat16,
            agents=(),
            shares=(1.0, 0.0),
            past_seats=(1,),
            agent_seats=(1,),
        )
        for shard in range(SHARDS)
    ]


def size_of(batches: Sequence[Batch]) -> int:
    """Return the bytes of batches."""
    return sum(
        sum(array.nbytes for array in batch.rows.arrays().values())
        + sum(array.nbytes for array in (batch.last, batch.reward, batch.items, batch.deals))
        for batch in batches
    )


def measure(name: str, collector: Collector, weights: Weights, updates: int) -> list[Batch]:
    """Print what some updates' collecting costs; return the last batches."""
    past, made, sent, kept = [weights] * SHARDS, 0, 0, 0
    for _ in range(WARM_UP):
        batches = collector.collect(weights, past)
    before, began = processor(), time.perf_counter()
    for _ in range(updates):
        batches = collector.collect(weights, past)
        made += sum(len(batch.rows) for batch in batches)
        sent += size_of(batches)
        kept += sum(array.nbytes for state in collector.state() for array in state.values())
    took = time.perf_counter() - began
    spent = {key: value - before.get(key, 0.0) for key, value in processor().items()}
    total = sum(spent.values())
    each = ", ".join(f"{key} {value:.2f}" for key, value in spent.items() if value >= 0.01)
    print(
        f"{name}: {made:,} decisions in {took:.1f} s; processor {total:.2f} s ({each}); "
        f"{made / total:,.0f} decisions a processor second; "
        f"{sent / made:,.0f} + {kept / made:,.0f} bytes a decision, of batch and of state",
        flush=True,
    )
    collector.close()
    return batches


def per_second(job: Callable[[], object], decisions: int) -> str:
    """Return how many decisions a processor second a job takes."""
    before = time.process_time()
    job()
    return f"{decisions / (time.process_time() - before):,.0f} decisions a processor second"


def pack(batch: Batch) -> None:
    """Print what it costs to send observations packed."""
    rows, before = batch.rows, time.process_time()
    data = rows.planes.tobytes() + rows.truth.tobytes() + rows.globals.tobytes()
    packed = zlib.compress(data, 1)
    between = time.process_time()
    zlib.decompress(packed)
    seconds = (between - before, time.process_time() - between)
    each = [f"{1e6 * one / len(rows):.1f}" for one in seconds]
    print(
        f"zlib: {len(packed) / len(rows):.0f} of {len(data) / len(rows):.0f} bytes a decision, "
        f"{each[0]} us to pack and {each[1]} to unpack"
    )


def main() -> None:
    """Measure each collector, then the update."""
    parser = argparse.ArgumentParser(description="Collecting here and by Ray, in processor time.")
    parser.add_argument("--tables", type=int, default=256, help="Tables of a shard.")
    parser.add_argument("--updates", type=int, default=8, help="Updates measured.")
    args = parser.parse_args()
    torch.set_num_threads(1)
    config = build({"tables": args.tables, "threads": 1, "device": "cpu"}, "here")
    size = NetworkConfig(config.channels, config.convolutions, config.hidden, value=0)
    actor, critic = Network(size), Critic(config)
    begin(actor, config.seed, {"heads.kind": 0.01, "heads.plain": 0.01})
    begin_critic(critic, config.seed)
    weights = {name: tensor.detach().clone() for name, tensor in actor.state_dict().items()}
    made = plans(config, size)
    batches = measure("local, 1 thread", LocalCollector(made, 1), weights, args.updates)
    for workers in (1, 2):
        ray = RayCollector(made, workers)
        measure(f"ray, {workers} of one core", ray, weights, args.updates)
    print("weights:", sum(4 * tensor.numel() for tensor in weights.values()), "bytes a copy")
    pack(batches[0])
    learner, decisions = Learner(config, actor, critic), sum(len(b.rows) for b in batches)
    Played.of(batches)
    print("joining batches:", per_second(lambda: Played.of(batches), decisions))
    learner.update(batches, 0, 0.0)
    print("the update:", per_second(lambda: learner.update(batches, 1, 0.0), decisions))


if __name__ == "__main__":
    main()
