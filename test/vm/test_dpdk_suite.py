# SPDX-License-Identifier: BSD-3-Clause
"""What the in-process suite checks of a port, in the guest: the same tests on another bench."""

from test_offload import *  # noqa: F401, F403
from test_port import *  # noqa: F401, F403
from test_queues import *  # noqa: F401, F403
