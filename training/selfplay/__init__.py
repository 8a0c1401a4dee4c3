"""The native self-play trainer: actor and critic over `zj.Games` in lockstep, all seats learning.

Read `run` for the loop, `shard` for how decisions are gathered, `collect` for who plays the shards,
`learn` for the update.
"""
