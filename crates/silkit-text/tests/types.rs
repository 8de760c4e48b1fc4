//! Types from text: each prints as it was written, and what is no type is refused.

use silkit_text::{Cursor, GenericEnv, Parse, parse_generic_sig, parse_sil_type, parse_type};
use silkit_types::{SilType, Type, TypeKind};

fn sil_type(text: &str) -> Parse<SilType> {
    parse_sil_type(&mut Cursor::new(text), &mut GenericEnv::new())
}

fn formal(text: &str) -> Parse<Type> {
    parse_type(&mut Cursor::new(text), &mut GenericEnv::new(), false)
}

#[test]
fn lowered_types_print_as_written() {
    for text in [
        "$Int",
        "$*Swift.Int",
        "$()",
        "$(Int, (Bool, String))",
        "$(low: Int64, high: Int64)",
        "$Builtin.Vec4xInt32",
        "$Builtin.FixedArray<4, Int>",
        "$Table<Key>._Index.Slot<Array<Array<Key>>>",
        "$[String : [Int]]",
        "$[3 of Int]",
        "$Int???",
        "$Optional<() -> ()>",
        "$τ_0_0.Element.Index",
        "$@thick (any P & Q).Type",
        "$@thin Int.Type",
        "$@objc_metatype C.Type",
        "$@thick any P.Type",
        "$@thick any P.Type.Type",
        "$@thick (@dynamic_self C).Type",
        "$@sil_weak Optional<C>",
        "$@sil_unowned C",
        "$@moveOnly C",
        "$@block_storage @callee_guaranteed () -> ()",
        "${ var Int }",
        "${ let Int, var String }",
        "$<τ_0_0 where τ_0_0 : P> { var τ_0_0 } <Int>",
        "$@opened(\"01234567-89AB-CDEF-0123-000000000000\", any P) Self.Item",
        "$@pack_element(\"01234567-89AB-CDEF-0123-000000000001\") each T",
        "$@pack_element(\"01234567-89AB-CDEF-0123-000000000001\") (each T).Item.Key",
        "$Pack{Int, repeat each τ_0_0}",
        "$Pack{/* shape: each τ_0_0 */ repeat ()}",
        "$@direct Pack{Int}",
        "$(repeat Box<each T>)",
        "$any P & ~Copyable",
    ] {
        assert_eq!(sil_type(text).map(|t| t.to_string()).as_deref(), Ok(text), "{text}");
    }
}

#[test]
fn lowered_functions_print_as_written() {
    for text in [
        "$@convention(thin) () -> ()",
        "$@convention(method) (@guaranteed C, @in_guaranteed P, @inout Int) -> (Int, @owned C, @error any Error)",
        "$@convention(method) (@guaranteed C) -> @guaranteed C",
        "$@convention(method) (@inout C) -> @inout Int",
        "$@convention(witness_method: P) <τ_0_0 where τ_0_0 : P> (@in_guaranteed τ_0_0) -> @out τ_0_0.Item",
        "$@convention(thin) <T><U where T : P, U == T.Item> (@in T, @in U) -> ()",
        "$@convention(thin) <each T where repeat each T : P> (@pack_guaranteed Pack{repeat each T}) -> ()",
        "$@convention(thin) <let N : Int, T : ~Copyable> (@in T) -> ()",
        "$@callee_guaranteed @substituted <τ_0_0, τ_0_1> (@in_guaranteed τ_0_0) -> @out τ_0_1 for <Int, ()>",
        "$@callee_guaranteed @substituted <A> (@in A) -> (@owned @callee_guaranteed () -> @out A) for <Int>",
        "$@yield_once @convention(method) (@inout S) -> @yields @inout Int",
        "$@convention(c) (Int32, UnsafeMutablePointer<Optional<UnsafeMutablePointer<Int8>>>) -> Int32",
        "$@convention(thin) @async (@sil_isolated @guaranteed Optional<A>) -> @error_indirect any Error",
        "$@convention(thin) () -> ((Int, Int))",
        "$@convention(thin) () -> (x: Int, y: Int)",
        "$@convention(thin) () -> @owned (String, String)",
        "$@convention(thin) (Int) -> (Int) -> (Int) -> Int",
        "$@convention(thin) () -> @owned @callee_guaranteed (Int) -> (Bool, @error any Error)",
        "$@convention(thin) (Array<(inout Int, __owned String) async throws(E) -> (Int, Int)>) -> ()",
        "$Optional<@callee_guaranteed (@guaranteed String) -> ()>",
    ] {
        assert_eq!(sil_type(text).map(|t| t.to_string()).as_deref(), Ok(text), "{text}");
    }
}

#[test]
fn spelling_is_normalized_and_meaning_kept() {
    for (text, printed) in [
        ("$ @convention( thin )(Int,Int)->(@owned C)", "$@convention(thin) (Int, Int) -> @owned C"),
        ("$@convention(thin) () -> (@error any Error)", "$@convention(thin) () -> @error any Error"),
        (
            "$@convention(thin) (@noescape @guaranteed @callee_owned () -> ()) -> (@callee_guaranteed @owned () -> ())",
            "$@convention(thin) (@guaranteed @noescape @callee_owned () -> ()) -> @owned @callee_guaranteed () -> ()",
        ),
        ("$@convention(thin) <T:P> (@in T) -> ()", "$@convention(thin) <T : P> (@in T) -> ()"),
        (
            "$@convention(thin) (\n  Int, // first\n  /* and */ Bool\n) -> ()",
            "$@convention(thin) (Int, Bool) -> ()",
        ),
    ] {
        assert_eq!(sil_type(text).map(|t| t.to_string()).as_deref(), Ok(printed), "{text}");
    }
}

#[test]
fn a_type_ends_where_it_ends() {
    for (text, rest) in [
        ("$@convention(thin) () -> () {\nbb0:", " {\nbb0:"),
        ("$Int // user: %1\n  %2 = x", " // user: %1\n  %2 = x"),
        ("$Int in %0", " in %0"),
        ("$*T to $*U", " to $*U"),
        ("$Int, bb1", ", bb1"),
        ("$Int)", ")"),
        ("${ var Int }\n  return", "\n  return"),
        ("$(Int)\nasync", "\nasync"),
        ("$Int...", "..."),
    ] {
        let mut cur = Cursor::new(text);
        // Twice: the second time the text is known.
        for _ in 0..2 {
            cur.set_pos(0);
            let outcome = parse_sil_type(&mut cur, &mut GenericEnv::new());
            if outcome.is_ok() {
                assert_eq!(&text[cur.pos()..], rest, "{text}");
            } else {
                assert_eq!(rest, "\nasync", "{text}");
            }
        }
    }
}

#[test]
fn known_text_is_read_on_where_the_next_line_continues_it() {
    let env = &mut GenericEnv::new();
    assert!(parse_sil_type(&mut Cursor::new("$(Int)\n"), env).is_ok());
    let ty = parse_sil_type(&mut Cursor::new("$(Int)\n  -> Bool"), env);
    assert_eq!(ty.map(|t| t.to_string()).as_deref(), Ok("$(Int) -> Bool"));
}

#[test]
fn names_mean_what_the_signature_says() {
    let mut env = GenericEnv::new();
    let text = "$Array<T.Item>";
    let read = |env: &mut GenericEnv| parse_sil_type(&mut Cursor::new(text), env).expect("a type").ty();
    let outside = read(&mut env);
    let sig =
        parse_generic_sig(&mut Cursor::new("<S : Q<T>, T where T : P>"), &mut env).expect("a signature");
    assert_eq!(sig.to_string(), "<S : Q<T>, T where T : P>");
    let bound = sig.data().params[0].bound.expect("a bound");
    let TypeKind::Named(bound) = bound.kind() else { panic!("{bound}") };
    assert!(matches!(bound.args[0].kind(), TypeKind::Param { index: 1, .. }), "a later parameter is known");
    env.push(sig);
    let inside = read(&mut env);
    env.pop();
    assert_ne!(outside, inside);
    assert_eq!(outside, read(&mut env));
    let TypeKind::Named(array) = inside.kind() else { panic!("{inside}") };
    assert!(matches!(array.args[0].kind(), TypeKind::Member(..)));
}

#[test]
fn the_same_text_names_other_parameters_in_other_signatures() {
    let mut env = GenericEnv::new();
    let mut read = |params: &str| {
        let sig = parse_generic_sig(&mut Cursor::new(params), &mut env).expect("a signature");
        env.push(sig);
        let ty = parse_sil_type(&mut Cursor::new("$Array<U>"), &mut env).expect("a type").ty();
        env.pop();
        match first_argument(ty).kind() {
            TypeKind::Param { depth, index, .. } => Some((*depth, *index)),
            _ => None,
        }
    };
    // Each twice: the second answer comes from the cache.
    for _ in 0..2 {
        assert_eq!(read("<T, U>"), Some((0, 1)));
        assert_eq!(read("<U, T>"), Some((0, 0)));
        assert_eq!(read("<U, T where T : P>"), Some((0, 0)));
        assert_eq!(read("<T>"), None);
        assert_eq!(read("<T><U>"), Some((1, 0)));
        assert_eq!(read("<U><U>"), Some((1, 0)), "the inner parameter hides the outer one");
    }
}

#[test]
fn the_same_signature_names_other_parameters_in_other_signatures() {
    let mut env = GenericEnv::new();
    let mut read = |params: &str, ty: &str| {
        let sig = parse_generic_sig(&mut Cursor::new(params), &mut env).expect("a signature");
        env.push(sig);
        let ty = parse_sil_type(&mut Cursor::new(ty), &mut env).expect("a type").ty();
        env.pop();
        let own = ty.as_function().and_then(|function| function.sig).expect("a signature");
        match first_argument(own.data().requirements[0].constraint).kind() {
            TypeKind::Param { depth, index, .. } => Some((*depth, *index)),
            _ => None,
        }
    };
    // The types differ, their signatures do not.
    for ty in ["(A) -> ()", "(A) -> ()", "(A, A) -> ()", "(A) -> A"] {
        let ty = format!("$@convention(thin) <A where A : Q<Array<U>>> {ty}");
        assert_eq!(read("<T, U>", &ty), Some((0, 1)));
        assert_eq!(read("<U, T>", &ty), Some((0, 0)));
        assert_eq!(read("<T>", &ty), None);
    }
}

/// Returns the name of the innermost first argument of a type.
fn first_argument(ty: Type) -> Type {
    match ty.kind() {
        TypeKind::Named(named) if !named.args.is_empty() => first_argument(named.args[0]),
        _ => ty,
    }
}

#[test]
fn layouts_and_patterns_have_a_scope_of_their_own() {
    let mut env = GenericEnv::new();
    let sig = parse_generic_sig(&mut Cursor::new("<T>"), &mut env).expect("a signature");
    env.push(sig);
    let mut read = |text: &str| parse_sil_type(&mut Cursor::new(text), &mut env).expect("a type").ty();
    let is_param = |ty: Type| matches!(first_argument(ty).kind(), TypeKind::Param { .. });
    let TypeKind::Box(layout) = read("${ var Array<T> }").kind() else { panic!("not a box") };
    assert!(!is_param(layout.fields[0].ty));
    let TypeKind::Box(layout) = read("$<U> { var Array<U> } <T>").kind() else { panic!("not a box") };
    assert!(is_param(layout.fields[0].ty) && is_param(layout.args[0]));
    let pattern = read("$@callee_guaranteed @substituted <U> (@in Array<T>, @in Array<U>) -> () for <T>");
    let function = pattern.as_function().expect("a function");
    assert!(!is_param(function.params[0].ty) && is_param(function.params[1].ty));
    assert!(is_param(function.pattern_args[0]));
}

/// Macros make such names.
#[test]
fn a_generic_parameter_may_begin_with_a_dollar() {
    let text = "$@convention(thin) <$s1M_fMu_ where $s1M_fMu_ : P> (@in_guaranteed Array<$s1M_fMu_>) -> ()";
    let ty = sil_type(text).expect("a type");
    assert_eq!(ty.to_string(), text);
    let function = ty.ty().as_function().expect("a function");
    assert!(matches!(first_argument(function.params[0].ty).kind(), TypeKind::Param { .. }));
}

#[test]
fn function_types_are_lowered_where_an_attribute_says_so() {
    for (text, lowered) in [
        ("(Int) -> Int", false),
        ("@escaping @Sendable (Int) -> Int", false),
        ("@convention(block) (Int) -> Int", false),
        ("@callee_guaranteed (Int) -> Int", true),
        ("@noescape @callee_guaranteed (Int) -> Int", true),
        ("@convention(method) (Int) -> Int", true),
    ] {
        let ty = formal(text).expect(text);
        assert_eq!(ty.as_function().map(|f| f.lowered), Some(lowered), "{text}");
        assert_eq!(ty.to_string(), text);
    }
}

#[test]
fn what_is_no_type_is_refused() {
    for text in [
        "",
        "$",
        "$$Int",
        "$**Int",
        "$Array<Int",
        "$(Int",
        "$[Int",
        "$[Int : ",
        "${ Int }",
        "$@opened(\"x\")",
        "$@convention(thine) () -> ()",
        "$@convention(thin) ()",
        "$@callee_guarantee () -> ()",
        "$Builtin.",
        "$@substituted <T> (T) -> ()",
        "$@convention(thin) <T where T> (T) -> ()",
        "$(@owned Int)",
        "$@noescape @guaranteed () -> ()",
        "$@direct Int",
        "$@convention(thin) () -> (@out Int) -> Int",
        "$@convention(thin) (@unowned C) -> ()",
        "$@convention(thin) (@owned @guaranteed C) -> ()",
        "$@convention(thin) () -> @error @owned C",
        "$@thin () -> ()",
        "$@async @async @convention(thin) () -> ()",
        "$@convention(thin) @convention(method) () -> ()",
        "$@callee_owned @callee_guaranteed () -> ()",
        "$@yield_once @yield_many @convention(thin) () -> (@yields Int)",
        "$@convention(thin) (@sil_isolated @sil_isolated @guaranteed A) -> ()",
        "$@convention(thin) @substituted <T, U> (@in T, @in U) -> () for <Int>",
        "$@convention(thin) @substituted <T> (@in T) -> () for <Int, Int>",
        "$@convention(thin) <T : any P> (@in T) -> ()",
        "$@convention(thin) <T where T : any P> (@in T) -> ()",
        "$<τ_0_0> { var τ_0_0 }",
        "$<τ_0_0> { var τ_0_0 } <Int, Int>",
        "$@sil_weak @sil_unowned Optional<C>",
        "$@moveOnly @moveOnly C",
        "$any any P",
    ] {
        assert!(sil_type(text).is_err(), "{text}: {:?}", sil_type(text));
    }
    let error = sil_type("$@callee_guarante () -> ()").expect_err("an unknown attribute");
    assert!(error.help.is_some_and(|h| h.contains("@callee_guaranteed")));
}

/// Each of these breaks a reader that recurses, looks ahead or counts without limit.
#[test]
fn endless_text_is_no_endless_work() {
    for unit in [
        "(",
        "[",
        "<",
        "{",
        "~",
        "?",
        "!",
        ".a",
        "any ",
        "@thick ",
        "Array<",
        "<T : ",
        "<T where T : ",
        "{ var ",
        "(Int) -> ",
        "() -> (",
        "@substituted <T> ",
        "@opened(\"x\", ",
        "each ",
        "repeat ",
        "Pack{",
        "T & ",
        "<",
        "<>",
        "<T>",
        "T.Type",
        "@convention(witness_method: ",
        "@convention(thin) (",
        "(a: ",
        "\"",
        "`",
        "/*",
        "@A.",
        "(x, ",
        "<A : (",
        "-> ",
        "(() -> ",
        "([",
        "Int\n-> ",
    ] {
        for start in ["$", "$Int", "$<", "$()", "$<T where T : Int"] {
            let text = format!("{start}{}", unit.repeat(30_000));
            if let Ok(ty) = sil_type(&text) {
                assert!(ty.to_string().len() <= text.len() * 2);
            }
            _ = formal(&text[1..]).map(|t| t.to_string());
        }
    }
}

/// A broken type on each line must not look at all lines that follow.
#[test]
fn broken_lines_do_not_add_up() {
    for line in
        ["$(\n", "$<T where\n", "$<T : \n", "$() -> (\n", "$@convention(thin) <T where (\n", "$Pack{\n"]
    {
        let text = line.repeat(20_000);
        let began = std::time::Instant::now();
        for start in (0..text.len()).step_by(line.len()) {
            let mut cur = Cursor::new(&text);
            cur.set_pos(start);
            _ = parse_sil_type(&mut cur, &mut GenericEnv::new());
        }
        assert!(began.elapsed().as_secs() < 20, "{line:?} took {:?}", began.elapsed());
    }
}
