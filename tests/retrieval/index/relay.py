"""Carries connections from one address to another: a Unix socket is seen in every network namespace, a port is not.

python relay.py TO [CERTIFICATE KEY] listens on loopback, with TLS if there is a certificate, prints its port, and
carries to a socket or to a port on loopback.
"""

import asyncio
import ssl
import sys
from pathlib import Path

Address = Path | tuple[str, int]


async def relay(listen: Address, to: Address, tls: ssl.SSLContext | None = None) -> asyncio.Server:
    """Answer at an address with what another one says."""

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            far_reader, far_writer = await (
                asyncio.open_unix_connection(to) if isinstance(to, Path) else asyncio.open_connection(*to)
            )
        except OSError:  # the server is down, so the relay is too
            writer.close()
            return
        await asyncio.gather(_pour(reader, far_writer), _pour(far_reader, writer))

    if isinstance(listen, Path):
        return await asyncio.start_unix_server(carry, listen)
    return await asyncio.start_server(carry, *listen, ssl=tls)


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
    to, tls = sys.argv[1], None
    if len(sys.argv) > 2:
        tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        tls.load_cert_chain(*sys.argv[2:])
        tls.set_alpn_protocols(["h2"])
    server = await relay(("127.0.0.1", 0), ("127.0.0.1", int(to)) if to.isdigit() else Path(to), tls)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve())
