# SPDX-License-Identifier: BSD-3-Clause
"""Test hosts, applications and measurements that demo and tests share."""
