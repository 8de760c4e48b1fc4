//! Whether costs grow as inputs do: times of work that other processes do not disturb.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// Returns the time that all threads of this process have worked, where the system tells; else the time since the first
/// question.
pub fn worked() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let start = *START;
    // What a thread has worked is counted when another one has its turn.
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

/// Something whose cost is measured: what is made for a size before is not.
pub type Scenario = fn(usize) -> Box<dyn FnOnce()>;

/// The time that is attributed to noise.
const NOISE: Duration = Duration::from_millis(2);

/// How much longer twice as much may take.
const MOST: f64 = 2.3;

/// Returns the shortest time of some runs: what disturbs a run only makes it longer.
fn time(scenario: Scenario, size: usize, runs: usize) -> Duration {
    let once = || {
        let run = scenario(size);
        let start = worked();
        run();
        worked().saturating_sub(start)
    };
    (0..runs).map(|_| once()).min().unwrap_or_default()
}

/// Checks that the cost of something at most about doubles from a size to twice and to four times that size. A machine that
/// is busy is asked again.
///
/// # Errors
/// The three times that were measured last.
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

/// Returns true if the times for sizes that double at most about double.
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

    // Not measured: other tests of this process work at the same time.
    #[test]
    fn what_is_quadratic_is_noticed() {
        let times = |factor: u64| [1, factor, factor * factor].map(|n| Duration::from_millis(10 * n));
        assert!(at_most_doubles(times(2)));
        assert!(!at_most_doubles(times(3)) && !at_most_doubles(times(4)));
        // Only the larger sizes tell.
        assert!(!at_most_doubles([10, 20, 80].map(Duration::from_millis)));
        assert!(at_most_doubles([0, 1, 2].map(Duration::from_millis)), "within the noise");
    }
}
