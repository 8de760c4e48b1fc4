//! Calls with array semantics, by the `@_semantics` of the callee.

use crate::BodyView;
use silkit_ir::conventions::{ApplySite, ArgumentConvention};
use silkit_ir::{Function, Inst, Value};

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// The semantics of a call on an array (HighLevelSILOptimizations.md, "array").
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
        pub enum ArrayCallKind {
            $($(#[$doc])* $name,)*
        }

        impl ArrayCallKind {
            /// All kinds with the text of their `@_semantics` attribute.
            pub const ALL: &'static [(ArrayCallKind, &'static str)] = &[$((ArrayCallKind::$name, $text),)*];
        }
    };
}

kinds! {
    /// Returns true if the elements need no bridging, which is a constant property.
    IsNativeTypeChecked = "array.props.isNativeTypeChecked",
    /// Creates an array.
    Init = "array.init",
    /// Creates an array with uninitialized elements.
    Uninitialized = "array.uninitialized",
    /// Creates an array with uninitialized elements, for a literal.
    UninitializedIntrinsic = "array.uninitialized_intrinsic",
    /// Finishes an array literal.
    FinalizeIntrinsic = "array.finalize_intrinsic",
    /// Traps if an index is out of bounds.
    CheckSubscript = "array.check_subscript",
    /// Traps if an index is out of bounds or is the end index.
    CheckIndex = "array.check_index",
    /// Returns the number of elements.
    GetCount = "array.get_count",
    /// Returns the capacity.
    GetCapacity = "array.get_capacity",
    /// Returns an element.
    GetElement = "array.get_element",
    /// Returns the address of an element.
    GetElementAddress = "array.get_element_address",
    /// Makes the buffer uniquely referenced.
    MakeMutable = "array.make_mutable",
    /// Ends the mutation that `make_mutable` began.
    EndMutation = "array.end_mutation",
    /// Changes the array in any way.
    MutateUnknown = "array.mutate_unknown",
    /// Reserves capacity for appended elements.
    ReserveCapacityForAppend = "array.reserve_capacity_for_append",
    /// Passes the elements to a closure for modification.
    WithUnsafeMutableBufferPointer = "array.withUnsafeMutableBufferPointer",
    /// Appends the elements of a sequence.
    AppendContentsOf = "array.append_contentsOf",
    /// Appends one element.
    AppendElement = "array.append_element",
    /// Copies the elements into a vector.
    CopyIntoVector = "array.copy_into_vector",
}

/// A call with array semantics.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ArrayCall {
    /// The call.
    pub inst: Inst,
    /// The semantics of the call.
    pub kind: ArrayCallKind,
    /// The array or its address; `None` if the call creates the array.
    pub array: Option<Value>,
    /// The index of the element.
    pub index: Option<Value>,
}

impl ArrayCall {
    /// Returns the array semantics of a call, or `None` if it has none.
    pub fn of(view: &BodyView<'_>, inst: Inst) -> Option<Self> {
        use ArrayCallKind as K;
        let body = view.body;
        let site = view.apply_site(inst).filter(ApplySite::is_full)?;
        let kind = array_kind(view.program.function(body.called_function(inst)?)?)?;
        let array = match kind {
            K::Init | K::Uninitialized | K::UninitializedIntrinsic => None,
            K::FinalizeIntrinsic => site.arguments().next(),
            _ => site.self_value(),
        };
        let first = site.callee_conventions().map_or(0, |c| c.first_param_argument());
        let index = match kind {
            K::CheckSubscript | K::CheckIndex | K::GetElement | K::GetElementAddress => {
                site.arguments().nth(first).filter(|&index| Some(index) != array)
            }
            _ => None,
        };
        Some(Self { inst, kind, array, index })
    }

    /// Returns true if the call only borrows the array.
    pub fn borrows_array(&self, view: &BodyView<'_>) -> bool {
        let Some(site) = view.apply_site(self.inst) else { return false };
        let last = site.applied_count().checked_sub(1);
        self.array.is_some_and(|array| site.self_value() == Some(array))
            && last.and_then(|last| site.convention_of_applied(last)) == Some(ArgumentConvention::Guaranteed)
    }
}

/// Returns the array semantics of a function.
pub fn array_kind(function: &Function) -> Option<ArrayCallKind> {
    let mut all = function.attributes.semantics.iter();
    all.find_map(|text| ArrayCallKind::ALL.iter().find(|(_, name)| text == name).map(|(kind, _)| *kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_say_what_they_do_to_which_array() {
        let text = "\
sil [_semantics \"array.check_subscript\"] @check : $@convention(method) (Builtin.Int64, @guaranteed Builtin.NativeObject) -> ()
sil [_semantics \"other\"] @other : $@convention(thin) () -> ()
sil @f : $@convention(thin) (Builtin.Int64, @guaranteed Builtin.NativeObject) -> () {
bb0(%0 : $Builtin.Int64, %1 : $Builtin.NativeObject):
  %2 = function_ref @check : $@convention(method) (Builtin.Int64, @guaranteed Builtin.NativeObject) -> ()
  %3 = apply %2(%0, %1) : $@convention(method) (Builtin.Int64, @guaranteed Builtin.NativeObject) -> ()
  %4 = function_ref @other : $@convention(thin) () -> ()
  %5 = apply %4() : $@convention(thin) () -> ()
  return %5
}
";
        crate::testing::each_view(text, |view| {
            let body = view.body;
            let found: Vec<ArrayCall> = body.insts().filter_map(|i| ArrayCall::of(view, i)).collect();
            let arguments = body.entry_arguments();
            let [call] = found.as_slice() else { panic!("one call") };
            assert_eq!(call.kind, ArrayCallKind::CheckSubscript);
            assert_eq!((call.index, call.array), (Some(arguments[0]), Some(arguments[1])));
        });
    }
}
