"""Run an agent's Python in a process of its own, with limits: time, memory, files, and no network."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from functools import cache
from typing import Final

from windowshop.frozen import Frozen

_FENCE: Final = """
import os, sys
def _fence(event, args, os=os, inside=os.path.realpath(os.getcwd()), library=tuple(sys.path)):
    if event.split(".")[0] in ("socket", "subprocess", "ctypes") or event in (
        "os.system", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.kill", "pty.spawn",
    ):
        raise PermissionError(f"{event} is not allowed here")
    if event in ("open", "os.listdir", "os.scandir") and isinstance(args[0], (str, bytes)):
        path = os.path.realpath(os.fsdecode(args[0]))
        if not path.startswith((inside, *library)):
            raise PermissionError(f"{path} is outside this folder")
sys.addaudithook(_fence)
del os, sys, _fence
"""


class Limits(Frozen):
    """Seconds by the clock, mebibytes of memory and of output that a snippet may take."""

    seconds: float = 60.0
    memory: int = 512
    output: int = 1


class Executed(Frozen):
    """What a snippet printed, or what went wrong."""

    observation: str
    success: bool


def run_python(code: str, limits: Limits) -> Executed:
    """Run a snippet and return what it printed; it must print, as the tool's description says.

    The process gets an empty folder, an empty environment, an isolated interpreter, the system's limits for
    time, memory, open files and written bytes, a network namespace without a network where the system lends
    one, and an audit hook that stops sockets, other processes and files elsewhere. That keeps a model's sums
    from doing harm by mistake; it is no jail for an attacker.
    """
    program = f"{_FENCE}\nexec(compile({code!r}, '<code>', 'exec'), {{'__name__': '__main__'}})"
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            [*_without_network(), sys.executable, "-I", "-S", "-c", program],
            cwd=folder,
            env={"PATH": os.defpath, "LANG": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            preexec_fn=lambda: _limit(limits),
        )
        try:
            out, err = process.communicate(timeout=limits.seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return Executed(observation=f"stopped after {limits.seconds:g} seconds", success=False)
    bound = limits.output * 2**20
    if process.returncode in (-signal.SIGKILL, -signal.SIGXCPU):  # the system's own limit was quicker
        return Executed(observation=f"stopped after {limits.seconds:g} seconds", success=False)
    if process.returncode != 0:
        last = err.decode("utf-8", "replace").strip().splitlines()[-1:] or [f"exit code {process.returncode}"]
        return Executed(observation=last[0][:bound], success=False)
    printed = out[:bound].decode("utf-8", "replace")
    if not printed:
        return Executed(observation="nothing was printed; print what you want to see", success=False)
    return Executed(observation=printed, success=True)


@cache
def _without_network() -> tuple[str, ...]:
    """Return the command that runs another one in a network namespace of its own, where that is allowed."""
    command = ("unshare", "--user", "--map-root-user", "--net")
    if shutil.which(command[0]) is None:
        return ()
    tried = subprocess.run([*command, "true"], capture_output=True, check=False)
    return command if tried.returncode == 0 else ()


def _limit(limits: Limits) -> None:
    seconds = max(1, round(limits.seconds))
    for what, bound in (
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_AS, limits.memory * 2**20),
        (resource.RLIMIT_FSIZE, limits.output * 2**20),
        (resource.RLIMIT_NOFILE, 32),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(what, (bound, bound))
