# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Record scalar Python and differentiate it exactly; codegen/ makes code of recordings."""
from robodyn_ros.tracing.derivative import (depends_on, directional, gradient, jacobian,
                                            operations, replaced)
from robodyn_ros.tracing.functions import (absolute, atan2, clip, cos, exp, maximum, minimum, sin,
                                           sqrt, tan, tanh, where)
from robodyn_ros.tracing.graph import Graph
from robodyn_ros.tracing.interpret import evaluate
from robodyn_ros.tracing.scalar import inputs, is_zero, Number, Scalar

__all__ = [
    'absolute', 'atan2', 'clip', 'cos', 'depends_on', 'directional', 'evaluate', 'exp',
    'gradient', 'Graph', 'inputs', 'is_zero', 'jacobian', 'maximum', 'minimum', 'Number',
    'operations', 'replaced', 'Scalar', 'sin', 'sqrt', 'tan', 'tanh', 'where',
]
