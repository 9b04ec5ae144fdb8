"""Carries connections from one address to another: a Unix socket is seen in every network namespace, a port is not.

python relay.py SOCKET listens on loopback, prints its port, and carries to the socket.
"""

import asyncio
import sys
from pathlib import Path

Address = Path | tuple[str, int]


async def relay(listen: Address, to: Address) -> asyncio.Server:
    """Answer at an address with what another one says."""

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            far_reader, far_writer = await (
                asyncio.open_unix_connection(to) if isinstance(to, Path) else asyncio.open_connection(*to)
            )
        except OSError:  # nobody is there, so the caller finds nobody here
            writer.close()
            return
        await asyncio.gather(_pour(reader, far_writer), _pour(far_reader, writer))

    if isinstance(listen, Path):
        return await asyncio.start_unix_server(carry, listen)
    return await asyncio.start_server(carry, *listen)


async def _pour(source: asyncio.StreamReader, into: asyncio.StreamWriter) -> None:
    try:
        while some := await source.read(1 << 18):
            into.write(some)
            await into.drain()
    except OSError:
        pass
    finally:
        into.close()


async def _serve() -> None:
    server = await relay(("127.0.0.1", 0), Path(sys.argv[1]))
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve())
