"""The native self-play trainer: actor and critic over `zj.Games` in lockstep, all seats learning.

Read `run` for the loop, `collect` for how decisions are gathered, `learn` for the update.
"""
