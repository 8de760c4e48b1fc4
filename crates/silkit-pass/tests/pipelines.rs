//! Pipelines as text, and pipelines of the reference.

use silkit_ir::{Release, Releases};
use silkit_pass::reference_pipelines::{Group, ReferencePipeline, find};
use silkit_pass::{FunctionContext, ModuleContext, Pass, PassOptions, Pipeline, Runner, parse_pipeline};

fn function_pass(_: &mut FunctionContext<'_>) {}
fn module_pass(_: &mut ModuleContext<'_>) {}

fn pass(tag: &str) -> Option<Pass<'static>> {
    match tag {
        "dce" => Some(Pass::function("dce", "", &function_pass)),
        "mem2reg" => Some(Pass::function("mem2reg", "", &function_pass)),
        "lower_all" => Some(Pass::module("lower_all", "", &module_pass)),
        "ownership-model-eliminator" => {
            Some(Pass::function("ownership-model-eliminator", "", &function_pass))
        }
        _ => None,
    }
}

/// Returns the tags, with a star behind those that are repeated; or the error.
fn read(text: &str) -> Result<String, String> {
    let steps = parse_pipeline(text, pass).map_err(|error| error.to_string())?;
    let shown = steps.iter().map(|s| format!("{}{}", s.pass.tag, if s.repeats { "*" } else { "" }));
    Ok(shown.collect::<Vec<_>>().join(" "))
}

#[test]
fn pipelines_are_read() {
    for (text, expected) in [
        ("dce", "dce"),
        (" dce , mem2reg ", "dce mem2reg"),
        ("lower_all,dce*", "lower_all dce*"),
        ("module(lower_all)", "lower_all"),
        ("module( lower_all , function ( dce , mem2reg * ) )", "lower_all dce mem2reg*"),
        ("function(dce),lower_all,function(dce)", "dce lower_all dce"),
    ] {
        assert_eq!(read(text), Ok(expected.to_owned()), "{text}");
    }
}

#[test]
fn errors_tell_the_column() {
    for (text, expected) in [
        ("", "column 1: expected the tag of a pass"),
        ("dce,", "column 5: expected the tag of a pass"),
        ("dce, ,dce", "column 6: expected the tag of a pass"),
        ("dcc", "column 1: unknown pass `dcc`"),
        ("dce)", "column 4: unexpected `)`"),
        ("dce mem2reg", "column 5: unexpected `m`"),
        ("function(dce", "column 13: expected `)`"),
        ("function dce", "column 10: expected `(` after `function`"),
        ("function(lower_all)", "column 10: `lower_all` is a module pass"),
        ("module(dce)", "column 8: `dce` is a function pass: write `function(dce)`"),
        ("function(function(dce))", "column 10: `function(…)` cannot be nested"),
        ("function(module(lower_all))", "column 10: `module(…)` cannot be nested"),
        ("module(module(lower_all))", "column 8: `module(…)` cannot be nested"),
        ("lower_all*", "column 11: `lower_all` is a module pass, which cannot be repeated"),
        (
            "OwnershipEliminator",
            "column 1: `OwnershipEliminator` has passes that are not implemented yet: `address-lowering`",
        ),
        ("function(OwnershipEliminator)", "column 10: unknown pass `OwnershipEliminator`"),
    ] {
        assert_eq!(read(text), Err(expected.to_owned()), "{text}");
    }
    let error = read("Performance").expect_err("an error");
    assert!(
        error.starts_with("column 1: `Performance` has passes that are not implemented yet: `"),
        "{error}"
    );
    let more = error.rsplit("` and ").next().and_then(|rest| rest.strip_suffix(" more"));
    assert!(more.and_then(|count| count.parse::<usize>().ok()).is_some_and(|count| count > 50), "{error}");
}

#[test]
fn a_pipeline_of_the_reference_stands_for_its_passes() {
    let all =
        |tag: &str| Some(Pass::function(if tag == "dce" { "dce" } else { "other" }, "", &function_pass));
    let steps = parse_pipeline("OwnershipEliminator, dce", all).expect("a pipeline");
    let tags: Vec<&str> = steps.iter().map(|step| step.pass.tag).collect();
    assert_eq!(tags, ["other", "other", "dce"]);
}

#[test]
fn pipelines_leave_out_what_is_not_built() {
    let pipeline = Pipeline::parse("dce, OwnershipEliminator", pass).expect("a pipeline");
    let tags: Vec<&str> = pipeline.steps.iter().map(|step| step.pass.tag).collect();
    assert_eq!(tags, ["dce", "ownership-model-eliminator"]);
    let [left_out] = &pipeline.left_out[..] else { panic!("{:?}", pipeline.left_out) };
    assert_eq!((left_out.pipeline, &left_out.tags[..]), ("OwnershipEliminator", &["address-lowering"][..]));
    assert_eq!(left_out.as_error().pos, 5);
}

#[test]
fn what_is_left_out_is_named_once() {
    let pipeline = Pipeline::parse("Performance", |_| None::<Pass<'static>>).expect("a pipeline");
    assert!(pipeline.steps.is_empty());
    for left_out in &pipeline.left_out {
        let mut tags = left_out.tags.clone();
        tags.sort_unstable();
        tags.dedup();
        assert_eq!(tags.len(), left_out.tags.len(), "{}", left_out.pipeline);
    }
    let first = &pipeline.left_out[0];
    let of = |count: usize| silkit_pass::LeftOut { tags: first.tags[..count].to_vec(), ..first.clone() };
    let told = |count: usize| of(count).as_error().message;
    let (name, tag) = (first.pipeline, first.tags[0]);
    assert_eq!(told(1), format!("`{name}` has passes that are not implemented yet: `{tag}`"));
    assert_eq!(told(2), format!("`{name}` has passes that are not implemented yet: `{tag}` and 1 more"));
}

#[test]
fn pipelines_are_appended() {
    let mut pipeline = Pipeline::parse("dce", pass).expect("a pipeline");
    pipeline.append(Pipeline::parse("mem2reg, OwnershipEliminator", pass).expect("a pipeline"));
    let tags: Vec<&str> = pipeline.steps.iter().map(|step| step.pass.tag).collect();
    assert_eq!(tags, ["dce", "mem2reg", "ownership-model-eliminator"]);
    assert_eq!(pipeline.left_out.len(), 1);
}

#[test]
fn a_way_goes_from_raw_to_canonical() {
    let all = |_: &str| Some(Pass::function("any", "", &function_pass));
    let pipeline = Pipeline::parse("onone", all).expect("a way").of_release(Release::default());
    assert!(pipeline.left_out.is_empty());
    let end = pipeline.steps.iter().rposition(|step| step.is_for_raw).expect("steps for raw SIL");
    assert_eq!(pipeline.steps[end].pass.tag, "canonical-stage");
    assert!(pipeline.steps[..end].iter().all(|step| step.is_for_raw) && pipeline.steps.len() > end + 5);
    let run = |stage: &str| {
        let text =
            format!("sil_stage {stage}\nsil @f : $@convention(thin) () -> () {{\nbb0:\n  unreachable\n}}\n");
        let mut module = silkit_text::parse_module(&text).module;
        let declarations = silkit_text::decl::declarations(&module);
        let outcome =
            Runner::new().options(PassOptions::default()).run(&mut module, &declarations, &pipeline.steps);
        (module.stage, outcome.runs.len())
    };
    let (stage, runs) = run("raw");
    assert_eq!((stage, runs), (Some(silkit_ir::SilStage::Canonical), pipeline.steps.len()));
    let (_, runs) = run("canonical");
    assert_eq!(runs, pipeline.steps.len() - end - 1);
    let some = Pipeline::parse("onone", pass).expect("a way");
    assert!(some.steps.iter().all(|step| step.pass.tag != "canonical-stage"));
}

#[test]
fn yaml_is_wrapped_and_quoted() {
    const LONG: &str = "a-pass-with-a-name-of-thirty-two";
    let group = |name, passes: &[_]| ReferencePipeline {
        name: "P",
        releases: Releases::ALL,
        groups: vec![Group { name, passes: passes.to_vec() }],
    };
    let yaml = group("A_b-c^d., e", &["x"]).to_yaml();
    assert_eq!(yaml, "---\nname:            A_b-c^d., e\npasses:          [ \"x\" ]\n...\n\n");
    assert!(group("A+b", &["x"]).to_yaml().contains("name:            'A+b'\n"));
    // The second ends in column 89, the third begins in the next line.
    let yaml = group("A", &[LONG, LONG, LONG, "x"]).to_yaml();
    let expected =
        format!("passes:          [ \"{LONG}\", \"{LONG}\", \n                   \"{LONG}\", \"x\" ]\n");
    assert!(yaml.contains(&expected), "{yaml}");
    // One that ends in column 70 leaves room for another, one that ends in column 71 does not.
    let tags = |len: usize| -> &'static [&'static str] {
        Box::leak(Box::new([&*Box::leak("x".repeat(len).into_boxed_str()), "y"]))
    };
    assert!(group("A", tags(47)).to_yaml().contains("x\", \"y\" ]"));
    assert!(group("A", tags(48)).to_yaml().contains("x\", \n"));
    assert!(find("Nothing", Release::default()).is_none());
}
