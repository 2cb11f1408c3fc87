"""Groups of routers, all to all inside a group and one link between every two groups (Kim, Dally, Scott &
Abts, ISCA'08).

Routes are minimal: to the router that holds the link to the destination's group, over it, and to the
destination's router, at most one local link on either side.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

from collio.machine_file.graph import Link
from collio.machine_file.shapes.shape import Cable, Numbers, Wiring
from collio.machine_file.table import Table, even_share


@dataclass(frozen=True)
class Dragonfly:
    KEYS: ClassVar[tuple[str, ...]] = ("groups", "routers", "local", "global")
    root: ClassVar[str | None] = None

    groups: int
    routers: int
    nodes_per_router: int
    link: Cable
    local: Cable
    global_: Cable

    @classmethod
    def read(cls, table: Table, nodes: tuple[str, ...]) -> Dragonfly:
        groups = table.get("groups", table.integer(1, len(nodes)))
        per_group = even_share(table, "groups", groups, len(nodes))
        routers = table.get("routers", table.integer(1, per_group))
        share = even_share(table, "routers", routers, per_group, "the nodes of a group,")
        return cls(groups, routers, share, *(Cable.read(table, key) for key in ("link", "local", "global")))

    @property
    def switches(self) -> tuple[str, ...]:
        return tuple(
            f"group{group}-router{router}" for group in range(self.groups) for router in range(self.routers)
        )

    @property
    def nodes(self) -> int:
        return self.groups * self.routers * self.nodes_per_router

    def numbers(self) -> Numbers:
        return Numbers(
            "dragonfly",
            (self.groups, self.routers, self.nodes_per_router),
            (self.link, self.local, self.global_),
        )

    def wire(self) -> Wiring:
        """Links: one per node, then each group's local ones, then the global ones by pairs of groups."""
        links = [self.link.between(node, self._router_of(node)) for node in range(self.nodes)]
        for group in range(self.groups):
            routers = range(self._router(group, 0), self._router(group + 1, 0))
            links += [self.local.between(*pair) for pair in combinations(routers, 2)]
        links += [
            self.global_.between(self._gateway(one, other), self._gateway(other, one))
            for one, other in combinations(range(self.groups), 2)
        ]
        return Wiring(tuple(links), self._steps(links))

    def _steps(self, links: list[Link]) -> Callable[[int, int], int]:
        index_of = {
            ends: index for index, link in enumerate(links) for ends in ((link.a, link.b), (link.b, link.a))
        }

        def step(vertex: int, destination: int) -> int:
            if vertex < self.nodes:
                return vertex
            target = self._router_of(destination)
            if vertex == target:
                return destination
            here, there = self._group_of(vertex), self._group_of(target)
            if here == there:
                return index_of[vertex, target]
            gateway = self._gateway(here, there)
            return index_of[vertex, gateway if vertex != gateway else self._gateway(there, here)]

        return step

    def _router(self, group: int, router: int) -> int:
        return self.nodes + group * self.routers + router

    def _router_of(self, node: int) -> int:
        return self.nodes + node // self.nodes_per_router

    def _group_of(self, router: int) -> int:
        return (router - self.nodes) // self.routers

    def _gateway(self, group: int, other: int) -> int:
        """The router of `group` with the link to `other`: a group deals its links to its routers in turn, in
        the others' order."""
        turn = other if other < group else other - 1
        return self._router(group, turn % self.routers)
