# SPDX-License-Identifier: BSD-3-Clause
"""
aim-lab as a user runs it: no NIC, no namespace, no privilege.
    pytest test/lab [--aim-lab PROGRAM]
"""

import pathlib
import subprocess

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]


def pytest_addoption(parser):
    parser.addoption("--aim-lab", default=str(TOP / "build/app/aim-lab/aim-lab"), help="the program")


class Lab:
    """The program, run in an empty folder."""

    def __init__(self, program, folder):
        self.program = program
        self.folder = folder

    def run(self, *args, **more):
        """A run of any outcome."""
        how = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
        return subprocess.run([self.program, *map(str, args)], cwd=self.folder, timeout=120, check=False,
                              **how)

    def ok(self, *args, **more):
        """Standard output of a run that succeeds and complains of nothing."""
        done = self.run(*args, **more)
        assert (done.returncode, done.stderr) == (0, b""), done.stderr.decode()
        return done.stdout.decode()

    def refused(self, *args, status=2, **more):
        """The one line of a run that fails, and prints and leaves nothing else."""
        before = self.files()
        done = self.run(*args, **more)
        line = done.stderr.decode()
        assert done.returncode == status, line
        assert done.stdout == b""
        assert line.startswith("aim-lab: ") and line.count("\n") == 1 and line.endswith("\n"), line
        assert self.files() == before
        return line.removeprefix("aim-lab: ").rstrip("\n")

    def files(self):
        """What is in the folder, with content."""
        return {f.name: f.read_bytes() for f in self.folder.iterdir() if f.is_file()}

    def file(self, name, text):
        """A file in the folder."""
        path = self.folder / name
        if isinstance(text, bytes):
            path.write_bytes(text)
        else:
            path.write_text(text)
        return name


@pytest.fixture
def lab(request, tmp_path):
    """The program in a folder of its own."""
    return Lab(str(pathlib.Path(request.config.getoption("--aim-lab")).resolve()), tmp_path)
