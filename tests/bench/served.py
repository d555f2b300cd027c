"""A server in a process of its own: started, killed, started again, and what it has used of the machine (Linux)."""

import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

PATIENCE = 60.0
TICKS = os.sysconf("SC_CLK_TCK")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Served:
    """One server's command. `port` stays the same over restarts; what it says goes to `log`."""

    def __init__(self, command: Sequence[str | Path], folder: Path, port: int, variables: Mapping[str, str]) -> None:
        self.command, self.folder, self.port = [str(part) for part in command], folder, port
        self.environment = {**os.environ, **variables}
        self.log = folder / "server.log"
        self.peak = 0.0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Return once it answers. Raises RuntimeError with the end of its log if it does not."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command, cwd=self.folder, env=self.environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL
            )
        deadline = time.monotonic() + PATIENCE
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                raise RuntimeError(f"{self.command[:3]} does not answer\n{self.log.read_text('utf-8')[-2000:]}")
            time.sleep(0.05)

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(self.url, timeout=5):
                return True
        except urllib.error.HTTPError:
            return True
        except OSError:
            return False

    def kill(self) -> None:
        """End it as a power cut would. Its peak memory is kept."""
        if self.process.poll() is None:
            self.peak = max(self.peak, self.memory())
            self.process.kill()
        self.process.wait(PATIENCE)

    def memory(self) -> float:
        """The peak resident memory of the process and its children so far, in MB, summed."""
        return sum(_kilobytes(pid, "VmHWM") for pid in self._pids()) / 1024

    def processor(self) -> float:
        """Seconds of processor time used so far by the process and its children."""
        return sum(_ticks(pid) for pid in self._pids()) / TICKS

    def _pids(self) -> Iterator[int]:
        waiting = [self.process.pid]
        while waiting:
            pid = waiting.pop()
            yield pid
            for task in Path(f"/proc/{pid}/task").glob("*/children"):
                waiting += map(int, task.read_text("ascii").split())


def _kilobytes(pid: int, field: str) -> int:
    for line in Path(f"/proc/{pid}/status").read_text("utf-8").splitlines():
        if line.startswith(field):
            return int(line.split()[1])
    return 0


def _ticks(pid: int) -> int:
    after_name = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return int(after_name[11]) + int(after_name[12])
