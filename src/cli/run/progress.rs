//! Where a run stands, and what ends it early: an interrupt, or the end of its time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use indicatif::{ProgressBar, ProgressStyle};

use super::super::output::say;
use ptx_conform::campaign::Progress;
use ptx_conform::plural::counted;

/// Says so often where a run without a terminal stands.
const HALF_A_MINUTE: Duration = Duration::from_secs(30);

/// A progress that an interrupt stops: Ctrl-C, SIGTERM or SIGHUP.
pub(in crate::cli) fn interruptible() -> anyhow::Result<Arc<Progress>> {
    let progress = Arc::new(Progress::default());
    let told = Arc::clone(&progress);
    ctrlc::set_handler(move || {
        // The second interrupt ends the run at once.
        if told.stop.swap(true, Ordering::Relaxed) {
            std::process::exit(2);
        }
        ptx_conform::engine::interrupt();
        say("interrupted: finishing what is running; interrupt again to stop immediately");
    })
    .context("interrupts cannot be caught")?;
    Ok(progress)
}

/// Ends a run that was interrupted before it began.
pub(super) fn check_uninterrupted(progress: &Progress) -> anyhow::Result<()> {
    // An engine that an interrupt ended while it was opened is not one that is absent.
    if progress.stop.load(Ordering::Relaxed) {
        bail!("interrupted before the run began: nothing is kept of it");
    }
    Ok(())
}

/// Lets no task begin after a time, if there is one.
pub(super) fn limit(progress: &Arc<Progress>, time: Option<Duration>) {
    let Some(time) = time else { return };
    let progress = Arc::clone(progress);
    std::thread::spawn(move || {
        std::thread::sleep(time);
        progress.time_is_over.store(true, Ordering::Relaxed);
    });
}

/// A time on the command line: `90s`, `30m`, `8h`.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is not a time: write `90s`, `30m` or `8h`");
    let unit = text.chars().last().ok_or_else(wrong)?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        _ => return Err(wrong()),
    };
    let number: u32 = text[..text.len() - unit.len_utf8()].parse().map_err(|_| wrong())?;
    Ok(Duration::from_secs(u64::from(number) * seconds))
}

/// Runs with a progress bar, and catches interrupts: what was done until then is reported.
pub(in crate::cli) fn with_progress<T>(work: impl FnOnce(&Progress) -> T) -> anyhow::Result<T> {
    let progress = interruptible()?;
    shown(&progress, || work(&progress))
}

/// Shows a progress bar on standard error while the work is done; if that is not a terminal, a line every half minute.
pub(super) fn shown<T>(progress: &Progress, work: impl FnOnce() -> T) -> anyhow::Result<T> {
    let bar = ProgressBar::new(0);
    bar.set_style(ProgressStyle::with_template("{elapsed_precise} {bar:40} {pos}/{len} batches {msg}")?);
    let done = AtomicBool::new(false);
    let started = Instant::now();
    let result = std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut next = HALF_A_MINUTE;
            while !done.load(Ordering::Relaxed) {
                let [planned, batches, cases] =
                    [&progress.planned, &progress.done, &progress.cases].map(|of| of.load(Ordering::Relaxed));
                bar.set_length(planned);
                bar.set_position(batches);
                bar.set_message(format!("{}, {}", counted(cases, "case"), progress.stage()));
                if bar.is_hidden() && started.elapsed() >= next {
                    next += HALF_A_MINUTE;
                    let (seconds, stage) = (started.elapsed().as_secs(), progress.stage());
                    let cases = counted(cases, "case");
                    say(&format!("after {seconds} s: {stage}; {batches} of {planned} batches, {cases}"));
                }
                std::thread::sleep(Duration::from_millis(100));
            }
        });
        // Set even if the work panics, so that the scope ends.
        let _done = SetOnDrop(&done);
        work()
    });
    bar.finish_and_clear();
    Ok(result)
}

struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_a_unit() {
        for (text, seconds) in [("90s", Some(90)), ("30m", Some(1800)), ("8h", Some(28_800)), ("0s", Some(0))] {
            assert_eq!(duration(text).ok().map(|of| of.as_secs()), seconds, "{text}");
        }
        for text in ["", "s", "30", "-1s", "1.5h", "1d", "30µ"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
