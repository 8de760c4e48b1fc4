//! The error type for arguments that `silkit opt` rejects.

/// The reason why an argument is rejected, and a hint.
pub(crate) type Refusal = (String, String);
