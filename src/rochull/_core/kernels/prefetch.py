"""An instruction of processors that Numba does not know: to fetch what is needed soon."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core.types import none
from numba.extending import intrinsic

from rochull._core.kernels.compiled import PLAIN, folded


def _fetched(context: Any, values: Any, index: Any) -> Any:
    """The instruction of processors for :func:`fetch_ahead`."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> None:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        step = builder.extract_value(array.strides, 0)
        address = builder.add(builder.ptrtoint(array.data, step.type), builder.mul(arguments[1], step))
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        instruction = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        builder.call(instruction, [builder.inttoptr(address, byte), number(0), number(2), number(1)])

    return none(values, index), write


_instruction: Any = intrinsic(_fetched)


def _fetch(values: Any, index: Any) -> None:
    """Have the processor fetch a value of an array (n,) that is needed soon; no index is wrong."""
    if not PLAIN:  # Python fetches nothing
        _instruction(values, np.int64(index))


fetch_ahead = folded(_fetch)
