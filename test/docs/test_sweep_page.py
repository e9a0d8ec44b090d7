# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What docs/sweep.md shows runs as shown."""

import re
import subprocess
import sys

from house import ROOT
import pytest

pytest.importorskip('pyarrow')
PAGE = (ROOT / 'docs' / 'sweep.md').read_text()


def test_the_files_and_commands_of_the_page(tmp_path):
    """In the page's order; commands that need other machines are left out."""
    for text in re.findall(r'```yaml\n(# (\S+)\n.*?)```', PAGE, re.S):
        (tmp_path / text[1]).write_text(text[0])
    for text in re.findall(r'```python\n(.*?)```', PAGE, re.S):
        subprocess.run([sys.executable, '-c', text], cwd=tmp_path, check=True)
    assert (tmp_path / 'three.parquet').exists()
    commands = re.findall(r'^    robodyn (.*?)(?:  +#.*)?$', PAGE, re.M)
    tried = [command for command in commands if 'tcp://' not in command]
    assert len(tried) == 6
    for command in tried:
        words = command.replace('--cluster local', '--cluster local --output local.parquet')
        done = subprocess.run([sys.executable, '-m', 'robodyn_ros.commands.main', *words.split()],
                              cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode in ((0, 1) if 'simulate' in command else (0,)), done.stderr
    assert (tmp_path / 'payload_report' / 'index.html').exists()
