"""What the library raises when what it was given is wrong."""

from __future__ import annotations

from collections.abc import Sequence

from zhuoji_env import actions


class ZhuojiError(ValueError):
    """Bad input of any kind; the command line prints it as one line and exits with 2."""


class RulesError(ZhuojiError):
    """A ruleset that does not exist, cannot be read, or contradicts itself."""


class RecordError(ZhuojiError):
    """A deal record that is malformed or does not replay."""


class PositionError(ZhuojiError):
    """A position that cannot be settled."""


class IllegalAction(ZhuojiError):
    """An action outside the legal set; nothing has changed when it is raised.

    Attributes: table (index in the batch), seat (0..3), action (the id given), legal (the ids
    that were legal).
    """

    def __init__(self, table: int, seat: int, action: int, legal: Sequence[int]) -> None:
        self.table = int(table)
        self.seat = int(seat)
        self.action = int(action)
        self.legal = tuple(int(a) for a in legal)
        super().__init__(self.table, self.seat, self.action, self.legal)

    def __str__(self) -> str:
        known = 0 <= self.action < actions.N_ACTIONS
        given = actions.show(self.action) if known else f"action {self.action}"
        allowed = ", ".join(map(actions.show, self.legal)) or "nothing"
        return f"table {self.table}, seat {self.seat}: {given} is not legal; legal: {allowed}"
