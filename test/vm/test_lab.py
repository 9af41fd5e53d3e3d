# SPDX-License-Identifier: BSD-3-Clause
"""The lab itself: commands, time limits, clear failures, nothing left behind."""

import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

import guest as guests
import processes

HERE = pathlib.Path(__file__).resolve().parent


@pytest.fixture(scope="module")
def plain(lab):
    """A guest without a NIC."""
    folder = lab / "plain"
    folder.mkdir()
    g = guests.Guest("debian13", folder, memory="512M")
    yield g
    g.close()


def test_command_gives_status_and_output(plain):
    assert plain.run("echo out; echo err >&2; exit 3", check=False) == (3, "out\nerr\n")
    with pytest.raises(guests.CommandError, match="failed in the guest with 7"):
        plain.run("exit 7")


def test_commands_run_side_by_side(plain):
    slow = plain.start("sleep 3; echo slow")
    assert plain.run("echo quick", timeout=3) == "quick\n"
    assert plain.wait(slow) == "slow\n"


def test_command_that_takes_too_long_is_ended(plain):
    with pytest.raises(guests.CommandError, match="more than 1 s"):
        plain.run("sleep 1234", timeout=1)
    assert plain.run("pgrep -f '[s]leep 1234'", check=False)[0] == 1


def test_root_of_the_guest_is_not_the_cache(plain):
    plain.run("rm /etc/hostname /usr/bin/lspci")
    assert (guests.root("debian13") / "usr/bin/lspci").exists()


def test_panic_ends_with_the_console(plain):
    """The last test with this guest."""
    with pytest.raises(guests.GuestError, match="(?s)the guest is gone.*Kernel panic"):
        plain.run("sleep 0.5; echo c >/proc/sysrq-trigger; sleep 10")
    assert not plain.alive


def test_killed_run_leaves_no_process(tmp_path):
    """SIGKILL to the test run: QEMU, namespaces and servers end with it."""
    script = (f"import sys; sys.path.insert(0, {str(HERE)!r}); import time, processes; "
              "n = processes.Namespace(); p = processes.start('sleep', '600'); "
              "print(n.holder.pid, p.pid, flush=True); time.sleep(600)")
    run = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    pids = [int(p) for p in run.stdout.readline().split()]
    run.send_signal(signal.SIGKILL)
    run.wait()

    def there(pid):
        try:
            return pathlib.Path(f"/proc/{pid}/stat").read_text().split(")")[1].split()[0] != "Z"
        except OSError:
            return False

    deadline = time.monotonic() + 5
    while any(there(p) for p in pids) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert [p for p in pids if there(p)] == []


def test_lab_mounts_nothing():
    assert str(guests.root("debian13").parent) not in pathlib.Path("/proc/mounts").read_text()


def test_unreachable_mirror_is_told_in_a_line(tmp_path):
    env = {**os.environ, "VM_CACHE": str(tmp_path), "VM_MIRROR": "http://127.0.0.1:9/debian"}
    done = subprocess.run([HERE / "lab", "build"], env=env, text=True, capture_output=True, check=False)
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert "cannot build qemu from http://127.0.0.1:9/debian" in last and "VM_MIRROR" in last
    assert [p.name for p in tmp_path.iterdir() if p.is_dir()] == []
    assert str(tmp_path) not in pathlib.Path("/proc/mounts").read_text()


def test_interrupted_build_starts_anew(tmp_path):
    """A build that was killed leaves a folder that the next one removes."""
    (tmp_path / "qemu-0123.new").mkdir()
    env = {**os.environ, "VM_CACHE": str(tmp_path), "VM_MIRROR": "http://127.0.0.1:9/debian"}
    subprocess.run([HERE / "lab", "build"], env=env, capture_output=True, check=False)
    assert not (tmp_path / "qemu-0123.new").exists()


def test_end_kills_what_does_not_listen():
    p = processes.start("sh", "-c", "trap '' TERM; while :; do sleep 1; done")
    time.sleep(0.2)
    assert processes.end(p, timeout=0.5) == -signal.SIGKILL
