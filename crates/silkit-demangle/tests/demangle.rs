//! Symbols against what the reference says they are, and any text against the promise that it ends.

use silkit_demangle::{Style, demangle, demangle_text, parse};

fn texts(symbol: &str) -> (String, String) {
    let text = |style| demangle(symbol, style).unwrap_or_else(|| symbol.to_string()).trim_end().to_string();
    (text(Style::Full), text(Style::Simplified))
}

/// The rows of all tables: a symbol, its full text and its simplified text.
fn rows() -> impl Iterator<Item = [&'static str; 3]> {
    let tables = [include_str!("symbols.txt"), include_str!("symbols-6.3.txt")];
    tables.into_iter().flat_map(str::lines).filter(|line| !line.starts_with('#')).map(|line| {
        line.split('\t').collect::<Vec<_>>().try_into().unwrap_or_else(|_| panic!("bad row {line}"))
    })
}

#[test]
fn symbols_of_every_kind() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for [symbol, full, simplified] in rows() {
        let ours = texts(symbol);
        if (ours.0.as_str(), ours.1.as_str()) != (full, simplified) {
            wrong.push(format!(
                "{symbol}\n  expected {full}\n       and {simplified}\n  found    {}\n       and {}",
                ours.0, ours.1
            ));
        }
        count += 1;
    }
    assert!(wrong.is_empty(), "{} of {count} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 550);
}

#[test]
fn damaged_symbols_end() {
    let symbols: Vec<&str> = rows().map(|[symbol, ..]| symbol).collect();
    for symbol in &symbols {
        for end in 0..symbol.len() {
            if symbol.is_char_boundary(end) {
                let _ = texts(&symbol[..end]);
            }
        }
        for (at, c) in symbol.char_indices() {
            for other in ["_", "A", "T", "0", "9", "y", "é"] {
                let damaged = format!("{}{other}{}", &symbol[..at], &symbol[at + c.len_utf8()..]);
                let _ = texts(&damaged);
            }
        }
    }
}

/// The memory of one symbol is used for the next one of the thread.
#[test]
fn results_do_not_depend_on_symbols_before() {
    let of = |symbol: &str| (texts(symbol), parse(symbol).map(|tree| tree.to_string()));
    let symbols: Vec<&str> = rows().map(|[symbol, ..]| symbol).collect();
    for (symbol, before) in symbols.iter().zip(symbols.iter().cycle().skip(7)) {
        let fresh = std::thread::scope(|scope| scope.spawn(|| of(symbol)).join().expect("no panic"));
        for end in (0..=before.len()).filter(|&end| before.is_char_boundary(end)) {
            let _ = of(&before[..end]);
            assert_eq!(of(symbol), fresh, "{symbol} after {}", &before[..end]);
        }
    }
}

#[test]
fn short_symbols_stand_for_bounded_text() {
    // Each level holds the level before it twice: the text would double each time.
    let mut symbol = "$s1a1SV".to_string();
    for _ in 0..200 {
        symbol.push_str("_ACt");
        symbol.push_str("Sg");
    }
    symbol.push('D');
    assert!(texts(&symbol).0.len() < 4 << 20);
    let doubling = format!("$sSi{}D", "_AAtSg".repeat(500));
    assert!(texts(&doubling).0.len() < 4 << 20);
    let repeats = format!("$s1aA{}A{}B", "2000a".repeat(300), "9".repeat(30));
    assert_eq!(parse(&repeats).map(|t| t.len()), None);
    let deep = format!("$s{}{}D", "Si".repeat(3), "Sg".repeat(100_000));
    assert!(texts(&deep).0.len() < 4 << 20);
    let generic = format!("$s1a1CCACyc{}33_0123456789ABCDEF0123456789ABCDEFLlfc", "lu".repeat(100_000));
    assert!(texts(&generic).0.len() < 4 << 20);
}

#[test]
fn symbols_of_before_swift_4_are_bounded_too() {
    let (mut nested, mut twice) = (String::new(), "_TtV1a1S".to_string());
    for letter in ["M", "C", "FT_", "PM", "Q", "E1a", "F", "VG", "XFo_i"] {
        nested.push_str(letter);
        for symbol in [format!("_T{}", letter.repeat(50_000)), format!("_Tt{}Si", letter.repeat(50_000))] {
            assert!(texts(&symbol).0.len() < 4 << 20);
        }
    }
    assert!(texts(&format!("_TPA{}", "__TPA".repeat(50_000))).0.len() < 4 << 20);
    assert!(texts(&format!("_Tt{}", nested.repeat(10_000))).0.len() < 4 << 20);
    // Each structure is in a function whose type names the structure before it twice.
    twice.insert(3, 'T');
    for n in 0..60 {
        let before = format!("S{}_", if n == 0 { String::new() } else { (n - 1).to_string() });
        twice.push_str(&format!("VFS_1fT{before}{before}_T_1S"));
    }
    twice.push('_');
    assert!(texts(&twice).0.len() < 4 << 20);
}

#[test]
fn symbols_in_running_text() {
    let text = "0 main 0x10 $s4main3FooC3baryyF + 5, _$s4main3FooCMa; cost $5 and $sNot";
    assert_eq!(
        demangle_text(text, Style::Full),
        "0 main 0x10 main.Foo.bar() -> () + 5, type metadata accessor for main.Foo; cost $5 and $sNot"
    );
}

/// Some letters are kinds of constants and kinds of arguments. What follows them, or the first constant, decides.
#[test]
fn constants_of_arguments_end_before_the_next_argument() {
    for (symbol, arguments) in [
        (
            "$s3fooSiTf3pSi3d_n",
            "Arg[0] = [Constant Propagated Struct : Swift.Int][Constant Propagated Integer : 3], Arg[1] = Dead",
        ),
        (
            "$s3fooSiTf3pSd4d_n",
            "Arg[0] = [Constant Propagated Struct : Swift.Int][Constant Propagated Float : 4], Arg[1] = Dead",
        ),
        (
            "$s3fooSiTf3pSi3s_n",
            "Arg[0] = [Constant Propagated Struct : Swift.Int][Constant Propagated Integer : 3], Arg[1] = Stack Promoted from Box",
        ),
        (
            "$s3fooSi3barTf3pSgi_n",
            "Arg[0] = [Constant Propagated Struct : Swift.Int][Constant Propagated Global : bar], Arg[1] = Value Promoted from Box",
        ),
        ("$s3foo3barTf3pfg_n", "Arg[0] = [Constant Propagated Function : bar], Arg[1] = Owned To Guaranteed"),
        ("$s3fooTf3pi3d_n", "Arg[0] = [Constant Propagated Integer : 3], Arg[1] = Dead"),
    ] {
        assert_eq!(texts(symbol).0, format!("function signature specialization <{arguments}> of foo"));
    }
    for symbol in ["$s3fooTf3pS_n", "$s3fooTf3p_n", "$s3fooTf3C_n", "$s3fooSiTf3pSs_n0"] {
        assert_eq!(texts(symbol).0, symbol);
    }
}

/// Some lists do not show in the text, or not their order.
#[test]
fn children_are_in_order() {
    for (symbol, parts) in [
        (
            "$s4main1fyyFTmToTATdTO",
            "Global NonObjCAttribute DirectMethodReferenceAttribute PartialApplyForwarder ObjCAttribute \
             MergedFunction Function",
        ),
        (
            "$s4main1fyyxlFSi_Tt0t1gqa5",
            "GenericSpecialization IsSerialized AsyncRemoved SpecializationPassID=5 DroppedArgument=1 \
             DroppedArgument=2 GenericSpecializationParam Type Structure",
        ),
        (
            "$s1a1fQryFQOySi_SS_Qo_D",
            "Index=0 TypeList TypeList Type Structure Module=Swift Identifier=Int TypeList Type Structure \
             Module=Swift Identifier=String TypeList",
        ),
        (
            "$s4main1SVySiSiSHHPyHCg_GD",
            "TypeList Type Structure Module=Swift Identifier=Int TypeList RetroactiveConformance Index=0 \
             ConcreteProtocolConformance",
        ),
    ] {
        let tree = parse(symbol).expect("a symbol").to_string();
        let nodes = tree.lines().map(|line| {
            let node = line.trim_start().trim_start_matches("kind=");
            node.replace(", text=", "=").replace(", index=", "=").replace('"', "")
        });
        let nodes = nodes.collect::<Vec<_>>().join(" ");
        assert!(nodes.contains(parts), "{symbol}: {nodes}");
    }
}

#[test]
fn the_tree_has_the_names_of_the_field() {
    let tree = parse("$s4main3FooC3baryyF").expect("a symbol");
    let text = tree.to_string();
    assert!(
        text.starts_with("kind=Global\n  kind=Function\n    kind=Class\n      kind=Module, text=\"main\"\n"),
        "{text}"
    );
}
