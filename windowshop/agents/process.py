"""An agent that is another program: a JSON line for each question, a JSON line back."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import weakref
from contextlib import suppress
from threading import Thread
from typing import IO

from windowshop.agents.message import describe, read_action
from windowshop.errors import AgentError, ConfigError
from windowshop.terminal import printable
from windowshop.views import Observation

MAX_LINE = 1_000_000


class ProcessAgent:
    """Run a program (no shell between) and talk with it over its standard input and output.

    It is started at the first question and answers for all episodes, its standard error kept for when it
    fails. One that dies, hangs or talks nonsense ends its episode, and is started anew for the next.
    """

    def __init__(self, command: str, timeout: float = 60.0) -> None:
        try:
            self._command = shlex.split(command)
        except ValueError as error:
            raise ConfigError(f"cannot read the command {command.strip()!r}: {error}") from error
        if not self._command:
            raise ConfigError("no program: write --agent 'cmd: PROGRAM ARGUMENTS'")
        if shutil.which(self._command[0]) is None:
            raise ConfigError(f"cannot start {self._command[0]!r}: there is no such program")
        self._timeout = timeout
        self._running: _Running | None = None
        self._step = 0

    def reset(self, instruction: str) -> None:
        """Count the steps of a new episode from 0."""
        self._step = 0

    def recall(self, observation: Observation, action: str) -> None:
        """Count a step that was done; what came of it stands in the next question."""
        self._step += 1

    def act(self, observation: Observation) -> str:
        """Ask the program; raise `AgentError` where it dies, is too slow, or gives no action."""
        question = json.dumps(describe(observation, self._step)).encode() + b"\n"
        self._step += 1
        if self._running is None:
            self._running = _Running(self._command)
        try:
            return read_action(self._running.ask(question, self._timeout), "the agent's program")
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Stop the program."""
        if self._running is not None:
            self._running.stop()
            self._running = None


class _Running:
    """A program that was started; it and what it started itself are killed together."""

    def __init__(self, command: list[str]) -> None:
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the program
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                bufsize=0,
                start_new_session=True,
            )
        except OSError as error:
            self._errors.close()
            raise ConfigError(f"cannot start {shlex.join(command)}: {error.strerror}") from error
        self.stop = weakref.finalize(self, _stop, self._process, self._errors)

    def ask(self, question: bytes, timeout: float) -> bytes:
        """Return the line that the program answers."""
        answers: list[bytes | None] = []
        thread = Thread(target=lambda: answers.append(_exchange(self._process, question)), daemon=True)
        thread.start()
        thread.join(timeout)
        if not answers:
            _kill(self._process)
            raise AgentError(
                f"the agent's program did not answer within {timeout:g} s and was stopped{self._said()}"
            )
        line = answers[0]
        if line is None:
            raise AgentError(f"the agent's program {self._ended()}{self._said()}")
        if not line.endswith(b"\n"):
            raise AgentError(f"the agent's program wrote a line of more than {MAX_LINE} bytes")
        return line

    def _ended(self) -> str:
        try:
            code = self._process.wait(1)
        except subprocess.TimeoutExpired:
            return "closed its output"
        return f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"

    def _said(self) -> str:
        """Return the last thing that the program wrote to its standard error."""
        size = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, size - 2000))
        lines = self._errors.read().decode("utf-8", "replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return f"; it said: {printable(last)[:300]}" if last else ""


def _exchange(process: subprocess.Popen[bytes], question: bytes) -> bytes | None:
    """Return the answering line, cut at the limit; None where the program closed its end."""
    assert process.stdin is not None and process.stdout is not None
    left = memoryview(question)
    line = bytearray()
    try:
        while left:
            left = left[process.stdin.write(left) or 0 :]
        while not line.endswith(b"\n") and len(line) <= MAX_LINE:
            piece = process.stdout.read(MAX_LINE)
            if not piece:
                return None
            line += piece
    except (OSError, ValueError):
        return None
    return bytes(line)


def _kill(process: subprocess.Popen[bytes]) -> None:
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def _stop(process: subprocess.Popen[bytes], errors: IO[bytes]) -> None:
    """Let a program that ends with its input do so; kill what is left."""
    assert process.stdin is not None and process.stdout is not None
    with suppress(OSError):
        process.stdin.close()
    with suppress(subprocess.TimeoutExpired):
        process.wait(0.5)
    _kill(process)
    process.wait()
    process.stdout.close()
    errors.close()
