//! Tests of the token index.

use super::*;

/// Returns the tokens of a kind, definitions with `=` and names in comments with `/` before them.
fn tokens(text: &str, kind: TokenKind) -> Vec<String> {
    let mark = |token: &Token| match token.role {
        TokenRole::Definition => "=",
        TokenRole::Comment => "/",
        TokenRole::Use => "",
    };
    let index = TokenIndex::of(text);
    let of_kind = index.tokens().iter().filter(|token| token.kind == kind);
    of_kind.map(|token| format!("{}{}", mark(token), token.text(text))).collect()
}

fn in_body(lines: &str) -> String {
    format!("sil @f : $@convention(thin) () -> () {{\n{lines}\n}}\n")
}

#[test]
fn values_are_defined_by_results_and_arguments() {
    let text = in_body(
        "bb0(%0 : $Int, %self : @owned $Box<(Int) -> ()>):\n  %2 = tuple (%0, %self) // user: %3\n  \
         (%3, %4) = destructure_tuple %2\n  store %3 to [init] %4 : $*Int // id: %5\n  %6= apply %2<Int, (A) -> B>(%0) : $() -> ()",
    );
    let expected = [
        "=%0", "=%self", "=%2", "%0", "%self", "/%3", "=%3", "=%4", "%2", "%3", "%4", "/%5", "=%6", "%2",
        "%0",
    ];
    assert_eq!(tokens(&text, TokenKind::Value), expected);
    let words = ["tuple", "destructure_tuple", "store", "apply"];
    assert_eq!(tokens(&text, TokenKind::Instruction), words);
}

#[test]
fn labels_define_blocks() {
    let text = in_body(
        "bb0:\n  cond_br %0, bb1(%0 : $Int), bb2 // a\nbb1(%1 : $Int): // Preds: bb0\n  switch_enum %1, case #E.a!enumelt: bb2, \
         default bb3\nbb2: unreachable\nbb3\n(%4\n: $Int):\n  br bb2",
    );
    let expected = ["=bb0", "bb1", "bb2", "=bb1", "/bb0", "bb2", "bb3", "=bb2", "=bb3", "bb2"];
    assert_eq!(tokens(&text, TokenKind::Block), expected);
    assert_eq!(tokens(&text, TokenKind::Value), ["%0", "%0", "=%1", "%1", "=%4"]);
    assert_eq!(tokens(&text, TokenKind::Instruction), ["cond_br", "switch_enum", "unreachable", "br"]);
}

#[test]
fn types_end_before_the_rest_of_an_instruction() {
    for (ty, rest) in [
        ("$Int", ", bb1"),
        ("$Box", " (%0)"),
        ("$(Int) -> ()", " // x"),
        ("$*Box<A.B, (C) -> D>.E?", "]"),
        ("$@convention(method) <T where T : P> (@in T, Int) -> (@out T, @error any E)", ", 1"),
        ("$@async @substituted <τ_0_0> (τ_0_0) async throws(E) -> τ_0_0 for <Int>", " {"),
        ("$<T> { var T } <Int>", ", var, name \"x\""),
        ("${ var Int }", ", let"),
        ("$Pack{Int, repeat each T}", " {"),
        ("$@opened(\"ID\", any P & Q) Self", "\n"),
        ("$any P & Q & ~Copyable", ", #P.f"),
        ("$`Type`.`in`", ")"),
        ("$nonisolated(nonsending) () async -> ()", " "),
        ("$[Int : (A) -> B]", ", "),
        ("$(A,\n    B) -> C", ", "),
    ] {
        let text = in_body(&format!("  alloc {ty}{rest}"));
        let found = tokens(&text, TokenKind::Type);
        assert_eq!(found.get(1).map(String::as_str), Some(ty), "{text}");
    }
}

#[test]
fn symbols_are_no_attributes() {
    let text = "sil [_specialize exported: false, where @_noMetadata T] [ossa] @f.x : $() -> () {\nbb0(%0 : @guaranteed $A):\n  \
                %1 = function_ref @\"a b\" : $@convention(thin) () -> ()\n  %2 = unchecked_ownership_conversion %0 : $A, @guaranteed to @owned\n  \
                checked_cast_br A in %0 to @thick B.Type, bb1, bb2\n  %3 = global_addr @owned : $*Int\n  function_ref @g";
    assert_eq!(tokens(text, TokenKind::Symbol), ["=@f.x", "@\"a b\"", "@owned", "@g"]);
    let table = "sil_vtable A {\n  #A.f: (A) -> @Sendable () -> () : @g\t// x\n  #A.deinit!deallocator: @h\n  #A.\"<\" : @MainActor (A) -> () \
                 : @i [override]\n}\n\nsil_global hidden @v : $Int = {\n  %0 = integer_literal $Int, 1\n}\n";
    assert_eq!(tokens(table, TokenKind::Symbol), ["@g", "@h", "@i", "=@v"]);
    assert_eq!(tokens(table, TokenKind::Member), ["#A.f", "#A.deinit!deallocator", "#A.\"<\""]);
    let types = ["(A) -> @Sendable () -> ()", "@MainActor (A) -> ()", "$Int", "$Int"];
    assert_eq!(tokens(table, TokenKind::Type), types);
    assert_eq!(tokens(table, TokenKind::Value), ["=%0"]);
}

#[test]
fn scopes_are_entities() {
    let text = "sil_stage raw\nclass A { struct B {} } // class C\nsil @f : $() -> ()\nsil @\"g\" : $() -> () {\nbb0:\n  %0 = x\nsil @h : $() -> () {\nbb0:\n  return %0\n}\n\
                // a\nsil_scope 1 { parent @f : $() -> () }\n";
    let index = TokenIndex::of(text);
    let names: Vec<_> = index.scopes().iter().map(|scope| (scope.word, index.name_of(text, scope))).collect();
    let expected = [
        ("sil_stage", None),
        ("sil", Some("f")),
        ("sil", Some("g")),
        ("sil", Some("h")),
        ("sil_scope", None),
    ];
    assert_eq!(names, expected);
    assert_eq!(tokens(text, TokenKind::Type)[..2], ["=A", "=B"]);
    // A use in another function than the definition has none.
    let used = text.rfind("%0").unwrap();
    assert_eq!(index.definition(text, index.at(used).unwrap().0), None);
    assert_eq!(index.symbol(text, "g").map(|token| token.text(text)), Some("@\"g\""));
    let outline = TokenIndex::outline(text);
    let outlined: Vec<_> =
        outline.scopes().iter().map(|scope| (scope.word, outline.name_of(text, scope))).collect();
    assert_eq!(outlined, names);
    let last = &outline.scopes()[3];
    assert!(text[last.range.as_usize()].ends_with("return %0\n}"), "{:?}", &text[last.range.as_usize()]);
}

#[test]
fn numbers_in_comments_lead_to_instructions() {
    let text = in_body("bb0(%0 : $Int): // users: %1\n  use %0 // id: %1\n  specify_test \"t %0\"");
    let index = TokenIndex::of(&text);
    let user = index.at(text.find("%1").unwrap()).unwrap().0;
    let definition = index.definition(&text, user).unwrap();
    assert_eq!(definition.start as usize, text.rfind("%1").unwrap());
    assert_eq!(tokens(&text, TokenKind::Value).last().map(String::as_str), Some("%0"));
}

#[test]
fn damaged_text_is_read_to_its_end() {
    let seed = in_body(
        "bb0(%0 : $Int):\n  %1 = apply %0<A>(%0) : $<T> (T) -> () for <A> // %2\n  \"a\\\" #A.b : @c (\n/* é `x`",
    );
    for end in 0..=seed.len() {
        let Some(text) = seed.get(..end) else { continue };
        let index = TokenIndex::of(text);
        assert!(index.tokens().is_sorted_by_key(|token| token.start));
        assert!(index.tokens().iter().all(|token| token.start < token.end && token.end as usize <= end));
        TokenIndex::outline(text);
    }
    // Quadratic time would not end.
    for piece in [
        "$(",
        "$A throws(",
        "$for <",
        "bb0(",
        "@a(",
        "%0<",
        "$nonisolated(",
        "#a:@b(",
        "\"\"\"",
        "/*",
        "`",
        "$<",
        "(",
        "=",
        "{",
    ] {
        let text = in_body(&piece.repeat(100_000));
        TokenIndex::of(&text);
        TokenIndex::of(&piece.repeat(100_000));
        TokenIndex::outline(&text);
    }
}
