# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""A closed loop's speed; the same as `robodyn bench loop`."""
import argparse
import sys

from robodyn_ros.bench import closed_loop

if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=closed_loop.__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    closed_loop.add_arguments(parser)
    sys.exit(closed_loop.run(parser.parse_args()))
