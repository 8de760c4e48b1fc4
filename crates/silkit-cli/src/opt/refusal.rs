//! Arguments that `silkit opt` refuses.

/// The reason why an argument is refused, and what to try.
pub(crate) type Refusal = (String, String);
