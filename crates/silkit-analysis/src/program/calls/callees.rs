//! The possible callees of a call.

use super::access::{Kind, Visibility};
use super::hierarchy::ClassHierarchy;
use crate::view::{Definition, ProgramView};
use silkit_base::{FxHashMap, FxHashSet, Symbol};
use silkit_ir::instructions::{ClassMethod, FunctionRef, WitnessMethod};
use silkit_ir::{
    Body, ClassRef, Conformance, DeclRef, FunctionId, Inst, Module, Opcode, Value, WitnessEntry,
    WitnessTable, WitnessTableId, WitnessTableOf,
};
use silkit_types::decl::{DeclFlags, Declarations};
use silkit_types::{SilType, Type, TypeKind};
use std::borrow::Cow;

/// The functions that a call may reach.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Callees<'a> {
    /// The known callees, sorted by name.
    pub known: Cow<'a, [FunctionId]>,
    /// True if there are no other callees.
    pub is_complete: bool,
}

impl Callees<'_> {
    /// Any function may be called.
    pub const UNKNOWN: Self = Self { known: Cow::Borrowed(&[]), is_complete: false };

    /// Returns true if all callees are known and have bodies that are not copies of definitions in other modules.
    pub fn all_have_bodies(&self, module: &Module) -> bool {
        let functions = self.known.iter().map(|&f| &module.functions[f]);
        self.is_complete && functions.into_iter().all(|f| f.body.is_some() && !f.linkage.is_external())
    }

    fn one(function: FunctionId) -> Self {
        Self { known: Cow::Owned(vec![function]), is_complete: true }
    }
}

/// The implementations of one method, or of several with the same spelling and different types.
#[derive(Clone, Debug, Default)]
struct Method {
    /// The functions for each formal type, in the order in which the types first occur.
    types: Vec<(Option<Type>, Vec<FunctionId>)>,
    is_open: bool,
}

/// The implementations of methods in the tables of a module.
#[derive(Debug, Default)]
pub struct CalleeTables {
    methods: FxHashMap<DeclRef, Method>,
    /// The witness tables with entries, by the paths of type and protocol.
    witnesses: FxHashMap<(Symbol, Symbol), WitnessTableId>,
    /// The deallocating deinitializers, by class.
    deallocators: FxHashMap<Symbol, FunctionId>,
}

/// Reads the tables of a module.
struct Reader<'a> {
    module: &'a Module,
    visibility: Visibility<'a>,
    tables: CalleeTables,
}

impl CalleeTables {
    /// Reads the tables of a module.
    pub fn new(module: &Module, visibility: Visibility<'_>) -> Self {
        Reader { module, visibility, tables: Self::default() }.read()
    }
}

impl<'a> Reader<'a> {
    fn read(mut self) -> CalleeTables {
        let module = self.module;
        let this = &mut self;
        this.tables.deallocators = this.find_deallocators();
        let overridden = this.overridden_elsewhere();
        for table in module.vtables.values() {
            let ClassRef::Name(_) = table.class else { continue };
            for entry in &table.entries {
                this.add(entry.method, entry.formal, entry.function);
                let is_known =
                    |(owner, name)| overridden.contains(&(owner, name, Kind::of(entry.method) as u8));
                if Visibility::split(entry.method).is_some_and(is_known)
                    && let Some(method) = this.tables.methods.get_mut(&entry.method)
                {
                    method.is_open = true;
                }
            }
        }
        for (id, table) in module.witness_tables.iter() {
            this.add_witnesses(id, table);
        }
        for method in this.tables.methods.values_mut() {
            for (_, functions) in &mut method.types {
                functions.sort_unstable_by_key(|&f| (module.functions[f].name.as_str(), f));
                functions.dedup();
            }
        }
        self.tables
    }

    /// Returns the methods, by class, name and kind, that another file may override, including methods that such
    /// methods override.
    fn overridden_elsewhere(&self) -> FxHashSet<(Symbol, Symbol, u8)> {
        let hierarchy = ClassHierarchy::new(self.visibility);
        let mut open = FxHashSet::default();
        let own = self.visibility.declarations().own();
        for class in own.nominals().filter(|d| d.is_class()) {
            for member in self.visibility.bodies(class.path).flat_map(|body| &body.members) {
                let kinds = [Kind::Function, Kind::Initializer];
                let Some(kind) = kinds.into_iter().find(|k| k.is(member.kind)) else { continue };
                let overrides = member.flags.intersects(DeclFlags::OVERRIDE | DeclFlags::REQUIRED);
                if !overrides || self.visibility.is_member_closed(class.path, member.name, kind) {
                    continue;
                }
                for above in hierarchy.superclasses(class.path) {
                    // The classes above one that is known are known as well.
                    if !open.insert((above, member.name, kind as u8)) {
                        break;
                    }
                }
            }
        }
        open
    }

    /// Returns the deallocating deinitializers by class. Each is named after its class and takes an instance of it.
    fn find_deallocators(&self) -> FxHashMap<Symbol, FunctionId> {
        let declarations = self.visibility.declarations();
        let mut found = FxHashMap::default();
        for (id, function) in self.module.functions.iter() {
            let name = function.name.as_str();
            if !name.starts_with('$') || !(name.ends_with("CfD") || name.ends_with("CfZ")) {
                continue;
            }
            let object = function.ty.ty().as_function().and_then(|ty| ty.params.first());
            if let Some(class) = object.and_then(|p| declarations.path_of(p.ty)) {
                found.entry(class).or_insert(id);
            }
        }
        found
    }

    fn add(&mut self, method: DeclRef, formal: Option<Type>, function: Symbol) {
        let Some(function) = self.module.functions.find(&function) else { return };
        let visibility = self.visibility;
        let entry = self
            .tables
            .methods
            .entry(method)
            .or_insert_with(|| Method { types: Vec::new(), is_open: !visibility.is_closed(method) });
        match entry.types.iter_mut().find(|(ty, _)| *ty == formal) {
            Some((_, functions)) => functions.push(function),
            None => entry.types.push((formal, vec![function])),
        }
    }

    fn add_witnesses(&mut self, id: WitnessTableId, table: &WitnessTable) {
        let WitnessTableOf::Conformance(Conformance::Normal { ty, protocol, .. }) = &table.of else { return };
        let Some(entries) = &table.entries else { return };
        let declarations = self.visibility.declarations();
        let (of, protocol) = (declarations.path_of(*ty), declarations.path_of(*protocol));
        if let (Some(of), Some(protocol)) = (of, protocol) {
            self.tables.witnesses.insert((of, protocol), id);
        }
        for entry in entries {
            let WitnessEntry::Method(requirement, formal, Some(function)) = *entry else { continue };
            self.add(requirement, formal, function);
            // Other types may conform if the protocol is visible elsewhere, and the witness may be an overridden
            // method.
            let is_closed = Visibility::split(requirement).zip(of).is_some_and(|((protocol, name), of)| {
                self.visibility.is_protocol_closed(protocol)
                    && self.visibility.is_member_closed(of, name, Kind::of(requirement))
            });
            if !is_closed && let Some(method) = self.tables.methods.get_mut(&requirement) {
                method.is_open = true;
            }
        }
    }
}

/// The possible callees of calls in a program.
#[derive(Clone, Copy, Debug)]
pub struct CalleeAnalysis<'a> {
    program: ProgramView<'a>,
    tables: &'a CalleeTables,
}

impl<'a> CalleeAnalysis<'a> {
    /// Creates the analysis of a program from its tables.
    pub(crate) fn new(program: ProgramView<'a>, tables: &'a CalleeTables) -> Self {
        Self { program, tables }
    }

    /// Returns the module.
    pub fn module(&self) -> &'a Module {
        self.program.module
    }

    /// Returns the function with this name.
    pub fn function(&self, name: Symbol) -> Option<FunctionId> {
        self.program.function_id(name)
    }

    /// Returns the definition of a function, if it is readable.
    pub fn definition(&self, function: FunctionId) -> Definition<'a> {
        self.program.definition(function)
    }

    /// Returns the functions that an apply site may call.
    pub fn of_site(&self, body: &Body, site: Inst) -> Callees<'a> {
        if body.info(site).apply.is_none() {
            return Callees::UNKNOWN;
        }
        self.of_value(body, body.callee_origin(body.operand_value(site, 0)))
    }

    /// Returns the functions that a call of a value may reach. Conversions and copies of functions are not looked
    /// through.
    pub fn of_value(&self, body: &Body, callee: Value) -> Callees<'a> {
        let Some(inst) = body.defining_inst(callee) else { return Callees::UNKNOWN };
        match body.inst(inst).opcode {
            Opcode::FunctionRef => {
                let name = body.view_as::<FunctionRef>(inst).map(|f| f.function);
                name.and_then(|n| self.function(n)).map_or(Callees::UNKNOWN, Callees::one)
            }
            Opcode::PartialApply => self.of_value(body, body.operand_value(inst, 0)),
            Opcode::ClassMethod => match body.view_as::<ClassMethod>(inst) {
                Some(lookup) => self.of_method(lookup.member, lookup.formal),
                None => Callees::UNKNOWN,
            },
            Opcode::WitnessMethod => match body.view_as::<WitnessMethod>(inst) {
                Some(lookup) => match self.witness(lookup.lookup.ty(), lookup.member, lookup.formal) {
                    Some(function) => Callees::one(function),
                    None => self.of_method(lookup.member, lookup.formal),
                },
                None => Callees::UNKNOWN,
            },
            // The methods of a superclass in another module are not known until run time.
            _ => Callees::UNKNOWN,
        }
    }

    /// Returns the implementations of a method that dynamic dispatch may select.
    pub fn of_method(&self, method: DeclRef, formal: Option<Type>) -> Callees<'a> {
        let Some(found) = self.tables.methods.get(&method) else { return Callees::UNKNOWN };
        let exact = match found.types.as_slice() {
            [(_, only)] => Some(only),
            several => several.iter().find(|(ty, _)| formal.is_some() && *ty == formal).map(|(_, f)| f),
        };
        let known = match exact {
            Some(functions) => Cow::Borrowed(functions.as_slice()),
            None => {
                let mut all: Vec<FunctionId> = found.types.iter().flat_map(|(_, f)| f).copied().collect();
                let module = self.program.module;
                all.sort_unstable_by_key(|&f| (module.functions[f].name.as_str(), f));
                all.dedup();
                Cow::Owned(all)
            }
        };
        Callees { known, is_complete: !found.is_open }
    }

    /// Returns the witness table of a conformance, by the paths of type and protocol, if it has entries.
    pub fn witness_table(&self, ty: Symbol, protocol: Symbol) -> Option<&'a WitnessTable> {
        let table = self.tables.witnesses.get(&(ty, protocol))?;
        Some(&self.program.module.witness_tables[*table])
    }

    /// Returns the single function by which a type, directly or through a superclass, witnesses a requirement.
    pub fn witness(&self, ty: Type, requirement: DeclRef, formal: Option<Type>) -> Option<FunctionId> {
        let declarations = self.program.declarations;
        let (protocol, _) = Visibility::split(requirement)?;
        let protocol = declarations.path_of(Type::nominal(protocol.as_str())).unwrap_or(protocol);
        let mut of = match ty.kind() {
            TypeKind::Named(_) => Some(ty),
            // All subclasses of a class that conforms have its witnesses.
            TypeKind::Opened { existential, interface, .. } => match interface.kind() {
                TypeKind::Member(..) => None,
                _ => class_of(declarations, *existential),
            },
            _ => None,
        };
        for _ in 0..64 {
            let path = declarations.path_of(of?)?;
            if let Some(&table) = self.tables.witnesses.get(&(path, protocol)) {
                let table = &self.program.module.witness_tables[table];
                let entries = table.entries.iter().flatten();
                let found = entries.filter_map(|entry| match *entry {
                    WitnessEntry::Method(named, ty, function) if named == requirement => Some((ty, function)),
                    _ => None,
                });
                let mut found: Vec<(Option<Type>, Option<Symbol>)> = found.collect();
                if found.len() > 1 {
                    found.retain(|(ty, _)| formal.is_some() && *ty == formal);
                }
                let (_, witness) = WitnessTable::overload(&found, |(_, witness)| witness)?;
                return self.function(witness?);
            }
            of = declarations.superclass(of?);
        }
        None
    }

    /// Returns the deinitializers that destroying a value of this type may call, if it is a reference to a class
    /// instance. Unless `is_exact`, the object may be an instance of a subclass.
    pub fn destructors(&self, ty: SilType, is_exact: bool) -> Callees<'a> {
        let declarations = self.program.declarations;
        let mut ty = ty.ty();
        while let Some(payload) = declarations.optional_payload(ty) {
            ty = payload;
        }
        let Some(decl) = declarations.nominal_of(ty).filter(|d| d.is_class()) else {
            return Callees::UNKNOWN;
        };
        let path = decl.path.as_str().split('.').map(Symbol::new).chain([Symbol::new("deinit")]);
        let deinit = DeclRef::of_parts(&path.collect::<Vec<_>>(), &[Symbol::new("deallocator")]);
        if !is_exact && !decl.flags.contains(DeclFlags::FINAL) {
            return self.of_method(deinit, None);
        }
        self.tables.deallocators.get(&decl.path).map_or(Callees::UNKNOWN, |&f| Callees::one(f))
    }
}

/// Returns the class in the constraints of an existential type: `C` in `any C & P`.
fn class_of(declarations: &Declarations, existential: Type) -> Option<Type> {
    let constraint =
        if let TypeKind::Any(constraint) = existential.kind() { *constraint } else { existential };
    match constraint.kind() {
        TypeKind::Composition(parts) => {
            parts.iter().copied().find(|&part| declarations.is_class(part) == Some(true))
        }
        _ => None,
    }
}
