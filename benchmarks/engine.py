#!/usr/bin/env python3
# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The engine's speed beside MuJoCo and Pinocchio; the same as `robodyn bench engine`."""
import argparse
from pathlib import Path
import sys

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from robodyn_ros.bench import engine  # noqa: E402, I100, I202  the source tree goes first

if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__)
    engine.add_arguments(parser)
    sys.exit(engine.run(parser.parse_args()))
