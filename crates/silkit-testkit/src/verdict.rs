//! The verdict of the reference on a SIL text: accepted, or rejected with a reason.

use crate::shared::ReferenceTools;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The time limit of the reference for one text. A text that takes longer counts as rejected.
const PATIENCE: Duration = Duration::from_secs(60);

/// The verdict on a text: `None` if it is accepted, otherwise the first line of the error.
pub type Verdict = Option<String>;

/// A client of the reference with a cache of its answers.
#[derive(Debug)]
pub struct ReferenceVerdicts {
    tool: ReferenceTools,
    folder: PathBuf,
    runs: AtomicUsize,
    known: Mutex<HashMap<u128, Verdict>>,
    memory: Option<PathBuf>,
}

impl ReferenceVerdicts {
    /// Creates a client with its own temporary folder. `memory` is a file with answers from earlier runs, to which new
    /// answers are added; it is valid for one version of the reference only.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be created or the file cannot be read.
    pub fn new(tool: ReferenceTools, memory: Option<PathBuf>) -> std::io::Result<ReferenceVerdicts> {
        let folder = std::env::temp_dir().join(format!("silkit-verdicts-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let mut known = HashMap::new();
        if let Some(file) = memory.as_ref().filter(|file| file.exists()) {
            for line in std::fs::read_to_string(file)?.lines() {
                let Some((key, verdict)) = line.split_once(' ') else { continue };
                let Ok(key) = u128::from_str_radix(key, 16) else { continue };
                known.insert(key, Some(verdict.to_owned()).filter(|v| v != "good"));
            }
        }
        Ok(ReferenceVerdicts { tool, folder, runs: AtomicUsize::new(0), known: Mutex::new(known), memory })
    }

    /// Returns the reference's verdict on a text.
    ///
    /// # Errors
    /// Returns an error if the text cannot be written or the reference cannot be started.
    pub fn verdict(&self, text: &str) -> std::io::Result<Verdict> {
        self.verdict_with(text, &[])
    }

    /// Returns the reference's verdict on a text with additional options.
    ///
    /// # Errors
    /// Returns the errors of [`ReferenceVerdicts::verdict`].
    pub fn verdict_with(&self, text: &str, options: &[&str]) -> std::io::Result<Verdict> {
        let key = if options.is_empty() { key(text) } else { key(&format!("{}\n{text}", options.join(" "))) };
        if let Some(known) = self.known().get(&key) {
            return Ok(known.clone());
        }
        let number = self.runs.fetch_add(1, Ordering::Relaxed);
        let file = self.folder.join(format!("{number}.sil"));
        std::fs::write(&file, text)?;
        let verdict = self.ask(&file, options)?;
        std::fs::remove_file(&file)?;
        if let Some(memory) = &self.memory {
            let line = format!("{key:032x} {}\n", verdict.as_deref().unwrap_or("good"));
            let known = self.known();
            let mut file = std::fs::OpenOptions::new().create(true).append(true).open(memory)?;
            file.write_all(line.as_bytes())?;
            drop(known);
        }
        self.known().insert(key, verdict.clone());
        Ok(verdict)
    }

    /// Returns true if the reference's verdict depends on the order in which it visits the targets of `cond_br`. Such
    /// a verdict is not meaningful, as in dead ends, of which the reference does not visit all blocks.
    ///
    /// # Errors
    /// Returns the errors of [`ReferenceVerdicts::verdict`].
    pub fn is_undecided(&self, text: &str) -> std::io::Result<bool> {
        let swapped = swapped(text);
        Ok(swapped != text && self.verdict(&swapped)?.is_some() != self.verdict(text)?.is_some())
    }

    fn known(&self) -> std::sync::MutexGuard<'_, HashMap<u128, Verdict>> {
        self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn ask(&self, file: &Path, options: &[&str]) -> std::io::Result<Verdict> {
        let errors = file.with_extension("err");
        let mut command = self.tool.command("sil-opt");
        command.arg("-enable-sil-verify-all").args(options).arg(file).args(["-o", "/dev/null"]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(std::fs::File::create(&errors)?);
        let mut child = command.spawn()?;
        let start = Instant::now();
        let mut pause = Duration::from_millis(5);
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break Some(status);
            }
            if start.elapsed() > PATIENCE {
                child.kill()?;
                child.wait()?;
                break None;
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(50));
        };
        let output = std::fs::read(&errors)?;
        std::fs::remove_file(&errors)?;
        let output = String::from_utf8_lossy(&output);
        let complains = output.contains("Begin Error") || output.contains("SIL memory lifetime failure");
        Ok(match status {
            None => Some("takes too long".to_owned()),
            Some(status) if status.success() && !complains => None,
            Some(_) => Some(complaint(&output, file)),
        })
    }
}

impl Drop for ReferenceVerdicts {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn key(text: &str) -> u128 {
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        (salt, text).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    (half(0) << 64) | half(1)
}

/// Returns the error line, without the position.
fn complaint(output: &str, file: &Path) -> String {
    let signs = ["error:", "failed", "Begin Error", "memory lifetime", "Assertion"];
    let line = output.lines().find(|line| signs.iter().any(|sign| line.contains(sign)));
    let line = line.or(output.lines().next()).unwrap_or("rejected without a word");
    let line = line.replace(&*file.display().to_string(), "");
    // An assertion follows the position in the tool's source code.
    let line = line.split_once("Assertion `").map_or(line.as_str(), |(_, rest)| rest);
    line.trim_start_matches([':', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', ' '])
        .chars()
        .take(160)
        .collect()
}

/// Returns the text with the targets of every `cond_br` swapped: an equivalent program that is visited in another
/// order.
pub fn swapped(text: &str) -> String {
    let swap = |line: &str| {
        let (head, targets) = line.split_once("cond_br ").and_then(|(_, rest)| rest.split_once(", "))?;
        let (targets, _) = targets.split_once(" //").unwrap_or((targets, ""));
        // Profile counts belong to their targets.
        if targets.contains('!') {
            return None;
        }
        let mut depth = 0;
        let comma = targets.char_indices().find(|&(_, c)| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            c == ',' && depth == 0
        })?;
        let (first, second) = (&targets[..comma.0], targets[comma.0 + 1..].trim());
        Some(format!("  cond_br {head}, {second}, {}", first.trim()))
    };
    text.lines().map(|line| swap(line).unwrap_or_else(|| line.to_owned()) + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_swapped() {
        let text = "bb0:\n  cond_br %1, bb1(%2 : $(A, B), %3), bb2 // id: %4\n";
        assert_eq!(swapped(text), "bb0:\n  cond_br %1, bb2, bb1(%2 : $(A, B), %3)\n");
        assert_eq!(swapped("  br bb1\n"), "  br bb1\n");
    }

    #[test]
    fn complaints_have_no_place() {
        let output = "Begin\n/tmp/a.sil:3:14: error: expected `x`\n";
        assert_eq!(complaint(output, Path::new("/tmp/a.sil")), "error: expected `x`");
        assert_eq!(
            complaint("t: /s/V.cpp:1: f(): Assertion `x && y' failed.\n", Path::new("b")),
            "x && y' failed."
        );
    }
}
