"""Where the next classifier is asked: the cheapest choice in every stratum, and for a budget of calls.

In a stratum the cost falls with the calls along a convex line; that of the whole is the sum of all, so the
steps of all strata are taken in the order of what they save a call. The line of a stratum is the
lower envelope of "decide now" and of what the next classifier can do there, which may ask on in its turn.
Where strata are many and small, what a call saves is smoothed: it falls from the threshold on. For below it a
call saves E[(miss P(+) - alarm P(-))+ | score], a mean over later scores that rises with the score if the
posterior does; above it is the same with both classes exchanged.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby

from rochull._core.cached import cached_property
from rochull.cascades.nodes import Node
from rochull.conditions.frontier import first_where, in_integers
from rochull.conditions.rules import ALWAYS, NEVER, Rule
from rochull.decisions.plans import Decide, Plan, asked, lot

NOTHING = Fraction(0)
Site = tuple[Node, int]  # a stratum of a node, where the next classifier may be asked


@dataclass(frozen=True)
class Stakes:
    """Cost of a unit of weight of each class, and its share of the cases to be decided."""

    miss: Fraction
    alarm: Fraction
    pos_share: Fraction
    neg_share: Fraction
    prices: tuple[Fraction, ...]  # of the classifiers, in their order

    def share(self, pos: int, neg: int) -> Fraction:
        """The part of the cases that so many units are."""
        return pos * self.pos_share + neg * self.neg_share

    @cached_property
    def integers(self) -> tuple[int, int]:
        """Costs of a miss and of an alarm in some unit."""
        of_miss, of_alarm = in_integers(self.miss, self.alarm)
        return of_miss, of_alarm

    def cut(self, node: Node) -> int:
        """How many of a node's steps are called positive: those whose odds are above that of the costs."""

        def is_negative(i: int) -> bool:
            if node.odds is not None:
                return math.isfinite(node.odds[i]) and node.odds[i] <= self._even
            return node.neg[i] > 0 and node.pos[i] * self.integers[0] <= node.neg[i] * self.integers[1]

        return first_where(0, len(node.low), is_negative)

    @cached_property
    def _even(self) -> Fraction | float:
        return self.alarm / self.miss if self.miss else float("inf")


@dataclass(frozen=True)
class Move:
    """A step to more calls: what it adds to them and to the cost, a case; and the strata that are asked."""

    calls: Fraction
    cost: Fraction
    sites: tuple[Site, ...]
    rank: Fraction  # moves are made in this order, and as long as it is negative


def _outward(strata: Sequence[list[Move]]) -> list[list[Move]]:
    """The moves that pay, of strata from the threshold on, ranked so that their first ones get no better.

    Neighbours that do get better are pooled (PAV), and share their rank.
    """
    pools: list[tuple[Fraction, Fraction, int]] = []  # cost, calls, number of strata
    own = [moves for moves in strata if moves]
    for first, *_ in own:
        cost, calls, size = first.cost, first.calls, 1
        while pools and cost * pools[-1][1] <= pools[-1][0] * calls:
            before = pools.pop()
            cost, calls, size = cost + before[0], calls + before[1], size + before[2]
        pools.append((cost, calls, size))
    ranks = [cost / calls for cost, calls, size in pools for _ in range(size)]
    return [
        [
            replace(move, rank=max(move.rank, rank)) if i else replace(move, rank=rank)
            for i, move in enumerate(moves)
        ]
        for moves, rank in zip(own, ranks, strict=True)
        if rank < 0
    ]


@dataclass(frozen=True)
class Line:
    """The least cost without a further call, and the moves that pay, the best first."""

    cost: Fraction
    moves: tuple[Move, ...]


class Optimum:
    """A cascade under one condition.

    Parameters
    ----------
    root : Node
        Of the first classifier, which is asked for every case.
    classifiers : sequence of str
        In their order.
    stakes : Stakes
        With all prices.
    peaked : bool
        Whether what a call saves is taken to fall from the threshold on, on both sides.
    """

    def __init__(self, root: Node, classifiers: Sequence[str], stakes: Stakes, peaked: bool = False) -> None:
        self.root, self.classifiers, self.stakes, self.peaked = root, tuple(classifiers), stakes, peaked
        self._cuts: dict[Node, int] = {}
        self.line = self._line(root, 0)

    def cut(self, node: Node) -> int:
        """How many steps of a node are called positive."""
        if node not in self._cuts:
            self._cuts[node] = self.stakes.cut(node)
        return self._cuts[node]

    # --- the envelope --------------------------------------------------------------------------

    def _now(self, node: Node, begin: int, end: int) -> tuple[int, int]:
        """False and true positives of some steps, decided by this classifier."""
        cut = min(max(self.cut(node), begin), end)
        pos, neg = node.counts(begin, cut)
        return neg, pos

    def _cost(self, node: Node, begin: int, end: int) -> Fraction:
        """Cost of the errors among some steps."""
        fp, tp = self._now(node, begin, end)
        return fp * self.stakes.alarm + (node.counts(begin, end)[0] - tp) * self.stakes.miss

    def _line(self, node: Node, depth: int) -> Line:
        cost = NOTHING
        below: list[list[Move]] = []
        above: list[list[Move]] = []
        for b in range(len(node.edges) + 1):
            now = self._cost(node, node.bounds[b + 1], node.bounds[b])
            cost += now
            if node.children:
                side = above if node.bounds[b] <= self.cut(node) else below
                side.append(self._moves(now, (node, b), depth + 1))
        if self.peaked:
            below, above = _outward(below[::-1]), _outward(above)
        moves = [move for own in (*below, *above) for move in own]
        return Line(cost, tuple(sorted(moves, key=lambda move: move.rank)))

    def _moves(self, now: Fraction, site: Site, depth: int) -> list[Move]:
        """The steps of one stratum along the envelope, as far as they pay."""
        child = site[0].children[site[1]]
        share = self.stakes.share(*child.counts(0, len(child.low)))
        if not share:
            return []
        inner = self._line(child, depth)
        calls, cost = share, share * self.stakes.prices[depth] + inner.cost - now
        # A classifier that would call all alike is asked on the way to the next only.
        found = [(calls, cost)] if 0 < self.cut(child) < len(child.low) else []
        for move in inner.moves:
            calls, cost = calls + move.calls, cost + move.cost
            found.append((calls, cost))
        if not found:
            return []
        first = min(range(len(found)), key=lambda k: found[k][1] / found[k][0])
        calls, cost = found[first]
        if cost >= 0 and not self.peaked:
            return []
        taken = first + len(inner.moves) + 1 - len(found)
        sites = (site, *(own for move in inner.moves[:taken] for own in move.sites))
        return [Move(calls, cost, sites, cost / calls), *inner.moves[taken:]]

    # --- what is chosen ------------------------------------------------------------------------

    @cached_property
    def first_price(self) -> Fraction:
        """Cost of the first classifier for all cases."""
        return self.stakes.prices[0]

    def frontier(self) -> Iterator[tuple[Fraction, Fraction]]:
        """Calls beyond the first classifier, and cost with all prices, a case; from no call on."""
        calls, cost = NOTHING, self.line.cost + self.first_price
        yield calls, cost
        for _, pool in groupby(self.line.moves, key=lambda move: move.rank):
            for move in pool:
                calls, cost = calls + move.calls, cost + move.cost
            yield calls, cost

    def within(self, budget: Fraction | None) -> Chosen:
        """The cheapest choice with so many calls per case at most."""
        left = budget
        taken: list[Site] = []
        for move in self.line.moves:
            if left is not None and move.calls > left:
                return Chosen(self, frozenset(taken), frozenset(move.sites), left / move.calls)
            left = None if left is None else left - move.calls
            taken += move.sites
        return Chosen(self, frozenset(taken))

    def everything(self) -> Fraction:
        """Cost of a case if every classifier is asked for it."""
        return sum(self.stakes.prices) + self._all(self.root)

    def asking_all(self) -> Plan:
        """Plan for a case if every classifier is asked for it."""
        sites: list[Site] = []
        waiting = [self.root]
        while waiting:
            node = waiting.pop()
            sites += [(node, b) for b in range(len(node.children))]
            waiting += node.children
        return Chosen(self, frozenset(sites)).plan()

    def _all(self, node: Node) -> Fraction:
        if not node.children:
            return self._cost(node, 0, len(node.low))
        return sum((self._all(child) for child in node.children), NOTHING)


@dataclass(frozen=True)
class Chosen:
    """The strata where the next classifier is asked, and more of them that are so by lot."""

    optimum: Optimum
    sites: frozenset[Site]
    more: frozenset[Site] = frozenset()
    share: Fraction = NOTHING

    def plan(self) -> Plan:
        """Plan for a case."""
        return self._plan(self.optimum.root, 0)

    def rates(self) -> tuple[Fraction, Fraction, tuple[Fraction, ...]]:
        """Units of false and of true positives, and the share of cases that each classifier is asked for."""
        before = self._totals(self.sites)
        if self.share:
            after = self._totals(self.sites | self.more)
            before = [a + self.share * (b - a) for a, b in zip(before, after, strict=True)]
        fp, tp, *calls = before
        return fp, tp, tuple(calls)

    def _totals(self, sites: frozenset[Site]) -> list[Fraction]:
        optimum = self.optimum
        found = [NOTHING] * (2 + len(optimum.classifiers))
        waiting = [(optimum.root, 0)]
        while waiting:
            node, depth = waiting.pop()
            found[2 + depth] += optimum.stakes.share(*node.counts(0, len(node.low)))
            for b in range(len(node.edges) + 1):
                if (node, b) in sites:
                    waiting.append((node.children[b], depth + 1))
                    continue
                fp, tp = optimum._now(node, node.bounds[b + 1], node.bounds[b])
                found[0], found[1] = found[0] + fp, found[1] + tp
        return found

    def _asks(self, site: Site) -> bool:
        return site in self.sites or (bool(self.share) and site in self.more)

    def _plan(self, node: Node, depth: int) -> Plan:
        """Strata that are decided now are so by one rule for all neighbours."""
        name, bounds, last = self.optimum.classifiers[depth], node.bounds, len(node.edges)
        branches: list[Plan] = []
        edges: list[float] = []
        begin = 0
        for b in range(last + 1):
            if self._asks((node, b)):
                now = self._decided(node, name, bounds[b + 1], bounds[b])
                branches.append(self._further((node, b), now, depth + 1))
            elif b < last and not self._asks((node, b + 1)):
                continue
            else:
                branches.append(self._decided(node, name, bounds[b + 1], bounds[begin]))
            begin = b + 1
            edges += node.edges[b : b + 1]
        return asked(name, edges, branches)

    def _further(self, site: Site, now: Plan, depth: int) -> Plan:
        """The next classifier in a stratum, for all of its cases or by lot."""
        child = site[0].children[site[1]]
        if site in self.sites:
            return self._plan(child, depth)
        share = float(self.share)
        return lot(
            [(now, 1 - share), (Chosen(self.optimum, self.sites | self.more)._plan(child, depth), share)]
        )

    def _decided(self, node: Node, name: str, begin: int, end: int) -> Plan:
        cut = self.optimum.cut(node)
        if cut <= begin:
            return Decide(NEVER)
        return Decide(ALWAYS if cut >= end else Rule("threshold", name, node.low[cut - 1]))
