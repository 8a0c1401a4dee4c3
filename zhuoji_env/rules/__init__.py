"""What is played: every switch of RULES.md, the presets, and loading, comparing and naming them."""

from zhuoji_env.rules.ruleset import PRESETS, Rules, Source, presets
from zhuoji_env.rules.schema import Switch, Value, switches

__all__ = ["PRESETS", "Rules", "Source", "Switch", "Value", "presets", "switches"]
