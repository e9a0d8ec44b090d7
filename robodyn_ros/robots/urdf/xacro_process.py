# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The process that runs xacro for macros.py: a request on stdin, an answer on stdout, both JSON.

It stands in for ament_index_python, which xacro asks for $(find package) and which is only there
with ROS: packages are found as for package://.
"""
from __future__ import annotations

import contextlib
import io
import json
import re
import sys
from types import ModuleType
from typing import Any

TOO_LARGE = 'it needs more memory than any robot; look for a macro that repeats itself'
LONGEST_REASON = 2000
"""Characters of a reason; xacro may quote a whole macro."""
MEMORY = 4 << 30
"""Address space of this process: a macro that grows without end must not take the machine's."""


class Arguments(dict):  # type: ignore[type-arg]
    """What is given for <xacro:arg>, by name; remembers which were asked for."""

    def __init__(self, given: dict[str, str]):
        """Nothing was asked for yet."""
        super().__init__(given)
        self.asked: set[str] = set()

    def __contains__(self, name: object) -> bool:
        """Tell if one is given, and remember that it was asked for."""
        self.asked.add(str(name))
        return super().__contains__(name)


def main() -> int:
    """Answer the request on stdin."""
    sys.path.pop(0)  # this folder: its modules are no modules of their own
    request = json.load(sys.stdin)
    sys.path[:] = request['modules']
    _bound_resources(request['seconds'])
    from robodyn_ros.robots.urdf.packages import package_folder
    try:
        import xacro
    except ImportError:
        json.dump({'missing': True}, sys.stdout)
        return 1

    def share(name: str, print_warning: bool = True) -> str:
        folder = package_folder(name, request['path'])
        if folder is None:
            raise LookupError(
                f'there is no package {name!r} in AMENT_PREFIX_PATH, ROS_PACKAGE_PATH or the '
                'folders around the file; install it, or put it beside the description')
        return str(folder)

    index, packages = ModuleType('ament_index_python'), ModuleType('ament_index_python.packages')
    for module in (index, packages):
        module.get_package_share_directory = share  # type: ignore[attr-defined]
    index.packages = packages  # type: ignore[attr-defined]
    sys.modules.update({'ament_index_python': index, 'ament_index_python.packages': packages})
    said = io.StringIO()  # xacro prints where it was
    arguments = Arguments(request['arguments'])
    answer: dict[str, Any]
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            document = xacro.process_file(request['path'], mappings=arguments)
            text = document.toprettyxml(indent='  ')
    except RecursionError:
        answer = {'error': 'a file includes itself or a macro calls itself, without end; break '
                           'the circle'}
    except MemoryError:
        answer = {'error': TOO_LARGE}
    except (Exception, SystemExit) as error:  # noqa: B902  a macro may raise anything
        if _because_of(error, MemoryError):
            return _answer({'error': TOO_LARGE})
        with contextlib.redirect_stderr(said):
            xacro.print_location()
        places = [line.partition(':')[2].strip() for line in said.getvalue().splitlines()
                  if line.startswith(('in file:', 'when processing file:', 'when instantiating'))]
        answer = {'error': _sentence(error, places)}
    else:
        answer = {'text': text, 'asked': sorted(arguments.asked)}
    return _answer(answer)


def _answer(answer: dict[str, Any]) -> int:
    json.dump(answer, sys.stdout)
    return 0


def _because_of(error: BaseException | None, kind: type[BaseException]) -> bool:
    """Tell whether an error came of another of a kind; xacro wraps what it meets."""
    while error is not None and not isinstance(error, kind):
        error = error.__cause__ or error.__context__
    return error is not None


def _bound_resources(seconds: int) -> None:
    """Bound memory, and the time of computing, whose end is SIGXCPU."""
    try:
        import resource
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # what was half expanded helps nobody
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    except (ImportError, ValueError, OSError):  # another system, or a smaller bound is set
        pass


def _sentence(error: BaseException, places: list[str]) -> str:
    text = ' '.join(str(error).split())[:LONGEST_REASON] or type(error).__name__
    # xacro puts the class of what was raised before its words, and these twice
    text = re.sub(r'(.{20,}?) \1', r'\1', re.sub(r"<class '[\w.]+'>: ", '', text))
    if 'recursion depth' in text:
        text = 'a file includes itself or a macro calls itself, without end; break the circle'
    where = f' (in {places[0]})' if places and places[0] not in text else ''
    missing = re.match(r'Undefined substitution argument (\S+)', text)
    if missing:
        name = missing.group(1)
        return (f'its argument {name!r} is not given{where}; give it with --xacro {name}:=VALUE, '
                'or robot_arguments in the scenario')
    return f'{text}{where}'


if __name__ == '__main__':
    sys.exit(main())
