# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Every source says whose it is and under which licence, in two lines."""

from house import files, ROOT

HEADER = [
    '# Copyright 2026 robodyn_ros developers',
    '# SPDX-License-Identifier: Apache-2.0',
]


def without_header(paths):
    """List the files whose first lines, after a possible #!, are not the header."""
    bare = []
    for path in paths:
        lines = path.read_text().splitlines()
        if lines and lines[0].startswith('#!'):
            lines = lines[1:]
        if lines[:2] != HEADER:
            bare.append(str(path))
    return bare


def test_every_source_has_the_header():
    """Python, shell (.ci has no endings) and make."""
    bare = without_header(files('*.py', '*.sh', 'Makefile') + sorted((ROOT / '.ci').iterdir()))
    assert not bare, '\n'.join(bare)


def test_the_licence_is_the_one_declared():
    """LICENSE is the text that package.xml names."""
    assert 'Apache License' in (ROOT / 'LICENSE').read_text()[:200]
    assert '<license file="LICENSE">Apache-2.0</license>' in (ROOT / 'package.xml').read_text()


def test_a_breach_is_found(tmp_path):
    """A missing header, one after code and an empty file fail; one after #! does not."""
    header = '\n'.join(HEADER) + '\n'
    contents = {'good': '#!/bin/sh\n' + header, 'bare': 'x = 1\n', 'late': 'x = 1\n' + header,
                'empty': ''}
    for name, content in contents.items():
        (tmp_path / name).write_text(content)
    bare = without_header(sorted(tmp_path.iterdir()))
    assert [path.rsplit('/')[-1] for path in bare] == ['bare', 'empty', 'late']
