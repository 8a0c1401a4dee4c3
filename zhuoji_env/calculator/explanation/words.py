"""The words of an explanation in English and Chinese; the game's own words stay pinyin in English.

Phrases are filled by `str.format`; both languages have the same keys with the same names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from zhuoji_env import tiles
from zhuoji_env.engine.layout import DIAN, MEN, ZHUAN_WAN


@dataclass(frozen=True)
class Words:
    """One language."""

    tiles: Sequence[str]
    join: str
    and_: str
    plus: str
    columns: tuple[str, str, str, str]
    """Headings: item, clause, in words, sum."""
    melds: Mapping[int, str]
    patterns: Mapping[str, str]
    items: Mapping[str, str]
    phrases: Mapping[str, str]


ENGLISH = Words(
    tiles=tiles.NAMES,
    join=", ",
    and_=" and ",
    plus=" + ",
    columns=("item", "clause", "in words", "sum"),
    melds={MEN: "men dou", ZHUAN_WAN: "zhuan wan dou", DIAN: "dian dou"},
    patterns={
        "ping_hu": "ping hu",
        "da_dui_zi": "da dui zi",
        "qi_dui": "qi dui",
        "long_qi_dui": "long qi dui",
        "qing_yi_se": "qing yi se",
        "qing_da_dui": "qing da dui",
        "qing_qi_dui": "qing qi dui",
        "qing_long_bei": "qing long bei",
    },
    items={
        "yao_ji": "yaoji {tile}",
        "charge_ji": "charge ji {tile}",
        "zhuo_ji": "zhuo ji {tile}",
        "wu_gu_ji": "wu gu ji {tile}",
    },
    phrases={
        "seat": "seat {n}",
        "kong": "{kind} of {tile}",
        "worth": "{what} {fan}",
        "equals": " = {fan}",
        "each_pays": "three seats pay {fan} each",
        "nothing": "nothing to pay",
        # The hand
        "baoting_max": ", at least {value} for baoting: {fan}",
        "baoting_add": " + {value} for baoting = {fan}",
        "baoting_replace": ", {fan} instead for baoting",
        "zi_mo": "zi mo",
        "gang_shang_hua": "gang shang hua",
        "tian_hu": "tian hu",
        "di_hu": "di hu",
        "dou_table": "its dou by the table",
        "self_draw": "{winner} self-draws {tile}: {value}; {each}",
        "discard": "{winner} wins on {tile}: {value}; the shooter, {shooter}, pays {fan}",
        "rob": (
            "{winner} robs the kong of {tile}: {value}; {shooter}, robbed, pays all three "
            "shares: 3 x {fan} = {sum}"
        ),
        "winner_pays": (
            "three win on {tile}, so {winner} pays the shooter, {shooter}, its own hand: "
            "{value}; {fan}, no dealer bonus"
        ),
        "foul": (
            "{winner}, who had passed a win, takes {tile}, a foul: {value}; it pays {fan} to "
            "each of three seats, and {shooter} owes it nothing"
        ),
        "dealer_bonus": (
            "dealer bonus {bonus} x {streak} = {fan}, {dealer} in deal {streak} in a row: "
            "{payers} to {winner}"
        ),
        "dealer_rob": (
            "dealer bonus {bonus} x {streak} = {fan}, {dealer} in deal {streak} in a row, in "
            "{shares} of the three shares: {shooter} pays {winner} {sum}"
        ),
        "sha_bao": "{shooter}, baoting, threw the tile {winner} wins on: {fan}",
        "hot_shot": "hot shot: {shooter} declared {kongs} in the turn of the discard won on",
        "surcharge": (
            "for the hot shot {shooter} pays {winner} what the turn's dou would have collected: "
            "{sum}"
        ),
        "no_surcharge": "{winner} fouled: no surcharge from {shooter}, {sum} otherwise",
        "shares": "3 x {fan} for {what}",
        "share": "{fan} for {what}",
        "late_share": "0 for {what}, late",
        "fan": "{fan}",
        # What is not paid
        "late": "late, so a passport only",
        "burnt_by_shot": "lost by the hot shot",
        "burnt_by_rob": "lost with the robbed kong",
        "not_ready": "as the seat is not ready",
        "in_the_hand": "counted in the winner's hand instead",
        "forfeited": "forfeited by the foul",
        "blown_away": "blown away",
        # Dou
        "paid_kong": "{kong} of {seat}: {each}",
        "fed_kong": "{kong} of {seat}: its feeder, {feeder}, pays {fan}",
        "free_kong": "{kong} of {seat}, fed by {feeder}: nothing to pay",
        "unpaid_kong": "{kong} of {seat}: nothing, {why}",
        "men_yao": "{kong} of {seat}, four yaoji in one, dou and ji together: {each}",
        # Ji
        "flip": "the indicator is {tile}",
        "no_flip": "no tile was flipped",
        "zhuo": "zhuo ji: {tiles}",
        "blown": "chui feng: the indicator 5p blows every ji away",
        "ji": "{name}, {sum}",
        "held": "{n} held x {price}",
        "river": "{n} in the river x {price}",
        "gold": ", doubled as gold: {fan}",
        "paid_ji": "{seat}: {sum}; {each}",
        "unpaid_ji": "{seat}: {sum}; nothing, {why}",
        "no_charge": "the first {tile}, from {seat}, was claimed by {claimer}: no charge ji",
        "zeren": "{seat} threw the first {tile}, which {claimer} claimed: it pays {fan}",
        "zeren_gang": (
            "{seat} threw the first {tile}, which {claimer} claimed by gang: nothing, as only a "
            "peng counts"
        ),
        "zeren_lost": (
            "{seat} threw the first {tile}, which {claimer} claimed, {fan}: nothing, the "
            "claimer's ji are {why}"
        ),
        "bao_ji": "{seat} is not ready and owes for its own, {sum}: {fan} each to {payees}",
        # The end
        "no_dou_no_ji": "exhaustive draw: no dou and no ji",
        "nobody_ready": "nobody is ready: nothing to pay",
        "everybody_ready": "everybody is ready: nothing to pay",
        "cha_jiao": "{payee} is ready, at its best on {tile}: {value}; not ready, {payers}: {fan}",
        "cha_jiao_free": "{payee} is ready, at its best on {tile}: {value}; nothing to pay",
        "next_one": "{seat}, the one winner, deals next",
        "next_two": "{seat}, the first of two winners counted from the dealer, deals next",
        "next_two_dealer_last": (
            "{seat}, the first of two winners counted from the dealer, who counts last, deals next"
        ),
        "next_two_shooter": "{seat}, the shooter of two winners, deals next",
        "next_three": "{seat}, the shooter of three winners, deals next",
        "next_stay": "{seat}, the same dealer, deals after a draw",
        "next_same": "nobody or everybody is ready: {seat}, the same dealer, deals next",
        "next_not_ready": "{seat}, the only one not ready, deals next",
        "next_ready_dealer": "{seat}, the dealer and ready, deals next",
        "next_ready": "{seat}, the nearest of those ready, deals next",
        "streak": ", deal {streak} in a row",
        "points": "points, {base} x fan: {scores}",
        # Headline
        "ended_by_self_draw": "{winners} self-draws {tile}",
        "ended_by_discard": "{winners} on {tile} from {shooter}",
        "ended_by_rob": "{winners} robbing {tile} from {shooter}",
        "ended_by_draw": "exhaustive draw",
        "ended_indicator": ", indicator {tile}",
        "ended": "; ready: {ready}; points {scores}; next dealer {dealer}, streak {streak}",
        "nobody": "nobody",
    },
)

CHINESE = Words(
    tiles=tiles.FACES,
    join="、",
    and_="、",
    plus="＋",
    columns=("项目", "条款", "说明", "合计"),
    melds={MEN: "闷豆", ZHUAN_WAN: "转弯豆", DIAN: "点豆"},
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
        "yao_ji": "{tile}",
        "charge_ji": "冲锋鸡{tile}",
        "zhuo_ji": "捉鸡{tile}",
        "wu_gu_ji": "乌骨鸡{tile}",
    },
    phrases={
        "seat": "{n}号位",
        "kong": "{tile}{kind}",
        "worth": "{what} {fan} 番",
        "equals": "＝{fan} 番",
        "each_pays": "三家各付 {fan} 番",
        "nothing": "不用付",
        "baoting_max": "，报听至少 {value} 番，计 {fan} 番",
        "baoting_add": "＋报听 {value} 番＝{fan} 番",
        "baoting_replace": "，报听改计 {fan} 番",
        "zi_mo": "自摸",
        "gang_shang_hua": "杠上胡",
        "tian_hu": "天胡",
        "di_hu": "地胡",
        "dou_table": "豆按番表计",
        "self_draw": "{winner}自摸{tile}：{value}；{each}",
        "discard": "{winner}胡{tile}：{value}；放炮的{shooter}付 {fan} 番",
        "rob": "{winner}抢杠胡{tile}：{value}；被抢的{shooter}付三家之和：3×{fan}＝{sum} 番",
        "winner_pays": (
            "一炮三响，{winner}胡{tile}，反付放炮的{shooter}自己的牌：{value}；{fan} 番，不计庄"
        ),
        "foul": "{winner}过胡后又胡{tile}，包牌：{value}；付三家各 {fan} 番，{shooter}不付胡牌钱",
        "dealer_bonus": ("{dealer}坐庄：{bonus}×连庄第 {streak} 局＝{fan} 番；{payers}付{winner}"),
        "dealer_rob": (
            "{dealer}坐庄：{bonus}×连庄第 {streak} 局＝{fan} 番；三家中有 {shares} 份，"
            "{shooter}付{winner} {sum} 番"
        ),
        "sha_bao": "杀报：报听的{shooter}打出{winner}所胡的牌，付 {fan} 番",
        "hot_shot": "热炮：{shooter}在放炮的这一轮开了{kongs}",
        "surcharge": "热炮：{shooter}另付{winner}本轮各豆本可收的钱：{sum}",
        "no_surcharge": "{winner}包牌，{shooter}不用另付热炮钱（本为{sum}）",
        "shares": "{what} 3×{fan}",
        "share": "{what} {fan}",
        "late_share": "{what}（憨包豆）0",
        "fan": "{fan} 番",
        "late": "憨包豆，只作通行证",
        "burnt_by_shot": "因热炮作废",
        "burnt_by_rob": "因被抢杠作废",
        "not_ready": "未听牌",
        "in_the_hand": "已计入胡牌番数",
        "forfeited": "因包牌不收",
        "blown_away": "被吹风",
        "paid_kong": "{seat}的{kong}：{each}",
        "fed_kong": "{seat}的{kong}：点豆的{feeder}付 {fan} 番",
        "free_kong": "{seat}的{kong}，{feeder}所点：不用付",
        "unpaid_kong": "{seat}的{kong}：不收，{why}",
        "men_yao": "{seat}的{kong}，四只幺鸡，豆与鸡合计：{each}",
        "flip": "翻牌{tile}",
        "no_flip": "没有翻牌",
        "zhuo": "捉鸡：{tiles}",
        "blown": "吹风鸡：翻出五筒，本局鸡全部作废",
        "ji": "{name}，{sum}",
        "held": "手中 {n} 张×{price}",
        "river": "打出 {n} 张×{price}",
        "gold": "，金鸡加倍：{fan} 番",
        "paid_ji": "{seat}的{sum}；{each}",
        "unpaid_ji": "{seat}的{sum}；不收，{why}",
        "no_charge": "{seat}打出的第一张{tile}被{claimer}要走：没有冲锋鸡",
        "zeren": "{seat}打出第一张{tile}被{claimer}要走：责任鸡付 {fan} 番",
        "zeren_gang": "{seat}打出第一张{tile}被{claimer}杠走：只有碰才算责任鸡，不用付",
        "zeren_lost": ("{seat}打出第一张{tile}被{claimer}要走，责任鸡 {fan} 番：不收，鸡{why}"),
        "bao_ji": "包鸡：{seat}未听牌，赔自己的{sum}：付{payees}各 {fan} 番",
        "no_dou_no_ji": "黄牌：豆和鸡都不算",
        "nobody_ready": "无人听牌：不用付",
        "everybody_ready": "都听牌：不用付",
        "cha_jiao": "查叫：{payee}听牌，最大胡{tile}：{value}；未听牌的{payers}各付 {fan} 番",
        "cha_jiao_free": "查叫：{payee}听牌，最大胡{tile}：{value}；不用付",
        "next_one": "胡牌的{seat}坐庄",
        "next_two": "两家胡，从庄家数起第一家{seat}坐庄",
        "next_two_dealer_last": "两家胡，从庄家下家数起第一家{seat}坐庄",
        "next_two_shooter": "两家胡，放炮的{seat}坐庄",
        "next_three": "三家胡，放炮的{seat}坐庄",
        "next_stay": "黄牌，{seat}连庄",
        "next_same": "无人听牌或都听牌，{seat}连庄",
        "next_not_ready": "只有{seat}未听牌，由其坐庄",
        "next_ready_dealer": "庄家{seat}听牌，连庄",
        "next_ready": "离庄最近的听牌者{seat}坐庄",
        "streak": "，连庄第 {streak} 局",
        "points": "得分，每番 {base} 分：{scores}",
        "ended_by_self_draw": "{winners}自摸{tile}",
        "ended_by_discard": "{winners}胡{shooter}打出的{tile}",
        "ended_by_rob": "{winners}抢{shooter}的杠胡{tile}",
        "ended_by_draw": "黄牌",
        "ended_indicator": "，翻牌{tile}",
        "ended": "；听牌：{ready}；得分 {scores}；下一局庄 {dealer}，连庄第 {streak} 局",
        "nobody": "无人",
    },
)

LANGUAGES: Mapping[str, Words] = {"en": ENGLISH, "zh": CHINESE}
