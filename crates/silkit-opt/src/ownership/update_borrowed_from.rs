//! `update-borrowed-from`: updates the `borrowed … from` of each guaranteed phi to list its enclosing values.
//!
//! ```text
//! sil [ossa] @f : $@convention(thin) (@owned Builtin.NativeObject) -> () {
//! bb0(%0 : @owned $Builtin.NativeObject):
//!   %1 = begin_borrow %0
//!   br bb1(%1)
//!
//! bb1(%3 : @guaranteed $Builtin.NativeObject):
//!   end_borrow %3
//!   destroy_value %0
//!   %6 = tuple ()
//!   return %6
//! }
//! ---
//! sil [ossa] @f : $@convention(thin) (@owned Builtin.NativeObject) -> () {
//! bb0(%0 : @owned $Builtin.NativeObject):
//!   %1 = begin_borrow %0
//!   br bb1(%1)
//!
//! bb1(%3 : @reborrow $Builtin.NativeObject):
//!   %4 = borrowed %3 from (%0)
//!   end_borrow %4
//!   destroy_value %0
//!   %7 = tuple ()
//!   return %7
//! }
//! ```

use silkit_pass::Pass;
use silkit_transform::borrowed_from::renew;

pub(super) const PASS: Pass<'static> = Pass::function(
    "update-borrowed-from",
    "Updates the `borrowed … from` instructions of guaranteed phis",
    &renew,
);
