# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Two test sessions at once on one machine do not hear each other: real processes, real DDS."""

import json
import subprocess
import sys

from house import clean_environment, ROOT
import pytest

pytestmark = [pytest.mark.dds, pytest.mark.slow]


def two_sessions(folder, meet, **changes):
    """Run two pytest sessions at once; return what each of them saw."""
    names = ('alice', 'bob')
    command = [sys.executable, '-m', 'pytest', '-p', 'no:cacheprovider', 'test/ground/talk.py']
    sessions = []
    for me, other in (names, names[::-1]):
        env = clean_environment(TALK_ME=me, TALK_OTHER=other, TALK_FOLDER=str(folder),
                                TALK_MEET='yes' if meet else 'no')
        env.pop('ROS_DOMAIN_ID', None)      # this session's own, not theirs
        env.update(changes)
        sessions.append(subprocess.Popen(
            command, cwd=ROOT, env=env, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT))
    for session in sessions:
        said, _ = session.communicate(timeout=240)
        assert session.returncode == 0, said
    return [json.loads((folder / f'{name}.json').read_text()) for name in names]


def test_two_sessions_are_apart(tmp_path):
    """Each gets a domain of its own and hears only itself."""
    alice, bob = two_sessions(tmp_path, meet=False)
    assert alice['domain'] != bob['domain']
    assert (alice['heard'], bob['heard']) == (['alice'], ['bob'])
    assert alice['range'] == bob['range'] == 'LOCALHOST'


def test_one_domain_is_shared(tmp_path):
    """The same two do hear each other in one domain, given to them from outside."""
    import domain_coordinator
    with domain_coordinator.domain_id() as shared:
        alice, bob = two_sessions(tmp_path, meet=True, ROS_DOMAIN_ID=str(shared))
    assert alice['domain'] == bob['domain'] == str(shared)
    assert alice['heard'] == bob['heard'] == ['alice', 'bob']
