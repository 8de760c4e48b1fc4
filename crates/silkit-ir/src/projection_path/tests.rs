use super::*;

fn path(text: &str) -> ProjectionPath {
    let (path, rest) = ProjectionPath::parse(text).expect(text);
    assert_eq!(rest, "", "{text}");
    path
}

#[test]
fn text_is_read_and_printed() {
    for text in
        ["", "s3", "2.c*.e6.ct.**", "i3.x.i*", "v**.c*", "c12345678.s3", "s15.s16.e876", "c*.v**.s1", "11.e0"]
    {
        assert_eq!(path(text).to_string(), text);
    }
    assert_eq!(ProjectionPath::parse(" s1.c2 => %r").map(|(_, rest)| rest), Ok(" => %r"));
    assert_eq!(ProjectionPath::parse("q7"), Ok((ProjectionPath::EMPTY, "q7")));
    use PathErrorKind as K;
    for (wrong, offset, kind) in [
        ("**.s0", 0, K::AnythingNotLast),
        (" s", 1, K::NoNumber(Indexed::StructField)),
        ("c.s1", 0, K::NoNumber(Indexed::ClassField)),
        ("s1.e*", 3, K::NoNumber(Indexed::EnumCase)),
        ("s1.", 3, K::NoComponent),
        ("s1.q", 3, K::NoComponent),
        ("s99999999999", 0, K::NoNumber(Indexed::StructField)),
        ("s1.s2.s3.s4.s5.s6.s7.s8.s9", 0, K::TooLong),
    ] {
        assert_eq!(ProjectionPath::parse(wrong), Err(PathError { offset, kind }), "{wrong}");
    }
}

#[test]
fn too_long_paths_stand_for_anything() {
    let long = (0..8).fold(ProjectionPath::EMPTY, |p, i| p.push(Component::StructField(i)));
    assert_eq!(long.to_string(), "s7.s6.s5.s4.s3.s2.s1.s0");
    assert_eq!(long.push(Component::Existential).to_string(), "**");
    let wide = path("s1.s2.s3.s4.s5.s6.s7");
    assert_eq!(wide.push(Component::ClassField(15)).to_string(), "c15.s1.s2.s3.s4.s5.s6.s7");
    assert_eq!(wide.push(Component::ClassField(16)).to_string(), "**");
    let (first, rest) = path("c4294967295.s0").pop().expect("a component");
    assert_eq!((first, rest), (Component::ClassField(u32::MAX), path("s0")));
}

#[test]
fn steps_between_elements_are_one() {
    assert_eq!(path("i1").push(Component::Element(2)), path("i3"));
    assert_eq!(path("i1").push(Component::Element(0)), path("i1"));
    assert_eq!(path("i1").push(Component::AnyElement), path("i*"));
    assert_eq!(path("i*.s1").push(Component::Element(4)), path("i*.s1"));
}

#[test]
fn components_are_popped() {
    use Component as C;
    for (from, component, expected) in [
        ("s0.c3.e1", C::StructField(0), Some("c3.e1")),
        ("s0.c3", C::StructField(1), None),
        ("c*.e1", C::ClassField(2), Some("e1")),
        ("c*.e1", C::StructField(0), None),
        ("v**.c3.e1", C::StructField(0), Some("v**.c3.e1")),
        ("v**.c3.e1", C::ClassField(3), Some("e1")),
        ("v**.c3", C::AnyValueFields, Some("v**.c3")),
        ("s0.c3", C::AnyValueFields, None),
        ("c0.s3", C::AnyClassField, None),
        ("**", C::AnyClassField, Some("**")),
        ("i*.e3.s0", C::EnumCase(3), Some("s0")),
        ("i1.e3.s0", C::EnumCase(3), None),
        ("", C::StructField(0), None),
    ] {
        assert_eq!(path(from).pop_if_matches(component), expected.map(path), "{component} from {from}");
    }
    assert_eq!(path("s3.c0").pop_exactly(Indexed::StructField), Some((3, path("c0"))));
    assert_eq!(path("v**.c0").pop_exactly(Indexed::StructField), None);
}

#[test]
fn merged_paths_stand_for_both() {
    for (a, b, expected) in [
        ("s0.c3.e4", "s0.c1.e4", "s0.c*.e4"),
        ("s0.s1.c3", "e4.c3", "v**.c3"),
        ("s0.c1.c2", "s0.c3", "s0.c*.**"),
        ("c2.c1", "c2", "c2.**"),
        ("s3.c0", "v**.c0", "v**.c0"),
        ("c0", "s2.c1", "v**.c*"),
        ("s1.s1.c2", "s1.c2", "s1.v**.c2"),
        ("ct", "c2", "c*"),
        ("i1", "i2", "i*"),
        ("s0.i*.e3", "s0.e3", "s0.i*.e3"),
        ("i*", "v**", "v**"),
        ("ct.s0.s0.c0", "ct.s0.e0.s0.c0", "ct.s0.v**.c0"),
    ] {
        assert_eq!(path(a).merge(path(b)), path(expected), "{a} and {b}");
        assert_eq!(path(b).merge(path(a)), path(expected), "{b} and {a}");
        for part in [a, b] {
            assert!(path(part).matches(path(expected)), "{part} of {expected}");
        }
    }
}

#[test]
fn patterns_are_matched() {
    for (a, pattern, expected) in [
        ("ct", "c*", true),
        ("c*", "c1", false),
        ("s2.1.e1.x.b.i*", "v**", true),
        ("v**", "s0", false),
        ("i*", "i1", false),
        ("s0", "s0.v**", true),
        ("s0.s1.c*", "s0.v**", false),
        ("s0.v**", "s0.**", true),
        ("s0.**", "s0.v**", false),
        ("s0.s1", "s0.i*.s1", true),
        ("", "", true),
        ("s0", "", false),
    ] {
        assert_eq!(path(a).matches(path(pattern)), expected, "{a} in {pattern}");
    }
}

#[test]
fn overlaps_are_found() {
    for (a, b, expected) in [
        ("s0.s1.s2", "s0.s1", true),
        ("s0.s1.s2", "s0.s2.s2", false),
        ("s0.s1.s2", "s0.e1.s2", false),
        ("s0.c*.s2", "s0.ct.s2", true),
        ("s0.c*.s2", "s0.c1.c2.s2", false),
        ("s0.v**.s2.c2", "s0.s3.c1", false),
        ("s0.v**.s2", "s1.s3", false),
        ("**", "s0.s3.c1", true),
        ("i1", "i*", true),
        ("i1", "i2", false),
        ("s0.b.i1", "s0.b.i*", true),
        ("s0.b", "s0.1", false),
        ("s0.i*.s1", "s0.s1", true),
    ] {
        assert_eq!(path(a).may_overlap(path(b)), expected, "{a} and {b}");
        assert_eq!(path(b).may_overlap(path(a)), expected, "{b} and {a}");
    }
}

#[test]
fn paths_are_taken_apart() {
    for (a, b, expected) in [
        ("s0", "s0.s1", Some("s1")),
        ("s0", "s1", None),
        ("c0.s1", "c0.s1", Some("")),
        ("i*", "i*", None),
        ("b", "b.i1", Some("i1")),
    ] {
        assert_eq!(path(a).subtract_from(path(b)), expected.map(path), "{a} from {b}");
    }
    assert_eq!(path("s0.e2.3.c4.s1").pop_value_fields(), path("c4.s1"));
    assert_eq!(path("**").pop_value_fields(), path("**"));
    for (from, expected) in [
        ("s0.c2.3.c4.s1", "s0.c2.3"),
        ("v**.c*.s1", "v**"),
        ("c0.c1.c2", "c0.c1"),
        ("**", "**"),
        ("s0.c4.s1.v**.**", "s0.c4.s1.v**.**"),
        ("c300.c300.s1", "c300"),
    ] {
        assert_eq!(path(from).pop_last_class_and_values(), path(expected), "{from}");
    }
}

#[test]
fn objects_on_the_way_are_counted() {
    for (text, has, may, may_twice) in [
        ("v**", false, false, false),
        ("s0", false, false, false),
        ("v**.c0.s1.v**", true, true, false),
        ("**", false, true, true),
        ("v**.c*.s2.1.c0", true, true, true),
        ("v**.c*.**", true, true, true),
    ] {
        let path = path(text);
        assert_eq!(path.has_class_projection(), has, "{text}");
        assert_eq!(path.may_have_class_projection(), may, "{text}");
        assert_eq!(path.may_have_two_class_projections(), may_twice, "{text}");
    }
}
