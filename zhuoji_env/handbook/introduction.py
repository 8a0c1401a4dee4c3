"""The prose of the rules page: the game for somebody who has never seen its documents."""

INTRODUCTION = """\
# The rules

What is played here, what every switch does to the money, and where each value comes from. This page
is written by `zhuoji rules page` from the library itself: the tables are the schema's, and every
bill is settled by `zj.settle`. Clause numbers (R12, …) are those that code, tests and error
messages cite.

- [The game in one page](#the-game-in-one-page)
- [Presets](#presets)
- [Switches](#switches)
- [Readings](#readings)
- [Worked bills](#worked-bills)
- [Differences from other libraries](#differences-from-other-libraries)

## The game in one page

**Zhuoji** (捉鸡, "catch the chicken") is the mahjong of Guiyang: four players, 108 tiles, no chi,
and bonus tiles called chickens that are paid in every deal that somebody wins.

**Tiles (R1).** Three suits of ranks 1 to 9, four copies each: characters (万) `1m`–`9m`, dots (筒)
`1p`–`9p`, bamboo (条) `1s`–`9s`. There are no honours and no flowers. A *kind* is one of the 27
faces. The `1s` is **yaoji** (幺鸡), the chicken.

**A deal (R2–R4).** Seats East, South, West and North sit in the order of play. The dealer (庄) is
dealt 14 tiles and acts first, the others are dealt 13. Tiles are drawn from the head of the wall;
the tile that replaces a kong is drawn from its tail.

**A turn (R5–R10).** Draw a tile, then discard one, or declare. When somebody discards, the others
may claim the tile: **peng** (碰) with two more in hand makes a triplet, **gang** (杠) with three
more makes a kong, **hu** (胡) with a hand that it completes wins. A hu goes before gang and peng,
and several players can win on one tile. Nobody can take a tile for a sequence.

**Dou (豆, "bean", R11, R12)** is the word for a kong. A *men dou* (闷豆) is four in hand, declared
in one's own turn; a *zhuan wan dou* (转弯豆, also 爬坡豆) is the fourth tile added to an own peng;
a *dian dou* (点豆) is three in hand and a discard, whose discarder is its *feeder*. All are paid
for if somebody wins the deal. A *late* kong is one that could have been declared before; it may be
worth less (憨包豆).

**A complete hand (R13–R15)** is four melds and a pair, a meld being a sequence or a triplet; or
seven pairs, four of a kind being two of them. Its price, in **fan** (番), is that of the dearest
pattern that it shows: *ping hu* (平胡) any four melds and a pair, *da dui zi* (大对子) four
triplets and a pair, *qi dui* (七对) seven pairs, *long qi dui* (龙七对) seven pairs with a kind
held four times, and the same in one suit: *qing yi se* (清一色), *qing da dui* (清大对), *qing qi
dui* (清七对), *qing long bei* (青龙背). To win by drawing the replacement of a kong is *gang shang
hua* (杠上胡).

**The passport (通行证, R16, R17).** A plain ping hu may be won on somebody else's tile only by a
player who has declared a dou. Anything dearer may be won on any tile, and a self-draw is always
allowed. The passport is waived for a hot shot, for a robbed kong, and where the winner or the
discarder is baoting.

**Ready (听牌, 叫牌, R18)** is a hand that lacks one tile, as long as the player does not hold all
four of that kind. Whoever passes a win is *marked* until their next draw (过胡, R19), and may not
win on another's tile meanwhile, or may at a price (包牌, R25).

**Baoting (报听, R29, R30).** On the first turn, before any discard or meld, a player may declare a
hand that a discard leaves ready. From then on the hand is frozen: every drawn tile is a win or is
discarded. A win by such a player, or on such a player's discard, has a price of its own.

**Hot shots and robbed kongs (R31, R33).** A discard in the same turn as a kong is a *re pao*
(热炮): if it is won on, its shooter loses dou, and it may be ji, and may pay for the dou besides. A
tile added to a peng can be won on instead, which *robs* the kong (抢杠): the robbed player pays all
three shares of a self-draw.

**Who pays for the win (R21–R24).** A self-draw is paid by each of the three others, a discard by
its discarder alone. The dealer pays and is paid a bonus that grows with every deal in a row. If
three players win on one discard (一炮三响), some rules turn the payment round.

**Ji (鸡, "chicken", R37–R43).** When somebody has won, the next tile of the wall is turned over,
the *indicator*. The rank above it in its suit (after 9 comes 1) is *zhuo ji* (捉鸡): each of those
tiles is paid to its holder by each other player, in hand, in melds, and in some rules in the river
of discards. Yaoji are always ji, and *gold* (金鸡) when they are indicated too. The first yaoji
that is discarded in a deal is the *charge chicken* (冲锋鸡) if nobody claims it; if somebody does,
its discarder may owe the claimer the *responsibility chicken* (责任鸡). Variants add *wu gu ji*
(乌骨鸡, the `8p`) and more. Players settle dou and ji with each other whether they won or not; in
some rules only ready players and winners collect, and *bao ji* (包鸡) makes those who are not ready
pay for the ji they hold.

**Nobody wins (黄牌, R44).** When the wall is empty, hands are shown. Whoever is not ready pays each
player who is, the dearest price of the ready hand: *cha jiao* (查叫). Dou and ji are not paid.

**The next dealer (R45–R47)** is the winner; of two winners the first counted from the dealer; of
three, the shooter. Points are fan times the base (底分, R26).
"""

DIFFERENCES = """\
## Differences from other libraries

`tests/test_against_mahjong.py` compares `zj.shanten`, `zj.waits` and the win test with PyPI
`mahjong` (a library for riichi mahjong) on 200,000 hands. They agree on four melds and a pair in
every one of them. The definitions differ here:

- **Seven pairs.** Four of a kind are two pairs (R13, long qi dui); `mahjong` wants seven different
  kinds. So {quads} is complete here, at distance {quads_distance}. The distance to seven pairs is
  less by one for every kind held four times, and by one for every kind that seven are short of,
  because a kind held three times can become two pairs.
- **Ready is more than distance 0 (R18).** `zj.shanten` looks at the concealed tiles alone, as
  `mahjong` does. `zj.waits` also leaves out every kind of which hand *and melds* hold all four:
  {used} beside men dou of {melds} is at distance {used_distance} with {used_waits} waits, so that
  its player is not ready.
- **No fifth tile.** A hand that waits for a fifth copy of what it holds itself is not ready in
  either library: {fifth} with three melds is at distance {fifth_distance}.
- **Thirteen orphans**, honours and three-player shapes do not exist here. Distances ignore which
  patterns a ruleset has switched off; `zj.waits` and `zj.fan` ask it.
"""
