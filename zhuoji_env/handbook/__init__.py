"""Pages about the rules, written from the schema and settled by the library itself."""

from zhuoji_env.handbook.page import rules_page, rules_table

__all__ = ["rules_page", "rules_table"]
