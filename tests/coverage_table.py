"""How often each branch of COVERAGE.md was reached, as a table printed after a test run.

    python -m tests.coverage_table --deals 12000

plays rigged deals through the referee alone, under the presets, the presets with one switch
turned, and random rulesets, and prints the table.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from tests.referee import PRESETS, Referee, Rules
from tests.rigging import THEMES, choose, focused, random_rules, rigged, turned_once

LINES = (Path(__file__).parent / "data" / "coverage.txt").read_text(encoding="utf-8").splitlines()
PRESET_NAMES = tuple(PRESETS)
REST = "others"
"""The column of every ruleset that is no preset."""

Counts = dict[str, Counter[str]]
Condition = Callable[[Rules], bool]


def new_counts() -> Counts:
    """An empty counter for each preset and for the rest."""
    return {name: Counter() for name in (*PRESET_NAMES, REST)}


def column(rules: Rules) -> str:
    """The column that a ruleset's deals count in."""
    return rules["name"] if PRESETS.get(rules["name"]) == rules else REST


def merge(into: Counts, more: Mapping[str, Mapping[str, int]]) -> None:
    """Add counts, for instance those of another process."""
    for name, counter in more.items():
        into[name].update(counter)


def _is(section: str, key: str, *values: Any) -> Condition:
    return lambda rules: rules[section][key] in values


def _on(section: str, key: str) -> Condition:
    """A switch that is neither false, nor 0, nor null."""
    return lambda rules: bool(rules[section][key])


def _all(*conditions: Condition) -> Condition:
    return lambda rules: all(condition(rules) for condition in conditions)


def _any(*conditions: Condition) -> Condition:
    return lambda rules: any(condition(rules) for condition in conditions)


def _not(condition: Condition) -> Condition:
    return lambda rules: not condition(rules)


_PASSPORT = _on("win", "passport")
_MULTIPLE = _on("win", "multiple")
_PAYS_THREE = _is("win", "passed", "pays_three")
_WINNERS_PAY = _all(_is("win", "triple", "winners_pay"), _MULTIPLE)
_BAOTING = _on("baoting", "enabled")
_BURN = _on("re_pao", "burn_ji")
_SURCHARGE = _on("re_pao", "surcharge")
_LATE_MEN = _is("dou", "dealt_late", "passport")
_LATE_ADDED = _is("dou", "late_added", "passport")
_DOU_TING, _JI_TING = _on("dou", "requires_ting"), _on("ji", "requires_ting")
_CHUI_FENG = _on("ji", "chui_feng")
_BAO, _WU_GU, _ZEREN = _on("ji", "bao"), _on("ji", "wu_gu"), _on("ji", "zeren")
_COUNTED = _is("win", "double_dealer", "counter_clockwise")


def _men_yao(*conditions: Condition) -> Condition:
    """R42: the clause itself needs a price."""
    return _all(lambda rules: rules["ji"]["men_yao"] is not None, *conditions)


_CONDITIONS: dict[str, Condition] = {
    "action baoting": _BAOTING,
    "item bao": _PAYS_THREE,
    "item bao_ji": _BAO,
    "item charge_ji": _on("ji", "charge"),
    "item dealer": lambda rules: rules["dealer_bonus"] > 0,
    "item men_yao": _on("ji", "men_yao"),
    "item re_pao": _SURCHARGE,
    "item sha_bao": _all(_BAOTING, _on("baoting", "sha_bao")),
    "item wu_gu_ji": _WU_GU,
    "item zeren_ji": _ZEREN,
    "R12 dealt_late full": _not(_LATE_MEN),
    "R12 dealt_late passport": _LATE_MEN,
    "R12 late_added forbid": _is("dou", "late_added", "forbid"),
    "R12 late_added full": _is("dou", "late_added", "full"),
    "R12 late_added passport": _LATE_ADDED,
    "R12 worthless men": _LATE_MEN,
    "R12 worthless zhuan_wan": _LATE_ADDED,
    "R16 no passport": _PASSPORT,
    "R16 passport off": _not(_PASSPORT),
    "R17a hot shot waives": _PASSPORT,
    "R17b rob waives": _PASSPORT,
    "R17c baoting winner waives": _all(_PASSPORT, _BAOTING),
    "R17d baoting shooter waives": _all(_PASSPORT, _BAOTING),
    "R19 forbid": _is("win", "passed", "forbid"),
    "R20 gang_shang_hua": _on("hand", "gang_shang_hua"),
    "R24 winners_pay": _WINNERS_PAY,
    "R24 winners_pay on a hot shot": _WINNERS_PAY,
    "R25 foul on a hot shot": _PAYS_THREE,
    "R25 foul, discard by 1": _PAYS_THREE,
    "R25 foul, discard by 2": _all(_PAYS_THREE, _MULTIPLE),
    "R25 foul, discard by 3": _all(_PAYS_THREE, _MULTIPLE),
    "R25 foul, rob by 1": _PAYS_THREE,
    "R25 foul, rob by 2": _all(_PAYS_THREE, _MULTIPLE),
    "R29 baoting dealer": _BAOTING,
    "R29 baoting other": _BAOTING,
    "R30 add": _all(_BAOTING, _is("baoting", "combine", "add")),
    "R30 max": _all(_BAOTING, _is("baoting", "combine", "max")),
    "R30 replace": _all(_BAOTING, _is("baoting", "combine", "replace")),
    "R30 shooter baoting": _BAOTING,
    "R30 winner baoting": _BAOTING,
    "R31 burn_ji": _BURN,
    "R31 burned ji lost": _BURN,
    "R31 surcharge dian": _SURCHARGE,
    "R31 surcharge men": _SURCHARGE,
    "R31 surcharge men late": _all(_SURCHARGE, _LATE_MEN),
    "R31 surcharge zhuan_wan": _SURCHARGE,
    "R31 surcharge zhuan_wan late": _all(_SURCHARGE, _LATE_ADDED),
    "R31 void all": _is("re_pao", "void", "all"),
    "R31 void turn": _is("re_pao", "void", "turn"),
    "R36 table": _on("dou", "table"),
    "R40 gold add": _is("ji", "gold", "add"),
    "R40 gold double": _is("ji", "gold", "double"),
    "R41 claimed first yaoji": _ZEREN,
    "R41 lost with the claimer's ji": _all(_ZEREN, _any(_BURN, _JI_TING, _CHUI_FENG)),
    "R41 not on gang": _all(_ZEREN, _is("ji", "zeren_on", "peng")),
    "R42 dou alone, ji blown away": _men_yao(_CHUI_FENG),
    "R42 dou alone, ji burned": _men_yao(_BURN, _is("re_pao", "void", "turn")),
    "R42 dou alone, ji not ready": _men_yao(_JI_TING, _not(_DOU_TING)),
    "R42 ji alone, dou in the table or withheld": _men_yao(
        _any(_on("dou", "table"), _all(_DOU_TING, _not(_JI_TING)))
    ),
    "R42 ji alone, dou late": _men_yao(_LATE_MEN),
    "R42 ji alone, dou void": _men_yao(_not(_BURN)),
    "R42 with gold": _men_yao(),
    "R42 without gold": _men_yao(),
    "R43 or chui_feng ji lost": _any(_JI_TING, _CHUI_FENG),
    "R45 three winners": _MULTIPLE,
    "R45 two winners, dealer among them, counts first False": _all(
        _MULTIPLE, _COUNTED, _is("win", "dealer_counts_first", False)
    ),
    "R45 two winners, dealer among them, counts first True": _all(
        _MULTIPLE, _COUNTED, _is("win", "dealer_counts_first", True)
    ),
    "R45 two winners, neither the dealer": _all(_MULTIPLE, _COUNTED),
    "R45 two winners, shooter": _all(_MULTIPLE, _is("win", "double_dealer", "shooter")),
    "R9 multiple off": _not(_MULTIPLE),
    "di_hu": _on("hand", "di_hu"),
    "discard by 2": _MULTIPLE,
    "discard by 3": _MULTIPLE,
    "dou.requires_ting withholds": _DOU_TING,
    "ji.bao although burned": _all(_BAO, _BURN),
    "ji.bao although chui_feng": _all(_BAO, _CHUI_FENG),
    "ji.chui_feng voids": _CHUI_FENG,
    "ji.wu_gu indicated, add": _all(_WU_GU, _is("ji", "gold", "add")),
    "ji.wu_gu indicated, double": _all(_WU_GU, _is("ji", "gold", "double")),
    "ji.xing_qi": _on("ji", "xing_qi"),
    "re_pao.on_rob": _on("re_pao", "on_rob"),
    "rob by 2": _MULTIPLE,
    "rob by 3": _MULTIPLE,
    "tian_hu": _on("hand", "tian_hu"),
    "win.foul_forfeits": _all(_on("win", "foul_forfeits"), _PAYS_THREE),
}
_CONDITIONS |= {
    line: _is("dealer", "on_draw", "stay" if line.startswith("R46 stay") else "ready")
    for line in LINES
    if line.startswith("R46 ")
}
_CONDITIONS |= {
    line: _not(_is("hand", line.removeprefix("pattern "), None))
    for line in LINES
    if line.startswith("pattern ")
}


def reachable(line: str, rules: Rules) -> bool:
    """Whether a ruleset's switches allow a line at all."""
    condition = _CONDITIONS.get(line)
    return condition is None or condition(rules)


def missing(counts: Counts) -> list[str]:
    """Lines never reached: by any deal, or by a preset whose switches allow them."""
    found = [line for line in LINES if not any(counter[line] for counter in counts.values())]
    for name in PRESET_NAMES:
        unreached = [line for line in LINES if not counts[name][line]]
        found += [f"{name}: {line}" for line in unreached if reachable(line, PRESETS[name])]
    return found


def unknown(counts: Counts) -> list[str]:
    """What was counted under a name that COVERAGE.md does not have."""
    return sorted({line for counter in counts.values() for line in counter} - set(LINES))


def table(counts: Counts) -> str:
    """The counts as text: a line a branch, a column a preset; `-` where its switches forbid it."""
    width = max(map(len, LINES))
    rows = [" ".join([f"{'branch':{width}}", *(f"{name:>13}" for name in counts), f"{'all':>9}"])]
    for line in LINES:
        cells = []
        for name, counter in counts.items():
            forbidden = name in PRESETS and not reachable(line, PRESETS[name])
            cells.append(f"{'-' if forbidden else counter[line]:>13}")
        total = sum(counter[line] for counter in counts.values())
        rows.append(" ".join([f"{line:{width}}", *cells, f"{total:>9}"]))
    return "\n".join(rows)


def deals_to_play(rng: Random) -> Iterator[tuple[str, Rules]]:
    """Themes and rulesets without end, presets twice as often as each other sort."""
    themes, pairs = list(THEMES), focused()
    turned = [rules for name in PRESET_NAMES for _, rules in turned_once(name)]
    while True:
        for number, rules in enumerate(rng.sample(turned, len(turned))):
            yield rng.choice(themes), PRESETS[rng.choice(PRESET_NAMES)]
            yield rng.choice(themes), rules
            yield rng.choice(themes), PRESETS[rng.choice(PRESET_NAMES)]
            yield rng.choice(themes), random_rules(rng)
            yield pairs[number % len(pairs)]


def play(theme: str, rng: Random, rules: Rules, counts: Counts) -> Referee:
    """One rigged deal, played to its end by the referee alone and settled."""
    deal = rigged(theme, rng, rules)
    referee = Referee(rules, deal.wall, deal.dealer, deal.streak, counts[column(rules)])
    while not referee.done:
        referee.step(choose(deal.policy, referee, rng))
    referee.result()
    return referee


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--deals", type=int, default=12_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng, counts = Random(options.seed), new_counts()
    for theme, rules in islice(deals_to_play(rng), options.deals):
        play(theme, rng, rules, counts)
    print(table(counts))
    for line in [*missing(counts), *unknown(counts)]:
        print("missing or unknown:", line)


if __name__ == "__main__":
    main()
