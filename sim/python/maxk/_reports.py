"""Reports of trials while they run: to the study itself where it is in this process, otherwise through a socket."""
from __future__ import annotations

import json
import os
import shutil
import socket
import socketserver
import tempfile
import threading
import weakref
from collections.abc import Callable
from typing import Any, Optional

from ._library import Error, InputError

Take = Callable[[int, float, int], bool]  # number of the trial, value, step: whether the trial has to end


class Link:
    """What a trial reports to. It can be pickled, and then reaches the study through its socket. Without `take` nothing ends the
    trial."""

    def __init__(self, take: Optional[Take], number: int, listening: Optional[Listening]):
        self.stop = False
        self.last: Optional[float] = None  # value that was reported
        self._alone = take is None
        self._take: Optional[Any] = None if take is None else weakref.WeakMethod(take)
        self._process = os.getpid()
        self._number = number
        self._path = None if listening is None else listening.path
        self._to: Optional[Any] = None  # the connection, as a file

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_take": None, "_to": None}

    def report(self, value: float, step: int) -> None:
        if self.stop:
            return
        take = self._take() if self._take is not None and os.getpid() == self._process else None
        if not self._alone:
            self.stop = self._send(value, step) if take is None else take(self._number, value, step)
        self.last = value

    def _send(self, value: float, step: int) -> bool:
        if self._path is None:
            raise Error("report: the study is gone, or in another process that does not run the trial")
        try:
            if self._to is None:
                with socket.socket(socket.AF_UNIX) as connection:
                    connection.connect(self._path)
                    self._to = connection.makefile("rw", encoding="utf-8")
            print(json.dumps([self._number, value, step]), file=self._to, flush=True)
            answer = json.loads(self._to.readline() or "null")
        except OSError as problem:
            raise Error(f"report: the process of the study, on this machine, is not reached: {problem!r}") from problem
        if answer is None:
            raise Error("report: the study is gone")
        if isinstance(answer, str):
            raise InputError(answer)
        return bool(answer)


class _Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    request_queue_size = 128
    take: Any = None


class _Reader(socketserver.StreamRequestHandler):
    """Answers each line with a line: whether the trial has to end, or in words what is wrong."""

    def handle(self) -> None:
        for line in self.rfile:
            take = self.server.take()  # type: ignore[attr-defined]
            if take is None:
                return
            try:
                answer: Any = take(*json.loads(line))
            except Exception as problem:
                answer = str(problem)
            del take
            self.wfile.write(json.dumps(answer).encode() + b"\n")


class Listening:
    """A socket, in a folder of this user alone, through which trials in other processes of this machine report."""

    def __init__(self, take: Take):
        folder = tempfile.mkdtemp(prefix="maxk-")
        self.path = os.path.join(folder, "reports")
        server = _Server(self.path, _Reader)
        server.take = weakref.WeakMethod(take)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        weakref.finalize(self, _end, os.getpid(), server, folder)


def _end(process: int, server: _Server, folder: str) -> None:
    if os.getpid() == process:  # a forked one has a copy
        server.shutdown()
        server.server_close()
        shutil.rmtree(folder, ignore_errors=True)
