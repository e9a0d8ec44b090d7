# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""A listener on a host of its own: tells on stdout what it hears, in lines of JSON."""

import json
import sys
import threading

from system.graph import Listener, stamp
from system.test_lockstep import digest, FIRST_STAMP, PERIODS


def main() -> None:
    """Tell the time of the last state and the last reports, until stdin ends; then a digest."""
    listener = Listener()
    ended = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    while not ended.is_set():
        for _ in range(20):
            listener.executor.spin_once(timeout_sec=0.01)
        last = listener.states[-1] if listener.states else None
        print(json.dumps({
            'now': stamp(last) if last else 0, 'commands': len(listener.commands),
            'position': list(last.position) if last else [],
            'reports': [list(item) if isinstance(item, tuple) else str(item)
                        for item in listener.reports[-3:]]}), flush=True)
    window = range(FIRST_STAMP, FIRST_STAMP + PERIODS * 1_000_000, 1_000_000)
    states = {stamp(m): m for m in listener.states}
    found = [states[k] for k in window if k in states]
    print(json.dumps({'digest': digest(found), 'states': len(found)}), flush=True)
    listener.close()


if __name__ == '__main__':
    main()
