"""The whole memory of a table: the dtypes GAME, RULES and VIEW, every field explained.

Seats are absolute (0..3) in GAME and relative to the viewer in VIEW (0 self, 1 next in order of
play, 2 across, 3 before). Kinds are 0..26 (FORMATS), -1 where there is none. The dtypes have no
padding, so that equal tables are equal bytes.
"""

from functools import lru_cache

import numpy as np

from zhuoji_env.rules import Rules
from zhuoji_env.rules.ruleset import PRESETS
from zhuoji_env.rules.schema import nest, switches

N_SEATS = 4
N_TILES = 108
MAX_MELDS = 4
# Every discard follows a draw (55 from the wall, the dealer's opening) or a peng (at most 16).
MAX_DISCARDS = 72

# GAME.phase
UNDEALT, TURN, AFTER_PENG, CLAIM, ROB, DONE = range(6)
PHASES = ("undealt", "turn", "after_peng", "claim", "rob", "done")

# GAME.end
NO_END, SELF_DRAW, DISCARD_WIN, ROB_WIN, DRAW = range(5)
ENDS = (None, "self_draw", "discard", "rob", "draw")

# GAME.meld_type
NO_MELD, PENG_MELD, DIAN, ZHUAN_WAN, MEN = range(5)
MELDS = ("", "peng", "dian", "zhuan_wan", "men")

# GAME.answer: what a polled seat said (R9)
NO_ANSWER, SAID_PASS, SAID_PENG, SAID_GANG, SAID_HU = range(5)

# GAME.discard_flag: bit 0 drawn and discarded; bits 1-2 what it was claimed for; bits 3-4 by whom
DRAWN_FLAG = 1
CLAIM_SHIFT, CLAIMER_SHIFT = 1, 3
UNCLAIMED, CLAIMED_PENG, CLAIMED_GANG, CLAIMED_HU = range(4)

# Patterns of R13 in the order of RULES' fields, lowest first.
PATTERNS = (
    "ping_hu",
    "da_dui_zi",
    "qi_dui",
    "long_qi_dui",
    "qing_yi_se",
    "qing_da_dui",
    "qing_qi_dui",
    "qing_long_bei",
)

# Rows of a bill, in the alphabetical order in which records list them.
ITEMS = (
    "bao",
    "bao_ji",
    "cha_jiao",
    "charge_ji",
    "dealer",
    "dian_dou",
    "hu",
    "men_dou",
    "men_yao",
    "re_pao",
    "sha_bao",
    "wu_gu_ji",
    "yao_ji",
    "zeren_ji",
    "zhuan_wan_dou",
    "zhuo_ji",
)
(
    BAO,
    BAO_JI,
    CHA_JIAO,
    CHARGE_JI,
    DEALER,
    DIAN_DOU,
    HU_ITEM,
    MEN_DOU,
    MEN_YAO,
    RE_PAO,
    SHA_BAO,
    WU_GU_JI,
    YAO_JI,
    ZEREN_JI,
    ZHUAN_WAN_DOU,
    ZHUO_JI,
) = range(16)

GAME = np.dtype(
    [
        # Identity and chance
        ("seed", np.uint64),  # the table's own seed; the wall of deal d follows from (seed, d)
        ("number", np.int32),  # the table's number, which its seed was spawned from
        ("deal", np.int64),  # number of the current deal, -1 before the first
        ("rules", np.int32),  # index into the batch's rulesets
        ("dice", np.int8, (2,)),  # R2, as thrown (the second is 0 with one die)
        ("dealer", np.int8),
        ("streak", np.int32),  # R21, R47
        # What may be done now
        ("legal", np.int64),  # bit a is set where action a is legal for `seat`
        ("seat", np.int8),  # who acts
        ("phase", np.int8),
        # Tiles
        ("wall", np.int8, (N_TILES,)),  # undrawn tiles are wall[head:tail]
        ("head", np.int8),
        ("tail", np.int8),
        ("hand", np.int8, (4, 27)),  # concealed tiles, the drawn one included
        ("key", np.int32, (4, 3)),  # base-5 key of each suit of `hand`
        ("held", np.uint32, (4,)),  # bit k: at least one k in hand
        ("quad", np.uint32, (4,)),  # bit k: all four k in hand
        ("meld_type", np.int8, (4, MAX_MELDS)),  # in the order they were laid
        ("meld_kind", np.int8, (4, MAX_MELDS)),
        ("meld_from", np.int8, (4, MAX_MELDS)),  # whose discard was claimed, -1 for men
        ("meld_late", np.uint8, (4, MAX_MELDS)),  # R12: a kong worth nothing
        ("meld_at", np.int8, (4, MAX_MELDS)),  # discards made when it was laid
        ("kong_at", np.int8, (4, MAX_MELDS)),  # discards made when it became a kong, -1 for a peng
        ("n_melds", np.int8, (4,)),
        ("peng", np.uint32, (4,)),  # bit k: an own peng of k that a kong may be added to
        ("discards", np.int8, (MAX_DISCARDS,)),  # every discard of the deal in order
        ("discard_seat", np.int8, (MAX_DISCARDS,)),
        ("discard_flag", np.uint8, (MAX_DISCARDS,)),
        ("n_discards", np.int8),
        # What was declined on each discard: bit s seat s passed a win, bit 4 + s a peng or gang
        ("passed", np.uint8, (MAX_DISCARDS,)),
        ("river", np.int8, (4, 27)),  # unclaimed discards as counts
        ("first_yaoji", np.int8),  # R39: place in `discards` of the deal's first yaoji, or -1
        ("first_wu_gu", np.int8),  # the same of the first 8p
        # This turn
        ("drawn", np.int8),  # the last tile drawn in this turn, -1 after a peng
        ("drawn_bits", np.uint32),  # every kind drawn in this turn (R12)
        ("replacement", np.bool_),  # R20: `drawn` came from the tail
        ("turn_kongs", np.uint8),  # bit i: the actor's meld i is a kong declared in this turn (R31)
        ("declared", np.bool_),  # baoting was declared in this turn, its discard is owed
        # The tile in question: a discard, or the tile of an added kong that may be robbed
        ("tile", np.int8),
        ("shooter", np.int8),
        ("may_hu", np.uint8),  # seats that may hu on it
        ("claimer", np.int8),  # the one seat that may peng or gang it, -1 for none
        ("answer", np.int8, (4,)),
        # Standing facts about the seats
        # Kinds that complete the 13 tiles, own four-of-a-kinds left out; 0 after a peng
        ("waits", np.uint32, (4,)),
        ("baoting", np.uint8, (4,)),
        ("marked", np.uint8, (4,)),  # R19
        ("let_go", np.uint32, (4,)),  # others' tiles not won on since the own last draw (R19)
        ("acted", np.uint8, (4,)),  # has discarded or melded (R29)
        ("discarded", np.uint8, (4,)),  # has made a first discard (R12)
        ("dealt_quad", np.uint32, (4,)),  # kinds dealt all four (R12)
        ("n_draws", np.int8, (4,)),  # the dealer's opening counts as one
        ("any_meld", np.bool_),  # somebody has melded (di_hu)
        # The end
        ("end", np.int8),
        ("winners", np.uint8),  # bit per seat
        ("indicator", np.int8),
        ("ready", np.uint8, (4,)),  # R18 at the end; a winner counts as ready
        ("pattern", np.int8, (4,)),  # the winner's pattern, -1 for none
        ("fan", np.int32, (4,)),  # v(w) of a winner
        ("scores", np.int32, (4,)),  # points
        ("next_dealer", np.int8),
        ("next_streak", np.int32),
        ("bill", np.int32, (len(ITEMS), 4, 4)),  # fan by item, payer, payee
    ]
)

# One int32 per switch, named after its path; booleans are 0 or 1, enumerations count from 0 in the
# schema's order, null is -1.
RULES = np.dtype([(switch.path.replace(".", "_"), np.int32) for switch in switches()])

VIEW = np.dtype(
    [
        ("legal", np.int64),  # own legal actions
        ("seat", np.int8),  # own absolute seat; every other seat below is relative to it
        ("phase", np.int8),
        ("dealer", np.int8),
        ("streak", np.int32),
        ("wall_left", np.int8),
        ("hand", np.int8, (27,)),
        ("key", np.int32, (3,)),
        ("n_hand", np.int8, (4,)),  # concealed tiles of each seat
        ("drawn", np.int8),  # own drawn tile, -1 where there is none
        ("drawn_bits", np.uint32),  # every kind drawn in this own turn (R12)
        ("replacement", np.bool_),  # it is a replacement tile
        ("tile", np.int8),  # the tile in question, -1 on an own turn
        ("shooter", np.int8),  # whose it is, -1 on an own turn
        ("hot", np.bool_),  # the actor or shooter declared a kong in this turn (R31)
        ("meld_type", np.int8, (4, MAX_MELDS)),
        ("meld_kind", np.int8, (4, MAX_MELDS)),
        ("meld_from", np.int8, (4, MAX_MELDS)),  # -1 for men
        ("meld_late", np.uint8, (4, MAX_MELDS)),  # own melds; others' late kongs are not public
        ("meld_at", np.int8, (4, MAX_MELDS)),
        ("kong_at", np.int8, (4, MAX_MELDS)),
        ("n_melds", np.int8, (4,)),
        ("discards", np.int8, (MAX_DISCARDS,)),
        ("discard_seat", np.int8, (MAX_DISCARDS,)),
        ("discard_flag", np.uint8, (MAX_DISCARDS,)),  # the claimer in it is relative too
        ("n_discards", np.int8),
        ("passed", np.uint8, (MAX_DISCARDS,)),  # own: bit 0 passed a win, bit 4 a peng or gang
        ("river", np.int8, (4, 27)),
        (
            "unseen",
            np.int8,
            (27,),
        ),  # of 4, less own tiles, all melds, rivers and the tile in question
        ("first_yaoji", np.int8),
        ("first_wu_gu", np.int8),
        ("waits", np.uint32),  # own, of the 13 tiles
        ("baoting", np.uint8, (4,)),
        ("declared", np.bool_),
        ("marked", np.bool_),  # own
        ("let_go", np.uint32, (4,)),  # others' tiles each seat did not win on since its last draw
        ("dealt_quad", np.uint32),  # own
        ("rules", RULES),
    ]
)


def rules_record(rules: Rules) -> np.void:
    """Pack a ruleset into one RULES record."""
    record = np.zeros(1, RULES)
    for path, code in rules.codes.items():
        record[path.replace(".", "_")] = code
    packed: np.void = record[0]
    return packed


def rules_of(record: np.void) -> Rules:
    """Return the ruleset that a RULES record was packed from; only a preset keeps its name."""
    return _rules_of(record.tobytes())


@lru_cache(maxsize=256)
def _rules_of(packed: bytes) -> Rules:
    record = np.frombuffer(packed, RULES)[0]
    values = {s.path: s.value(int(record[s.path.replace(".", "_")])) for s in switches()}
    rules = Rules.load({"name": "as seen", **nest(values)})
    same = [name for name in PRESETS if Rules.load(name) == rules]
    return Rules.load(same[0]) if same else rules
