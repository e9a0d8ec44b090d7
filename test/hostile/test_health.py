# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The soak's own judgement can fail: what grows is named, what stays or shrinks is not."""

import os

from hostile.health import grown, growth, Sample, sample


def test_what_grows_is_named():
    """Each by itself, beyond noise."""
    flat = [Sample(100.0 + k % 3, 20 + k % 2, 8) for k in range(50)]
    assert grown(flat) == [] == grown(flat[::-1]) == grown([flat[0]])
    assert grown([one._replace(memory=one.memory + k) for k, one in enumerate(flat)]) == ['memory']
    assert grown([one._replace(descriptors=20 + k, threads=8 + k) for k, one in enumerate(flat)]
                 ) == ['descriptors', 'threads']
    assert growth(flat)['threads'] == (8, 8)


def test_this_process_holds_something():
    """And one that is gone nothing."""
    held = sample(os.getpid())
    assert held.memory > 1.0 and held.descriptors > 2 and held.threads >= 1
    assert sample(2 ** 22 + 1) is None
