"""Tables, bills and whole deals drawn for people, from a Games and the number of a table."""

from zhuoji_env.render.text import TILES, bill, session, table
from zhuoji_env.render.transcript import transcript
from zhuoji_env.render.words import LANGUAGES

__all__ = ["LANGUAGES", "TILES", "bill", "session", "table", "transcript"]
