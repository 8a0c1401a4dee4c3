"""Rulesets: the presets' values, loading, comparing, fingerprints, and what is refused."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zhuoji_env.errors import RulesError
from zhuoji_env.rules import Rules, Switch, presets, switches
from zhuoji_env.rules.schema import nest

# RULES.md's tables, typed again from the page: guiyang, zhuoji, zhuoji_double, duole.
TABLE = """
base                            1               1            1            1
deal.dice                       2               2            2            1
deal.first_dealer               uniform         dice         dice         dice
win.multiple                    true            true         true         true
dou.dealt_late                  full            passport     passport     full
dou.late_added                  full            full         full         full
hand.ping_hu                    1               10           10           10
hand.da_dui_zi                  5               50           50           30
hand.qi_dui                     7               60           60           40
hand.long_qi_dui                10              100          100          50
hand.qing_yi_se                 10              100          100          50
hand.qing_da_dui                15              150          150          80
hand.qing_qi_dui                17              150          150          90
hand.qing_long_bei              20              200          200          100
hand.dragon_needs_winning_tile  false           true         true         false
hand.gang_shang_hua             0               10           10           10
win.passport                    true            true         true         true
win.passed                      forbid          pays_three   pays_three   pays_three
win.triple                      discarder_pays  winners_pay  winners_pay  winners_pay
dealer_bonus                    1               10           10           0
baoting.enabled                 true            false        false        false
baoting.value                   10              100          100          50
baoting.combine                 max             max          max          max
re_pao.void                     all             turn         turn         turn
re_pao.burn_ji                  true            true         true         false
re_pao.surcharge                false           true         true         true
dou.men                         2               20           20           20
dou.zhuan_wan                   3               30           30           10
dou.dian                        1               10           10           10
dou.requires_ting               false           false        false        false
dou.table                       false           false        false        false
ji.yao_held                     1               10           20           10
ji.yao_river                    1               0            10           10
ji.charge                       2               20           10           20
ji.zhuo_held                    1               10           10           10
ji.zhuo_river                   1               0            0            10
ji.gold                         double          add          add          double
ji.zeren                        1               0            0            0
ji.zeren_on                     peng_gang       peng_gang    peng_gang    peng_gang
ji.men_yao                      null            80           null         null
ji.requires_ting                false           true         true         true
dealer.on_draw                  stay            ready        ready        ready
"""
HOUSE_OFF: dict[str, Any] = {
    "ji.ben": False,
    "ji.yao_bai": False,
    "ji.wu_gu": 0,
    "ji.wu_gu_charge": 0,
    "ji.xing_qi": 0,
    "ji.chui_feng": False,
    "ji.bao": False,
    "hand.zi_mo": 0,
    "hand.tian_hu": 0,
    "hand.di_hu": 0,
    "baoting.sha_bao": 0,
    "re_pao.on_rob": False,
    "win.foul_forfeits": False,
    "win.double_dealer": "counter_clockwise",
    "win.dealer_counts_first": True,
}
ENUMERATIONS = {
    "deal.first_dealer": ("uniform", "dice"),
    "win.passed": ("free", "forbid", "pays_three"),
    "win.triple": ("discarder_pays", "winners_pay"),
    "win.double_dealer": ("counter_clockwise", "shooter"),
    "baoting.combine": ("max", "add", "replace"),
    "re_pao.void": ("turn", "all"),
    "dou.dealt_late": ("full", "passport"),
    "dou.late_added": ("full", "passport", "forbid"),
    "ji.gold": ("double", "add"),
    "ji.zeren_on": ("peng", "peng_gang"),
    "dealer.on_draw": ("stay", "ready"),
}
FINGERPRINTS = {
    "guiyang": "dcab48466b22",
    "zhuoji": "9c34aab88a9c",
    "zhuoji_double": "81267d36e800",
    "duole": "75696248d5fb",
    "guiyang_street": "1175298c9eb8",
}
# What guiyang_street changes in guiyang's column.
STREET: dict[str, Any] = {
    "baoting.sha_bao": 10,
    "re_pao.on_rob": True,
    "dou.late_added": "passport",
    "dou.requires_ting": True,
    "ji.requires_ting": True,
    "ji.wu_gu": 2,
    "ji.wu_gu_charge": 4,
    "ji.bao": True,
}


def column(preset: str) -> dict[str, Any]:
    """One preset's values: TABLE's with the house variants off, or guiyang_street's."""
    if preset == "guiyang_street":
        return column("guiyang") | STREET
    read = {"true": True, "false": False, "null": None}
    values = {}
    for line in TABLE.split("\n"):
        if line:
            path, *cells = line.split()
            cell = cells[list(FINGERPRINTS).index(preset)]
            values[path] = int(cell) if cell.isdigit() else read.get(cell, cell)
    return values | HOUSE_OFF


def refusal(source: Any) -> str:
    """The message with which a ruleset is refused: always a single short line."""
    with pytest.raises(RulesError) as caught:
        Rules.load(source)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 400
    return message


def write(folder: Path, text: str | bytes, name: str = "my.yaml") -> Path:
    file = folder / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def values_of(switch: Switch) -> st.SearchStrategy[Any]:
    """Every value that a switch allows."""
    if switch.choices:
        return st.sampled_from(switch.choices)
    if switch.type == "true or false":
        return st.booleans()
    whole = st.integers(switch.low, switch.high)
    return st.one_of(st.none(), whole) if switch.nullable else whole


class TestPresets:
    def test_names(self) -> None:
        assert presets() == ("guiyang", "zhuoji", "zhuoji_double", "duole", "guiyang_street")

    @pytest.mark.parametrize("preset", FINGERPRINTS)
    def test_values_are_the_tables(self, preset: str) -> None:
        rules = Rules.load(preset)
        expected = column(preset)
        assert dict(rules.values) == expected
        for path, value in rules.values.items():
            assert type(value) is type(expected[path]), path

    @pytest.mark.parametrize("preset", FINGERPRINTS)
    def test_fingerprints_are_the_same_in_every_release(self, preset: str) -> None:
        assert Rules.load(preset).fingerprint == FINGERPRINTS[preset]

    def test_the_double_chicken_is_its_column_and_nothing_else(self) -> None:
        assert Rules.load("zhuoji").diff(Rules.load("zhuoji_double")) == {
            "ji.yao_held": (10, 20),
            "ji.yao_river": (0, 10),
            "ji.charge": (20, 10),
            "ji.men_yao": (80, None),
        }

    @pytest.mark.parametrize("preset", FINGERPRINTS)
    def test_every_switch_is_written_out(self, preset: str) -> None:
        source = Path(__file__).parents[1] / "zhuoji_env" / "rules" / "presets" / f"{preset}.yaml"
        lines = [line.split(":")[0].strip() for line in source.read_text().splitlines()]
        for switch in switches():
            assert switch.path.split(".")[-1] in lines, switch.path


class TestSwitches:
    def test_they_are_the_tables_and_the_house_variants(self) -> None:
        assert {s.path for s in switches()} == set(column("guiyang"))
        assert {s.path: s.default for s in switches() if s.house} == HOUSE_OFF

    def test_each_says_its_clause_and_its_money(self) -> None:
        for switch in switches():
            assert switch.clause.startswith("R"), switch.path
            assert switch.meaning.endswith("."), switch.path

    def test_enumerations_are_coded_in_order(self) -> None:
        assert {s.path: s.choices for s in switches() if s.choices} == ENUMERATIONS
        rules = Rules.load({"preset": "guiyang", "dou": {"late_added": "forbid"}})
        assert rules.codes["dou.late_added"] == 2
        assert rules.codes["win.passed"] == 1
        assert rules.codes["ji.men_yao"] == -1
        assert rules.codes["re_pao.burn_ji"] == 1
        assert rules.codes["hand.qing_long_bei"] == 20
        assert tuple(rules.codes) == tuple(s.path for s in switches())

    def test_types_in_words(self) -> None:
        types = {s.path: s.type for s in switches()}
        assert types["dou.men"] == "int 0..10000"
        assert types["hand.ping_hu"] == "int 1..10000"
        assert types["hand.qi_dui"] == "int 0..10000 or null"
        assert types["ji.xing_qi"] == "int 0..9"
        assert types["win.passport"] == "true or false"
        assert types["dealer.on_draw"] == "one of stay, ready"


class TestLoading:
    def test_a_preset_and_overrides(self) -> None:
        rules = Rules.load({"preset": "zhuoji", "ji": {"wu_gu": 2}, "base": 5})
        assert (rules.ji.wu_gu, rules.base, rules.ji.men_yao) == (2, 5, 80)
        assert rules.name == f"zhuoji+{rules.fingerprint}"
        assert rules.to_overrides() == {"preset": "zhuoji", "base": 5, "ji": {"wu_gu": 2}}

    def test_rules_are_returned_as_they_are(self) -> None:
        rules = Rules.load("duole")
        assert Rules.load(rules) is rules

    def test_a_file_of_overrides_is_named_after_itself(self, tmp_path: Path) -> None:
        file = write(tmp_path, "preset: guiyang\ndou:\n  men: 4\n", "house.yaml")
        for source in (file, str(file)):
            rules = Rules.load(source)
            assert (rules.name, rules.dou.men, rules.dou.dian) == ("house", 4, 1)

    def test_a_file_may_name_itself(self, tmp_path: Path) -> None:
        assert Rules.load(write(tmp_path, "preset: guiyang\nname: 贵阳 street\n")).name == (
            "贵阳 street"
        )

    def test_a_full_file_needs_no_preset_and_no_house_variant(self, tmp_path: Path) -> None:
        full = nest({k: v for k, v in column("duole").items() if k not in HOUSE_OFF})
        lines = []
        for key, value in full.items():
            lines.append(f"{key}: {value}" if isinstance(value, int) else f"{key}:")
            if isinstance(value, dict):
                lines += [f"  {k}: {'null' if v is None else v}" for k, v in value.items()]
        rules = Rules.load(write(tmp_path, "\n".join(lines)))
        assert rules == Rules.load("duole")
        assert rules.to_overrides() == "duole"

    def test_a_file_without_suffix_is_found(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write(tmp_path, "preset: duole", "house")
        monkeypatch.chdir(tmp_path)
        assert Rules.load("house") == Rules.load("duole")

    def test_a_byte_order_mark_is_harmless(self, tmp_path: Path) -> None:
        assert Rules.load(write(tmp_path, b"\xef\xbb\xbfpreset: duole")) == Rules.load("duole")

    def test_a_changed_file_cannot_pass_for_a_preset(self, tmp_path: Path) -> None:
        rules = Rules.load(write(tmp_path, "preset: guiyang\nbase: 2", "zhuoji.yaml"))
        assert rules.name == f"zhuoji+{rules.fingerprint}"
        assert "name: 'zhuoji' given; allowed: a name that is no preset's" in refusal(
            {"preset": "zhuoji", "name": "zhuoji", "base": 2}
        )

    def test_rules_cannot_be_changed(self) -> None:
        rules = Rules.load("guiyang")
        with pytest.raises(ValueError, match="frozen"):
            rules.dou.men = 5
        with pytest.raises(AttributeError):
            rules.ruleset = Rules.load("duole").ruleset  # type: ignore[misc]

    def test_overrides_do_not_leak_into_the_preset(self) -> None:
        Rules.load({"preset": "guiyang", "dou": {"men": 9}})
        assert Rules.load("guiyang").dou.men == 2


class TestRefused:
    def test_an_unknown_preset(self) -> None:
        assert refusal("zhouji") == (
            "unknown preset zhouji; did you mean zhuoji? "
            "allowed: guiyang, zhuoji, zhuoji_double, duole, guiyang_street"
        )
        assert refusal({"preset": "nowhere"}).startswith("rules: unknown preset nowhere; allowed: ")
        assert "unknown preset 7; allowed" in refusal({"preset": 7})
        assert "unknown preset null; allowed" in refusal({"preset": None})

    def test_unknown_keys(self) -> None:
        assert "rules: unknown key ji.wugu; did you mean ji.wu_gu? allowed: yao_held, " in refusal(
            {"preset": "zhuoji", "ji": {"wugu": 2}}
        )
        assert "unknown key doo; did you mean dou? allowed: preset, name, base" in refusal(
            {"preset": "zhuoji", "doo": {}}
        )
        assert "unknown key 3; allowed" in refusal({"preset": "zhuoji", 3: 4})
        assert "unknown key ji.'a b'; allowed" in refusal({"preset": "zhuoji", "ji": {"a b": 1}})

    def test_a_switch_by_its_dotted_path(self) -> None:
        assert refusal({"preset": "zhuoji", "ji.wu_gu": 2}) == (
            "rules: ji.wu_gu given; write it nested: ji: {wu_gu: 2}"
        )
        assert "unknown key 'ji.wugu'; allowed" in refusal({"preset": "zhuoji", "ji.wugu": 2})

    def test_a_section_that_is_no_mapping(self) -> None:
        assert "rules: ji: 3 given; allowed: a mapping of yao_held" in refusal(
            {"preset": "zhuoji", "ji": 3}
        )
        assert "ji: null given" in refusal({"preset": "zhuoji", "ji": None})

    @pytest.mark.parametrize(
        ("path", "value", "said"),
        [
            ("base", 0, "0 given; allowed: int 1..100"),
            ("base", 101, "101 given; allowed: int 1..100"),
            ("base", True, "true given; allowed: int 1..100"),
            ("base", 1.0, "1.0 given; allowed: int 1..100"),
            ("base", "1", "'1' given; allowed: int 1..100"),
            pytest.param("base", 10**5000, "a huge number given; allowed: int 1..100", id="huge"),
            ("base", float("nan"), "nan given; allowed: int 1..100"),
            ("dealer_bonus", -1, "-1 given; allowed: int 0..1000"),
            ("deal.dice", 0, "0 given; allowed: int 1..2"),
            ("dou.men", -1, "-1 given; allowed: int 0..10000"),
            ("dou.men", 10_001, "10001 given; allowed: int 0..10000"),
            ("dou.men", None, "null given; allowed: int 0..10000"),
            ("dou.men", [1], "a list given; allowed: int 0..10000"),
            ("hand.ping_hu", None, "null given; allowed: int 1..10000"),
            ("hand.ping_hu", 0, "0 given; allowed: int 1..10000"),
            ("hand.qi_dui", -1, "-1 given; allowed: int 0..10000 or null"),
            ("hand.qi_dui", False, "false given; allowed: int 0..10000 or null"),
            ("ji.men_yao", {}, "a mapping given; allowed: int 0..10000 or null"),
            ("ji.xing_qi", 10, "10 given; allowed: int 0..9"),
            ("ji.bao", 1, "1 given; allowed: true or false"),
            ("ji.bao", "yes", "'yes' given; allowed: true or false"),
            ("win.passed", "x" * 100, "xxx...' given; allowed: one of free, forbid, pays_three"),
            ("win.passed", 1, "1 given; allowed: one of free, forbid, pays_three"),
            ("name", "", "'' given; allowed: one line of 1..80 characters"),
            ("name", "a\nb", "'a\\nb' given; allowed: one line of 1..80 characters"),
            ("name", 3, "3 given; allowed: one line of 1..80 characters"),
        ],
    )
    def test_a_value_out_of_its_range(self, path: str, value: Any, said: str) -> None:
        message = refusal({"preset": "guiyang", **nest({path: value})})
        assert message.startswith(f"rules: {path}: ")
        assert said in message

    def test_a_charge_wu_gu_without_a_wu_gu(self) -> None:
        assert refusal({"preset": "guiyang", "ji": {"wu_gu_charge": 4}}) == (
            "rules: ji.wu_gu_charge: 4 given while ji.wu_gu is 0; "
            "allowed: 0, or a ji.wu_gu of 1 or more"
        )
        Rules.load({"preset": "guiyang", "ji": {"wu_gu_charge": 4, "wu_gu": 2}})

    @pytest.mark.parametrize("path", sorted(set(column("guiyang")) - set(HOUSE_OFF)))
    def test_a_full_ruleset_with_a_switch_missing(self, path: str) -> None:
        values = column("guiyang")
        del values[path]
        message = refusal(nest(values))
        assert message.startswith(f"rules: {path} is missing; allowed: ")
        assert (
            "'preset: NAME', one of guiyang, zhuoji, zhuoji_double, duole, guiyang_street"
            in message
        )

    def test_what_is_no_source_at_all(self) -> None:
        assert refusal(3) == "rules: a preset, file or mapping expected, 3 given"
        assert "null given" in refusal(None)

    def test_a_file_that_cannot_be_read(self, tmp_path: Path) -> None:
        assert refusal(str(tmp_path / "no.yaml")).endswith(
            "cannot be read: No such file or directory"
        )
        assert "cannot be read: Is a directory" in refusal(tmp_path)
        assert "cannot be read: embedded null byte" in refusal("a\0.yaml")
        assert "no.yaml: cannot be read" in refusal("no.yaml")

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            pytest.param(text, said, id=name)
            for name, (text, said) in {
                "empty": ("", "a mapping of switches expected, null given"),
                "list": ("- 1", "a mapping of switches expected, a list given"),
                "twice": ("base: 1\nbase: 2", "line 2: key 'base' is given twice"),
                "twice inside": (
                    "preset: guiyang\nji:\n  wu_gu: 1\n  wu_gu: 2",
                    "line 4: key 'wu_gu' is given twice",
                ),
                "unclosed": ("preset: [", "line 1: "),
                "tab": ("preset: guiyang\n\tbase: 1", "line 2: "),
                "unknown alias": ("base: *a", "line 1: aliases and tags are not allowed"),
                "alias bomb": (
                    "a: &a [1]\nb: [*a, *a]",
                    "line 2: aliases and tags are not allowed",
                ),
                "python object": (
                    "base: !!python/object/apply:os.getcwd []",
                    "line 1: aliases and tags are not allowed",
                ),
                "explicit tag": ("base: !!int ''", "line 1: aliases and tags are not allowed"),
                "list as key": ("? [1, 2]\n: 3", "line 1: found unhashable key"),
                "no such day": ("base: 2024-13-45", "not YAML: month must be in 1..12"),
                "long number": ("base: " + "9" * 5000, "not YAML: Exceeds the limit"),
                "huge number": (
                    "preset: guiyang\nbase: 0x" + "f" * 5000,
                    "base: a huge number given; allowed: int 1..100",
                ),
                "number in sixties": ("base: " + "1:" * 400 + "1.5", "not YAML: int too large"),
                "deep": ("[" * 20_000, "nested too deeply"),
                "control character": ("base: \x01", "not YAML: "),
                "not UTF-8": (b"\xff\xfe", "is not UTF-8 (byte 1)"),
                "large": ("# " + "x" * 70_000, "larger than the 65536 bytes allowed"),
                "two documents": ("a: 1\n---\nb: 2", "line 2: "),
            }.items()
        ],
    )
    def test_a_file_that_is_no_ruleset(self, tmp_path: Path, text: str | bytes, said: str) -> None:
        message = refusal(write(tmp_path, text))
        assert message.startswith(f"{tmp_path / 'my.yaml'}: {said}")

    @given(st.binary(max_size=300))
    def test_garbage_is_refused_and_nothing_worse(self, data: bytes) -> None:
        try:
            Rules.parse(data.decode("latin-1"), where="garbage")
        except RulesError as error:
            assert str(error).startswith("garbage: ")

    @given(
        st.recursive(
            st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text()),
            lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
            max_leaves=10,
        ),
        st.sampled_from([s.path for s in switches()]),
    )
    def test_a_switch_of_any_type_is_refused_or_kept(self, value: Any, path: str) -> None:
        try:
            rules = Rules.load({"preset": "guiyang", **nest({path: value})})
        except RulesError as error:
            assert str(error).startswith(f"rules: {path}: ")
        else:
            assert rules.values[path] == value
            assert type(rules.values[path]) is type(value)


class TestComparing:
    @given(st.data())
    def test_one_changed_switch_changes_the_fingerprint_and_is_the_whole_diff(
        self, data: st.DataObject
    ) -> None:
        start = column(data.draw(st.sampled_from(presets())))
        start |= {"ji.wu_gu": 3, "ji.wu_gu_charge": 0}
        switch = data.draw(st.sampled_from(switches()))
        old = start[switch.path]
        allowed = values_of(switch).filter(lambda value: value != old)
        new = data.draw(allowed)
        before = Rules.load(nest(start))
        after = Rules.load(nest(start | {switch.path: new}))
        assert before.diff(after) == {switch.path: (old, new)}
        assert before.fingerprint != after.fingerprint
        assert before != after

    @given(st.data())
    def test_any_ruleset_round_trips(self, data: st.DataObject) -> None:
        values = {s.path: data.draw(values_of(s), label=s.path) for s in switches()}
        values["ji.wu_gu_charge"] = values["ji.wu_gu_charge"] if values["ji.wu_gu"] else 0
        rules = Rules.load({"name": "drawn", **nest(values)})
        assert dict(rules.values) == values
        assert Rules.load(rules.to_dict()) == rules
        assert Rules.load(rules.to_dict()).name == "drawn"
        assert Rules.load(rules.to_overrides()) == rules
        assert pickle.loads(pickle.dumps(rules)) == rules

    @given(st.permutations(list(column("zhuoji"))))
    def test_the_order_of_keys_does_not_matter(self, order: list[str]) -> None:
        values = column("zhuoji")
        shuffled = Rules.load(nest({path: values[path] for path in order}))
        assert shuffled.fingerprint == FINGERPRINTS["zhuoji"]

    def test_the_name_does_not_matter(self) -> None:
        renamed = Rules.load({"preset": "duole", "name": "mine"})
        assert renamed == Rules.load("duole")
        assert hash(renamed) == hash(Rules.load("duole"))
        assert renamed.to_overrides() == "duole"
        assert renamed != "duole"
        assert repr(renamed) == "<Rules mine 75696248d5fb>"

    @pytest.mark.parametrize("preset", FINGERPRINTS)
    def test_a_preset_is_its_own_overrides(self, preset: str) -> None:
        assert Rules.load(preset).to_overrides() == preset

    def test_overrides_start_from_the_nearest_preset(self) -> None:
        far = Rules.load(
            {"preset": "zhuoji", "ji": {"men_yao": None, "charge": 10, "yao_held": 20}}
        )
        assert far.to_overrides() == {"preset": "zhuoji_double", "ji": {"yao_river": 0}}
