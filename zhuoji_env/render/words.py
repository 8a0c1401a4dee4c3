"""The words of the renderer in English and Chinese; the game's own words stay pinyin in English."""

from __future__ import annotations

from typing import NamedTuple


class Words(NamedTuple):
    """One language. Patterns are filled by `str.format` with the names below."""

    seats: tuple[str, str, str, str]
    join: str  # between the entries of a list
    last_join: str  # before the last entry
    clause: str  # between the clauses of a line
    session: str  # deal, deals, scores
    header: str  # rules, wall
    dice: str  # dice
    variant: str  # preset, switches
    switch: str  # path, value, other
    seat: str  # seat, agent
    dealer: str  # streak
    baoting: str
    marked: str
    hand: str
    melds: str
    river: str
    nothing: str
    waits: str  # tiles
    meld: str  # meld, tile
    fed_meld: str  # meld, tile, feeder
    late: str
    legend: str
    own_turn: str  # seat
    after_peng: str  # seat
    drew: str  # tile
    drew_replacement: str  # tile
    owes: str
    discarded: str  # tile, shooter
    added: str  # tile, shooter
    asked: str  # seat
    may: str  # actions
    last: str  # events
    event: str  # seat, action
    undealt: str
    self_draw: str  # winner, tile, value
    win: str  # winner, tile, shooter, value
    rob: str  # winner, tile, shooter, value
    value: str  # pattern, fan
    draw: str
    indicator: str  # tile
    zhuo_ji: str  # tiles
    no_flip: str
    ready: str  # seats
    nobody: str
    pays: str  # payer, payee, fan
    each_pays: str  # payers, payee, fan
    free: str
    points: str  # scores
    base: str  # base
    next_dealer: str  # seat, streak
    draws: str  # tile
    draws_tail: str  # tile
    kong: str  # meld
    answer: str  # seat, answer
    could: str  # action, options
    void: str
    marks: str
    hot: str  # shooter, melds
    robbed: str
    void_turn: str
    void_all: str  # shooter
    burned: str  # shooter
    foul: str  # winner
    first_river: str  # tile, seat
    first_claimed: str  # tile, seat, action, claimer
    first_won: str  # tile, seat
    meld_names: dict[str, str]
    actions: dict[str, str]
    patterns: dict[str, str]
    items: dict[str, str]


ENGLISH = Words(
    seats=("East", "South", "West", "North"),
    join=", ",
    last_join=" and ",
    clause=", ",
    session="deal {deal} of {deals}, points so far: {scores}",
    header="rules {rules}, {wall} tiles in the wall",
    dice="dice {dice}",
    variant="that is {preset} with {switches}",
    switch="{path} {value} (not {other})",
    seat="{seat} ({agent})",
    dealer="dealer, deal {streak} in a row",
    baoting="baoting",
    marked="marked (passed a win)",
    hand="hand",
    melds="melds",
    river="river",
    nothing="-",
    waits="waits for {tiles}",
    meld="{meld} {tile}",
    fed_meld="{meld} {tile} from {feeder}",
    late="late",
    legend="(in parentheses: claimed)",
    own_turn="{seat} to act",
    after_peng="{seat} to act after a peng",
    drew="drew {tile}",
    drew_replacement="drew {tile} as a replacement",
    owes="has declared baoting and owes the discard",
    discarded="{tile}, discarded by {shooter}, is in question",
    added="{tile}, added by {shooter} to a peng, is in question",
    asked="{seat} is asked",
    may="may {actions}",
    last="last: {events}",
    event="{seat} {action}",
    undealt="not dealt yet",
    self_draw="{winner} wins by self-draw on {tile}: {value}",
    win="{winner} wins on {tile}, discarded by {shooter}: {value}",
    rob="{winner} wins on {tile}, robbed from the kong of {shooter}: {value}",
    value="{pattern}, {fan} fan",
    draw="exhaustive draw: the wall is empty and nobody won",
    indicator="indicator {tile}",
    zhuo_ji="zhuo ji {tiles}",
    no_flip="no tile was left to flip",
    ready="ready: {seats}",
    nobody="nobody",
    pays="{payer} pays {payee} {fan}",
    each_pays="{payers} pay {payee} {fan} each",
    free="nobody pays anything",
    points="points: {scores}",
    base="base {base} per fan",
    next_dealer="next dealer: {seat}, deal {streak} in a row",
    draws="draw {tile}",
    draws_tail="draw {tile} from the tail",
    kong="gang: {meld}",
    answer="{seat}: {answer}",
    could="{action} (could {options})",
    void="void",
    marks="marked until the next draw",
    hot="hot shot by {shooter} after {melds}",
    robbed="a robbed kong burns too",
    void_turn="the dou of that turn are void",
    void_all="all dou of {shooter} are void",
    burned="the ji of {shooter} burn",
    foul="{winner} wins while marked: a foul",
    first_river="first {tile} of the deal: in the river of {seat}, unclaimed",
    first_claimed="first {tile} of the deal: discarded by {seat}, claimed by {claimer} ({action})",
    first_won="first {tile} of the deal: discarded by {seat}, won on",
    meld_names={"peng": "peng", "dian": "dian", "zhuan_wan": "zhuan_wan", "men": "men"},
    actions={
        "discard": "discard",
        "peng": "peng",
        "gang": "gang",
        "hu": "hu",
        "baoting": "baoting",
        "pass": "pass",
    },
    patterns={
        "ping_hu": "ping_hu",
        "da_dui_zi": "da_dui_zi (big pairs)",
        "qi_dui": "qi_dui (seven pairs)",
        "long_qi_dui": "long_qi_dui (dragon seven pairs)",
        "qing_yi_se": "qing_yi_se (one suit)",
        "qing_da_dui": "qing_da_dui (one suit, big pairs)",
        "qing_qi_dui": "qing_qi_dui (one suit, seven pairs)",
        "qing_long_bei": "qing_long_bei (one suit, dragon seven pairs)",
    },
    items={
        "bao": "bao (foul)",
        "bao_ji": "bao_ji",
        "cha_jiao": "cha_jiao (not ready)",
        "charge_ji": "charge_ji",
        "dealer": "dealer",
        "dian_dou": "dian_dou",
        "hu": "hu",
        "men_dou": "men_dou",
        "men_yao": "men_yao (four yaoji)",
        "re_pao": "re_pao (hot shot)",
        "sha_bao": "sha_bao",
        "wu_gu_ji": "wu_gu_ji",
        "yao_ji": "yao_ji",
        "zeren_ji": "zeren_ji",
        "zhuan_wan_dou": "zhuan_wan_dou",
        "zhuo_ji": "zhuo_ji",
    },
)

CHINESE = Words(
    seats=("东家", "南家", "西家", "北家"),
    join="、",
    last_join="、",
    clause="，",
    session="第 {deal} 局，共 {deals} 局，总分：{scores}",
    header="规则 {rules}，牌墙剩 {wall} 张",
    dice="骰子 {dice}",
    variant="即 {preset}，但 {switches}",
    switch="{path} {value}（原 {other}）",
    seat="{seat}（{agent}）",
    dealer="庄，连庄第 {streak} 局",
    baoting="报听",
    marked="过胡",
    hand="手牌",
    melds="副露",
    river="牌河",
    nothing="无",
    waits="听 {tiles}",
    meld="{meld} {tile}",
    fed_meld="{meld} {tile}（{feeder}）",
    late="憨包",
    legend="（括号中的牌已被碰、杠或胡）",
    own_turn="轮到{seat}",
    after_peng="轮到{seat}，碰后出牌",
    drew="摸 {tile}",
    drew_replacement="杠后摸 {tile}",
    owes="已报听，待出牌",
    discarded="{shooter}打出 {tile}",
    added="{shooter}补杠 {tile}",
    asked="问{seat}",
    may="可{actions}",
    last="刚才：{events}",
    event="{seat}{action}",
    undealt="尚未发牌",
    self_draw="{winner}自摸 {tile}：{value}",
    win="{winner}胡{shooter}打出的 {tile}：{value}",
    rob="{winner}抢{shooter}的杠胡 {tile}：{value}",
    value="{pattern}，{fan} 番",
    draw="黄牌：牌已摸完，无人胡牌",
    indicator="翻牌 {tile}",
    zhuo_ji="捉鸡 {tiles}",
    no_flip="无牌可翻",
    ready="听牌：{seats}",
    nobody="无人",
    pays="{payer}付{payee} {fan}",
    each_pays="{payers}各付{payee} {fan}",
    free="互不付账",
    points="得分：{scores}",
    base="每番 {base} 分",
    next_dealer="下一局庄：{seat}，连庄第 {streak} 局",
    draws="摸 {tile}",
    draws_tail="杠后摸 {tile}",
    kong="杠：{meld}",
    answer="{seat}：{answer}",
    could="{action}（可{options}）",
    void="作废",
    marks="摸牌前过胡",
    hot="热炮：{shooter}杠（{melds}）后打出",
    robbed="被抢杠者烧鸡同热炮",
    void_turn="该轮的豆作废",
    void_all="{shooter}的豆全部作废",
    burned="{shooter}烧鸡",
    foul="{winner}过胡后又胡：包牌",
    first_river="本局第一张 {tile}：{seat}打出，无人要",
    first_claimed="本局第一张 {tile}：{seat}打出，{claimer}{action}",
    first_won="本局第一张 {tile}：{seat}打出，被胡",
    meld_names={"peng": "碰", "dian": "点豆", "zhuan_wan": "转弯豆", "men": "闷豆"},
    actions={
        "discard": "打",
        "peng": "碰",
        "gang": "杠",
        "hu": "胡",
        "baoting": "报听",
        "pass": "过",
    },
    patterns={
        "ping_hu": "平胡",
        "da_dui_zi": "大对子",
        "qi_dui": "七对",
        "long_qi_dui": "龙七对",
        "qing_yi_se": "清一色",
        "qing_da_dui": "清大对",
        "qing_qi_dui": "清七对",
        "qing_long_bei": "青龙背",
    },
    items={
        "bao": "包牌",
        "bao_ji": "包鸡",
        "cha_jiao": "查叫",
        "charge_ji": "冲锋鸡",
        "dealer": "庄",
        "dian_dou": "点豆",
        "hu": "胡",
        "men_dou": "闷豆",
        "men_yao": "闷幺鸡",
        "re_pao": "热炮",
        "sha_bao": "杀报",
        "wu_gu_ji": "乌骨鸡",
        "yao_ji": "幺鸡",
        "zeren_ji": "责任鸡",
        "zhuan_wan_dou": "转弯豆",
        "zhuo_ji": "捉鸡",
    },
)

LANGUAGES = {"en": ENGLISH, "zh": CHINESE}
