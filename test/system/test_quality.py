# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""A best-effort driver reaches the controller once its quality of service is overridden."""

import pytest
from system.driver_process import driver, wall_clock_nodes

pytestmark = pytest.mark.dds
OVERRIDE = ['-p', 'qos_overrides./joint_states.subscription.reliability:=best_effort']


def test_a_best_effort_driver_is_heard_when_asked_for(listener):
    """As docs/hardware.md says: one parameter, and commands come."""
    with driver('--fault', 'best_effort'), \
            wall_clock_nodes('scara_helix', controller=OVERRIDE, trajectory=[]):
        listener.wait(lambda: len(listener.commands) > 10)
