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
const NOISE: Duration = Duration::from_millis(10);

/// How often a measurement is repeated on a busy machine.
const TRIES: usize = 6;

/// Returns the shortest time of several runs, since disturbances only make a run longer.
pub fn time(scenario: Scenario, size: usize, runs: usize) -> Duration {
    let once = || {
        let run = scenario(size);
        let start = worked();
        run();
        worked().saturating_sub(start)
    };
    (0..runs).map(|_| once()).min().unwrap_or_default()
}

/// Checks that four times the size of a scenario costs less than eight times as much. On a busy machine, the
/// measurement is repeated with more runs.
///
/// # Errors
/// Returns the two times of the last measurement.
pub fn check(size: usize, scenario: Scenario) -> Result<(), [Duration; 2]> {
    check_times(|tries| [size, 4 * size].map(|size| time(scenario, size, tries)))
}

/// Checks like [`check`] what is measured elsewhere: `measure` takes the number of runs and returns the shortest times
/// for a size and for four times that size.
///
/// # Errors
/// Returns the two times of the last measurement.
pub fn check_times(mut measure: impl FnMut(usize) -> [Duration; 2]) -> Result<(), [Duration; 2]> {
    let mut last = [Duration::ZERO; 2];
    for tries in 1..=TRIES {
        last = measure(tries);
        if is_about_linear(last) {
            return Ok(());
        }
    }
    Err(last)
}

/// Returns true if the time for four times the size is nearer to four times than to sixteen times the first one. Larger
/// inputs leave the caches and take somewhat longer than four times.
fn is_about_linear([small, large]: [Duration; 2]) -> bool {
    large < small * 8 + NOISE
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
        let times = |factor: u32| [1, factor].map(|n| Duration::from_millis(10) * n);
        assert!(is_about_linear(times(4)) && is_about_linear(times(6)));
        assert!(!is_about_linear(times(9)) && !is_about_linear(times(16)));
        assert!(is_about_linear([0, 1].map(Duration::from_millis)), "within the noise");
        assert!(check_times(|_| times(16)).is_err());
        let mut measured = [times(16), times(4)].into_iter();
        assert!(check_times(|_| measured.next().expect("two measurements")).is_ok(), "the second one");
    }
}
