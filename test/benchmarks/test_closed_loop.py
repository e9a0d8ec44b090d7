# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The closed-loop benchmark compares like with like; its times decide nothing here."""

import json

from benchmarks.__main__ import main
import pytest

pytest.importorskip('pinocchio', reason='the peer, Pinocchio, is not installed')


def test_both_loops_agree_and_the_row_is_well_formed(capsys):
    """The peer's loop gives the same motion (else no row), and ratio is peer over ours."""
    assert main(['--quiet', 'loop', '--json', '--duration', '0.2', '--repeats', '2']) == 0
    row, = json.loads(capsys.readouterr().out)
    assert row['name'] == 'scara_helix.closed_loop' and row['peer'] == 'pinocchio'
    assert row['ratio'] == pytest.approx(row['peer_us'] / row['ours_us'])
