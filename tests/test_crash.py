"""Kill the runner at any moment: what it had written is there, and the same command ends what it began."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from gated import GatedShop

NIGHTLY = bool(os.environ.get("WINDOWSHOP_NIGHTLY"))


def test_a_batch_survives_being_killed_at_random_moments(tmp_path: Path) -> None:
    kills = 1000 if NIGHTLY else 200
    with GatedShop() as shop:
        (tmp_path / "ca.pem").write_bytes(shop.ca_pem)
        host, port = shop.address
        script = Path(__file__).with_name("crashing.py")
        arguments = [tmp_path, host, port, tmp_path / "ca.pem", kills, os.environ.get("CRASH_SEED", 1)]
        done = subprocess.run(
            [sys.executable, script, *map(str, arguments)], capture_output=True, text=True, check=False
        )
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout)
    assert told["kill"] == kills
    assert told["finished"] >= 1
