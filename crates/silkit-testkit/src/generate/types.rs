//! The types that generated programs use, and their declarations.

/// A type of the fixed set that generated programs use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ty {
    Int,
    Point,
    Signal,
    Cell,
    Leaf,
    Pair,
    Mixed,
    Couple,
    Maybe,
    Choice,
    Closure,
    Square,
    Shape,
    Counter,
    Box,
}

/// The loadable types whose values have a lifetime.
pub(super) const OWNED: [Ty; 11] = [
    Ty::Cell,
    Ty::Cell,
    Ty::Leaf,
    Ty::Pair,
    Ty::Mixed,
    Ty::Couple,
    Ty::Maybe,
    Ty::Choice,
    Ty::Closure,
    Ty::Shape,
    Ty::Box,
];

/// The types of stack slots.
pub(super) const STORED: [Ty; 10] = [
    Ty::Int,
    Ty::Int,
    Ty::Point,
    Ty::Signal,
    Ty::Cell,
    Ty::Pair,
    Ty::Mixed,
    Ty::Maybe,
    Ty::Choice,
    Ty::Counter,
];

/// The type of closures.
pub(super) const CLOSURE: &str = "@callee_guaranteed (Builtin.Int64) -> Builtin.Int64";

impl Ty {
    /// Returns the type as SIL spells it, without `$`.
    pub(super) fn sil(self) -> &'static str {
        match self {
            Ty::Int => "Builtin.Int64",
            Ty::Point => "Point",
            Ty::Signal => "Signal",
            Ty::Cell => "Cell",
            Ty::Leaf => "Leaf",
            Ty::Pair => "Pair",
            Ty::Mixed => "Mixed",
            Ty::Couple => "(Cell, Builtin.Int64)",
            Ty::Maybe => "Maybe",
            Ty::Choice => "Choice",
            Ty::Closure => CLOSURE,
            Ty::Square => "Square",
            Ty::Shape => "any Shape",
            Ty::Counter => "any Counter",
            Ty::Box => "{ var Builtin.Int64 }",
        }
    }

    /// Returns true if values of the type have no lifetime.
    pub(super) fn is_trivial(self) -> bool {
        matches!(self, Ty::Int | Ty::Point | Ty::Signal)
    }

    /// Returns true if values of the type are in memory only.
    pub(super) fn is_address_only(self) -> bool {
        self == Ty::Counter
    }

    /// Returns true if values of the type are single references.
    pub(super) fn is_reference(self) -> bool {
        matches!(self, Ty::Cell | Ty::Leaf | Ty::Square | Ty::Shape | Ty::Closure | Ty::Box)
    }

    /// Returns the fields of a struct with their types.
    pub(super) fn fields(self) -> &'static [(&'static str, Ty)] {
        match self {
            Ty::Point => &[("x", Ty::Int), ("y", Ty::Int)],
            Ty::Pair => &[("left", Ty::Cell), ("right", Ty::Cell)],
            Ty::Mixed => &[("number", Ty::Int), ("cell", Ty::Cell)],
            _ => &[],
        }
    }

    /// Returns the cases of an enum with the types of their payloads.
    pub(super) fn cases(self) -> &'static [(&'static str, Option<Ty>)] {
        match self {
            Ty::Signal => &[("stop", None), ("go", None), ("wait", None)],
            Ty::Maybe => &[("none", None), ("some", Some(Ty::Cell))],
            Ty::Choice => &[
                ("nothing", None),
                ("number", Some(Ty::Int)),
                ("cell", Some(Ty::Cell)),
                ("pair", Some(Ty::Pair)),
            ],
            _ => &[],
        }
    }
}

/// The head of every module: stage, imports and declarations of types.
pub(super) const HEAD: &str = "\
sil_stage canonical

import Builtin
import Swift

class Cell {
  @_hasStorage var value: Builtin.Int64 { get set }
  func rank() -> Builtin.Int64
  init()
}

final class Leaf : Cell {
  override func rank() -> Builtin.Int64
}

struct Point {
  var x: Builtin.Int64
  var y: Builtin.Int64
}

struct Pair {
  var left: Cell
  var right: Cell
}

struct Mixed {
  var number: Builtin.Int64
  var cell: Cell
}

enum Signal {
  case stop
  case go
  case wait
}

enum Maybe {
  case none
  case some(Cell)
}

enum Choice {
  case nothing
  case number(Builtin.Int64)
  case cell(Cell)
  case pair(Pair)
}

protocol Counter {
  func count() -> Builtin.Int64
}

struct Small : Counter {
  var number: Builtin.Int64
  func count() -> Builtin.Int64
}

struct Large : Counter {
  var cell: Cell
  func count() -> Builtin.Int64
}

protocol Shape : AnyObject {
  func area() -> Builtin.Int64
}

final class Square : Shape {
  @_hasStorage var side: Builtin.Int64 { get set }
  func area() -> Builtin.Int64
  init()
}

struct Code : Error {
  var number: Builtin.Int64
}

sil_global @total : $Builtin.Int64 = {
  %initval = integer_literal $Builtin.Int64, 0
}

sil @sink : $@convention(thin) (Builtin.Int64) -> ()
sil @halt : $@convention(thin) (Builtin.Int64) -> Never
";

/// The tables of methods, which name functions of the library.
pub(super) const TABLES: &str = "
sil_vtable Cell {
  #Cell.rank: (Cell) -> () -> Builtin.Int64 : @cell_rank
}

sil_vtable Leaf {
  #Cell.rank: (Cell) -> () -> Builtin.Int64 : @leaf_rank [override]
}

sil_vtable Square {
}

sil_witness_table Small : Counter module main {
  method #Counter.count: <Self where Self : Counter> (Self) -> () -> Builtin.Int64 : @small_count
}

sil_witness_table Large : Counter module main {
  method #Counter.count: <Self where Self : Counter> (Self) -> () -> Builtin.Int64 : @large_count
}

sil_witness_table Square : Shape module main {
  method #Shape.area: <Self where Self : Shape> (Self) -> () -> Builtin.Int64 : @square_area
}
";
