//! Logs of all kinds, with what compilers print between the steps.

use silkit_timeline::{Change, Reader, StepKind, Summary, Timeline, first_violation, occurrences};

/// Returns a function with some copies of a value.
fn function(name: &str, copies: usize) -> String {
    let mut text = format!(
        "// {name}\nsil [ossa] @{name} : $@convention(thin) (@guaranteed Builtin.NativeObject) -> () {{\n"
    );
    text += "// %0                                             // user: %1\nbb0(%0 : @guaranteed $Builtin.NativeObject):\n";
    for at in 0..copies {
        text += &format!(
            "  %{} = copy_value %0                              // user: %{}\n",
            2 * at + 1,
            2 * at + 2
        );
        text += &format!(
            "  destroy_value %{}                                // id: %{}\n",
            2 * at + 1,
            2 * at + 2
        );
    }
    let last = 2 * copies + 1;
    text + &format!("  %{last} = tuple ()\n  return %{last}\n}} // end sil function '{name}'\n\n")
}

fn step(number: u32, tag: &str) -> String {
    format!("  *** SIL function after  #{number}, stage HighLevel,Function, pass 3: Pass ({tag})\n")
}

fn read(log: &str) -> Timeline {
    let mut reader = Reader::new();
    reader.feed(log.as_bytes());
    reader.finish()
}

fn module(functions: &[String]) -> String {
    format!(
        "*** SIL module before HighLevel,Function ***\nsil_stage canonical\n\nimport Builtin\n\n{}",
        functions.concat()
    )
}

#[test]
fn steps_are_compared_with_the_last_text() {
    let log = module(&[function("f", 2), function("g", 1)])
        + "a.swift:1:1: warning: unused\n 1 | let a = 1\n   |     `- warning: unused\n"
        + &step(5, "one")
        + &function("f", 1)
        + "Start function passes at stage: HighLevel,Function\n    0.250 ms: one #5 @f\n"
        + &step(6, "two")
        + &function("f", 1)
        + &step(7, "two")
        + &function("h", 1);
    let timeline = read(&log);
    let changes: Vec<Change> = timeline.steps().skip(1).map(|(_, step)| timeline.step_change(step)).collect();
    assert_eq!(changes, [Change::Changed, Change::None, Change::Unknown]);
    let summary = Summary::of(&timeline, |_, _| true);
    assert_eq!((summary.steps, summary.changed, summary.unread, summary.functions), (4, 1, 0, 3));
    let one = &summary.passes[0];
    assert_eq!((timeline.pass(one.pass).tag.as_str(), one.changed), ("one", 1));
    assert_eq!((one.lost.insts, one.lost.retains, one.lost.releases, one.gained.insts), (2, 1, 1, 0));
    assert_eq!(timeline.pass(one.pass).milliseconds, 0.25);
    assert_eq!(timeline.other_line_count(), 3);
    assert!(timeline.other_lines()[0].text.contains("warning"));
    let found = occurrences(&timeline, "copy_value");
    let found: Vec<(usize, usize)> = found.iter().map(|one| (one.before, one.after)).collect();
    assert_eq!(found, [(0, 2), (0, 1), (2, 1), (0, 1)]);
}

#[test]
fn pieces_of_any_length_give_the_same() {
    let log = module(&[function("f", 2)]) + &step(5, "one") + &function("f", 1).replace('\n', "\r\n");
    let whole = format!("{:?}", read(&log).steps().collect::<Vec<_>>());
    for length in [1, 2, 7, 64] {
        let mut reader = Reader::new();
        log.as_bytes().chunks(length).for_each(|piece| reader.feed(piece));
        assert_eq!(format!("{:?}", reader.finish().steps().collect::<Vec<_>>()), whole, "{length}");
    }
}

#[test]
fn phases_and_processes_have_their_own_numbers() {
    let start =
        |stage: &str| format!("*** SIL module before {stage} ***\nsil_stage raw\n\n{}", function("f", 1));
    let mandatory = "  *** SIL function after  #9, stage Mandatory Diagnostic Passes, pass 1: A (a)\n";
    let process = start("SILGen Passes") + mandatory + &function("f", 1) + &step(2, "b") + &function("f", 0);
    let timeline = read(&(process.clone() + &process));
    let steps: Vec<(u32, bool)> = timeline.steps().map(|(_, step)| (step.unit, step.is_mandatory)).collect();
    assert_eq!(steps, [(0, true), (0, true), (0, false), (1, true), (1, true), (1, false)]);
    assert_eq!(timeline.units(), 2);
    // The second process begins with its own text.
    assert_eq!(Summary::of(&timeline, |_, _| true).changed, 2);
}

#[test]
fn transformations_belong_to_the_next_step() {
    let log = "  *** sub-pass 0 for   %1 = copy_value %0\n".to_owned()
        + &function("f", 2)
        + "  *** sub-pass 1 for   %1 = copy_value %0\n"
        + &function("f", 1)
        + &step(3, "one")
        + &function("f", 0)
        + "  *** New SIL function in  #4, stage HighLevel,Function, pass: A (a), Function: g\nsil @g : $@convention(thin) () -> ()\n";
    let timeline = read(&log);
    let steps: Vec<_> =
        timeline.steps().map(|(_, step)| (step.kind, step.number, step.transformation)).collect();
    assert_eq!(
        steps,
        [
            (StepKind::Transformation, Some(3), Some(0)),
            (StepKind::Transformation, Some(3), Some(1)),
            (StepKind::FunctionAfter, Some(3), None),
            (StepKind::NewFunction, Some(4), None)
        ]
    );
    assert_eq!(timeline.unread_steps().count(), 0);
}

#[test]
fn what_cannot_be_read_is_named() {
    let cut = function("f", 1);
    let log = step(1, "one")
        + &function("f", 1).replace("copy_value %0", "copy_valu %0")
        + &step(2, "two")
        + &cut[..cut.len() / 2];
    let timeline = read(&log);
    let numbers: Vec<_> = timeline.unread_steps().map(|(_, step)| step.number).collect();
    assert_eq!(numbers, [Some(1), Some(2)]);
    let (_, first) = timeline.steps().next().unwrap();
    let (version, unread) = timeline.unread_text(first).unwrap();
    assert_eq!(version.line + unread.line, 6, "{}", unread.message);
}

#[test]
fn the_first_invalid_step_is_found() {
    let leak = function("f", 1).replace("  destroy_value %1                                // id: %2\n", "");
    let valid = module(&[function("f", 1), function("g", 1)]) + &step(5, "one") + &function("g", 0);
    assert_eq!(first_violation(&read(&valid), &Default::default()), None);
    let timeline = read(&(valid + &step(6, "two") + &leak + &step(7, "three") + &leak));
    let found = first_violation(&timeline, &Default::default()).unwrap();
    assert_eq!(timeline.step(found.step).number, Some(6));
    assert_eq!(found.rule.as_str(), "SIL0402", "{}", found.message);
}
