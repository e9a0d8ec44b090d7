# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Measure a closed loop beside the same one in Python: `python benchmarks/closed_loop.py --help`."""
import argparse
import sys

from robodyn_ros.bench import closed_loop

if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=closed_loop.__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    closed_loop.add_arguments(parser)
    sys.exit(closed_loop.run(parser.parse_args()))
