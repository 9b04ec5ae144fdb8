"""Load on a running service, from this process: capacity, latency, overload and recovery, and what batching brings."""

import asyncio
import os
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from boolattn_lab.costs.service_clients import ORDINARY, QUERIES, Client, Seen, Server, closed_loop, open_loop, served


async def recovery(server: Server, usual: float, limit: float = 30.0) -> float:
    """Return the seconds until a request takes no longer than three times what it usually does.

    Args:
        server: Which service.
        usual: The usual median latency in seconds.
        limit: When to give up.
    """
    begun, client, number = time.perf_counter(), Client(server, "m-query"), 0
    while time.perf_counter() - begun < limit:
        seen = Seen()
        await client.ask(number, seen)
        number += 1
        if seen.seconds and seen.seconds[0] <= 3 * usual:
            break
        await asyncio.sleep(0.05)
    client.close()
    return time.perf_counter() - begun


def slope(memory: Sequence[tuple[float, float]]) -> float:
    """Return how fast memory grows, in MB a minute, without the first fifth, when caches fill."""
    kept = memory[len(memory) // 5 :]
    if len(kept) < 3:
        return float("nan")
    return float(np.polyfit([at for at, _ in kept], [size for _, size in kept], 1)[0]) * 60


def measure_load(model: str, *, minutes: float, seconds: float, workers: int = 1) -> dict[str, Any]:
    """Measure one service: its capacity, 80 % of it for some minutes, then 150 % and 300 %.

    A machine's speed may change within minutes, so the capacity is measured for four times as long as the rest, and
    overload is compared with the capacity measured just before and just after it.
    """
    with served("--model", model, "--workers", str(workers)) as server:
        return asyncio.run(_load(server, minutes, seconds))


async def _load(server: Server, minutes: float, seconds: float) -> dict[str, Any]:
    await closed_loop(server, 32, seconds / 4)  # warm
    most = await closed_loop(server, 32, 4 * seconds)
    memory: list[tuple[float, float]] = []
    steady = await open_loop(server, 0.8 * most.rate, 60 * minutes, memory)
    before = (await closed_loop(server, 32, seconds)).rate
    found: dict[str, Any] = {
        "capacity": most.summary(),
        "at 80 %": steady.summary()
        | {
            "p99_over_p50": round(steady.percentile(99) / steady.percentile(50), 2),
            "memory_mb": round(memory[-1][1]) if memory else None,
            "memory_slope_mb_per_minute": round(slope(memory), 3),
            "capacity_afterwards": round(before, 1),
        },
    }
    for share in (1.5, 3.0):
        over = await open_loop(server, share * before, seconds)
        recovered = await recovery(server, steady.percentile(50) / 1000)
        after = (await closed_loop(server, 32, seconds)).rate
        found[f"at {share:.0%}"] = over.summary() | {
            "capacity_before_and_after": [round(before, 1), round(after, 1)],
            "served_over_capacity": round(2 * over.rate / (before + after), 2),
            "recovered_after_s": round(recovered, 2),
        }
        before = after
    return found


def measure_batching(model: str, *, seconds: float, rounds: int) -> dict[str, Any]:
    """Compare batching on and off, side by side: the rate with 32 clients and the latency of a single one."""
    with served("--model", model) as on, served("--model", model, "--batch", "1") as off:
        return asyncio.run(_compare({"on": (on, "m-query"), "off": (off, "m-query")}, seconds, rounds))


def measure_against_plain(model: str, plain: str, *, seconds: float, rounds: int) -> dict[str, Any]:
    """Compare with the same application around a plain model, whose texts are not read, on ordinary queries."""
    with served("--model", model) as ours, served("--model", plain) as theirs:
        servers = {"boolattn": (ours, "m-query"), "plain": (theirs, "m")}
        return asyncio.run(_compare(servers, seconds, rounds, ORDINARY))


async def _compare(
    servers: dict[str, tuple[Server, str]], seconds: float, rounds: int, queries: Sequence[str] = QUERIES
) -> dict[str, Any]:
    rates: dict[str, list[float]] = {name: [] for name in servers}
    medians: dict[str, list[float]] = {name: [] for name in servers}
    for server, kind in servers.values():
        await closed_loop(server, 32, seconds / 4, kind, queries)  # warm
    for _ in range(rounds):  # in turn: what else the machine does affects both
        for name, (server, kind) in servers.items():
            rates[name].append((await closed_loop(server, 32, seconds, kind, queries)).rate)
        for name, (server, kind) in servers.items():
            medians[name].append((await closed_loop(server, 1, seconds / 2, kind, queries)).percentile(50))
    one, other = servers
    return {
        "served_per_second_32_clients": {name: round(float(np.median(each)), 1) for name, each in rates.items()},
        "p50_ms_1_client": {name: round(float(np.median(each)), 1) for name, each in medians.items()},
        f"rate, {one} / {other}": round(float(np.median(np.divide(rates[one], rates[other]))), 2),
        f"p50, {one} / {other}": round(float(np.median(np.divide(medians[one], medians[other]))), 2),
    }


def machine() -> str:
    """Return what was measured on, and how busy it was."""
    return f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
