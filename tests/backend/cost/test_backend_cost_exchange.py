"""What reductions across warps take of shared memory, and what a thread's instructions take of the lanes."""

import pytest
import sample_modules

from kernelwright.backend.compile.compiler import compile_launch
from kernelwright.backend.cost.access import Blocked
from kernelwright.backend.cost.exchange import Reduction, reductions_of
from kernelwright.backend.cost.instructions import lanes_of
from kernelwright.backend.launch.execute import trace_launches
from kernelwright.backend.targets import get_target

H200 = get_target("h200")
LAYOUT = "sizePerThread = [4, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 8], order = [0, 1]"
TTGIR = f"""#blocked = #ttg.blocked<{{{LAYOUT}}}>
    %0 = "tt.scan"(%x) <{{axis = 0 : i32, reverse = false}}> ({{
    }}) : (tensor<8xf32, #ttg.slice<{{dim = 1, parent = #blocked}}>>) -> tensor<8xf32>
    %1:2 = "tt.reduce"(%x, %i) <{{axis = 1 : i32}}> ({{
    ^bb0(%a: f32, %b: f32):
      tt.reduce.return %a : f32
    }}) : (tensor<128x32xf32, #blocked>, tensor<128x32xi32, #blocked>) -> (tensor<128xf32>, tensor<128xi32>)
    %2 = "tt.reduce"(%y) <{{axis = 0 : i32}}> ({{
    }}) : (tensor<16xf32, #ttg.slice<{{dim = 1, parent = #blocked}}>>) -> f32
"""


def compiled(module):
    (launch,) = trace_launches(module)
    return compile_launch(module, launch, H200)


def test_reductions_are_read_in_order():
    layout = Blocked((4, 1), (32, 1), (1, 8), (0, 1))
    assert reductions_of(TTGIR) == (Reduction((128, 32), 1, layout, 2), Reduction((16,), 0, None))


@pytest.mark.parametrize(
    ("threads", "held", "warps", "wavefronts"),
    [
        ((32, 1), (4, 1), (4, 1), 0),  # each warp has its own rows, and the whole of them
        ((1, 32), (1, 1), (4, 1), 0),
        ((1, 32), (1, 4), (1, 4), 2 * 4 * 128),  # one lane of each warp has a row's sum
        ((32, 1), (1, 1), (1, 2), 2 * 2 * 4 * 2),  # words that are two apart: two lanes meet
        ((32, 1), (1, 1), (1, 8), 2 * 8 * 4 * 8),
        ((32, 1), (4, 1), (1, 8), 2 * 8 * 4 * 32),  # words that are 32 apart: all lanes meet
    ],
)
def test_lanes_whose_words_share_a_bank_wait_for_each_other(threads, held, warps, wavefronts):
    assert Reduction((128, 512), 1, Blocked(held, threads, warps, (0, 1))).wavefronts == wavefronts


def test_what_several_tensors_exchange_adds_up():
    layout = Blocked((4, 1), (32, 1), (1, 8), (0, 1))
    assert Reduction((128, 32), 1, layout, 2).wavefronts == 2 * Reduction((128, 32), 1, layout).wavefronts
    assert Reduction((128,), 0, None).wavefronts == 0


def test_a_compiled_sum_down_columns_exchanges_between_warps():
    (few,), (many,) = (reductions_of(compiled(sample_modules.column_sum(64, 4096, 64, 64, w)).ttgir) for w in (2, 8))
    assert few.shape == many.shape == (64, 64) and few.axis == many.axis == 1
    assert 4 * few.wavefronts <= many.wavefronts


def test_instructions_are_counted_by_the_lanes_they_take():
    straight = """.visible .entry k(
	.param .u64 k_param_0
)
{
	.reg .b32 	%r<4>;
	ld.param.b64 	%rd1, [k_param_0];
	mov.u32 	%r1, %tid.x;
	@%p1 bra 	$L__BB0_2;
	add.f32 	%r2, %r1, %r1;
$L__BB0_2:
	ex2.approx.f32 	%r3, %r2;
	@%p1 st.global.b32 [ %rd1 + 0 ], { %r3 };
	ret;
}
"""
    assert lanes_of(straight) == 1 + 4 + 1
    assert lanes_of(straight.replace("ret;", "bra.uni \t$L__BB0_2;")) is None


def test_a_compiled_thread_with_more_elements_takes_more_lanes_but_fewer_for_each():
    few, many = (lanes_of(compiled(sample_modules.add_relu(64, 1024, block, 4)).ptx) for block in (256, 2048))
    assert few < many < 8 * few
    assert lanes_of(compiled(sample_modules.column_sum(4096, 4096, 8, 64)).ptx) is None
