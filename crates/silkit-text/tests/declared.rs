//! The declarations that the parser of a module hands on equal those that are parsed from its Swift text.

use silkit_text::decl::{declarations, declarations_of};
use silkit_text::{ParsedModule, parse_module};

const PIECE: &str = "\
sil_stage canonical

import Builtin
import struct Swift.Int

protocol P {
  associatedtype A
}

struct S<T> : P {
  typealias A = T
  @_hasStorage var x: Builtin.Int64 { get set }
  open var y: T { get }
}

@wrapped class C {
  init()
}

";

const FUNCTION: &str = "\
sil @f : $@convention(thin) () -> () {
bb0:
  unreachable
}
";

fn read(text: &str) -> ParsedModule {
    let parsed = parse_module(text);
    assert_eq!(parsed.errors, [], "{text}");
    parsed
}

#[test]
fn one_piece_is_handed_on_as_it_would_be_read_again() {
    let text = format!("{PIECE}{FUNCTION}");
    let parsed = read(&text);
    assert_eq!(parsed.module.swift.len(), 1);
    assert!(parsed.declared.is_some());
    let handed_on = declarations_of(&parsed.module, parsed.declared.clone(), &[]);
    let again = declarations(&parsed.module);
    assert_eq!(format!("{:?}", handed_on.own()), format!("{:?}", again.own()));
    // Positions refer to the Swift text, not to the file.
    let swift = parsed.module.swift_text();
    let (range, name) = again.own().custom_attributes[0];
    assert!(swift[range.start as usize..].starts_with("wrapped class C"), "{name} at {range:?}");
    assert_eq!(again.own().misplaced.len(), 1);
}

#[test]
fn a_text_in_several_pieces_is_read_again() {
    assert!(read(&format!("{PIECE}{FUNCTION}struct Late {{\n}}\n")).declared.is_none());
}

#[test]
fn a_text_that_became_shorter_is_read_again() {
    let text = format!("{PIECE}{FUNCTION}").replace('\n', "\r\n");
    assert!(read(&text).declared.is_none());
    assert!(read(&text.replace("\r\n", "\r")).declared.is_some());
}

#[test]
fn an_error_in_a_piece_is_placed_in_the_file() {
    let text = format!("{PIECE}{FUNCTION}struct {{\n}}\n{}", FUNCTION.replace("@f", "@g"));
    let parsed = parse_module(&text);
    let places: Vec<&str> = parsed.errors.iter().map(|e| &text[e.range.start as usize..]).collect();
    assert!(places.iter().all(|place| place.starts_with("{\n}\nsil @g")), "{places:?}");
    assert_eq!(places.len(), 1);
}
