"""Runs a Milvus server until stdin ends. It uses .venv-milvus's Python, and is alone in its network namespace.

    unshare --map-root-user --net .venv-milvus/bin/python serve_milvus.py FOLDER SOCKET

The namespace is there because this server listens on all interfaces, whatever its configuration says. Lines on stdin:
``kill`` ends the server as kill -9 does, ``start`` starts it again, ``stop`` lets it hang until ``continue``; each is
answered by a line on stdout.
"""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

from milvus import MilvusServer, MilvusServerConfig
from relay import relay

SIGNALS = {"stop\n": signal.SIGSTOP, "continue\n": signal.SIGCONT}


async def serve(folder: Path, socket: Path) -> None:
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    config = MilvusServerConfig(data_dir=str(folder))
    config.set("log.level", "error")
    server = MilvusServer(config)
    try:
        await asyncio.to_thread(server.start)
        listener = await relay(socket, ("127.0.0.1", server.listen_port))
        print("started", flush=True)
        while line := await asyncio.to_thread(sys.stdin.readline):
            if line == "kill\n":
                server.server_proc.kill()
                server.server_proc.wait()
            elif line in SIGNALS:
                server.server_proc.send_signal(SIGNALS[line])
                if line == "stop\n":  # its threads run on until the signal is delivered
                    os.waitid(os.P_PID, server.server_proc.pid, os.WSTOPPED)
            else:
                await asyncio.to_thread(server.start)
                listener.close()  # the server may have another port now
                listener = await relay(socket, ("127.0.0.1", server.listen_port))
            print("done", flush=True)
    finally:
        if server.server_proc is not None:  # its data is discarded, so no clean shutdown is needed
            server.server_proc.kill()


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1]), Path(sys.argv[2])))
