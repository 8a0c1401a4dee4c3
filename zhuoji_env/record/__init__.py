"""Deal records (`zhuoji-deal/1` of FORMATS.md): write, replay, verify."""

from zhuoji_env.record.deal import Record
from zhuoji_env.record.playing import play_out
from zhuoji_env.record.recorder import Recorder
from zhuoji_env.record.replaying import Replay, replay, replay_all
from zhuoji_env.record.result import results

__all__ = ["Record", "Recorder", "Replay", "play_out", "replay", "replay_all", "results"]
