//! Element-wise operations on vectors.

use crate::exec::{compute_float, float_holds, int_size};
use crate::interp::Interp;
use crate::sites::VectorSite;
use crate::violation::{Run, unsupported};
use silkit_layout::{Builtin, Ty, TyKind};

/// The elements of a vector.
#[derive(Clone, Copy)]
struct Shape {
    count: u32,
    bits: u8,
    is_float: bool,
}

fn shape(ty: Ty) -> Option<Shape> {
    let TyKind::Builtin(Builtin::Vector(count, element)) = ty.kind() else { return None };
    let (bits, is_float) = match element.kind() {
        TyKind::Builtin(Builtin::Int(bits @ 1..=128)) => (*bits as u8, false),
        TyKind::Builtin(Builtin::Float(bits @ (16 | 32 | 64 | 80))) => (*bits as u8, true),
        TyKind::Builtin(Builtin::RawPointer) => (64, false),
        _ => return None,
    };
    Some(Shape { count: *count, bits, is_float })
}

fn out_of_vector(index: usize, count: usize) -> String {
    format!("an element at the index {index} of a vector of {count} elements")
}

impl Shape {
    fn read(&self, bytes: &[u8]) -> Vec<u128> {
        if self.bits == 1 {
            let bit = |i: u32| bytes.get(i as usize / 8).map_or(0, |b| u128::from(b >> (i % 8) & 1));
            return (0..self.count).map(bit).collect();
        }
        let size = int_size(self.bits) as usize;
        let element = |i: u32| {
            let mut word = [0; 16];
            word[..size].copy_from_slice(&bytes[i as usize * size..(i as usize + 1) * size]);
            u128::from_le_bytes(word)
        };
        (0..self.count).map(element).collect()
    }

    fn write(&self, elements: &[u128], bytes: &mut [u8]) {
        bytes.fill(0);
        if self.bits == 1 {
            for (i, element) in elements.iter().enumerate() {
                bytes[i / 8] |= ((element & 1) as u8) << (i % 8);
            }
            return;
        }
        let size = int_size(self.bits) as usize;
        for (i, element) in elements.iter().enumerate() {
            bytes[i * size..(i + 1) * size].copy_from_slice(&element.to_le_bytes()[..size]);
        }
    }
}

impl Interp<'_> {
    /// Executes an operation on vectors.
    pub(crate) fn vector(&mut self, site: u32) -> Run<()> {
        let site = self.sites.vectors[site as usize].clone();
        let name = site.name.as_str();
        let Some(first) = site.types.first().and_then(|&t| shape(t)) else {
            return unsupported(format!("the builtin `{name}` of `{:?}`", site.types));
        };
        let operands = match name {
            "insertelement" => 3,
            "extractelement" => 2,
            _ => 1,
        };
        if site.args.len() < operands {
            return unsupported(format!("the builtin `{name}` with too few operands"));
        }
        let operand = |it: &Self, at: usize| it.bytes(site.args[at].0, site.args[at].1).to_vec();
        let a = first.read(&operand(self, 0));
        match name {
            "extractelement" => {
                let index = self.get_int(site.args[1].0, 4) as usize;
                self.require(index < a.len(), || out_of_vector(index, a.len()))?;
                let value = a.get(index).copied().unwrap_or(0);
                let bytes = value.to_le_bytes();
                self.bytes_mut(site.to, site.len).copy_from_slice(&bytes[..site.len as usize]);
                return Ok(());
            }
            "insertelement" => {
                let index = self.get_int(site.args[2].0, 4) as usize;
                let mut word = [0; 16];
                let element = operand(self, 1);
                word[..element.len()].copy_from_slice(&element);
                self.require(index < a.len(), || out_of_vector(index, a.len()))?;
                let mut elements = a;
                if let Some(slot) = elements.get_mut(index) {
                    *slot = u128::from_le_bytes(word);
                }
                first.write(&elements, self.bytes_mut(site.to, site.len));
                return Ok(());
            }
            "sext" | "zext" | "trunc" | "sextOrBitCast" | "zextOrBitCast" | "truncOrBitCast" => {
                return self.resize_vector(&site, first, &a);
            }
            "fneg" => return self.each(&site, first, &a, &a, "fneg"),
            _ => {}
        }
        if site.args.len() < 2 {
            return unsupported(format!("the builtin `{name}` of vectors"));
        }
        let b = first.read(&operand(self, 1));
        self.each(&site, first, &a, &b, name)
    }

    fn resize_vector(&mut self, site: &VectorSite, from: Shape, elements: &[u128]) -> Run<()> {
        let Some(to) = site.types.get(1).and_then(|&t| shape(t)) else {
            return unsupported(format!("the builtin `{}` of vectors", site.name));
        };
        let signed = site.name.as_str().starts_with("sext");
        let resized: Vec<u128> = elements
            .iter()
            .map(|&e| if signed { crate::exec::sign_extend(e, from.bits) as u128 } else { e })
            .map(|e| crate::exec::truncate(e, to.bits))
            .collect();
        to.write(&resized, self.bytes_mut(site.to, site.len));
        Ok(())
    }

    fn each(&mut self, site: &VectorSite, shape: Shape, a: &[u128], b: &[u128], name: &str) -> Run<()> {
        let mut is_truth = false;
        let mut results = Vec::with_capacity(a.len());
        for (&a, &b) in a.iter().zip(b) {
            let value = if shape.is_float {
                if let Some(holds) = float_holds(name, shape.bits, a, b) {
                    is_truth = true;
                    Some(u128::from(holds))
                } else {
                    compute_float(name, shape.bits, a, b)
                }
            } else {
                is_truth = name.starts_with("cmp_");
                match crate::builtin_names::int_op(name) {
                    Some(op) => Some(self.arithmetic(op, shape.bits, a, b)?.0),
                    None => None,
                }
            };
            match value {
                Some(value) => results.push(value),
                None => return unsupported(format!("the builtin `{name}` of vectors")),
            }
        }
        let shape = if is_truth { Shape { bits: 1, ..shape } } else { shape };
        shape.write(&results, self.bytes_mut(site.to, site.len));
        Ok(())
    }
}
