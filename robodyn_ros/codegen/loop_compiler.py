# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
From the loops of loops/, which are ordinary Python functions, to LLVM instructions.

They need little of Python: whole numbers (64 bits), floats, truths, arrays by their address,
tuples that are returned, or constant and of floats, if, for over range(), while, and calls of one
another and of routines.
Their free variables are constants; a branch that these decide is not written, nor looked at. Types
follow from those of the arguments; a variable that is a whole number here and a float there is a
float. All this is what the functions mean as Python, operation by operation, but that numbers
divided by zero are infinite or no number. What is not known here is refused with file and line.
"""
from __future__ import annotations

import ast
import builtins
from functools import lru_cache
import math
import operator
from pathlib import Path
from typing import Any, Callable, Iterator, NamedTuple, Sequence, Union

from robodyn_ros.codegen import environment
from robodyn_ros.codegen.arithmetic import fma
from robodyn_ros.codegen.llvm_text import (constant, DOUBLE, FLOATS, INTEGERS, Lines, TRUTH,
                                           UNTYPED, WHOLE)
from robodyn_ros.errors import TracingError

Kind = Union[str, tuple]
"""'double', 'i64', 'i1', ARRAY, COUNTS or NOTHING; a tuple of kinds for a tuple."""
ARRAY, COUNTS, NOTHING = 'array', 'counts', 'void'
ORDER = (TRUTH, WHOLE, DOUBLE)
"""What stands later can hold what stands earlier."""
ELEMENT = {ARRAY: DOUBLE, COUNTS: WHOLE}
FOLDED: dict[type, Callable] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.Div: operator.truediv, ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
    ast.RShift: operator.rshift, ast.LShift: operator.lshift, ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_, ast.BitXor: operator.xor, ast.Eq: operator.eq,
    ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Not: operator.not_}
FLOAT_OPERATIONS: dict[type, str] = {ast.Add: 'fadd', ast.Sub: 'fsub', ast.Mult: 'fmul',
                                     ast.Div: 'fdiv'}
WHOLE_OPERATIONS: dict[type, str] = {
    ast.Add: 'add', ast.Sub: 'sub', ast.Mult: 'mul', ast.RShift: 'ashr', ast.LShift: 'shl',
    ast.BitAnd: 'and', ast.BitOr: 'or', ast.BitXor: 'xor'}
COMPARISONS: dict[type, tuple[str, str]] = {
    ast.Eq: ('oeq', 'eq'), ast.NotEq: ('une', 'ne'), ast.Lt: ('olt', 'slt'),
    ast.LtE: ('ole', 'sle'), ast.Gt: ('ogt', 'sgt'), ast.GtE: ('oge', 'sge')}
LIBRARY = {math.exp: 'exp', math.tan: 'tan', math.tanh: 'tanh', math.atan2: 'atan2',
           math.sin: 'sin', math.cos: 'cos', math.log: 'log'}
"""Functions that are calls of the system's library."""
UNKNOWN = object()


class CalledRoutine(NamedTuple):
    """A routine, as loops call it: (x, i, w, y, j)."""

    name: str


class CalledFunction(NamedTuple):
    """A function that other loops call."""

    function: Any


def export() -> None:
    """Stand first in what Python calls; machine code needs nothing of it."""


def cells(array: Any) -> Any:
    """Return the array that an argument of what Python calls stands for."""
    return array


def room(count: int) -> Any:
    """Return an array of so many numbers on the stack."""


class Typed(NamedTuple):
    """A function for certain kinds of arguments."""

    symbol: str
    result: Kind


class LoopCompiler:
    """Writes functions, each once for the kinds of arguments it is called with."""

    def __init__(self, prefix: str, machine: str):
        """
        Know no function yet.

        :param prefix: begins every symbol
        :param machine: first part of the target's triple
        """
        self.prefix, self.machine = prefix, machine
        self.texts: list[str] = []
        self.declared: set[str] = set()
        self._typed: dict[tuple[Any, tuple[Kind, ...]], Typed] = {}
        self._written: set[str] = set()

    def entry(self, name: str, function: Any, kinds: Sequence[Kind]) -> str:
        """Write a function that Python calls; returns its symbol."""
        symbol = f'{self.prefix}.{name}'
        body = _Body(self, function, kinds)
        body.infer()
        inner = f'{symbol}.body'
        self.texts.append(body.write(inner, True, WHOLE))
        guard = environment.guarded(symbol, inner, body.arguments, self.machine, UNTYPED)
        self.texts.append(guard.text)
        self.declared |= guard.declared
        return symbol

    def typed(self, function: Any, kinds: tuple[Kind, ...]) -> Typed:
        """Return the symbol and the kind of the result of a function."""
        key = function, kinds
        if key not in self._typed:
            body = _Body(self, function, kinds)
            symbol = f'{self.prefix}.{function.__name__}.{len(self._typed)}'
            self._typed[key] = Typed(symbol, body.infer())
        return self._typed[key]

    def called(self, function: Any, kinds: tuple[Kind, ...]) -> Typed:
        """Return the same of a function that is called, and write it if need be."""
        typed = self.typed(function, kinds)
        if typed.symbol not in self._written:
            self._written.add(typed.symbol)
            body = _Body(self, function, kinds)
            body.infer()
            self.texts.append(body.write(typed.symbol, True, typed.result))
        return typed


@lru_cache(maxsize=64)
def _functions_of(path: str) -> dict[tuple[str, int], ast.FunctionDef]:
    """Return the functions of a file by name and first line."""
    tree = ast.parse(Path(path).read_text(encoding='utf-8'), path)
    return {(node.name, min([node.lineno, *(d.lineno for d in node.decorator_list)])): node
            for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def _pointer(kind: Kind) -> str:
    return FLOATS if kind == ARRAY else INTEGERS if kind == COUNTS else str(kind)


def _text_of(kind: Kind) -> str:
    """Return a kind in LLVM's words."""
    if isinstance(kind, tuple):
        return '{ ' + ', '.join(map(_text_of, kind)) + ' }'
    return _pointer(kind)


class _Body:
    """One function for certain kinds of arguments: its types are found, then it is written."""

    def __init__(self, owner: LoopCompiler, function: Any, kinds: Sequence[Kind]):
        self.owner, self.function = owner, function
        code = function.__code__
        self.node = _functions_of(code.co_filename)[code.co_name, code.co_firstlineno]
        self.args = [arg.arg for arg in self.node.args.args]
        cells_ = function.__closure__ or ()
        self.free = dict(zip(code.co_freevars, cells_))
        self.given: dict[str, Kind] = dict(zip(self.args, kinds))
        self.kinds = dict(self.given)
        self.result: Kind | None = None
        self.local = {node.id for node in ast.walk(self.node)
                      if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        self.local |= set(self.args)

    # --- names and constants --------------------------------------------------------------

    def refuse(self, node: ast.AST, what: str) -> TracingError:
        """Return the error that names file and line."""
        code = self.function.__code__
        return TracingError(f'{code.co_filename}:{getattr(node, "lineno", 0)}: {what} in a loop '
                            'that is compiled: see codegen/loop_compiler.py for what can be '
                            'written there')

    def constant(self, node: ast.AST) -> Any:
        """Return what an expression is before anything runs, or UNKNOWN."""
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return UNKNOWN if node.id in self.local else self._outside(node)
        if isinstance(node, ast.Attribute):
            base = self.constant(node.value)
            return UNKNOWN if base is UNKNOWN else getattr(base, node.attr)
        if isinstance(node, ast.BinOp) and type(node.op) in FOLDED:
            return self._folded(FOLDED[type(node.op)], node.left, node.right)
        if isinstance(node, ast.UnaryOp) and type(node.op) in FOLDED:
            return self._folded(FOLDED[type(node.op)], node.operand)
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in FOLDED:
            return self._folded(FOLDED[type(node.ops[0])], node.left, node.comparators[0])
        if isinstance(node, ast.BoolOp):
            ends = isinstance(node.op, ast.Or)
            for value in map(self.constant, node.values):
                if value is UNKNOWN or bool(value) == ends:
                    return value
            return not ends
        if isinstance(node, ast.IfExp):
            test = self.constant(node.test)
            return UNKNOWN if test is UNKNOWN else self.constant(
                node.body if test else node.orelse)
        return UNKNOWN

    def _folded(self, function: Callable, *nodes: ast.AST) -> Any:
        values = [self.constant(node) for node in nodes]
        if not all(isinstance(value, (int, float)) for value in values):
            return UNKNOWN
        try:
            return function(*values)
        except ZeroDivisionError:
            return UNKNOWN

    def _outside(self, node: ast.Name) -> Any:
        if node.id in self.free:
            return self.free[node.id].cell_contents
        if node.id in self.function.__globals__:
            return self.function.__globals__[node.id]
        if hasattr(builtins, node.id):
            return getattr(builtins, node.id)
        raise self.refuse(node, f'the unknown name {node.id!r}')

    def taken(self, node: ast.If) -> list[ast.stmt] | None:
        """Return the only branch that constants leave, or None."""
        test = self.constant(node.test)
        return None if test is UNKNOWN else (node.body if test else node.orelse)

    # --- types ----------------------------------------------------------------------------

    def infer(self) -> Kind:
        """Find the kinds of all variables; returns that of the result."""
        while True:
            before = dict(self.kinds), self.result
            for statement in _statements(self.node.body, self.taken):
                self._infer_statement(statement)
            if (dict(self.kinds), self.result) == before:
                return NOTHING if self.result is None else self.result

    def _infer_statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Assign):
            kind = self.kind(node.value)
            for target in node.targets:
                self._infer_target(target, kind, node)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            name = ast.copy_location(ast.Name(node.target.id, ast.Load()), node)
            self._infer_target(node.target, self._kind_of_operation(
                node, node.op, self.kind(name), self.kind(node.value)), node)
        elif isinstance(node, ast.For):
            self._infer_target(node.target, WHOLE, node)
        elif isinstance(node, ast.Return) and node.value is not None:
            self.result = self._join(self.result, self.kind(node.value), node)

    def _infer_target(self, target: ast.expr, kind: Kind, node: ast.AST) -> None:
        if isinstance(target, ast.Tuple):
            if not isinstance(kind, tuple) or len(kind) != len(target.elts):
                raise self.refuse(node, 'an assignment of another number of values')
            for element, part in zip(target.elts, kind):
                self._infer_target(element, part, node)
        elif isinstance(target, ast.Name):
            self.kinds[target.id] = self._join(self.kinds.get(target.id), kind, node)

    def _join(self, one: Kind | None, other: Kind, node: ast.AST) -> Kind:
        if one is None or one == other:
            return other
        if one in ORDER and other in ORDER:
            return max(one, other, key=ORDER.index)  # type: ignore[arg-type]
        if isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
            return tuple(self._join(a, b, node) for a, b in zip(one, other))
        raise self.refuse(node, f'{one} and {other} in one place')

    def kind(self, node: ast.expr) -> Kind:
        """Return the kind of an expression."""
        value = self.constant(node)
        if value is not UNKNOWN:
            return self._kind_of_constant(node, value)
        if isinstance(node, ast.Name):
            if node.id not in self.kinds:
                raise self.refuse(node, f'{node.id!r} before it has a value')
            return self.kinds[node.id]
        if isinstance(node, ast.BinOp):
            return self._kind_of_operation(node, node.op, self.kind(node.left),
                                           self.kind(node.right))
        if isinstance(node, ast.UnaryOp):
            kind = self.kind(node.operand)
            return TRUTH if isinstance(node.op, ast.Not) else WHOLE if kind == TRUTH else kind
        if isinstance(node, (ast.Compare, ast.BoolOp)):
            return TRUTH
        if isinstance(node, ast.IfExp):
            return self._join(self.kind(node.body), self.kind(node.orelse), node)
        if isinstance(node, ast.Tuple):
            return tuple(map(self.kind, node.elts))
        if isinstance(node, ast.Subscript):
            if self._table(node):
                return DOUBLE
            kind = self.kind(node.value)
            return kind if isinstance(node.slice, ast.Slice) else ELEMENT[kind]  # type: ignore
        if isinstance(node, ast.Call):
            return self._kind_of_call(node)
        raise self.refuse(node, f'{type(node).__name__}')

    def _kind_of_constant(self, node: ast.AST, value: Any) -> Kind:
        for known, kind in ((bool, TRUTH), (int, WHOLE), (float, DOUBLE), (type(None), NOTHING)):
            if isinstance(value, known):
                return kind
        raise self.refuse(node, f'{value!r:.40}')

    def _kind_of_operation(self, node: ast.AST, op: ast.operator, one: Kind, other: Kind) -> Kind:
        if one not in ORDER or other not in ORDER:
            raise self.refuse(node, f'an operation on {one} and {other}')
        if isinstance(op, ast.Div) or DOUBLE in (one, other):
            return DOUBLE
        return WHOLE

    def _kind_of_call(self, node: ast.Call) -> Kind:
        called = self.constant(node.func)
        kinds = tuple(map(self.kind, node.args))
        if isinstance(called, CalledFunction):
            return self.owner.typed(called.function, kinds).result
        if isinstance(called, CalledRoutine) or called is export:
            return NOTHING
        if called is cells:
            return kinds[0]
        if called is room:
            return ARRAY
        if called in (min, max):
            kind = kinds[0]
            for other in kinds[1:]:
                kind = self._join(kind, other, node)
            return kind
        if called is abs:
            return kinds[0]
        if called is int:
            return WHOLE
        if called in (float, fma, math.sqrt, math.fabs) or called in LIBRARY:
            return DOUBLE
        raise self.refuse(node, f'a call of {ast.unparse(node.func)}')

    # --- instructions ---------------------------------------------------------------------

    def write(self, symbol: str, internal: bool, result: Kind) -> str:
        """Return the text of the function."""
        self.lines = Lines(self.owner.declared)
        self.result = result
        self.blocks = 0
        self.ended = False
        self.around: list[tuple[str, str]] = []  # where continue and break lead
        self.entry = entry = list[str]()
        for name, kind in self.kinds.items():
            entry.append(f'  %{name}.at = alloca {_text_of(kind)}')
        for name in self.args:
            kind = self.kinds[name]
            given = self.converted(f'%{name}.given', self.given[name], kind)
            self.lines.add(f'store {_text_of(kind)} {given}, {self._at(name)}')
        self._block(self.node.body)
        if not self.ended:
            if result == NOTHING:
                self.lines.add('ret void')
            else:
                self.lines.add('unreachable')
        head = f'define {"internal " if internal else ""}{_text_of(result)} ' \
            f'@{symbol}({", ".join(self.arguments)}) nounwind {{'
        return '\n'.join([head, 'entry:', *entry, *self.lines.lines, '}', ''])

    @property
    def arguments(self) -> list[str]:
        """Return what the function takes, in LLVM's words."""
        return [f'{_text_of(self.given[name])} %{name}.given' for name in self.args]

    def _at(self, name: str) -> str:
        kind = _text_of(self.kinds[name])
        return f'ptr %{name}.at' if FLOATS == 'ptr' else f'{kind}* %{name}.at'

    def _label(self) -> str:
        self.blocks += 1
        return f'b{self.blocks}'

    def _open(self, label: str) -> None:
        if not self.ended:
            self.lines.add(f'br label %{label}')
        self.lines.lines.append(f'{label}:')
        self.ended = False

    def _go(self, label: str) -> None:
        if not self.ended:
            self.lines.add(f'br label %{label}')
        self.ended = True

    def _branch(self, test: str, yes: str, no: str) -> None:
        self.lines.add(f'br i1 {test}, label %{yes}, label %{no}')
        self.ended = True

    def _block(self, body: Sequence[ast.stmt]) -> None:
        for node in body:
            if self.ended:
                return
            self._statement(node)

    def _statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Assign):
            self._assign(node)
        elif isinstance(node, ast.AugAssign):
            self._augment(node)
        elif isinstance(node, ast.Expr):
            if not isinstance(node.value, ast.Constant):
                self.value(node.value)
        elif isinstance(node, ast.Return):
            self._return(node)
        elif isinstance(node, ast.If):
            self._if(node)
        elif isinstance(node, ast.For):
            self._for(node)
        elif isinstance(node, ast.While):
            self._while(node)
        elif isinstance(node, (ast.Continue, ast.Break)):
            self._go(self.around[-1][isinstance(node, ast.Break)])
        elif not isinstance(node, ast.Pass):
            raise self.refuse(node, f'the statement {type(node).__name__}')

    def _assign(self, node: ast.Assign) -> None:
        if isinstance(node.value, ast.Tuple):
            values = [self.value(element) for element in node.value.elts]
            for target in node.targets:
                if not isinstance(target, ast.Tuple):
                    raise self.refuse(node, 'a tuple that is kept')
                for element, (text, kind) in zip(target.elts, values):
                    self._store(element, text, kind)
            return
        text, kind = self.value(node.value)
        for target in node.targets:
            if isinstance(target, ast.Tuple):
                assert isinstance(kind, tuple)
                for k, (element, part) in enumerate(zip(target.elts, kind)):
                    self._store(element, self.lines.put(
                        f'extractvalue {_text_of(kind)} {text}, {k}'), part)
            else:
                self._store(target, text, kind)

    def _store(self, target: ast.expr, text: str, kind: Kind) -> None:
        if isinstance(target, ast.Name):
            wanted = self.kinds[target.id]
            text = self.converted(text, kind, wanted)
            self.lines.add(f'store {_text_of(wanted)} {text}, {self._at(target.id)}')
        elif isinstance(target, ast.Subscript):
            element, at = self._cell(target)
            self.lines.add(f'store {element} {self.converted(text, kind, element)}, {at}, align 8')
        else:
            raise self.refuse(target, 'this target')

    def _cell(self, node: ast.Subscript) -> tuple[str, str]:
        """Return the kind of an array's number and its address with the pointer's type."""
        data, kind = self.value(node.value)
        if kind not in ELEMENT:
            raise self.refuse(node, 'an index of what is no array')
        index = self.whole(node.slice)
        return ELEMENT[kind], f'{_pointer(kind)} ' + self.lines.place(
            data, index, ELEMENT[kind])  # type: ignore[index]

    def _augment(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            old = self.value(ast.copy_location(ast.Name(node.target.id, ast.Load()), node))
            self._store(node.target, *self.operation(node, node.op, old, self.value(node.value)))
            return
        assert isinstance(node.target, ast.Subscript)
        element, at = self._cell(node.target)
        old = self.lines.put(f'load {element}, {at}, align 8'), element
        text, kind = self.operation(node, node.op, old, self.value(node.value))
        self.lines.add(f'store {element} {self.converted(text, kind, element)}, {at}, align 8')

    def _return(self, node: ast.Return) -> None:
        self.ended = True
        if node.value is None:
            self.lines.add('ret void')
            return
        assert self.result is not None
        if isinstance(node.value, ast.Tuple):
            whole = 'undef'
            for k, element in enumerate(node.value.elts):
                text, kind = self.value(element)
                wanted = self.result[k]
                whole = self.lines.put(
                    f'insertvalue {_text_of(self.result)} {whole}, {_text_of(wanted)} '
                    f'{self.converted(text, kind, wanted)}, {k}')
        else:
            text, kind = self.value(node.value)
            whole = self.converted(text, kind, self.result)
        if self.result == NOTHING:
            self.lines.add('ret void')
        else:
            self.lines.add(f'ret {_text_of(self.result)} {whole}')

    def _if(self, node: ast.If) -> None:
        taken = self.taken(node)
        if taken is not None:
            self._block(taken)
            return
        yes, no, end = self._label(), self._label(), self._label()
        self._branch(self.truth(node.test), yes, no)
        for label, body in ((yes, node.body), (no, node.orelse)):
            self.lines.lines.append(f'{label}:')
            self.ended = False
            self._block(body)
            self._go(end)
        self.lines.lines.append(f'{end}:')
        self.ended = False

    def _for(self, node: ast.For) -> None:
        call = node.iter
        if not (isinstance(call, ast.Call) and self.constant(call.func) is range) or node.orelse:
            raise self.refuse(node, 'for without range()')
        bounds = [self.whole(a) for a in call.args]
        first, last = ('0', bounds[0]) if len(bounds) == 1 else bounds[:2]
        step = self.constant(call.args[2]) if len(bounds) == 3 else 1
        if not isinstance(step, int) or step == 0:
            raise self.refuse(node, 'range() with a step that is not a constant')
        head, body, following, end = (self._label() for _ in range(4))
        before = self._label()
        self._open(before)
        self._open(head)
        counter, after = self.lines.name(), self.lines.name()
        self.lines.add(f'{counter} = phi i64 [ {first}, %{before} ], [ {after}, %{following} ]')
        inside = self.lines.put(f'icmp {"slt" if step > 0 else "sgt"} i64 {counter}, {last}')
        self._branch(inside, body, end)
        self.lines.lines.append(f'{body}:')
        self.ended = False
        self._store(node.target, counter, WHOLE)
        self.around.append((following, end))
        self._block(node.body)
        self.around.pop()
        self._open(following)
        self.lines.add(f'{after} = add nsw i64 {counter}, {step}')
        self._go(head)
        self.lines.lines.append(f'{end}:')
        self.ended = False

    def _while(self, node: ast.While) -> None:
        if node.orelse:
            raise self.refuse(node, 'while with else')
        head, body, end = self._label(), self._label(), self._label()
        self._open(head)
        if self.constant(node.test) is UNKNOWN:
            self._branch(self.truth(node.test), body, end)
        else:
            self._go(body if self.constant(node.test) else end)
        self.lines.lines.append(f'{body}:')
        self.ended = False
        self.around.append((head, end))
        self._block(node.body)
        self.around.pop()
        self._go(head)
        self.lines.lines.append(f'{end}:')
        self.ended = False

    # --- expressions ----------------------------------------------------------------------

    def whole(self, node: ast.expr) -> str:
        """Write a whole number."""
        text, kind = self.value(node)
        if kind not in (WHOLE, TRUTH):
            raise self.refuse(node, f'{kind} where a whole number is needed')
        return self.converted(text, kind, WHOLE)

    def truth(self, node: ast.expr) -> str:
        """Write a truth."""
        text, kind = self.value(node)
        if kind == TRUTH:
            return text
        if kind == WHOLE:
            return self.lines.put(f'icmp ne i64 {text}, 0')
        return self.lines.put(f'fcmp une double {text}, {constant(0.0)}')

    def converted(self, text: str, kind: Kind, wanted: Kind) -> str:
        """Write the conversion to another kind, if any."""
        if kind == wanted:
            return text
        if kind == TRUTH and wanted == WHOLE:
            return self.lines.put(f'zext i1 {text} to i64')
        if kind == TRUTH and wanted == DOUBLE:
            return self.lines.put(f'uitofp i1 {text} to double')
        if kind == WHOLE and wanted == DOUBLE:
            return self.lines.put(f'sitofp i64 {text} to double')
        raise self.refuse(self.node, f'{kind} where {wanted} is needed')

    def value(self, node: ast.expr) -> tuple[str, Kind]:
        """Write an expression; returns its name and kind."""
        known = self.constant(node)
        if known is not UNKNOWN:
            kind = self._kind_of_constant(node, known)
            return (constant(known) if kind == DOUBLE else str(int(known or 0)).lower()
                    if kind != NOTHING else ''), kind
        if isinstance(node, ast.Name):
            kind = self.kind(node)
            return self.lines.put(f'load {_text_of(kind)}, {self._at(node.id)}'), kind
        if isinstance(node, ast.BinOp):
            return self.operation(node, node.op, self.value(node.left), self.value(node.right))
        if isinstance(node, ast.UnaryOp):
            return self._unary(node)
        if isinstance(node, ast.Compare):
            return self._compare(node), TRUTH
        if isinstance(node, ast.BoolOp):
            return self._both_or_either(node), TRUTH
        if isinstance(node, ast.IfExp):
            return self._choice(node)
        if isinstance(node, ast.Subscript):
            return self._subscript(node)
        if isinstance(node, ast.Call):
            return self._call(node)
        raise self.refuse(node, f'{type(node).__name__}')

    def operation(self, node: ast.AST, op: ast.operator, one: tuple[str, Kind],
                  other: tuple[str, Kind]) -> tuple[str, Kind]:
        """Write an operation on two numbers."""
        kind = self._kind_of_operation(node, op, one[1], other[1])
        a, b = (self.converted(text, of, kind) for text, of in (one, other))
        if kind == DOUBLE:
            if type(op) not in FLOAT_OPERATIONS:
                raise self.refuse(node, f'{type(op).__name__} of floats')
            return self.lines.put(f'{FLOAT_OPERATIONS[type(op)]} double {a}, {b}'), kind
        if isinstance(op, (ast.FloorDiv, ast.Mod)):
            return self._divided(a, b, isinstance(op, ast.Mod)), kind
        if type(op) not in WHOLE_OPERATIONS:
            raise self.refuse(node, f'{type(op).__name__} of whole numbers')
        return self.lines.put(f'{WHOLE_OPERATIONS[type(op)]} i64 {a}, {b}'), kind

    def _divided(self, a: str, b: str, rest: bool) -> str:
        """Write a // b or a % b, rounded down as in Python; by zero it is zero."""
        put = self.lines.put
        if b == '0':
            return '0'
        none = '0'
        if not b.lstrip('-').isdigit():  # one that is not known before it runs
            none = put(f'icmp eq i64 {b}, 0')
            b = put(f'select i1 {none}, i64 1, i64 {b}')
        left = put(f'srem i64 {a}, {b}')
        other = put(f'xor i64 {left}, {b}')
        off = put(f'icmp slt i64 {other}, 0')
        uneven = put(f'icmp ne i64 {left}, 0')
        down = put(f'and i1 {off}, {uneven}')
        if rest:
            more = put(f'add i64 {left}, {b}')
            found = put(f'select i1 {down}, i64 {more}, i64 {left}')
        else:
            toward_zero = put(f'sdiv i64 {a}, {b}')
            less = put(f'sub i64 {toward_zero}, 1')
            found = put(f'select i1 {down}, i64 {less}, i64 {toward_zero}')
        return found if none == '0' else put(f'select i1 {none}, i64 0, i64 {found}')

    def _unary(self, node: ast.UnaryOp) -> tuple[str, Kind]:
        if isinstance(node.op, ast.Not):
            return self.lines.put(f'xor i1 {self.truth(node.operand)}, true'), TRUTH
        text, kind = self.value(node.operand)
        if kind == TRUTH:
            text, kind = self.converted(text, TRUTH, WHOLE), WHOLE
        if isinstance(node.op, ast.UAdd):
            return text, kind
        if not isinstance(node.op, ast.USub):
            raise self.refuse(node, type(node.op).__name__)
        return self.lines.put(f'fneg double {text}' if kind == DOUBLE
                              else f'sub i64 0, {text}'), kind

    def _compare(self, node: ast.Compare) -> str:
        whole = ''
        left = self.value(node.left)
        for op, comparator in zip(node.ops, node.comparators):
            right = self.value(comparator)
            if type(op) not in COMPARISONS:
                raise self.refuse(node, type(op).__name__)
            kind = self._join(self._join(WHOLE, left[1], node), right[1], node)
            a, b = (self.converted(text, of, kind) for text, of in (left, right))
            names = COMPARISONS[type(op)]
            found = self.lines.put(f'fcmp {names[0]} double {a}, {b}' if kind == DOUBLE
                                   else f'icmp {names[1]} i64 {a}, {b}')
            whole = self.lines.put(f'and i1 {whole}, {found}') if whole else found
            left = right
        return whole

    def _both_or_either(self, node: ast.BoolOp) -> str:
        """Write `and` or `or`: what comes later is looked at only if need be."""
        end, ways = self._label(), []
        for k, value in enumerate(node.values):
            here = self._label()
            self._open(here)
            text = self.truth(value)
            here = self._label()  # the value may have opened blocks of its own
            self._open(here)
            ways.append((text, here))
            if k < len(node.values) - 1:
                following = self._label()
                self._branch(text, *((following, end) if isinstance(node.op, ast.And)
                                     else (end, following)))
                self.lines.lines.append(f'{following}:')
                self.ended = False
        self._open(end)
        return self.lines.put('phi i1 ' + ', '.join(f'[ {text}, %{label} ]'
                                                    for text, label in ways))

    def _choice(self, node: ast.IfExp) -> tuple[str, Kind]:
        kind = self.kind(node)
        labels = yes, no, end = self._label(), self._label(), self._label()
        del labels
        self._branch(self.truth(node.test), yes, no)
        ways = []
        for label, part in ((yes, node.body), (no, node.orelse)):
            self.lines.lines.append(f'{label}:')
            self.ended = False
            text = self.converted(*self.value(part), kind)
            here = self._label()
            self._open(here)
            ways.append((text, here))
            self._go(end)
        self.lines.lines.append(f'{end}:')
        self.ended = False
        return self.lines.put(f'phi {_text_of(kind)} ' + ', '.join(
            f'[ {text}, %{label} ]' for text, label in ways)), kind

    def _table(self, node: ast.Subscript) -> tuple[float, ...]:
        """Return the floats of a tuple that is a constant, where it is one."""
        known = () if isinstance(node.slice, ast.Slice) else self.constant(node.value)
        return known if isinstance(known, tuple) and all(
            isinstance(value, float) for value in known) else ()

    def _subscript(self, node: ast.Subscript) -> tuple[str, Kind]:
        table = self._table(node)
        if table:  # a table of a few numbers: chosen one by one
            at, found = self.whole(node.slice), constant(table[-1])
            for k, value in enumerate(table[:-1]):
                here = self.lines.put(f'icmp eq i64 {at}, {k}')
                found = self.lines.put(
                    f'select i1 {here}, double {constant(value)}, double {found}')
            return found, DOUBLE
        if not isinstance(node.slice, ast.Slice):
            element, at = self._cell(node)
            return self.lines.put(f'load {element}, {at}, align 8'), element
        data, kind = self.value(node.value)
        if node.slice.step is not None or kind not in ELEMENT:
            raise self.refuse(node, 'this slice')
        if node.slice.lower is None:
            return data, kind
        first = self.whole(node.slice.lower)
        return self.lines.place(data, first, ELEMENT[kind]), kind  # type: ignore[index]

    def _call(self, node: ast.Call) -> tuple[str, Kind]:
        called = self.constant(node.func)
        kind = self._kind_of_call(node)
        if called is export:
            return '', kind
        if called is room:
            count, name = self.constant(node.args[0]), self.lines.name()
            if not isinstance(count, int):
                raise self.refuse(node, 'an array of a length that is not a constant')
            # in the first block: there once, whatever loop it stands in
            self.entry.append(f'  {name} = alloca {DOUBLE}, i64 {count}, align 64')
            return name, kind
        given = [self.value(a) for a in node.args]
        if called is cells:
            return given[0]
        if isinstance(called, CalledFunction):
            return self._call_function(called.function, given)
        if isinstance(called, CalledRoutine):
            texts = [f'{_text_of(of)} {text}' for text, of in given]
            self.lines.add(f'call void @{called.name}({", ".join(texts)})')
            return '', kind
        texts = [self.converted(text, of, kind) if called is not int else text
                 for text, of in given]
        if called in (min, max):
            return self._extreme(texts, called is min, kind), kind
        if called is abs and kind == WHOLE:
            return self._extreme([texts[0], self.lines.put(f'sub i64 0, {texts[0]}')], False,
                                 WHOLE), kind
        if called is int:
            return (self.lines.put(f'fptosi double {texts[0]} to i64')
                    if given[0][1] == DOUBLE else self.converted(*given[0], WHOLE)), kind
        if called is float:
            return texts[0], kind
        if called in LIBRARY:
            return self.lines.call(LIBRARY[called], *texts), kind
        names = {fma: 'fma', math.sqrt: 'sqrt', math.fabs: 'fabs', abs: 'fabs'}
        return self.lines.intrinsic(names[called], *texts), kind

    def _extreme(self, texts: Sequence[str], least: bool, kind: Kind) -> str:
        """Write min() or max() as Python has it: the first stays unless another is beyond."""
        found = texts[0]
        for other in texts[1:]:
            test = f'fcmp {"olt" if least else "ogt"} double' if kind == DOUBLE \
                else f'icmp {"slt" if least else "sgt"} i64'
            beyond = self.lines.put(f'{test} {other}, {found}')
            found = self.lines.put(
                f'select i1 {beyond}, {_text_of(kind)} {other}, {_text_of(kind)} {found}')
        return found

    def _call_function(self, function: Any,
                       given: Sequence[tuple[str, Kind]]) -> tuple[str, Kind]:
        typed = self.owner.called(function, tuple(kind for _, kind in given))
        args = ', '.join(f'{_text_of(kind)} {text}' for text, kind in given)
        call = f'call {_text_of(typed.result)} @{typed.symbol}({args})'
        if typed.result == NOTHING:
            self.lines.add(call)
            return '', NOTHING
        return self.lines.put(call), typed.result


def _statements(body: Sequence[ast.stmt],
                taken: Callable[[ast.If], list[ast.stmt] | None]) -> Iterator[ast.stmt]:
    """Yield all statements but those of branches that constants rule out."""
    for node in body:
        yield node
        if isinstance(node, ast.If):
            chosen = taken(node)
            for part in (node.body, node.orelse) if chosen is None else (chosen,):
                yield from _statements(part, taken)
        elif isinstance(node, (ast.For, ast.While)):
            yield from _statements(node.body, taken)
