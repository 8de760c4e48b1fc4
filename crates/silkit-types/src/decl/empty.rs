//! Empty types: their values have no bits, so that nothing is stored to initialize memory of the type.

use super::Declarations;
use super::table::FxMap;
use crate::{Type, TypeKind};

/// The depth to which types are inspected.
const DEPTH: u32 = 16;

/// The number of types that one question inspects. Types may expand without end.
const MAX_TYPES: usize = 1 << 10;

/// The answers for types that one question has inspected.
type Answers = FxMap<Type, Option<bool>>;

impl Declarations {
    /// Returns whether values of a type have no bits.
    ///
    /// ```
    /// use silkit_types::{Type, decl::Declarations};
    /// let declarations = Declarations::default();
    /// assert_eq!(declarations.is_empty(Type::tuple(&[])), Some(true));
    /// assert_eq!(declarations.is_empty(Type::builtin("Int64")), Some(false));
    /// assert_eq!(declarations.is_empty(Type::nominal("Undeclared")), None);
    /// ```
    pub fn is_empty(&self, ty: Type) -> Option<bool> {
        match ty.kind() {
            TypeKind::Builtin(..) | TypeKind::Function(_) => Some(false),
            TypeKind::Tuple(_) | TypeKind::Named(_) => {
                self.empty.get_or_compute(ty, || self.find_empty(ty, 0, &mut Answers::default()))
            }
            _ => None,
        }
    }

    /// Answers for a type that is a part of another one. A type that contains itself, which is invalid, is unknown.
    fn find_empty(&self, ty: Type, depth: u32, answers: &mut Answers) -> Option<bool> {
        if let Some(answer) = answers.get(&ty) {
            return *answer;
        }
        if depth > DEPTH || answers.len() > MAX_TYPES {
            return None;
        }
        answers.insert(ty, None);
        let mut all = |types: &mut dyn Iterator<Item = Type>| {
            let mut answer = Some(true);
            for ty in types {
                match self.find_empty(ty, depth + 1, answers) {
                    Some(false) => return Some(false),
                    None => answer = None,
                    Some(true) => {}
                }
            }
            answer
        };
        let answer = match ty.kind() {
            TypeKind::Tuple(elements) => all(&mut elements.iter().map(|e| e.ty)),
            TypeKind::Builtin(..) | TypeKind::Function(_) => Some(false),
            TypeKind::Named(_) => self.is_empty_nominal(ty, &mut all),
            _ => None,
        };
        answers.insert(ty, answer);
        answer
    }

    /// Answers for a nominal type, where `all` tells whether all of some types are empty.
    fn is_empty_nominal(
        &self,
        ty: Type,
        all: &mut dyn FnMut(&mut dyn Iterator<Item = Type>) -> Option<bool>,
    ) -> Option<bool> {
        // An enum with a single case may be empty as well.
        if let Some(cases) = self.enum_cases(ty) {
            return (cases.len() > 1).then_some(false);
        }
        // A reference has bits, whatever the fields of its class.
        if self.nominal_of(ty)?.is_class() {
            return Some(false);
        }
        all(&mut self.stored_fields(ty)?.iter().map(|(_, ty)| *ty))
    }
}
