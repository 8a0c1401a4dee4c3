"""The bill in words: every fan of a settled position explained, and what is not paid and why."""

from zhuoji_env.calculator.explanation.account import Line
from zhuoji_env.calculator.explanation.lines import explain, headline
from zhuoji_env.calculator.explanation.page import page, section
from zhuoji_env.calculator.explanation.words import LANGUAGES

__all__ = ["LANGUAGES", "Line", "explain", "headline", "page", "section"]
