//! Removing instructions together with what depends on them.

use silkit_ir::{Body, Inst};

/// Removes an instruction and all that uses its results, directly or not.
pub fn with_users(body: &mut Body, inst: Inst) {
    let mut stack = vec![inst];
    while let Some(&top) = stack.last() {
        let user = body.results(top).find_map(|result| body.users(result).next());
        match user {
            // An instruction that uses itself would be met again for ever.
            Some(user) if user != top => stack.push(user),
            _ => {
                body.edit().remove(top);
                stack.pop();
            }
        }
    }
}
