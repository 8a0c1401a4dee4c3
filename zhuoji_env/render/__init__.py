"""Tables and bills drawn for people, from a Games and the number of a table."""

from zhuoji_env.render.text import bill, table

__all__ = ["bill", "table"]
