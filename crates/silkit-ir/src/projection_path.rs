//! Projection paths: parts of a value, or of the memory that it refers to.

use std::fmt;

/// A component of a path.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Component {
    /// A field of a struct: `s3`.
    StructField(u32),
    /// An element of a tuple: `2`.
    TupleElement(u32),
    /// The payload of a case of an enum: `e4`.
    EnumCase(u32),
    /// A field of a class instance or a box, from a reference to the object: `c1`. Fields of superclasses come first.
    ClassField(u32),
    /// The element at this distance from the one that an address points to: `i2`. Never 0.
    Element(u32),
    /// The tail elements of an object: `ct`.
    TailElements,
    /// The value in an existential: `x`.
    Existential,
    /// The elements of a `Builtin.FixedArray`, from the first one on: `b` (Swift 6.3).
    VectorElements,
    /// Any field of a class, and its tail elements: `c*`.
    AnyClassField,
    /// An element at an unknown distance: `i*`.
    AnyElement,
    /// Any number of components that stay inside a value: `v**`.
    AnyValueFields,
    /// Any number of arbitrary components: `**`. It is always the last component.
    Anything,
}

/// The kinds of components with an index.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Indexed {
    /// [`Component::StructField`].
    StructField,
    /// [`Component::TupleElement`].
    TupleElement,
    /// [`Component::EnumCase`].
    EnumCase,
    /// [`Component::ClassField`].
    ClassField,
    /// [`Component::Element`].
    Element,
}

impl Component {
    /// Returns true if the component stays inside a value.
    pub fn is_value_field(self) -> bool {
        match self {
            Self::StructField(_) | Self::TupleElement(_) | Self::EnumCase(_) | Self::Element(_) => true,
            Self::Existential | Self::VectorElements | Self::AnyElement | Self::AnyValueFields => true,
            Self::ClassField(_) | Self::TailElements | Self::AnyClassField | Self::Anything => false,
        }
    }

    /// Returns true if the component goes from a reference into the object.
    pub fn is_class_field(self) -> bool {
        matches!(self, Self::ClassField(_) | Self::TailElements | Self::AnyClassField)
    }

    /// Returns true if the component goes from one element to another.
    pub fn is_element(self) -> bool {
        matches!(self, Self::Element(_) | Self::AnyElement)
    }

    /// Returns the kind and index of a component that has one.
    fn indexed(self) -> Option<(Indexed, u32)> {
        Some(match self {
            Self::StructField(i) => (Indexed::StructField, i),
            Self::TupleElement(i) => (Indexed::TupleElement, i),
            Self::EnumCase(i) => (Indexed::EnumCase, i),
            Self::ClassField(i) => (Indexed::ClassField, i),
            Self::Element(i) => (Indexed::Element, i),
            _ => return None,
        })
    }
}

impl fmt::Display for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StructField(i) => write!(f, "s{i}"),
            Self::TupleElement(i) => write!(f, "{i}"),
            Self::EnumCase(i) => write!(f, "e{i}"),
            Self::ClassField(i) => write!(f, "c{i}"),
            Self::Element(i) => write!(f, "i{i}"),
            Self::TailElements => f.write_str("ct"),
            Self::Existential => f.write_str("x"),
            Self::VectorElements => f.write_str("b"),
            Self::AnyClassField => f.write_str("c*"),
            Self::AnyElement => f.write_str("i*"),
            Self::AnyValueFields => f.write_str("v**"),
            Self::Anything => f.write_str("**"),
        }
    }
}

/// A path of projections from a value: `s0.c2.e1`, or a pattern of such paths: `v**.c*`.
///
/// A path is encoded in eight bytes; a component takes one byte, or more if its index is above 15. A path that is too
/// long is approximated by a path that ends in `**`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ProjectionPath {
    /// The encoded components, the first in the lowest bytes. The first byte of a component holds the kind in its low
    /// three bits (never 0), then a bit that is set if more bytes follow, then four bits: the low bits of the index
    /// or, for the last kind, which component without index it is. Each following byte holds seven bits, and in its
    /// highest bit whether another one follows.
    bits: u64,
}

const PLAIN: [Component; 7] = [
    Component::TailElements,
    Component::Existential,
    Component::AnyClassField,
    Component::AnyElement,
    Component::AnyValueFields,
    Component::Anything,
    Component::VectorElements,
];
const PLAIN_KIND: u64 = 6;
const MORE: u64 = 1 << 3;
const MORE_LATER: u64 = 1 << 7;

impl ProjectionPath {
    /// The empty path: the value itself.
    pub const EMPTY: Self = Self { bits: 0 };

    /// Creates the path with a single component.
    pub fn of(component: Component) -> Self {
        Self::EMPTY.push(component)
    }

    /// Returns true if the path is empty.
    pub fn is_empty(self) -> bool {
        self.bits == 0
    }

    /// Returns the first component and the path after it.
    pub fn pop(self) -> Option<(Component, Self)> {
        let first = self.bits & 0xff;
        if first == 0 {
            return None;
        }
        let low = (first >> 4) as u32;
        if first & 7 == PLAIN_KIND {
            return Some((PLAIN[low as usize % PLAIN.len()], Self { bits: self.bits >> 8 }));
        }
        let (mut number, mut rest, mut shift) = (low, self.bits >> 8, 4);
        let mut more = first & MORE != 0;
        while more {
            number |= ((rest & 0x7f) as u32).wrapping_shl(shift);
            more = rest & MORE_LATER != 0;
            rest >>= 8;
            shift += 7;
        }
        let component = match first & 7 {
            1 => Component::StructField(number),
            2 => Component::TupleElement(number),
            3 => Component::EnumCase(number),
            4 => Component::ClassField(number),
            _ => Component::Element(number),
        };
        Some((component, Self { bits: rest }))
    }

    /// Returns the first component.
    pub fn first(self) -> Option<Component> {
        self.pop().map(|(first, _)| first)
    }

    /// Returns the path without its first component.
    fn rest(self) -> Self {
        self.pop().map_or(Self::EMPTY, |(_, rest)| rest)
    }

    /// Returns the path with a component prepended. Adjacent element steps are combined.
    #[must_use]
    pub fn push(self, component: Component) -> Self {
        if component.is_element() {
            if component == Component::Element(0) {
                return self;
            }
            if let Some((first, rest)) = self.pop().filter(|(first, _)| first.is_element()) {
                return match (component, first) {
                    (Component::Element(a), Component::Element(b)) if a.checked_add(b).is_some() => {
                        rest.push(Component::Element(a + b))
                    }
                    _ => rest.push(Component::AnyElement),
                };
            }
        }
        match code(component) {
            (code, len) if self.bits.leading_zeros() >= len * 8 => {
                let behind = if len == 8 { 0 } else { self.bits << (len * 8) };
                Self { bits: behind | code }
            }
            _ => Self::of(Component::Anything),
        }
    }

    /// Returns the index of the first component, if it is of this kind, and the path after it. Patterns do not match.
    pub fn pop_exactly(self, kind: Indexed) -> Option<(u32, Self)> {
        let (first, rest) = self.pop()?;
        let (found, number) = first.indexed()?;
        (found == kind).then_some((number, rest))
    }

    /// Returns the path after the first component if that component matches `component`: `s0.c3` without `s0` is
    /// `c3`, `c*.e1` without `c2` is `e1`, `v**.c3` without `s0` is `v**.c3`. A pattern only matches a pattern.
    pub fn pop_if_matches(self, component: Component) -> Option<Self> {
        let (first, rest) = self.pop()?;
        match first {
            Component::Anything => Some(self),
            Component::AnyValueFields if component.is_value_field() => Some(self),
            Component::AnyElement if component.is_element() => Some(self),
            Component::AnyValueFields | Component::AnyElement => rest.pop_if_matches(component),
            Component::AnyClassField => component.is_class_field().then_some(rest),
            _ => (first == component).then_some(rest),
        }
    }

    /// Returns true if a component goes from a reference into an object.
    pub fn has_class_projection(self) -> bool {
        self.components().any(Component::is_class_field)
    }

    /// Returns true if a component goes into an object or is `**`, which may include such a component.
    pub fn may_have_class_projection(self) -> bool {
        !self.pop_value_fields().is_empty()
    }

    /// Returns true if the path may go into an object and from there into another one.
    pub fn may_have_two_class_projections(self) -> bool {
        match self.pop_value_fields().pop() {
            None => false,
            Some((Component::Anything, _)) => true,
            Some((_, rest)) => rest.may_have_class_projection(),
        }
    }

    /// Returns the components in order.
    pub fn components(self) -> impl Iterator<Item = Component> {
        let mut path = self;
        std::iter::from_fn(move || {
            let (first, rest) = path.pop()?;
            path = rest;
            Some(first)
        })
    }

    /// Returns the path from where it leaves the value: `c4.s1` for `s0.e2.c4.s1`.
    #[must_use]
    pub fn pop_value_fields(mut self) -> Self {
        while let Some((_, rest)) = self.pop().filter(|(first, _)| first.is_value_field()) {
            self = rest;
        }
        self
    }

    /// Returns the path without the element steps at its start.
    #[must_use]
    pub fn pop_elements(mut self) -> Self {
        while let Some((_, rest)) = self.pop().filter(|(first, _)| first.is_element()) {
            self = rest;
        }
        self
    }

    /// Returns the path up to its last step into an object: `v**.c1` for `v**.c1.c4.s1`. For `c1.**` it is the whole
    /// path, since `**` may contain such steps.
    #[must_use]
    pub fn pop_last_class_and_values(self) -> Self {
        let total = self.size();
        let (mut path, mut kept) = (self, 0);
        while let Some((first, rest)) = path.pop() {
            if first.is_class_field() {
                kept = total - path.size();
            } else if !first.is_value_field() {
                kept = total - rest.size();
            }
            path = rest;
        }
        if kept >= 64 { self } else { Self { bits: self.bits & ((1 << kept) - 1) } }
    }

    /// Returns the size of the encoding in bits.
    fn size(self) -> u32 {
        (64 - self.bits.leading_zeros()).next_multiple_of(8)
    }

    /// Returns true if the pattern matches everything that this path matches.
    pub fn matches(self, pattern: Self) -> bool {
        let Some((wanted, pattern)) = pattern.pop() else { return self.is_empty() };
        match wanted {
            Component::Anything => true,
            Component::AnyValueFields => self.pop_value_fields().matches(pattern),
            Component::AnyElement => self.pop_elements().matches(pattern),
            Component::AnyClassField => {
                self.pop().is_some_and(|(first, rest)| first.is_class_field() && rest.matches(pattern))
            }
            _ => self.pop().is_some_and(|(first, rest)| first == wanted && rest.matches(pattern)),
        }
    }

    /// Returns a path that matches everything that either path matches.
    #[must_use]
    pub fn merge(self, other: Self) -> Self {
        if self == other {
            return self;
        }
        let (a, b) = (self.first(), other.first());
        if let (Some(first), true) = (a, a == b) {
            let rest = self.rest().merge(other.rest());
            return match (first, rest.first()) {
                (Component::AnyValueFields, Some(Component::AnyValueFields)) => rest,
                _ => rest.push(first),
            };
        }
        let either = |is: fn(Component) -> bool| a.is_some_and(is) || b.is_some_and(is);
        if either(Component::is_element) {
            let rest = self.pop_elements().merge(other.pop_elements());
            return match rest.first() {
                Some(Component::Anything | Component::AnyValueFields) => rest,
                _ => rest.push(Component::AnyElement),
            };
        }
        if either(Component::is_value_field) {
            let rest = self.pop_value_fields().merge(other.pop_value_fields());
            return match rest.first() {
                Some(Component::Anything) => rest,
                _ => rest.push(Component::AnyValueFields),
            };
        }
        if a.is_some_and(Component::is_class_field) && b.is_some_and(Component::is_class_field) {
            return self.rest().merge(other.rest()).push(Component::AnyClassField);
        }
        Self::of(Component::Anything)
    }

    /// Returns true if the two parts may be the same, or one may contain the other.
    pub fn may_overlap(self, other: Self) -> bool {
        let (Some((a, a_rest)), Some((b, b_rest))) = (self.pop(), other.pop()) else { return true };
        let either = |component| a == component || b == component;
        if either(Component::Anything) {
            return true;
        }
        if either(Component::AnyElement) {
            return self.pop_elements().may_overlap(other.pop_elements());
        }
        if either(Component::AnyValueFields) {
            return self.pop_value_fields().may_overlap(other.pop_value_fields());
        }
        let both_class = a.is_class_field() && b.is_class_field();
        (a == b || both_class && either(Component::AnyClassField)) && a_rest.may_overlap(b_rest)
    }

    /// Returns the remainder of a longer path after this prefix; `None` if this is not a prefix or contains patterns.
    pub fn subtract_from(self, longer: Self) -> Option<Self> {
        let Some((first, rest)) = self.pop() else { return Some(longer) };
        let is_pattern =
            !matches!(first, Component::TailElements | Component::Existential | Component::VectorElements)
                && first.indexed().is_none();
        let (other, longer) = longer.pop()?;
        if is_pattern || first != other { None } else { rest.subtract_from(longer) }
    }

    /// Creates a path from its components. Returns an error if `**` is not the last one or the path is too long to be
    /// represented exactly.
    pub fn from_components(components: &[Component]) -> Result<Self, PathErrorKind> {
        let mut path = Self::EMPTY;
        for (index, &component) in components.iter().rev().enumerate() {
            if index > 0 && component == Component::Anything {
                return Err(PathErrorKind::AnythingNotLast);
            }
            path = path.push(component);
            if index > 0 && path == Self::of(Component::Anything) {
                return Err(PathErrorKind::TooLong);
            }
        }
        Ok(path)
    }

    /// Parses a path at the start of a text and returns it with the rest of the text.
    pub fn parse(text: &str) -> Result<(Self, &str), PathError> {
        let start = text.trim_start();
        let offset = |rest: &str| text.len() - rest.len();
        let (mut components, mut rest) = (Vec::new(), start);
        loop {
            match component(rest) {
                Read::Component(component, behind) => {
                    components.push(component);
                    rest = behind;
                }
                Read::NoNumber(kind) => {
                    return Err(PathError { offset: offset(rest), kind: PathErrorKind::NoNumber(kind) });
                }
                Read::End if components.is_empty() => break,
                Read::End => {
                    return Err(PathError { offset: offset(rest), kind: PathErrorKind::NoComponent });
                }
            }
            match rest.strip_prefix('.') {
                Some(behind) => rest = behind,
                None => break,
            }
        }
        match Self::from_components(&components) {
            Ok(path) => Ok((path, rest)),
            Err(kind) => Err(PathError { offset: offset(start), kind }),
        }
    }
}

/// An error in the text of a path, and its position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PathError {
    /// The offset in the text.
    pub offset: usize,
    /// The kind of error.
    pub kind: PathErrorKind,
}

/// Kinds of errors in the text of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PathErrorKind {
    /// A dot is not followed by a component.
    NoComponent,
    /// The letter of a component is not followed by a number.
    NoNumber(Indexed),
    /// `**` is not the last component.
    AnythingNotLast,
    /// The path is too long to be represented exactly.
    TooLong,
}

enum Read<'t> {
    Component(Component, &'t str),
    NoNumber(Indexed),
    End,
}

/// Parses one component.
fn component(text: &str) -> Read<'_> {
    for component in PLAIN.iter().rev() {
        if let Some(rest) = text.strip_prefix(&component.to_string()) {
            return Read::Component(*component, rest);
        }
    }
    let number = |rest: &str| {
        let len = rest.bytes().take_while(u8::is_ascii_digit).count();
        Some((rest[..len].parse::<u32>().ok()?, len))
    };
    if let Some((index, len)) = number(text) {
        return Read::Component(Component::TupleElement(index), &text[len..]);
    }
    let (make, kind): (fn(u32) -> Component, Indexed) = match text.as_bytes().first() {
        Some(b's') => (Component::StructField, Indexed::StructField),
        Some(b'e') => (Component::EnumCase, Indexed::EnumCase),
        Some(b'c') => (Component::ClassField, Indexed::ClassField),
        Some(b'i') => (Component::Element, Indexed::Element),
        _ => return Read::End,
    };
    match number(&text[1..]) {
        Some((index, len)) => Read::Component(make(index), &text[1 + len..]),
        None => Read::NoNumber(kind),
    }
}

/// Returns the encoding of a component and its length in bytes.
fn code(component: Component) -> (u64, u32) {
    let Some((kind, number)) = component.indexed() else {
        let which = PLAIN.iter().position(|p| *p == component).unwrap_or(PLAIN.len() - 1);
        return (PLAIN_KIND | (which as u64) << 4, 1);
    };
    let kind = match kind {
        Indexed::StructField => 1,
        Indexed::TupleElement => 2,
        Indexed::EnumCase => 3,
        Indexed::ClassField => 4,
        Indexed::Element => 5,
    };
    let (mut code, mut len) = (kind | (u64::from(number) & 0xf) << 4, 1);
    let mut left = u64::from(number) >> 4;
    if left != 0 {
        code |= MORE;
    }
    while left != 0 {
        let more = if left >> 7 != 0 { MORE_LATER } else { 0 };
        code |= (left & 0x7f | more) << (len * 8);
        left >>= 7;
        len += 1;
    }
    (code, len)
}

impl fmt::Display for ProjectionPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, component) in self.components().enumerate() {
            if index > 0 {
                f.write_str(".")?;
            }
            write!(f, "{component}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for ProjectionPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\"")
    }
}

#[cfg(test)]
mod tests;
