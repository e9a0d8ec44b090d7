# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Who tells where the arm is: one, two, a gripper, or a successor beside the dead."""

from robodyn_ros.nodes.controller.rivals import CHRISTENED, GHOST, NAMELESS, Rivals

JOINTS = ['joint_1', 'joint_2']


def test_two_nodes_of_different_names_are_named_and_gone_when_one_leaves():
    """Both names are in the sentence."""
    rivals = Rivals(JOINTS)
    assert rivals.look(['/driver'], 0.0) == ''
    assert rivals.look(['/driver', '/dynamics'], 0.2) == \
        '2 nodes publish joint_states: /driver, /dynamics'
    assert rivals.look(['/driver'], 0.4) == rivals.found == ''


def test_a_gripper_of_its_own_is_no_rival():
    """It speaks of other joints; a message that has one of ours is a rival's."""
    rivals = Rivals(JOINTS)
    assert rivals.is_stranger(['finger']) and not rivals.is_stranger(['finger', 'joint_2'])
    assert not rivals.is_stranger([])
    assert rivals.look(['/driver', '/gripper'], 0.0) == ''
    assert '3 nodes' in rivals.look(['/driver', '/gripper', '/simulation'], 0.2)


def test_a_successor_is_no_rival_of_the_dead_but_two_at_once_are():
    """DDS lists the dead for a while; two that live give stamps that go back and forth."""
    for stamps, later, expected in ((range(100), 0.2, False), ([5, 2, 6, 3, 7, 4], 0.2, True),
                                    (range(100), GHOST + 1.0, True)):
        rivals = Rivals(JOINTS)
        rivals.hear(10 ** 9)
        rivals.look(['/dynamics', '/dynamics'], 0.0)
        for stamp in stamps:
            rivals.hear(stamp)
        assert bool(rivals.look(['/dynamics', '/dynamics'], later)) is expected


def test_a_node_without_a_name_is_a_new_one_for_a_moment_only():
    """A successor is known before its name is; whoever never has one is somebody else."""
    publishers = ['/driver', f'_NODE_NAMESPACE_UNKNOWN_/{NAMELESS}']
    rivals = Rivals(JOINTS)
    assert not rivals.look(publishers, 0.0)
    assert not rivals.look(['/driver', '/driver'], 0.2)
    assert not rivals.look(['/driver', '/driver'], GHOST - 1.0)
    rivals = Rivals(JOINTS)
    assert not rivals.look(publishers, 0.0)
    assert rivals.look(publishers, CHRISTENED + 1.0)


def test_a_flood_of_strange_names_is_bounded():
    """Memory does not grow with nonsense."""
    rivals = Rivals(JOINTS)
    for k in range(1000):
        assert rivals.is_stranger([f'finger_{k}'])
    assert rivals.look([f'/node_{k}' for k in range(50)], 0.0)
