"""Test the measure of growth."""

from benchmarks.soak import slope


def test_the_slope_of_a_line_is_its_slope_and_a_few_peaks_do_not_change_it():
    line = [(minute / 10, 300.0 + 0.2 * minute) for minute in range(100)]
    peaks = [(at, size + (150.0 if i % 10 == 3 else 0.0)) for i, (at, size) in enumerate(line)]
    assert abs(slope(line) - 2.0) < 1e-9
    assert abs(slope(peaks) - 2.0) < 0.1
