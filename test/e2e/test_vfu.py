# SPDX-License-Identifier: BSD-3-Clause
"""
vfu-nic as a program: its command line, its sockets, its end. A client of a few lines plays the
virtual machine; what the device does is tested in test/unit/vfu_*.c.
"""

import contextlib
import json
import os
import re
import signal
import socket
import struct
import subprocess

import pytest
from lab.machine import BUILD
from lab.bench import until

# once, not for each driver
pytestmark = [pytest.mark.ours, pytest.mark.once]

PROGRAM = BUILD / "test" / "vfu" / "vfu-nic"
CONFIG, BAR0 = 7, 0
STATUS, RXCTRL = 0x8, 0x3000


class Server:
    def __init__(self, folder, *args):
        self.process = subprocess.Popen([PROGRAM, *map(str, args)], cwd=folder, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.out = self.err = ""

    def wait_for(self, path):
        until(lambda: path.exists() or self.process.poll() is not None)
        assert self.process.poll() is None, self.process.stderr.read()

    def end(self, how=signal.SIGTERM):
        """Exit status."""
        self.process.send_signal(how)
        self.out, self.err = self.process.communicate(timeout=20)
        return self.process.returncode


@contextlib.contextmanager
def serve(folder, *args, sockets=("nic",)):
    server = Server(folder, *args)
    try:
        for name in sockets:
            server.wait_for(folder / name)
        yield server
    finally:
        if server.process.poll() is None:
            server.process.kill()
            server.process.communicate()


class Client:
    """The virtual machine's end."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(10)
        self.socket.connect(str(path))

    def call(self, command, payload=b""):
        self.socket.sendall(struct.pack("=HHIII", 1, command, 16 + len(payload), 0, 0) + payload)
        head = self.socket.recv(16, socket.MSG_WAITALL)
        if len(head) < 16:
            raise ConnectionError("cut off")
        _, _, size, flags, error = struct.unpack("=HHIII", head)
        assert flags & 1 and not (flags & 0x20), os.strerror(error)
        return self.socket.recv(size - 16, socket.MSG_WAITALL) if size > 16 else b""

    def hello(self):
        return self.call(1, struct.pack("=HH", 0, 0))

    def read(self, region, offset, count=4):
        reply = self.call(9, struct.pack("=QII", offset, region, count))
        return int.from_bytes(reply[16:], "little")

    def write(self, region, offset, value, count=4):
        self.call(10, struct.pack("=QII", offset, region, count) + value.to_bytes(count, "little"))

    def close(self):
        self.socket.close()


def control(path, line):
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(10)
        s.connect(str(path))
        s.sendall(line.encode() + b"\n")
        with s.makefile() as f:
            return json.loads(f.readline())


def test_help_names_every_option():
    done = subprocess.run([PROGRAM, "--help"], text=True, capture_output=True, check=True)
    assert done.stderr == ""
    for option in ("socket", "model", "mac", "wire", "fault", "trace", "device", "control",
                   "report", "help"):
        assert f"--{option}" in done.stdout


@pytest.mark.parametrize("args, line", [
    ([], r"--socket PATH is needed"),
    (["--socket"], r"requires an argument"),
    (["--socket", "nic", "--model", "82600"], r"--model '82600': have 82599, "),
    (["--socket", "nic", "--mac", "1:2:3"], r"--mac '1:2:3': an address like"),
    (["--socket", "nic", "--mac", "01:00:5e:00:00:01"], r"of no group"),
    (["--socket", "nic", "--fault", "fire"], r"--fault 'fire': have none, nvm, reset, dead"),
    (["--socket", "nic", "--wire", "string"], r"no wire 'string'"),
    (["--socket", "nic", "--wire", "gen:speed=9"], r"wire gen: bad options"),
    (["--socket", "a", "--socket", "b"], r"put --device before it"),
    (["--device", "--socket", "b"], r"the one before has no --socket"),
    (["--socket", "a", "--device"], r"the last --device has no --socket"),
    (["--socket", "x" * 200], r"a path of 1 to 103 characters"),
    (["--socket", "nic", "now"], r"'now': what is that"),
    (["--bogus"], r"unrecognized option"),
])
def test_wrong_command_line_is_refused_with_a_line(tmp_path, args, line):
    done = subprocess.run([PROGRAM, *args], cwd=tmp_path, text=True, capture_output=True,
                          timeout=20, check=False)
    assert done.returncode == 2, done.stderr
    assert re.search(line, done.stderr), done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_signal_ends_it_and_leaves_no_socket(tmp_path, how):
    with serve(tmp_path, "--socket", "nic", "--control", "ctl", "--report", "report.json",
               sockets=("nic", "ctl")) as server:
        client = Client(tmp_path / "nic")
        client.hello()
        assert server.end(how) == 0, server.err
        client.close()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["report.json"]
    assert "nic 82599 id 10fb link up" in server.out


def test_stale_socket_is_replaced_and_a_live_one_is_not(tmp_path):
    with serve(tmp_path, "--socket", "nic") as dead:
        dead.process.kill()
        dead.process.wait()
        assert (tmp_path / "nic").exists()
        with serve(tmp_path, "--socket", "nic"):
            # the file may be the dead one's for a moment more
            until(lambda: _answers(tmp_path / "nic"))
            second = subprocess.run([PROGRAM, "--socket", "nic"], cwd=tmp_path, text=True,
                                    capture_output=True, timeout=20, check=False)
            assert second.returncode == 1
            assert "a server listens there" in second.stderr
            client = Client(tmp_path / "nic")
            client.hello()
            client.close()
    (tmp_path / "file").write_text("precious")
    done = subprocess.run([PROGRAM, "--socket", "file"], cwd=tmp_path, text=True,
                          capture_output=True, timeout=20, check=False)
    assert done.returncode == 1
    assert "no socket" in done.stderr
    assert (tmp_path / "file").read_text() == "precious"


def _answers(path):
    try:
        Client(path).close()
    except OSError:
        return False
    return True


def test_next_client_finds_a_device_that_was_reset(tmp_path):
    with serve(tmp_path, "--socket", "nic") as server:
        for _ in range(3):
            client = Client(tmp_path / "nic")
            client.hello()
            assert client.read(CONFIG, 0) == 0x10FB8086
            assert client.read(CONFIG, 4, 2) == 0
            client.write(CONFIG, 4, 6, 2)
            assert client.read(BAR0, RXCTRL) == 0
            client.write(BAR0, RXCTRL, 1)
            # one at a time
            other = Client(tmp_path / "nic")
            with pytest.raises(OSError):
                other.hello()
            other.close()
            assert client.read(BAR0, RXCTRL) == 1
            client.close()
        # rubbish costs the connection
        client = Client(tmp_path / "nic")
        client.socket.sendall(b"\xff" * 16)
        assert client.socket.recv(1) == b""
        client.close()
        assert server.end() == 0
    assert server.err.count("a client is there") == 3
    assert server.err.count("cut off") == 1


def test_report_has_registers_by_name_and_offsets_without_one(tmp_path):
    report = tmp_path / "report.json"
    with serve(tmp_path, "--socket", "nic", "--model", "x540", "--report", report) as server:
        client = Client(tmp_path / "nic")
        client.hello()
        client.write(CONFIG, 4, 6, 2)
        for _ in range(3):
            client.read(BAR0, STATUS)
        client.write(BAR0, 0x1FFFC, 1)
        server.process.send_signal(signal.SIGUSR1)
        until(report.exists)
        device = json.loads(report.read_text())["devices"][0]
        assert device["model"] == "x540" and device["client"] is True
        assert {"offset": "0x00008", "name": "STATUS", "index": 0, "reads": 3,
                "writes": 0} in device["registers"]
        assert device["unknown"] == [{"offset": "0x1fffc", "reads": 0, "writes": 1}]
        client.close()
        assert server.end() == 0
    assert json.loads(report.read_text())["devices"][0]["client"] is False
    assert "unknown offset 0x1fffc was accessed" in server.out


def test_two_devices_are_controlled_by_number(tmp_path):
    ctl = tmp_path / "ctl"
    with serve(tmp_path, "--control", "ctl", "--socket", "nic", "--wire", "pair:cable", "--device",
               "--socket", "nic1", "--model", "x550", "--mac", "02:00:00:00:00:77", "--wire",
               "pair:cable", sockets=("nic", "nic1", "ctl")) as server:
        assert control(ctl, "list") == {"0": "nic", "1": "nic1"}
        assert control(ctl, "stats,1")["model"] == "x550"
        client = Client(tmp_path / "nic1")
        client.hello()
        client.write(CONFIG, 4, 6, 2)
        assert client.read(BAR0, 0xA200) == 0x00000002  # RAL(0)
        assert client.read(BAR0, 0xA204) & 0xFFFF == 0x7700
        assert control(ctl, "link down,1") == {"link": "nic1", "up": False, "mbps": 10000}
        assert control(ctl, "stats,1")["link_up"] is False
        assert control(ctl, "stats")["link_up"] is True
        assert control(ctl, "link up 1000,1")["mbps"] == 1000
        assert "error" in control(ctl, "link up 12,1")
        assert control(ctl, "stats,1")["register_reads"] == 2
        assert control(ctl, "reset-stats,1") == {"reset-stats": "nic1"}
        assert control(ctl, "stats,1")["register_reads"] == 0
        assert control(ctl, "slow 50") == {"slow": 50}
        assert all("error" in control(ctl, f"slow {t}") for t in ("0", "1001", "fast"))
        assert control(ctl, "stats,1")["clock_ns"] > 0
        assert control(ctl, "remove,1") == {"removed": "nic1"}
        assert client.read(BAR0, STATUS) == 0xFFFFFFFF
        assert "error" in control(ctl, "stats,2")
        assert "error" in control(ctl, "dance")
        assert len(control(ctl, "report")["devices"]) == 2
        assert control(ctl, "stats,1")["removed"] is True
        client.close()
        assert server.end() == 0, server.err


def test_generator_fills_the_counters(tmp_path):
    ctl = tmp_path / "ctl"
    with serve(tmp_path, "--socket", "nic", "--wire", "gen:pps=1000;count=50;wait=0", "--control", "ctl",
               sockets=("nic", "ctl")) as server:
        until(lambda: control(ctl, "stats")["rx_wire"] == 50)
        assert control(ctl, "stats")["rx_drop_disabled"] == 50
        assert server.end() == 0
