//! The function that a program starts with, as `--entry` names it.

use silkit::base::Symbol;
use silkit::ir::{FunctionId, Module};
use silkit::names::FunctionNames;
use silkit::types::{Convention, FunctionType};

/// A message without the name of the file, and a hint.
pub(crate) type Refusal = (String, String);

/// Returns the function with a body that `--entry` names, as other commands name functions.
pub(crate) fn find(module: &Module, name: &str) -> Result<FunctionId, Refusal> {
    if name == "main" && module.functions.by_key(&Symbol::new(name)).is_none() {
        let hint = "name the function to start with: `--entry NAME`; `silkit nm --demangle FILE` lists them";
        return Err(("unknown function `main`".to_owned(), hint.to_owned()));
    }
    FunctionNames::with_bodies(module).find_one(name).map_err(|error| (error.to_string(), error.hint()))
}

/// Returns an error if a program cannot start with a function because nothing is passed for its parameters. Functions of
/// C are called with the arguments of `main`, and some commands pass integers.
pub(crate) fn check_parameters(
    module: &Module,
    id: FunctionId,
    passes_integers: bool,
) -> Result<(), Refusal> {
    let function = &module.functions[id];
    let Some(ty) = function.ty.ty().as_function() else { return Ok(()) };
    let is_integer = |ty: &silkit::types::Type| ty.to_string().starts_with("Builtin.Int");
    let has_indirect_result = ty.results.iter().any(|result| result.convention.is_indirect());
    let is_passed = ty.params.is_empty()
        || ty.convention == Convention::C
        || passes_integers && ty.params.iter().all(|param| is_integer(&param.ty));
    if is_passed && !has_indirect_result {
        return Ok(());
    }
    let name = silkit::comment_name(function.name.as_str()).unwrap_or_else(|| function.name.to_string());
    let integers = if passes_integers { ", or with integers as parameters" } else { "" };
    Err((
        format!("`{name}` cannot start a program: {}", needs(ty)),
        format!("name a function without parameters{integers}, which calls it"),
    ))
}

/// Describes what the callers of a function pass.
fn needs(ty: &FunctionType) -> String {
    match ty.params.len() {
        0 => "it writes its result to memory of the caller".to_owned(),
        1 => "it has a parameter".to_owned(),
        count => format!("it has {count} parameters"),
    }
}
