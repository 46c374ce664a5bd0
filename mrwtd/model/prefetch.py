"""A processor instruction for compiled code: load memory into the cache before it is needed.

Entries are sorted by i, so rows of j are read at random. If they exceed the processor's own cache, it would have
to wait for every row. Prefetching changes no number.
"""

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

ALL_CACHES, DATA = 3, 1
"""Arguments of LLVM's instruction: keep it in all levels of the cache, and it is data rather than code."""


@intrinsic  # type: ignore[untyped-decorator]
def prefetch(_: Any, array: Any, index: Any, writes: Any) -> tuple[Any, Any] | None:
    """Load the element of a contiguous array at a tuple of indices; `writes` is whether it will be changed."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array_type, index_type, _ = signature.args
        elements = context.make_array(array_type)(context, builder, arguments[0])
        indices = cgutils.unpack_tuple(builder, arguments[1], len(index_type))
        place = cgutils.get_item_pointer(context, builder, array_type, elements, indices)
        pointer, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
        instruction = builder.module.declare_intrinsic("llvm.prefetch", [pointer], kind)
        write = number(int(writes.literal_value))
        builder.call(instruction, [builder.bitcast(place, pointer), write, number(ALL_CACHES), number(DATA)])
        return context.get_dummy_value()

    if not isinstance(writes, types.Literal):
        return None
    return types.void(array, index, writes), generate
