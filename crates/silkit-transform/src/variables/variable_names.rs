//! Names of values for diagnostics: the variable that a value is derived from, and the path to its part, such as
//! `pair.left.0`.
//!
//! Values (numbered in order) and their names:
//!
//! ```text
//!   %2 = alloc_stack $Pair, var, name "pair"
//!   store %0 to [init] %2
//!   %4 = struct_element_addr %2, #Pair.left
//!   %5 = struct_element_addr %2, #Pair.right
//!   %6 = tuple_element_addr %5, 0
//! ---
//! %2: `pair` of %2
//! %3: `pair.left` of %2
//! %4: `pair.right` of %2
//! %5: `pair.right.0` of %2
//! ```

use silkit_analysis::BodyView;
use silkit_analysis::ossa::projected_address;
use silkit_base::FxHashSet;
use silkit_ir::info::ApplyKind;
use silkit_ir::instructions::{
    AllocBox, AllocStack, AnyInst, Apply, BeginBorrow, DebugValue, DestructureTuple, FunctionRef,
    InitExistentialAddr, MoveValue, PointerToAddress, StoreQualifier, StructExtract, SwitchEnum,
    TupleElementAddr,
};
use silkit_ir::{Body, DebugVar, DebugVarData, DeclRef, Inst, Opcode, Operand, Value, ValueDef};

/// A named root value, and the path from it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedValue {
    /// The value or the memory of the variable.
    pub root: Value,
    /// The name of the variable and the names of the parts, joined by dots. Empty for a box without a variable.
    pub name: String,
}

/// Computes names for the values of a body.
#[derive(Clone, Copy)]
pub struct VariableNames<'a> {
    /// The view of the body.
    pub view: BodyView<'a>,
    /// True if the result of a method call is named after the method and its `self` argument.
    pub names_calls: bool,
}

impl std::fmt::Debug for VariableNames<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("VariableNames").field("names_calls", &self.names_calls).finish_non_exhaustive()
    }
}

/// The origin of a value.
enum Origin {
    /// The whole of another value.
    Same(Value),
    /// A part of another value, with its name.
    Part(Value, String),
    /// One of several values.
    Either(Vec<Value>),
    /// A variable.
    Variable(String),
    /// No known name.
    Unknown,
}

impl VariableNames<'_> {
    /// Returns the name of a value; `None` if it is not derived from a variable.
    pub fn of(&self, value: Value) -> Option<NamedValue> {
        let mut names: Vec<String> = Vec::new();
        let mut seen = FxHashSet::default();
        // The values to try, each with the number of name components found before it.
        let mut pending = vec![(value, 0)];
        while let Some((value, known)) = pending.pop() {
            if !seen.insert(value) {
                continue;
            }
            names.truncate(known);
            match self.origin(value) {
                Origin::Same(from) => pending.push((from, names.len())),
                Origin::Part(from, name) => {
                    names.push(name);
                    pending.push((from, names.len()));
                }
                Origin::Either(values) => {
                    pending.extend(values.into_iter().rev().map(|value| (value, names.len())));
                }
                Origin::Variable(name) => {
                    names.push(name);
                    names.reverse();
                    return Some(NamedValue { root: value, name: names.join(".") });
                }
                Origin::Unknown => {}
            }
        }
        None
    }

    fn origin(&self, value: Value) -> Origin {
        let body = self.view.body;
        let inst = match body.def(value) {
            ValueDef::Result(inst, _) => inst,
            ValueDef::Argument(..) => {
                return self
                    .debug_name(value)
                    .map_or_else(|| self.origin_of_argument(value), Origin::Variable);
            }
            ValueDef::Undef | ValueDef::Pending => return Origin::Unknown,
        };
        match body.view(inst) {
            AnyInst::AllocStack(AllocStack { var: Some(var), .. }) => {
                return Origin::Variable(name_of(var));
            }
            AnyInst::AllocStack(_) => {
                return self.initial_value(inst, value).map_or(Origin::Unknown, Origin::Same);
            }
            AnyInst::AllocBox(AllocBox { var, .. }) => {
                return Origin::Variable(var.map(name_of).unwrap_or_default());
            }
            // SIL does not contain the Swift name of a global variable.
            AnyInst::GlobalAddr(_) => return Origin::Variable("unknown".to_owned()),
            AnyInst::OpenExistentialAddr(open) => return Origin::Same(open.operand),
            AnyInst::RefElementAddr(element) => return part(element.operand, element.field),
            AnyInst::StoreBorrow(store) => return Origin::Same(store.destination),
            AnyInst::PartialApply(_) => {
                if let Some(wrapped) = self.wrapped(inst) {
                    return Origin::Same(wrapped);
                }
            }
            AnyInst::BeginApply(_) => {
                if let Some(origin) = self.called(inst) {
                    return origin;
                }
            }
            _ if self.names_calls && body.info(inst).apply == Some(ApplyKind::Full) => {
                if let Some(origin) = self.called(inst) {
                    return origin;
                }
            }
            AnyInst::BeginAccess(_) | AnyInst::PointerToAddress(_) => {
                if let Some(origin) = self.addressor(value) {
                    return origin;
                }
            }
            _ => {}
        }
        self.debug_name(value).map_or_else(|| self.origin_of_result(inst, value), Origin::Variable)
    }

    /// Returns the origin of an instruction result that no variable holds.
    fn origin_of_result(&self, inst: Inst, value: Value) -> Origin {
        let body = self.view.body;
        match body.view(inst) {
            AnyInst::StructElementAddr(e) => part(e.operand, e.field),
            AnyInst::StructExtract(e) => part(e.operand, e.field),
            AnyInst::TupleElementAddr(e) => Origin::Part(e.operand, e.field.to_string()),
            AnyInst::TupleExtract(e) => Origin::Part(e.operand, e.field.to_string()),
            AnyInst::UncheckedEnumData(e) => part(e.operand, e.element),
            AnyInst::UncheckedTakeEnumDataAddr(e) => part(e.operand, e.element),
            AnyInst::Enum(e) => e.payload.map_or(Origin::Unknown, |payload| part(payload, e.element)),
            AnyInst::DestructureTuple(d) => match body.def(value) {
                ValueDef::Result(_, index) => Origin::Part(d.operand, index.to_string()),
                _ => Origin::Unknown,
            },
            AnyInst::DestructureStruct(d) => {
                let fields = self.view.declarations().stored_fields(body.value(d.operand).ty.ty());
                match (body.def(value), fields) {
                    (ValueDef::Result(_, index), Some(fields)) if usize::from(index) < fields.len() => {
                        Origin::Part(d.operand, fields[usize::from(index)].0.name.to_string())
                    }
                    _ => Origin::Unknown,
                }
            }
            AnyInst::BeginBorrow(_)
            | AnyInst::Load(_)
            | AnyInst::LoadBorrow(_)
            | AnyInst::BeginAccess(_)
            | AnyInst::MarkUnresolvedNonCopyableValue(_)
            | AnyInst::ProjectBox(_)
            | AnyInst::CopyValue(_)
            | AnyInst::ConvertFunction(_)
            | AnyInst::ConvertEscapeToNoEscape(_)
            | AnyInst::MarkUninitialized(_)
            | AnyInst::MarkDependence(_)
            | AnyInst::CopyableToMoveOnlyWrapperAddr(_)
            | AnyInst::MoveOnlyWrapperToCopyableAddr(_)
            | AnyInst::CopyableToMoveOnlyWrapperValue(_)
            | AnyInst::MoveOnlyWrapperToCopyableValue(_)
            | AnyInst::EndInitLetRef(_) => Origin::Same(body.operand_value(inst, 0)),
            _ => Origin::Unknown,
        }
    }

    /// Returns the origin of a block argument: its incoming values, or a part of the operand of a switch, whose case
    /// is not part of the name.
    fn origin_of_argument(&self, value: Value) -> Origin {
        let body = self.view.body;
        if body.is_phi(value) {
            return Origin::Either(body.phi_values(value));
        }
        let ValueDef::Argument(block, _) = body.def(value) else { return Origin::Unknown };
        let terminator = body.single_predecessor(block).and_then(|block| body.terminator(block));
        match terminator.and_then(|inst| body.view_as::<SwitchEnum>(inst)) {
            Some(switch) => Origin::Same(switch.operand),
            None => Origin::Unknown,
        }
    }

    /// Returns the name of the variable that holds a value or its copy.
    fn debug_name(&self, value: Value) -> Option<String> {
        let body = self.view.body;
        body.users(value).find_map(|user| {
            let is_declared = body.view_as::<MoveValue>(user).is_some_and(|m| m.var_decl)
                || body.view_as::<BeginBorrow>(user).is_some_and(|b| b.var_decl);
            match is_declared {
                true => body.results(user).flat_map(|v| body.users(v)).find_map(|user| self.shown(user)),
                false => self.shown(user),
            }
        })
    }

    /// Returns the name in a `debug_value`.
    fn shown(&self, user: Inst) -> Option<String> {
        let debug_value = self.view.body.view_as::<DebugValue>(user).filter(|d| !d.trace)?;
        debug_value.var.map(name_of)
    }

    /// Returns the closure that a thunk wraps.
    fn wrapped(&self, inst: Inst) -> Option<Value> {
        let site = self.view.apply_site(inst)?;
        let callee = self.view.body.def_as::<FunctionRef>(site.callee())?.function;
        let function = self.view.program.function(callee)?;
        let mut arguments = site.arguments();
        let only = arguments.next().filter(|_| arguments.len() == 0)?;
        function.attributes.thunk.and(Some(only))
    }

    /// Returns the origin of the result of a method call: a part of its `self` argument.
    fn called(&self, inst: Inst) -> Option<Origin> {
        let site = self.view.apply_site(inst)?;
        let member = self.view.body.looked_up_member(self.view.body.defining_inst(site.callee())?)?;
        Some(part(site.self_value()?, member))
    }

    /// Returns the origin of an address that an addressor returned as a pointer.
    fn addressor(&self, address: Value) -> Option<Origin> {
        let body = self.view.body;
        let address = body.look_through(address, |opcode| opcode == Opcode::BeginAccess);
        let mut pointer = body.def_as::<PointerToAddress>(address)?.operand;
        if let Some(extract) = body.def_as::<StructExtract>(pointer) {
            pointer = extract.operand;
        }
        body.def_as::<Apply>(pointer)?;
        self.called(body.defining_inst(pointer)?)
    }

    /// Returns the value that initializes memory without a variable as a whole, in its block.
    fn initial_value(&self, allocation: Inst, address: Value) -> Option<Value> {
        let body = self.view.body;
        let writes = self.writes(address);
        let mut tuple = matches!(body.value(address).ty.ty().kind(), silkit_types::TypeKind::Tuple(_))
            .then(TupleParts::default);
        for inst in std::iter::successors(body.next_inst(allocation), |&i| body.next_inst(i)) {
            // `init_existential_addr` writes only the type; the value is stored later.
            if !writes.contains(&inst) || body.inst(inst).opcode == Opcode::InitExistentialAddr {
                continue;
            }
            let (source, destination) = match body.view(inst) {
                AnyInst::CopyAddr(copy) if copy.init => (copy.source, copy.destination),
                AnyInst::Store(store) if store.qualifier != Some(StoreQualifier::Assign) => {
                    (store.source, store.destination)
                }
                AnyInst::StoreBorrow(store) => (store.source, store.destination),
                _ => return None,
            };
            let Some(parts) = &mut tuple else {
                let existential = body.def_as::<InitExistentialAddr>(destination);
                let whole = existential.map_or(destination, |e| e.operand);
                return (whole == address).then_some(source);
            };
            if destination == address {
                return parts.is_empty().then(|| tuple_of(body, source)).flatten();
            }
            let element = body.def_as::<TupleElementAddr>(destination).filter(|e| e.operand == address)?;
            parts.add(tuple_part(body, source)?, element.field)?;
            if let Some(whole) = parts.whole(body) {
                return Some(whole);
            }
        }
        None
    }

    /// Returns the instructions that may write to an address or an address derived from it.
    fn writes(&self, address: Value) -> FxHashSet<Inst> {
        let body = self.view.body;
        let behavior = self.view.behavior();
        let mut writes = FxHashSet::default();
        let mut seen = FxHashSet::default();
        let mut work: Vec<Operand> = body.uses(address).collect();
        while let Some(operand) = work.pop() {
            let user = body.operand(operand).user;
            if behavior.may_write(user) {
                writes.insert(user);
            }
            if body.inst(user).opcode != Opcode::StoreBorrow
                && let Some(next) = projected_address(body, operand)
                && seen.insert(next)
            {
                work.extend(body.uses(next));
            }
        }
        writes
    }
}

/// Returns the name of a variable.
fn name_of(var: DebugVar) -> String {
    DebugVarData::of(var).name.map(|name| name.as_str().to_owned()).unwrap_or_default()
}

fn part(of: Value, member: DeclRef) -> Origin {
    match member.name() {
        Some(name) => Origin::Part(of, name.as_str().to_owned()),
        None => Origin::Unknown,
    }
}

/// Returns the tuple that a value is an element of, and the element index.
fn tuple_part(body: &Body, value: Value) -> Option<(Value, u32)> {
    if let Some(element) = body.def_as::<TupleElementAddr>(value) {
        return Some((element.operand, element.field));
    }
    let ValueDef::Result(_, index) = body.def(value) else { return None };
    body.def_as::<DestructureTuple>(value).map(|d| (d.operand, index.into()))
}

/// Returns the destructured tuple whose elements a tuple recombines.
fn tuple_of(body: &Body, value: Value) -> Option<Value> {
    let AnyInst::Tuple(tuple) = body.view(body.defining_inst(value)?) else { return None };
    let mut parts = TupleParts::default();
    for (index, element) in tuple.elements.iter().enumerate() {
        let element = body.look_through_ownership(element);
        parts.add(tuple_part(body, element)?, u32::try_from(index).ok()?)?;
    }
    parts.whole(body)
}

/// Elements of one tuple that are stored to the same positions of another one.
#[derive(Default)]
struct TupleParts {
    whole: Option<Value>,
    fields: FxHashSet<u32>,
}

impl TupleParts {
    fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// Adds an element, unless it belongs to another tuple or to another position.
    fn add(&mut self, (whole, from): (Value, u32), to: u32) -> Option<()> {
        let is_same = *self.whole.get_or_insert(whole) == whole && from == to;
        (is_same && self.fields.insert(to)).then_some(())
    }

    /// Returns the tuple if all its elements were added.
    fn whole(&self, body: &Body) -> Option<Value> {
        let whole = self.whole?;
        let silkit_types::TypeKind::Tuple(elements) = body.value(whole).ty.ty().kind() else { return None };
        (elements.len() == self.fields.len()).then_some(whole)
    }
}
