"""Ask the memory for a row before it is needed, so that many are on their way at once.

Numba has no word for it, LLVM has. Without the compiler there is nothing to do.
"""

from __future__ import annotations

from numba import config, types

if getattr(config, "DISABLE_JIT", 0):

    def prefetch(array, row, column):
        """Nothing."""

else:
    from llvmlite import ir
    from numba.core import cgutils
    from numba.extending import intrinsic

    @intrinsic
    def prefetch(typing_context, array, row, column):
        """Ask for array[row, column], to be read soon; both numbers have 64 bits and are not negative."""

        def write(context, builder, signature, arguments):
            view = context.make_array(signature.args[0])(context, builder, arguments[0])
            place = list(arguments[1:])
            pointer = cgutils.get_item_pointer(context, builder, signature.args[0], view, place, wraparound=False)
            byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
            kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
            ask = builder.module.declare_intrinsic("llvm.prefetch", (byte,), kind)
            to_read, to_keep, data = number(0), number(3), number(1)
            builder.call(ask, [builder.bitcast(pointer, byte), to_read, to_keep, data])

        return types.void(array, row, column), write
