//! `keypath` and its pattern, parsed and printed.

use super::parse::BodyParser;
use super::print::BodyPrinter;
use crate::decl_ref;
use crate::error::{Parse, err_here};
use crate::generic_env::spelled_position;
use crate::symbols::symbol;
use crate::types::signature::parse_generic_sig;
use crate::types::{parse_substitutions, parse_type};
use silkit_base::{Interned, Symbol};
use silkit_ir::{Inst, KeyPathComponent, KeyPathData, KeyPathId, KeyPathIndex, NONE};
use silkit_types::{GenericParamDecl, GenericSig, OneList, SigData, SilType, Type};

type Accessor = Option<(Symbol, SilType)>;

/// Returns the signature of a pattern, whose list holds the parameters of all depths: `τ_1_0` states its own.
fn at_stated_depths(sig: GenericSig) -> GenericSig {
    let data = sig.data();
    let params = data.params.iter().map(|param| {
        let stated = spelled_position(param.name);
        stated.map_or(*param, |(depth, index)| GenericParamDecl { depth, index, ..*param })
    });
    GenericSig::new(SigData { params: params.collect(), requirements: data.requirements.clone() })
}

impl BodyParser<'_, '_> {
    /// Parses `$T, <sig> (pattern) <subs> (operands)`.
    pub(super) fn keypath(&mut self, attr: usize, spec: u8) -> Parse<()> {
        self.inst.words[attr] = self.sil_type()?.as_u32();
        self.text(",")?;
        let sig = match self.cur.peek() {
            b'<' => Some(at_stated_depths(parse_generic_sig(&mut self.cur, self.env)?)),
            _ => None,
        };
        let saved = sig.map(|sig| (self.env.push(sig), std::mem::replace(&mut self.env.renames, true)).1);
        let pattern = self.key_path_pattern();
        if let Some(saved) = saved {
            self.env.renames = saved;
            self.env.pop();
        }
        let mut pattern = pattern?;
        pattern.sig = sig.map(GenericSig::canonical);
        self.inst.words[attr + 1] = pattern.intern().as_u32();
        self.inst.words[attr + 2] = self.substitutions()?;
        if self.cur.eat("(") {
            self.operand_list(spec, ")")?;
            self.text(")")?;
        }
        Ok(())
    }

    fn key_path_pattern(&mut self) -> Parse<KeyPathData> {
        let mut pattern = KeyPathData::default();
        let mut components = Vec::new();
        self.text("(")?;
        loop {
            let word = self
                .cur
                .ident()
                .ok_or_else(|| err_here(&self.cur, "expected a component of the key path"))?;
            match word {
                "objc" => pattern.objc = Some(self.string_symbol()?),
                "root" => {
                    self.text("$")?;
                    pattern.root = Some(self.formal_type()?);
                }
                _ => components.push(self.key_path_component(word)?),
            }
            if !self.cur.eat(";") {
                break;
            }
        }
        self.text(")")?;
        pattern.components = components.into();
        Ok(pattern)
    }

    /// Parses a standalone component, as in a property descriptor.
    pub(crate) fn lone_component(&mut self) -> Parse<KeyPathComponent> {
        let word = self.cur.ident().ok_or_else(|| err_here(&self.cur, "expected a component"))?;
        self.key_path_component(word)
    }

    fn key_path_component(&mut self, word: &str) -> Parse<KeyPathComponent> {
        match word {
            "stored_property" => {
                let property = decl_ref::parse(&mut self.cur, self.env)?;
                self.text(": $")?;
                Ok(KeyPathComponent::Stored { property, ty: self.formal_type()? })
            }
            "tuple_element" => {
                self.text("#")?;
                let index = self.number()?;
                self.text(": $")?;
                Ok(KeyPathComponent::Tuple { index, ty: self.formal_type()? })
            }
            "optional_chain" | "optional_force" | "optional_wrap" => {
                self.text(": $")?;
                Ok(KeyPathComponent::Optional { kind: symbol(word), ty: self.formal_type()? })
            }
            "gettable_property" | "settable_property" => self.computed(word == "settable_property"),
            _ => Err(err_here(&self.cur, format!("unknown component `{word}` of a key path"))),
        }
    }

    fn computed(&mut self, settable: bool) -> Parse<KeyPathComponent> {
        self.text("$")?;
        let ty = self.formal_type()?;
        let (mut id, mut getter, mut setter, mut equals, mut hash) = (None, None, None, None, None);
        let (mut indices, mut external) = (Vec::new(), None);
        while self.cur.eat(",") {
            let word = self.cur.ident().unwrap_or_default();
            match word {
                "id" => id = Some(self.key_path_id()?),
                "getter" => getter = self.accessor()?,
                "setter" => setter = self.accessor()?,
                "indices_equals" => equals = self.accessor()?,
                "indices_hash" => hash = self.accessor()?,
                "indices" => {
                    self.text("[")?;
                    while !self.cur.eat("]") {
                        self.text("%$")?;
                        let operand = self.number()?;
                        self.text(": $")?;
                        let formal = self.formal_type()?;
                        self.text(":")?;
                        indices.push(KeyPathIndex { operand, formal, lowered: self.sil_type()? });
                        self.cur.eat(",");
                    }
                }
                "external" => {
                    let decl = decl_ref::parse(&mut self.cur, self.env)?;
                    // The compiler spells the arguments in terms of the function's parameters. If the pattern's
                    // parameters are named, the names refer to those.
                    let renames = self.env.renames && self.env.names_parameters();
                    let saved = std::mem::replace(&mut self.env.renames, renames);
                    let args = if self.cur.peek() == b'<' {
                        parse_substitutions(&mut self.cur, self.env)
                    } else {
                        Ok(Box::default())
                    };
                    self.env.renames = saved;
                    external = Some((decl, args?));
                }
                _ => {
                    return Err(err_here(
                        &self.cur,
                        format!("unknown part `{word}` of a key path component"),
                    ));
                }
            }
        }
        let id = id.ok_or_else(|| err_here(&self.cur, "expected `id` in a computed component"))?;
        let indices = indices.into();
        Ok(KeyPathComponent::Computed { settable, ty, id, getter, setter, indices, equals, hash, external })
    }

    fn key_path_id(&mut self) -> Parse<KeyPathId> {
        if self.cur.eat("##") {
            return Ok(KeyPathId::Property(decl_ref::parse_after_hash(&mut self.cur, self.env)?));
        }
        if self.cur.peek() == b'@' {
            let name = self.global_name()?;
            self.text(":")?;
            return Ok(KeyPathId::Function(name, self.sil_type()?));
        }
        let decl = decl_ref::parse(&mut self.cur, self.env)?;
        let (mut formal, mut lowered) = (None, None);
        while self.cur.eat(":") {
            if self.cur.peek() == b'$' {
                lowered = Some(self.sil_type()?);
            } else {
                formal = Some(parse_type(&mut self.cur, self.env, false)?);
            }
        }
        Ok(KeyPathId::Method(decl, formal, lowered))
    }

    fn accessor(&mut self) -> Parse<Accessor> {
        let name = self.global_name()?;
        self.text(":")?;
        Ok(Some((name, self.sil_type()?)))
    }
}

impl BodyPrinter<'_, '_> {
    /// Prints the text after `keypath`.
    pub(super) fn keypath(&mut self, inst: Inst, attr: usize, spec: usize) {
        let words = self.body.words(inst);
        self.sil_type(SilType::from_u32(words[attr]));
        self.out.push(", ");
        if words[attr + 1] != NONE {
            let pattern = KeyPathData::of(Interned::from_u32(words[attr + 1]));
            self.pattern(pattern);
        }
        if words[attr + 2] != NONE {
            self.out.push(" ");
            self.substitutions(words[attr + 2]);
        }
        if !self.body.operand_range(inst, spec).is_empty() {
            // The compiler prints no types here, with `-sil-print-types` neither.
            for (i, index) in self.body.operand_range(inst, spec).enumerate() {
                self.out.push(if i > 0 { ", " } else { " (" });
                self.value_name(self.body.operand_value(inst, index));
            }
            self.out.push(")");
        }
    }

    fn pattern(&mut self, pattern: &KeyPathData) {
        if let Some(sig) = pattern.sig {
            self.out.display(OneList(sig));
            self.out.push(" ");
        }
        self.out.push("(");
        let mark = self.out.len();
        if let Some(objc) = pattern.objc {
            self.out.push("objc \"");
            self.out.push(objc.as_str());
            self.out.push("\"");
        }
        if let Some(root) = pattern.root {
            self.next_component(mark);
            self.typed("root $", root);
        }
        for component in &pattern.components {
            self.next_component(mark);
            self.component(component);
        }
        self.out.push(")");
    }

    fn next_component(&mut self, mark: usize) {
        if self.out.len() > mark {
            self.out.push("; ");
        }
    }

    fn typed(&mut self, before: &str, ty: Type) {
        self.out.push(before);
        self.out.ty(ty);
    }

    /// Prints one component.
    pub(crate) fn component(&mut self, component: &KeyPathComponent) {
        match component {
            KeyPathComponent::Stored { property, ty } => {
                self.out.push("stored_property ");
                self.out.display(property);
                self.typed(" : $", *ty);
            }
            KeyPathComponent::Tuple { index, ty } => {
                self.out.push("tuple_element #");
                self.out.number(*index);
                self.typed(" : $", *ty);
            }
            KeyPathComponent::Optional { kind, ty } => {
                self.out.push(kind.as_str());
                self.typed(" : $", *ty);
            }
            KeyPathComponent::Computed {
                settable,
                ty,
                id,
                getter,
                setter,
                indices,
                equals,
                hash,
                external,
            } => {
                self.typed(if *settable { "settable_property $" } else { "gettable_property $" }, *ty);
                self.out.push(",  id ");
                self.id(id);
                self.accessor(", getter ", *getter);
                self.accessor(", setter ", *setter);
                if !indices.is_empty() {
                    self.key_path_indices(indices);
                }
                self.accessor(", indices_equals ", *equals);
                self.accessor(", indices_hash ", *hash);
                if let Some((decl, args)) = external {
                    self.out.push(", external ");
                    self.out.display(decl);
                    if !args.is_empty() {
                        self.out.push("<");
                        for (i, &arg) in args.iter().enumerate() {
                            self.typed(if i > 0 { ", " } else { "" }, arg);
                        }
                        self.out.push(">");
                    }
                }
            }
        }
    }

    fn key_path_indices(&mut self, indices: &[KeyPathIndex]) {
        self.out.push(", indices [");
        for (i, index) in indices.iter().enumerate() {
            self.out.push(if i > 0 { ", %$" } else { "%$" });
            self.out.number(index.operand);
            self.typed(" : $", index.formal);
            self.out.push(" : ");
            self.sil_type(index.lowered);
        }
        self.out.push("]");
    }

    fn id(&mut self, id: &KeyPathId) {
        match id {
            KeyPathId::Function(name, ty) => {
                self.out.global_name(*name);
                self.out.push(" : ");
                self.sil_type(*ty);
            }
            KeyPathId::Method(decl, formal, lowered) => {
                self.out.display(decl);
                if let Some(formal) = formal {
                    self.typed(" : ", *formal);
                }
                if let Some(lowered) = lowered {
                    self.out.push(" : ");
                    self.sil_type(*lowered);
                }
            }
            KeyPathId::Property(decl) => {
                self.out.push("#");
                self.out.display(decl);
            }
        }
    }

    fn accessor(&mut self, before: &str, accessor: Accessor) {
        if let Some((name, ty)) = accessor {
            self.out.push(before);
            self.out.global_name(name);
            self.out.push(" : ");
            self.sil_type(ty);
        }
    }
}
