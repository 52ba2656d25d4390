"""The benchmark of the cost model: how its figures are reckoned, and that a problem can be planned without a GPU."""

import pytest

from kernelwright.backend.targets import get_target

BENCHMARK = "cost.cost_model"
PROBLEM = """import torch

class Model(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = torch.nn.Linear(width, width)

    def forward(self, x):
        return torch.relu(self.linear(x)) + 1

def get_inputs():
    return [torch.randn(65536, 1024)]

def get_init_inputs():
    return [1024]
"""


def rows(*pairs):
    return [{"predicted_us": predicted, "measured_us": measured} for predicted, measured in pairs]


def test_equal_values_share_a_rank(benchmark):
    assert benchmark.ranks([3.0, 1.0, 3.0, 2.0]) == [3.5, 1.0, 3.5, 2.0]
    assert benchmark.rank_correlation([1, 2, 3], [10, 20, 40]) == pytest.approx(1)
    assert benchmark.rank_correlation([1, 2, 3], [40, 20, 10]) == pytest.approx(-1)
    assert benchmark.rank_correlation([1, 1, 1], [1, 2, 3]) is None


def test_of_equal_favourites_the_slowest_counts(benchmark):
    assert benchmark.favourite_over_best(rows((1, 10), (1, 30), (2, 5))) == 6
    assert benchmark.favourite_over_best(rows((1, 10), (2, 30))) == 1


def test_options_that_take_the_same_time_count_once(benchmark):
    found = benchmark.different(rows((1, 10.4), (2, 10.0), (3, 10.6), (4, 20), (5, 20.9)))
    assert [row["measured_us"] for row in found] == [10.0, 10.6, 20]
    liked = rows((1, 30), (2, 20), (3, 10.4), (4, 10))
    assert benchmark.holds_best(liked) and not benchmark.holds_best(liked, first=2)
    found = benchmark.figures([{"rows": rows(*((place + 1, 10 * 2**place) for place in range(8)))}])
    assert found["problems_with_different_options"] == 1 and found["first_three_hold_the_best"] == 1
    assert found["first_three_of_different_options_hold_the_best"] == 1
    assert found["rank_correlation_of_different_options_median"] == pytest.approx(1)


def test_a_problem_is_planned_at_full_size_without_computing_it(benchmark):
    row = {"level": 9, "problem_id": 1, "name": "linear", "code": PROBLEM}
    case = benchmark.plan_case(row, get_target("h200"), 3)
    assert len(case["rows"]) == 3 and case["symbol"] in case["module"]
    (given, *_) = benchmark.trials(case)
    assert given[0]["options"] == dict(given[1].kernel(case["symbol"]).meta)
    floor_us = 2 * 65536 * 1024 * 4 / 4.8e6
    assert floor_us < given[0]["predicted_us"] < 2 * floor_us
