//! Replaces reads and writes through a key path literal by direct accesses.
//!
//! ```text
//! %1 = keypath $WritableKeyPath<S, Int>, (root $S; stored_property #S.x : $Int)
//! %2 = function_ref @swift_setAtWritableKeyPath
//! %3 = apply %2<S, Int>(%0, %1, %4)
//! ---
//! %5 = struct_element_addr %0, #S.x
//! destroy_addr %5
//! copy_addr [take] %4 to [init] %5
//! ```
//!
//! The components may be stored properties and tuple elements. Properties of objects are accessed with formal
//! accesses, as in generated code. A reference to an object of a subclass is cast to the class of the property.

use silkit_base::Symbol;
use silkit_ir::instructions::{
    AccessEnforcement, AccessKind, BeginAccess, CopyAddr, FunctionRef, KeyPath, Load, LoadBorrow,
};
use silkit_ir::{Body, Builder, DeclRef, Inst, KeyPathComponent, KeyPathData, Opcode, Value};
use silkit_transform::patterns::Rewriter;
use silkit_types::decl::Declarations;
use silkit_types::{SilType, Type};

/// The access that a library function makes through a key path.
struct Access {
    key_path: Value,
    root: Value,
    value: Value,
    is_write: bool,
}

/// A projection from an address to a part.
enum Step {
    Field(DeclRef),
    Element(u32),
    /// A property of the object that the reference at the address refers to, and the path of the class that declares it.
    Property(DeclRef, Symbol),
}

/// Replaces a call that gets or sets a value at a known key path.
pub(super) fn project(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let Some(access) = access(rw, inst) else { return };
    let Some(steps) = steps(rw, &access) else { return };
    if !rw.may_change() {
        return;
    }
    let has_ossa = rw.function().has_ossa();
    let declarations = rw.declarations();
    let mut builder = rw.before(inst);
    let mut path = Path { declarations, builder: &mut builder, has_ossa, open: None, borrows: Vec::new() };
    let mut address = access.root;
    let last_property = steps.iter().rposition(|step| matches!(step, Step::Property(..)));
    for (index, step) in steps.iter().enumerate() {
        address = match *step {
            Step::Field(field) => path.builder.struct_element_addr(address, field),
            Step::Element(element) => path.builder.tuple_element_addr(address, element),
            Step::Property(field, owner) => {
                let is_write = access.is_write && last_property == Some(index);
                let kind = if is_write { AccessKind::Modify } else { AccessKind::Read };
                path.enter(address, (field, owner), kind)
            }
        };
    }
    if access.is_write {
        path.builder.destroy_addr(address);
        path.builder.build(CopyAddr { take: true, init: true, ..CopyAddr::new(access.value, address) });
    } else {
        path.builder.build(CopyAddr { init: true, ..CopyAddr::new(address, access.value) });
    }
    path.leave();
    remove_call(rw, inst);
}

/// The open accesses and borrows on the path to an address.
struct Path<'p, 'b> {
    declarations: &'p Declarations,
    builder: &'p mut Builder<'b>,
    has_ossa: bool,
    open: Option<Value>,
    borrows: Vec<Value>,
}

impl Path<'_, '_> {
    /// Begins the access to a property of the object that the reference at an address refers to.
    fn enter(&mut self, address: Value, (field, owner): (DeclRef, Symbol), kind: AccessKind) -> Value {
        let object = match self.has_ossa {
            true => self.builder.build(LoadBorrow::new(address)),
            false => self.builder.build(Load::new(address)),
        };
        if let Some(access) = self.open.take() {
            self.builder.end_access(access);
        }
        self.borrows.extend(self.has_ossa.then_some(object));
        let object = self.cast(object, owner);
        let property = self.builder.ref_element_addr(object, field);
        let begin = BeginAccess::new(kind, AccessEnforcement::Dynamic, property);
        let access = self.builder.build(begin);
        self.open = Some(access);
        access
    }

    /// Casts a reference to the class at a path, if this is a superclass.
    fn cast(&mut self, object: Value, owner: Symbol) -> Value {
        let ty = self.builder.value(object).ty.ty();
        let declares = |class: &Type| self.declarations.path_of(*class) == Some(owner);
        if declares(&ty) {
            return object;
        }
        match self.declarations.superclasses(ty).find(declares) {
            Some(class) => self.builder.upcast(object, SilType::object(class)),
            None => object,
        }
    }

    /// Ends all open accesses and borrows.
    fn leave(&mut self) {
        if let Some(access) = self.open.take() {
            self.builder.end_access(access);
        }
        while let Some(object) = self.borrows.pop() {
            self.builder.end_borrow(object);
        }
    }
}

/// Returns the access that a library call makes through a key path.
fn access(rw: &Rewriter<'_, '_>, inst: Inst) -> Option<Access> {
    let body = rw.body();
    let FunctionRef { function, .. } = body.def_as(body.operand_value(inst, 0))?;
    let site = rw.view().apply_site(inst)?;
    let arguments: Vec<Value> = site.arguments().collect();
    let &[first, second, third] = &arguments[..] else { return None };
    match function.as_str() {
        "swift_getAtKeyPath" => Some(Access { value: first, root: second, key_path: third, is_write: false }),
        "swift_setAtWritableKeyPath" | "swift_setAtReferenceWritableKeyPath" => {
            Some(Access { root: first, key_path: second, value: third, is_write: true })
        }
        _ => None,
    }
}

/// Returns the pattern of a key path literal.
fn literal(body: &Body, value: Value) -> Option<&'static KeyPathData> {
    use Opcode as O;
    let follows = |opcode| matches!(opcode, O::Upcast | O::CopyValue | O::BeginBorrow | O::MoveValue);
    Some(KeyPathData::of(body.def_as::<KeyPath>(body.look_through(value, follows))?.pattern))
}

/// Returns the steps of a key path if all of them are projections of memory.
fn steps(rw: &Rewriter<'_, '_>, access: &Access) -> Option<Vec<Step>> {
    let step = |component: &KeyPathComponent| match component {
        KeyPathComponent::Stored { property, .. } => {
            let owner = property.owner_path()?;
            match rw.declarations().is_class(Type::nominal(owner.as_str()))? {
                true => Some(Step::Property(*property, owner)),
                false => Some(Step::Field(*property)),
            }
        }
        KeyPathComponent::Tuple { index, .. } => Some(Step::Element(*index)),
        KeyPathComponent::Computed { .. } | KeyPathComponent::Optional { .. } => None,
    };
    literal(rw.body(), access.key_path)?.components.iter().map(step).collect()
}

/// Removes a call with an empty result.
fn remove_call(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let used = rw.body().first_result(inst).filter(|&result| rw.body().is_used(result));
    if let Some(result) = used {
        let nothing = rw.before(inst).tuple(&[][..]);
        rw.replace_all_uses(result, nothing);
    }
    rw.remove(inst);
}
