//! Errors for uses of memory that is not initialized, and for second initializations of constants.
//!
//! ```text
//!   %1 = mark_uninitialized [rootself] %0    // $*S: a, b
//!   %2 = load [trivial] %1                   // error: 'self' used before all stored properties are initialized
//!                                            // note: 'self.a' not initialized
//! ```
//!
//! The words and the locations are those of the reference. Some of its errors need more than SIL tells and are not
//! reported: names of variables, uses in `defer`, implicit calls of `super.init`, and init accessors that do not initialize
//! a property.

use super::object::{Object, Storage, declaration};
use super::returns::is_returned;
use super::states::{ElementState, State};
use super::uses::{Level, Need, Use, UseKind, called_method};
use silkit_analysis::BodyView;
use silkit_base::TextRange;
use silkit_ir::instructions::{AnyInst, UninitializedKind as K};
use silkit_ir::{DeclRef, Inst};
use silkit_types::decl::{DeclFlags, Declarations, StoredProperty};
use std::ops::Range;

/// An error or warning at a use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct InitError {
    /// The use.
    pub(super) inst: Inst,
    pub(super) effect: ErrorEffect,
    pub(super) message: String,
    pub(super) notes: Vec<(NotePlace, String)>,
}

/// What an error means for the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ErrorEffect {
    /// The memory cannot be initialized correctly and is left as it is.
    Blocks,
    /// The program is wrong, but its memory is initialized.
    Reports,
    /// The program is accepted.
    Warns,
}

impl InitError {
    /// Returns true if the memory is left as it is.
    pub(super) fn is_blocking(&self) -> bool {
        self.effect == ErrorEffect::Blocks
    }
}

/// The location of a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotePlace {
    /// The mark.
    Mark,
    /// A range in the declarations of the module; `None` if another module declares the property.
    Declaration(Option<TextRange>),
}

/// Returns the errors for the uses of an object, at most one for each instruction.
pub(super) fn errors(view: &BodyView<'_>, object: &Object, uses: &[Use], states: &[State]) -> Vec<InitError> {
    let declarations = view.declarations();
    let mut errors: Vec<InitError> = Vec::new();
    for (using, state) in uses.iter().zip(states) {
        if errors.iter().any(|error| error.inst == using.inst) {
            continue;
        }
        let diagnosis = Diagnosis { view, declarations, object, using, state };
        if let Some((message, notes)) = diagnosis.error() {
            let is_initialized = state.all_are(using.elements.clone(), ElementState::Initialized);
            let is_call = matches!(using.kind, UseKind::Needs(Need::Inout | Need::InoutSelf));
            let effect = if is_call && is_initialized { ErrorEffect::Reports } else { ErrorEffect::Blocks };
            errors.push(InitError { inst: using.inst, effect, message, notes });
        }
    }
    errors.extend(foreign_struct(view, object, uses, states));
    errors
}

/// Returns the error for memory that needs a control variable, if its type cannot be copied. `memory` is the instruction
/// that marks the memory, or projects it from its box.
pub(super) fn conditional_lifetime(view: &BodyView<'_>, object: &Object, memory: Inst) -> Option<InitError> {
    if view.declarations().is_move_only(object.ty, view.signature()) != Some(true) {
        return None;
    }
    let message = "conditional initialization or destruction of noncopyable types is not supported; this variable must be \
                   consistently in an initialized or uninitialized state through every code path";
    let (effect, notes) = (ErrorEffect::Reports, Vec::new());
    Some(InitError { inst: memory, effect, message: message.to_owned(), notes })
}

/// Returns the warning for an initializer that initializes the properties of a struct of another module one by one: at
/// the last such assignment.
fn foreign_struct(view: &BodyView<'_>, object: &Object, uses: &[Use], states: &[State]) -> Option<InitError> {
    let decl =
        declaration(view.declarations(), object.ty).filter(|_| object.kind == K::Crossmodulerootself)?;
    let initializes = |using: &Use, state: &State| {
        using.kind == UseKind::Assigns
            && using.level == Level::Elements
            && !state.all_are(using.elements.clone(), ElementState::Initialized)
    };
    let assignments = uses.iter().zip(states).filter(|(using, state)| initializes(using, state));
    let place = |inst: Inst| (view.body.inst_block(inst), inst);
    let (using, state) = assignments.max_by(|(a, _), (b, _)| place(a.inst).cmp(&place(b.inst)))?;
    let paths = match state.all_are(using.elements.clone(), ElementState::Uninitialized) {
        true => "",
        false => " on all paths",
    };
    let message = format!(
        "initializer for struct '{}' must use \"self.init(...)\" or \"self = ...\"{paths} because it is not in module \
         '{MODULE}'",
        decl.name
    );
    Some(InitError { inst: using.inst, effect: ErrorEffect::Warns, message, notes: Vec::new() })
}

/// The name of the module that a SIL file belongs to, unless another one is given.
const MODULE: &str = "main";

type Words = (String, Vec<(NotePlace, String)>);

/// A use and the state before it.
struct Diagnosis<'a> {
    view: &'a BodyView<'a>,
    declarations: &'a Declarations,
    object: &'a Object,
    using: &'a Use,
    state: &'a State,
}

impl Diagnosis<'_> {
    fn error(&self) -> Option<Words> {
        if self.stores_to_compiler_initialized() {
            let message = "illegal assignment to '@_compilerInitialized' storage";
            return Some((message.to_owned(), Vec::new()));
        }
        let elements = self.using.elements.clone();
        let is_initialized = self.state.all_are(elements, ElementState::Initialized);
        let need = match self.using.kind {
            UseKind::Needs(need) => need,
            UseKind::Unknown => Need::Capture,
            UseKind::AssignsPart if is_initialized => return self.reassigned(),
            UseKind::AssignsPart => {
                let name = self.first_missing()?;
                let message =
                    format!("struct '{name}' must be completely initialized before a member is stored to");
                return Some((message, self.definition()));
            }
            UseKind::Assigns => return self.reassigned(),
            UseKind::Delegates => return self.delegated(),
            _ => return None,
        };
        if is_initialized {
            return matches!(need, Need::Inout | Need::InoutSelf).then(|| self.passed_constant()).flatten();
        }
        Some(match self.object.kind {
            K::Delegatingself => self.delegation(),
            _ if matches!(self.using.level, Level::Object | Level::Reference | Level::Derived) => {
                self.reference(need)
            }
            K::Var | K::Out => (self.used(need)?, self.definition()),
            _ => self.property(need)?,
        })
    }

    /// Returns true for a store that the program spells to a property that only the compiler may initialize. The program
    /// assigns; a store that initializes is the compiler's, unless a source location says that it is not.
    fn stores_to_compiler_initialized(&self) -> bool {
        let (body, inst) = (self.view.body, self.using.inst);
        let is_for_compiler = |element| {
            let property = self.object.property_of(self.declarations, element);
            property.is_some_and(|property| property.flags.contains(DeclFlags::COMPILER_INITIALIZED))
        };
        let source = || body.loc(body.inst(inst).loc).and_then(|loc| loc.source);
        let is_spelled = match self.using.kind {
            UseKind::Assigns | UseKind::AssignsPart => source().is_none_or(|source| !source.is_auto),
            UseKind::Initializes => source().is_some_and(|source| !source.is_auto),
            _ => false,
        };
        is_spelled
            && self.using.level != Level::Properties
            && self.using.elements.clone().any(is_for_compiler)
    }

    /// Returns the error for a use of `self`, or of its address, of a class.
    fn reference(&self, need: Need) -> Words {
        let initializer = if self.object.is_delegating() { "self.init" } else { "super.init" };
        let inst = self.using.inst;
        if self.object.is_derived && self.is_consumed() {
            let message = format!("'self' used inside 'catch' block reachable from {initializer} call");
            return (message, Vec::new());
        }
        let is_return = matches!(self.view.body.view(inst), AnyInst::Return(_));
        if self.object.is_derived {
            let message = match self.access(need) {
                _ if is_return => {
                    format!("'{initializer}' isn't called on all paths before returning from initializer")
                }
                _ if self.is_capture() && !self.object.is_delegating() => {
                    return (CAPTURED.to_owned(), self.missing());
                }
                Some(access) => format!("'self' used in {access} before '{initializer}' call"),
                None => format!("'self' used before '{initializer}' call"),
            };
            return (message, Vec::new());
        }
        let is_call = self.view.apply_site(inst).is_some();
        let message = match self.access(need) {
            _ if is_return => RETURNED.to_owned(),
            _ if self.is_capture() => CAPTURED.to_owned(),
            Some(access) => format!("'self' used in {access} before all stored properties are initialized"),
            None if is_call => USED.to_owned(),
            None => return (self.used(Need::Read).unwrap_or_else(|| USED.to_owned()), Vec::new()),
        };
        (message, self.missing())
    }

    /// Returns the error for a use of the address of `self`, or of a stored property.
    fn property(&self, need: Need) -> Option<Words> {
        let is_of_object = self.object.storage == Storage::Object || self.object.is_derived;
        let is_whole = self.using.level == Level::Properties;
        Some(match need {
            Need::Load | Need::Read if is_returned(self.view, self.using.inst) => {
                (RETURNED.to_owned(), self.missing())
            }
            Need::Load if !is_of_object => (USED.to_owned(), self.missing()),
            Need::Inout | Need::InoutSelf if is_whole => (USED.to_owned(), self.missing()),
            Need::Capture if is_of_object && self.is_capture() => (CAPTURED.to_owned(), self.missing()),
            _ => (self.used(need)?, Vec::new()),
        })
    }

    /// Returns the error for a use of `self` of a delegating initializer of a value type.
    fn delegation(&self) -> Words {
        let message = match is_returned(self.view, self.using.inst) {
            true => "'self.init' isn't called on all paths before returning from initializer",
            false => "'self' used before 'self.init' call or assignment to 'self'",
        };
        (message.to_owned(), Vec::new())
    }

    /// Returns the error for the call of the initializer of the superclass, or of the one that is delegated to.
    fn delegated(&self) -> Option<Words> {
        let stored = self.object.stored();
        let initializer = if self.object.is_delegating() { "self.init" } else { "super.init" };
        if self.state.of(stored.end) != ElementState::Uninitialized {
            return Some((format!("'{initializer}' called multiple times in initializer"), Vec::new()));
        }
        let missing =
            stored.into_iter().find(|&element| self.state.of(element) != ElementState::Initialized)?;
        let name = self.object.name_of(missing);
        Some((format!("property '{name}' not initialized at {initializer} call"), Vec::new()))
    }

    /// Returns the message that names the first element that is not initialized.
    fn used(&self, need: Need) -> Option<String> {
        let name = self.first_missing()?;
        let noun = self.object.noun(self.declarations, &self.using.elements);
        Some(match need {
            Need::Inout => {
                format!("{noun} '{name}' passed by reference before being initialized")
            }
            Need::Pointer => format!("address of {noun} '{name}' taken before it is initialized"),
            Need::Capture => format!("{noun} '{name}' captured by a closure before being initialized"),
            Need::FunctionDefinition => {
                format!("{noun} '{name}' used by function definition before being initialized")
            }
            Need::Load | Need::Read | Need::Argument | Need::InoutSelf | Need::Reference | Need::Property => {
                format!("{noun} '{name}' used before being initialized")
            }
        })
    }

    /// Returns the error for an assignment to a constant that may already be initialized.
    fn reassigned(&self) -> Option<Words> {
        let is_again = |element| self.state.of(element) != ElementState::Uninitialized;
        let element = self.constant().filter(|&element| is_again(element))?;
        let name = self.object.name_of(element);
        let property = self.object.property_of(self.declarations, element);
        let has_value = property.is_some_and(|property| property.flags.contains(DeclFlags::SPELLS_VALUE));
        let mut notes = Vec::new();
        if has_value {
            let place = self.place(element, |property| property.name_range);
            notes.push((place, "initial value already provided in 'let' declaration".to_owned()));
        }
        notes.extend(self.mutable(element));
        Some((format!("immutable value '{name}' may only be initialized once"), notes))
    }

    /// Returns the error for a call that may write to a constant.
    fn passed_constant(&self) -> Option<Words> {
        let element = self.constant()?;
        let name = self.object.name_of(element);
        let message = match self.mutating_method() {
            Some(method) => mutation(method, &name),
            None => format!("immutable value '{name}' must not be passed inout"),
        };
        Some((message, self.mutable(element)))
    }

    /// Returns the method or accessor that is called, if the call looks it up.
    fn mutating_method(&self) -> Option<DeclRef> {
        called_method(self.view.body, self.using.inst)
    }

    /// Returns the first element of the use that is a part of a `let` property.
    fn constant(&self) -> Option<u32> {
        self.using.elements.clone().find(|&element| self.object.is_let(self.declarations, element))
    }

    fn first_missing(&self) -> Option<String> {
        self.missing_elements().next().map(|element| self.object.name_of(element))
    }

    /// Returns the stored elements of the use that are not initialized on all paths.
    fn missing_elements(&self) -> impl Iterator<Item = u32> {
        let stored = self.object.stored();
        let elements: Range<u32> = self.using.elements.start..self.using.elements.end.min(stored.end);
        elements.filter(|&element| self.state.of(element) != ElementState::Initialized)
    }

    /// Returns a note for each property of the use that is not initialized.
    fn missing(&self) -> Vec<(NotePlace, String)> {
        let note = |element| {
            let place = self.place(element, |property| property.name_range);
            (place, format!("'{}' not initialized", self.object.name_of(element)))
        };
        self.missing_elements().map(note).collect()
    }

    /// Returns the note for a constant that is changed.
    fn mutable(&self, element: u32) -> Vec<(NotePlace, String)> {
        let place = self.place(element, |property| property.introducer);
        vec![(place, "change 'let' to 'var' to make it mutable".to_owned())]
    }

    /// Returns the note for a variable. For `self`, there is none.
    fn definition(&self) -> Vec<(NotePlace, String)> {
        match self.object.is_self() {
            true => Vec::new(),
            false => vec![(NotePlace::Mark, "variable defined here".to_owned())],
        }
    }

    fn place(&self, element: u32, range: impl Fn(&StoredProperty) -> TextRange) -> NotePlace {
        let property = self.object.property_of(self.declarations, element);
        let own = self.declarations.own_nominal_of(self.object.ty);
        let is_own = |property: &&StoredProperty| {
            own.is_some_and(|own| own.body.fields.iter().any(|field| std::ptr::eq(field, *property)))
        };
        NotePlace::Declaration(property.filter(is_own).map(range))
    }

    /// Returns true if another initializer may have taken `self` and has not returned it.
    fn is_consumed(&self) -> bool {
        let passed = self.object.stored().end;
        self.state.of(passed) == ElementState::Initialized
            && self.state.of(passed + 1) != ElementState::Initialized
    }

    fn is_capture(&self) -> bool {
        matches!(self.view.body.view(self.using.inst), AnyInst::PartialApply(_))
    }

    /// Returns the words for the member that a use accesses.
    fn access(&self, need: Need) -> Option<String> {
        let body = self.view.body;
        if need == Need::Property {
            return match body.view(self.using.inst) {
                AnyInst::RefElementAddr(address) => property_access(address.field),
                _ => None,
            };
        }
        let method = called_method(body, self.using.inst)?;
        match is_accessor(method) {
            true => property_access(method),
            false => Some(format!("method call '{}'", method.name()?)),
        }
    }
}

const RETURNED: &str = "return from initializer without initializing all stored properties";
const USED: &str = "'self' used before all stored properties are initialized";
const CAPTURED: &str = "'self' captured by a closure before all members were initialized";

/// Returns true for the getter, the setter or another accessor of a property.
fn is_accessor(method: DeclRef) -> bool {
    let is_one = |kind: &str| matches!(kind, "getter" | "setter" | "modify" | "read" | "addressor");
    method.data().kinds.iter().any(|kind| is_one(kind.as_str()))
}

/// Returns the message for a member that changes a constant.
fn mutation(method: DeclRef, constant: &str) -> String {
    let member = method.name().map(|name| name.as_str()).unwrap_or_default();
    let name = member.trim_matches('"');
    let is_getter = method.data().kinds.iter().any(|kind| matches!(kind.as_str(), "getter" | "read"));
    let is_operator = !name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let property = if name == "subscript" { name.to_owned() } else { format!("property '{name}'") };
    match (is_accessor(method), is_operator) {
        (true, _) if is_getter => {
            format!("mutating accessor for {property} may not be used on immutable value '{constant}'")
        }
        (true, _) => format!("cannot mutate {property} of immutable value '{constant}'"),
        (false, true) => {
            format!("mutating operator '{name}' may not be used on immutable value '{constant}'")
        }
        (false, false) => format!("mutating method '{name}' may not be used on immutable value '{constant}'"),
    }
}

fn property_access(property: DeclRef) -> Option<String> {
    Some(format!("property access '{}'", property.name()?))
}
