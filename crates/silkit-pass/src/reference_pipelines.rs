//! The pipelines of the reference compiler: its passes, in order, from `reference_pipelines.txt`.

use silkit_ir::{Release, Releases};
use std::fmt::Write;
use std::sync::LazyLock;

/// A pipeline of the reference compiler.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReferencePipeline {
    /// Its name.
    pub name: &'static str,
    /// The releases of Swift with these passes. Each release has one pipeline of a name.
    pub releases: Releases,
    /// The groups of passes, in execution order.
    pub groups: Vec<Group>,
}

/// A group of passes of a reference pipeline.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// Its name.
    pub name: &'static str,
    /// The pass tags in order. Not all of these passes are implemented.
    pub passes: Vec<&'static str>,
}

/// The column after which the reference wraps lines.
const WRAP_COLUMN: usize = 70;

/// The text before the passes.
const HEAD: &str = "passes:          [ ";

impl ReferencePipeline {
    /// Returns the pipeline in YAML, as the reference prints it.
    pub fn to_yaml(&self) -> String {
        let mut text = String::new();
        for group in &self.groups {
            group.print(&mut text);
        }
        text + "...\n\n"
    }
}

impl Group {
    fn print(&self, text: &mut String) {
        let is_plain = self.name.chars().all(|c| c.is_ascii_alphanumeric() || "_-^., \t".contains(c));
        let quote = if is_plain { "" } else { "'" };
        // Writing to a string cannot fail.
        let _ = write!(text, "---\nname:            {quote}{}{quote}\n{HEAD}", self.name);
        let mut column = HEAD.len();
        for (index, tag) in self.passes.iter().enumerate() {
            if index > 0 {
                text.push_str(", ");
                column += 2;
            }
            if column > WRAP_COLUMN {
                column = HEAD.len();
                let _ = write!(text, "\n{:column$}", "");
            }
            let _ = write!(text, "\"{tag}\"");
            column += tag.len() + 2;
        }
        text.push_str(" ]\n");
    }
}

/// Returns the pipeline with this name in a release of Swift.
pub fn find(name: &str, release: Release) -> Option<&'static ReferencePipeline> {
    of_release(release).find(|pipeline| pipeline.name == name)
}

/// Returns the pipelines of a release of Swift, by name.
pub fn of_release(release: Release) -> impl Iterator<Item = &'static ReferencePipeline> {
    all().iter().filter(move |pipeline| pipeline.releases.contains(release))
}

/// A sequence of reference pipelines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PipelineSequence {
    /// Its name.
    pub name: &'static str,
    /// The names of the pipelines in order.
    pub pipelines: &'static [&'static str],
    /// The options that the compiler sets for a build with these pipelines, with their values.
    pub options: &'static [(&'static str, &'static str)],
}

/// The pipelines that turn raw SIL into canonical SIL. The reference runs them only on raw SIL.
pub const TO_CANONICAL: &[&str] = &["SILGen", "Diagnostic"];

/// The sequences that the compiler runs on generated SIL, without and with optimization.
pub const PIPELINE_SEQUENCES: &[PipelineSequence] = &[
    PipelineSequence { name: "diagnostics", pipelines: TO_CANONICAL, options: &[] },
    PipelineSequence {
        name: "onone",
        pipelines: &["SILGen", "Diagnostic", "Onone"],
        options: &[("opt-mode", "none"), ("implicit-import", "SwiftOnoneSupport")],
    },
    PipelineSequence {
        name: "performance",
        pipelines: &["SILGen", "Diagnostic", "Performance"],
        options: &[("opt-mode", "speed")],
    },
];

/// Returns the sequence with this name.
pub fn find_sequence(name: &str) -> Option<&'static PipelineSequence> {
    PIPELINE_SEQUENCES.iter().find(|way| way.name == name)
}

/// Returns all pipelines, by name; those of older releases come first.
pub fn all() -> &'static [ReferencePipeline] {
    static ALL: LazyLock<Vec<ReferencePipeline>> =
        LazyLock::new(|| parse(include_str!("reference_pipelines.txt")));
    &ALL
}

/// Parses the lines of releases, pipelines, groups and passes.
fn parse(text: &'static str) -> Vec<ReferencePipeline> {
    let mut pipelines: Vec<ReferencePipeline> = Vec::new();
    let mut releases = Releases::ALL;
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let groups = pipelines.last_mut().map(|pipeline| &mut pipeline.groups);
        match (line.split_once(' '), groups) {
            (Some(("release", release)), _) => {
                let release = release.parse().expect("invariant: the release is known");
                releases = Releases::since(release);
            }
            (Some(("pipeline", name)), _) => {
                // A later pipeline replaces an earlier one with its name.
                for earlier in pipelines.iter_mut().filter(|earlier| earlier.name == name) {
                    earlier.releases.until = releases.since.and_then(Release::previous);
                }
                pipelines.push(ReferencePipeline { name, releases, groups: Vec::new() });
            }
            (Some(("group", name)), Some(groups)) => groups.push(Group { name, passes: Vec::new() }),
            (Some(("", tags)), Some(groups)) => {
                let group = groups.last_mut().expect("invariant: passes follow a group");
                group.passes.extend(tags.split_whitespace());
            }
            _ => unreachable!("invariant: `reference_pipelines.txt` is well-formed: {line}"),
        }
    }
    pipelines.sort_by_key(|pipeline| (pipeline.name, pipeline.releases.since));
    pipelines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pipeline_has_groups_and_every_group_passes() {
        for release in Release::ALL {
            let names: Vec<&str> = of_release(release).map(|pipeline| pipeline.name).collect();
            assert_eq!(
                names,
                ["Diagnostic", "IRGenPrepare", "Onone", "OwnershipEliminator", "Performance", "SILGen"]
            );
        }
        let groups = |release| of_release(release).flat_map(|pipeline| &pipeline.groups);
        let counts = |release| (groups(release).count(), groups(release).flat_map(|g| &g.passes).count());
        assert_eq!(counts(Release::V6_2), (16, 373));
        assert_eq!(counts(Release::V6_3), (16, 376));
        assert!(all().iter().flat_map(|pipeline| &pipeline.groups).all(|group| !group.passes.is_empty()));
    }

    #[test]
    fn a_release_has_its_own_pipelines() {
        let has = |release, tag| {
            let pipeline = find("Diagnostic", release).expect("a pipeline");
            pipeline.groups.iter().any(|group| group.passes.contains(&tag))
        };
        assert!(has(Release::V6_2, "allocbox-to-stack") && !has(Release::V6_3, "allocbox-to-stack"));
        assert!(has(Release::V6_3, "mandatory-allocbox-to-stack"));
        assert!(!has(Release::V6_2, "mandatory-allocbox-to-stack"));
        assert_eq!(find("SILGen", Release::V6_2), find("SILGen", Release::V6_4));
    }

    #[test]
    fn lines_are_wrapped_and_names_quoted_as_in_the_reference() {
        let yaml = find("OwnershipEliminator", Release::V6_2).expect("a pipeline").to_yaml();
        let expected = "---\nname:            Ownership Model Eliminator\n\
            passes:          [ \"address-lowering\", \"ownership-model-eliminator\" ]\n...\n\n";
        assert_eq!(yaml, expected);
        let yaml = find("Performance", Release::V6_2).expect("a pipeline").to_yaml();
        let wrapped = "name:            'HighLevel,Module+StackPromote'\n\
            passes:          [ \"sil-deadfuncelim\", \"performance-linker\", \"deadobject-elim\", \n                   \
            \"global-property-opt\", ";
        assert!(yaml.contains(wrapped), "{yaml}");
        assert!(yaml.contains("name:            MidLevel,Function\n"));
    }
}
