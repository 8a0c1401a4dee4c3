"""Deal records (`zhuoji-deal/1` of docs/formats.md): write, replay, verify, tell."""

from zhuoji_env.record.deal import Record
from zhuoji_env.record.playing import play_out
from zhuoji_env.record.recorder import Recorder
from zhuoji_env.record.replaying import Replay, replay, replay_all
from zhuoji_env.record.result import results
from zhuoji_env.record.telling import transcript

__all__ = [
    "Record",
    "Recorder",
    "Replay",
    "play_out",
    "replay",
    "replay_all",
    "results",
    "transcript",
]
