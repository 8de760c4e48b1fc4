//! Growth tests: the cost of work must grow about linearly. CPU time is measured, which other processes hardly
//! disturb.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// Returns the CPU time of all threads of this process if the system provides it; otherwise the time since the first
/// call.
pub fn worked() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let start = *START;
    // The CPU time of a thread is counted when it is descheduled.
    std::thread::yield_now();
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten();
    let worked = threads.filter_map(|thread| {
        let text = std::fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<u64>().ok()
    });
    match worked.sum() {
        0 => start.elapsed(),
        nanos => Duration::from_nanos(nanos),
    }
}

/// A scenario whose cost is measured: the outer function prepares an input of a size, the inner one is measured.
pub type Scenario = fn(usize) -> Box<dyn FnOnce()>;

/// A difference that is attributed to noise. A virtual machine is also charged for waiting for its processor.
const NOISE: Duration = Duration::from_millis(4);

/// The maximum ratio of times for twice the size.
const MOST: f64 = 2.3;

/// Returns the shortest time of several runs, since disturbances only make a run longer.
fn time(scenario: Scenario, size: usize, runs: usize) -> Duration {
    let once = || {
        let run = scenario(size);
        let start = worked();
        run();
        worked().saturating_sub(start)
    };
    (0..runs).map(|_| once()).min().unwrap_or_default()
}

/// Checks that the cost of a scenario at most about doubles from a size to twice and to four times that size. On a
/// busy machine, the measurement is repeated.
///
/// # Errors
/// Returns the three times of the last measurement.
pub fn check(size: usize, scenario: Scenario) -> Result<(), [Duration; 3]> {
    let mut last = [Duration::ZERO; 3];
    for tries in 1..=5 {
        last = [size, 2 * size, 4 * size].map(|size| time(scenario, size, tries));
        if at_most_doubles(last) {
            return Ok(());
        }
    }
    Err(last)
}

/// Returns true if the times for doubling sizes at most about double.
fn at_most_doubles(times: [Duration; 3]) -> bool {
    times.windows(2).all(|pair| pair[1] <= pair[0].mul_f64(MOST) + NOISE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;

    #[test]
    fn what_is_linear_passes() {
        assert!(check(50_000, |n| Box::new(move || (0..n).for_each(|step| _ = black_box(step)))).is_ok());
    }

    // This does not measure: other tests of this process run at the same time.
    #[test]
    fn what_is_quadratic_is_noticed() {
        let times = |factor: u64| [1, factor, factor * factor].map(|n| Duration::from_millis(10 * n));
        assert!(at_most_doubles(times(2)));
        assert!(!at_most_doubles(times(3)) && !at_most_doubles(times(4)));
        // Only the ratio of the larger sizes counts.
        assert!(!at_most_doubles([10, 20, 80].map(Duration::from_millis)));
        assert!(at_most_doubles([0, 1, 2].map(Duration::from_millis)), "within the noise");
    }
}
