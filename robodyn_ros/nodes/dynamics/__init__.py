# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The simulated plant behind the topics of a driver."""
