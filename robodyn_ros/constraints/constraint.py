# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
What a constraint is, and how a user writes one.

    @constraint
    def on_circle(robot, q, t, *, radius=0.4):
        x, y, _ = robot.position('tool0', q)
        return [x * x + y * y - radius * radius]

phi(robot, q, t) = 0 constrains positions; psi(robot, q, v, t) = 0, linear in v, constrains
velocities only (non-holonomic). Keyword-only arguments with number defaults become run-time
parameters ('on_circle.radius'): they can change without compiling again. The function is traced,
differentiated and compiled; it must not branch on traced values (use where).
"""
from __future__ import annotations

from dataclasses import dataclass, field
import inspect
from typing import Any, Callable, Mapping, Sequence

from robodyn_ros.checks import items, number
from robodyn_ros.errors import ConstraintError
from robodyn_ros.tracing import Number

POSITION, VELOCITY, FORCE = 'position', 'velocity', 'force'


@dataclass(frozen=True, repr=False)
class Constraint:
    """Rows that shall be zero: a function of robot, q, (v,) t and named parameters."""

    name: str
    function: Callable[..., Sequence[Number]]
    level: str
    """POSITION: phi(robot, q, t); VELOCITY: psi(robot, q, v, t); FORCE: C(robot, q, v, t)."""
    parameters: Mapping[str, float] = field(default_factory=dict)
    rows: tuple[str, ...] = ()
    """Names of the rows, if known before tracing."""

    def __repr__(self) -> str:
        """Kind and name."""
        return f'<Constraint {self.name}: {self.level}>'

    def __call__(self, *args: Any, **kwargs: Any) -> Sequence[Number]:
        """Evaluate with floats or recording scalars."""
        return self.function(*args, **kwargs)


def constraint(function: Callable | None = None, *, name: str = '') -> Any:
    """Make a function of robot, q, t (or robot, q, v, t) a constraint; for use as decorator."""
    if function is None:
        return lambda f: constraint(f, name=name)
    return _made('constraint', function, name, {3: POSITION, 4: VELOCITY},
                 '(robot, q, t) for positions or (robot, q, v, t) for velocities')


def non_ideal(function: Callable | None = None, *, name: str = '') -> Any:
    """
    Make a function C(robot, q, v, t) -> n forces the constraints' non-ideal part (decorator).

    C is prescribed, and the virtual work of the constraint force is w.Qc = w.C for every w the
    constraints allow (friction in a pin, for example).
    """
    if function is None:
        return lambda f: non_ideal(f, name=name)
    return _made('non-ideal force', function, name, {4: FORCE}, '(robot, q, v, t)')


def checked_constraints(name: str, given: Any) -> list[Constraint]:
    """Return constraints as a list; one alone, or an undecorated function, is none."""
    return items(Constraint, name, given, 'functions decorated with @constraint', ConstraintError)


def _made(kind: str, function: Callable, name: str, levels: dict[int, str],
          expected: str) -> Constraint:
    """Return the constraint whose level its number of positional arguments tells."""
    name = name or function.__name__
    positional, parameters = [], {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY:
            if parameter.default is parameter.empty:
                raise ConstraintError(f'constraint {name!r}: the parameter {parameter.name!r} has '
                                      'no default; give it a number')
            parameters[parameter.name] = number(
                f'constraint {name!r}: the default of {parameter.name!r}', parameter.default,
                error=ConstraintError)
        elif parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            positional.append(parameter.name)
    if len(positional) not in levels:
        raise ConstraintError(f'{kind} {name!r} takes the arguments ({", ".join(positional)}); '
                              f'expected {expected}')
    return Constraint(name, function, levels[len(positional)], parameters)
