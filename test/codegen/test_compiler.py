# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The one file on LLVM's interface knows which versions it was tested with."""

import re

from house import ROOT
import pytest
from robodyn_ros.codegen.compiler import check_version, NEWEST, OLDEST
from robodyn_ros.errors import RobodynError


@pytest.mark.parametrize('version', ['0.40.1', '0.1', f'0.{NEWEST[1] + 1}.0', '1.0.0rc1'])
def test_an_unknown_llvmlite_is_one_sentence_with_the_remedy(version):
    """It names the version found, those that work and what to type."""
    words = f'llvmlite is {version}; .*pip install "llvmlite>='
    with pytest.raises(RobodynError, match=words) as found:
        check_version(version)
    assert '\n' not in str(found.value)


@pytest.mark.parametrize('version', ['0.41.0', '0.44.0rc1', '.'.join(map(str, (*NEWEST, 7)))])
def test_tested_versions_pass(version):
    """From the oldest to the newest, release candidates among them."""
    check_version(version)


def test_the_installation_has_the_same_bounds():
    """What setup.py asks for is what the compiler takes."""
    text = (ROOT / 'setup.py').read_text()
    least, below = re.search(r"'llvmlite>=0\.(\d+),<0\.(\d+)'", text).groups()
    assert (int(least), int(below)) == (OLDEST[1], NEWEST[1] + 1)
