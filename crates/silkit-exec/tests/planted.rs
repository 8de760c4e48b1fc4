//! Errors that are planted in passes: the pass is found and named, in a sequence of others.

#[allow(dead_code, reason = "other tests use the rest")]
mod properties;

use silkit::ir::{Body, Function};
use silkit::pass::{FunctionContext, FunctionPass, Pass, PassOptions, PipelineStep, Run};
use silkit_exec::mutate::{Operator, changes};
use silkit_exec::{CheckResult, PassCheck, on_large_stack};

/// A pass that does its work, and one thing too much where it changed something.
struct Planted {
    pass: &'static dyn FunctionPass,
    mistake: Operator,
    /// Which of the possible places of the mistake it is.
    place: usize,
}

impl FunctionPass for Planted {
    fn run(&self, cx: &mut FunctionContext<'_>) {
        let epoch = |function: &Function| function.body.as_ref().map(Body::epoch);
        let before = epoch(cx.function());
        self.pass.run(cx);
        if epoch(cx.function()) == before {
            return;
        }
        let all = changes(cx.body(), &[self.mistake]);
        if !all.is_empty() {
            all[self.place % all.len()].apply(cx.body_mut());
        }
    }
}

/// The passes in the order in which they run, and the kinds of mistakes that are planted in them.
const PLANTED: [(&str, Operator); 12] = [
    ("devirtualizer", Operator::Call),
    ("noreturn-folding", Operator::Relational),
    ("access-marker-elim", Operator::Call),
    ("dce", Operator::Removed),
    ("late-onone-simplification", Operator::Relational),
    ("lower-aggregate-instrs", Operator::Doubled),
    ("mandatory-arc-opts", Operator::Doubled),
    ("mem2reg", Operator::Constant),
    ("onone-simplification", Operator::Arithmetic),
    ("ownership-model-eliminator", Operator::Removed),
    ("simplification", Operator::Constant),
    ("strip-debug-info", Operator::Call),
];

/// The programs that are tried until one shows the mistake: it may be where nothing runs.
const TRIES: u64 = 60;

/// Returns the number of programs until the mistake was found.
fn tries(tag: &'static str, mistake: Operator) -> Option<u64> {
    (0..TRIES).find(|&seed| {
        let (module, setup) = properties::program(seed);
        let declarations = silkit::declarations(&module);
        let Ok(check) = PassCheck::new(&module, &declarations, &setup) else { return false };
        let Some(Pass { run: Run::Function(pass), options, .. }) = silkit::passes::find(tag) else {
            panic!("`{tag}` is no pass of functions")
        };
        let planted = Planted { pass, mistake, place: seed as usize };
        let wrong = Pass::function(tag, "", &planted).with_options(options);
        let steps: Vec<PipelineStep<'_>> = PLANTED
            .iter()
            .map(
                |(other, _)| if *other == tag { wrong } else { silkit::passes::find(other).expect("a pass") },
            )
            .map(PipelineStep::from)
            .collect();
        match check.check(&steps, &PassOptions::default()) {
            CheckResult::Different(unlike) => {
                let culprit = unlike.culprit.expect("a change");
                assert_eq!(culprit.run.tag, tag, "{}\n{}", unlike.behavior, culprit.difference);
                assert!(culprit.run.function.is_some() && !culprit.difference.is_empty());
                true
            }
            CheckResult::Same { .. } => false,
            CheckResult::NotRun(reason) => panic!("{tag} on seed {seed}: {reason}"),
        }
    })
}

#[test]
fn planted_mistakes_are_found_and_named() {
    let found = on_large_stack(|| PLANTED.map(|(tag, mistake)| (tag, tries(tag, mistake))));
    let found = found.expect("no check fails");
    println!("{found:?}");
    let missed: Vec<&str> = found.iter().filter(|(_, tries)| tries.is_none()).map(|(tag, _)| *tag).collect();
    assert!(missed.is_empty(), "not found: {missed:?}");
}

/// Leaves a call of a function behind that its argument does not fit.
fn breaks_calls(cx: &mut FunctionContext<'_>) {
    let all = changes(cx.body(), &[Operator::Removed]);
    if let Some(change) = all.first() {
        change.apply(cx.body_mut());
    }
}

#[test]
fn a_failing_sequence_is_shortened_to_the_passes_that_it_needs() {
    let wrong = Pass::function("wrong", "", &breaks_calls);
    let around = ["dce", "simplification", "mem2reg"].map(|tag| silkit::passes::find(tag).expect("a pass"));
    let steps: Vec<PipelineStep<'_>> =
        [around[0], around[1], wrong, around[2]].into_iter().map(PipelineStep::from).collect();
    let shortest = on_large_stack(|| {
        (0..TRIES).find_map(|seed| {
            let (module, setup) = properties::program(seed);
            let declarations = silkit::declarations(&module);
            let check = PassCheck::new(&module, &declarations, &setup).ok()?;
            match check.check_sequence(&steps, &PassOptions::default()) {
                CheckResult::Different(unlike) => Some((unlike.steps, unlike.culprit?.run.tag)),
                _ => None,
            }
        })
    });
    let (steps, culprit) = shortest.flatten().expect("one of the programs shows the mistake");
    assert_eq!((steps.as_slice(), culprit.as_str()), (["wrong".to_owned()].as_slice(), "wrong"));
}

#[test]
fn a_panic_in_a_sequence_is_a_failure_of_its_pass() {
    let panics = |cx: &mut FunctionContext<'_>| {
        if cx.body().insts().count() > 1 {
            panic!("planted");
        }
    };
    let wrong = Pass::function("panics", "", &panics);
    let steps = [silkit::passes::find("dce").expect("a pass"), wrong].map(PipelineStep::from);
    let result = on_large_stack(|| {
        let (module, setup) = properties::program(1);
        let declarations = silkit::declarations(&module);
        let check = PassCheck::new(&module, &declarations, &setup).ok()?;
        Some(check.check_sequence(&steps, &PassOptions::default()))
    });
    match result.flatten() {
        Some(CheckResult::Different(unlike)) => {
            assert_eq!(
                (unlike.steps.as_slice(), unlike.behavior.as_str()),
                (["panics".to_owned()].as_slice(), "`panics` panics")
            );
            assert!(unlike.culprit.is_none());
        }
        other => panic!("{other:?}"),
    }
}
