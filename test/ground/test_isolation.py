# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Two test sessions at once on one machine do not hear each other, nor do two workers of one session.

Real processes, real DDS: test/ground/talk.py runs in each of them.
"""

import json
import subprocess
import sys

from house import clean_environment, ROOT
import pytest

pytestmark = [pytest.mark.dds, pytest.mark.slow]
NAMES = ('alice', 'bob')
COMMAND = [sys.executable, '-m', 'pytest', '-p', 'no:cacheprovider', 'test/ground/talk.py']


def talked(folder, *sessions, meet=False, **changes):
    """Run pytest sessions at once, given as name and options; return what alice and bob saw."""
    started = []
    for name, *options in sessions:
        env = clean_environment(TALK_ME=name, TALK_FOLDER=str(folder),
                                TALK_MEET='yes' if meet else 'no')
        for ours in ('ROS_DOMAIN_ID', 'PYTEST_XDIST_WORKER', 'PYTEST_XDIST_WORKER_COUNT'):
            env.pop(ours, None)      # of the session around this test, not theirs
        env.update(changes)
        started.append(subprocess.Popen([*COMMAND, *options], cwd=ROOT, env=env, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT))
    for session in started:
        said, _ = session.communicate(timeout=400)
        assert session.returncode == 0, said
    return [json.loads((folder / f'{name}.json').read_text()) for name in NAMES]


@pytest.mark.parametrize('sessions, given', [
    pytest.param([('alice',), ('bob',)], {}, id='two sessions'),
    pytest.param([('', '-n', '2', '--dist', 'each')], {'ROS_DOMAIN_ID': '42'}, id='two workers'),
])
def test_two_are_apart(tmp_path, sessions, given):
    """Each gets a domain of its own and hears only itself; one domain is not enough for two."""
    alice, bob = talked(tmp_path, *sessions, **given)
    assert alice['domain'] != bob['domain']
    assert (alice['heard'], bob['heard']) == (['alice'], ['bob'])
    assert alice['range'] == bob['range'] == 'LOCALHOST'


def test_one_domain_is_shared(tmp_path):
    """The same two do hear each other in one domain, given to them from outside."""
    import domain_coordinator
    with domain_coordinator.domain_id() as shared:
        alice, bob = talked(tmp_path, ('alice',), ('bob',), meet=True, ROS_DOMAIN_ID=str(shared))
    assert alice['domain'] == bob['domain'] == str(shared)
    assert alice['heard'] == bob['heard'] == ['alice', 'bob']
