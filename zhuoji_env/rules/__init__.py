"""What is played: every switch of docs/rules.md, the presets, loading, comparing and naming."""

from zhuoji_env.rules.ruleset import PRESETS, Rules, Source, presets
from zhuoji_env.rules.schema import Switch, Value, switches

__all__ = ["PRESETS", "Rules", "Source", "Switch", "Value", "presets", "switches"]
