"""docs/formats.md: its example settles to what its text says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import zhuoji_env as zj

PAGE = (Path(__file__).parent.parent / "docs" / "formats.md").read_text()


def test_the_position_on_the_page_settles_as_told() -> None:
    (text,) = re.findall(r"^```json\n(.*?)^```$", PAGE, re.S | re.M)
    result = zj.settle(json.loads(text)).to_dict()
    # R14 da_dui_zi 50; R21 the shooter deals for the second time: 2 x 10.
    assert result["items"] == [["dealer", 1, 0, 20], ["hu", 1, 0, 50]]
    assert result["scores"] == [70, -70, 0, 0]


def test_every_key_of_a_result_is_named() -> None:
    games = zj.Games(1)
    games.reset()
    recorder = zj.Recorder(games)
    while not games.done[0]:
        recorder.step(games.legal.argmax(axis=1))
    record = zj.replay(recorder.record(0)).to_dict()
    for key in (*record, *record["result"]):
        assert f"`{key}`" in PAGE, key
