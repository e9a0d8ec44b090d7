# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What the tests of exported C share: closed loops of law and plant, and compilers."""
