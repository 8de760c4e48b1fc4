//! Closures: creation, and calls with captured values.

use crate::frame::StackOrder;
use crate::interp::Interp;
use crate::memory::Kind;
use crate::sites::{CaptureKind, ClosureShape, CodeTarget};
use crate::violation::Run;
use std::rc::Rc;

impl Interp<'_> {
    pub(super) fn make_closure(&mut self, number: u32) -> Run<()> {
        let site = self.sites.closures[number as usize].clone();
        let target = match (&site.callee, &site.method) {
            (Some(crate::sites::Callee::Instance(id)), _) => CodeTarget::Instance(*id),
            (Some(crate::sites::Callee::Native(function)), _) => {
                CodeTarget::Native(*function, site.name, Rc::from([]))
            }
            (None, Some(method)) => {
                let class = self.receiver_class(method.receiver, method.is_metatype)?;
                CodeTarget::Instance(self.find_method(method, class)?)
            }
            (None, None) => CodeTarget::Captured,
        };
        // A closure over another closure stores the inner closure after its own captures.
        let inner = matches!(target, CodeTarget::Captured).then(|| site.size.next_multiple_of(8));
        let size = inner.map_or(site.size, |at| at + 16);
        let method = if let CodeTarget::Instance(id) = &target { Some(*id) } else { None };
        let owns = site.on_stack.is_none();
        let shape = match self.sites.shape_ids.get(&(number, method)) {
            Some(found) => *found,
            None => {
                let captures = site.captures.clone();
                let shape = ClosureShape { target, captures, owns, inner };
                self.sites.shapes.push(Rc::new(shape));
                let shape = self.sites.shapes.len() as u32 - 1;
                self.sites.shape_ids.insert((number, method), shape);
                shape
            }
        };
        let context = self.allocate(Kind::Context, u64::from(size), u64::from(site.align.max(16)), shape)?;
        self.write_header(context, 0)?;
        if let Some(order) = site.on_stack {
            self.on_stack(context, order);
        }
        for (capture, &from) in site.captures.iter().zip(&site.from) {
            let at = context + u64::from(capture.offset);
            match capture.how {
                CaptureKind::Address => {
                    let address = self.get(from);
                    self.write(at, address)?;
                }
                CaptureKind::BorrowedAddress | CaptureKind::ConsumedAddress => {
                    let address = self.get(from);
                    self.copy_value(owns, crate::op::Write::Init, address, at, capture.ty)?;
                }
                CaptureKind::Borrowed | CaptureKind::Consumed => {
                    let size = self.types.get(capture.ty).size;
                    let first = self.base + from as usize;
                    let bytes = &self.stack.bytes[first..first + size as usize];
                    let stored = self.memory.store(at, bytes);
                    stored.map_err(|fault| self.fault(fault, at, "writing"))?;
                }
            }
        }
        if let Some(at) = inner {
            let (code, inner_context) =
                (self.get(site.value), if site.is_thick { self.get(site.value + 8) } else { 0 });
            self.write(context + u64::from(at), code)?;
            self.write(context + u64::from(at) + 8, inner_context)?;
        }
        let code = self.code_address(CodeTarget::Closure(shape))?;
        self.set(site.to, code);
        self.set(site.to + 8, context);
        Ok(())
    }

    /// Appends the captured values of a closure to the arguments of a call. Returns the size of all arguments in bytes,
    /// and the temporary memory that the callee's frame owns.
    pub(crate) fn pass_captures(
        &mut self,
        shape: &ClosureShape,
        context: u64,
        base: u32,
        args_len: u32,
    ) -> Run<(u32, Vec<u64>)> {
        let mut at = args_len;
        let mut temporaries = Vec::new();
        for capture in shape.captures.iter() {
            let from = context + u64::from(capture.offset);
            let info = self.known(capture.ty);
            let size = match capture.how {
                CaptureKind::Borrowed | CaptureKind::Consumed => info.size,
                _ => 8,
            };
            self.reserve(base + at + size + 64);
            let to = (base + at) as usize;
            match capture.how {
                CaptureKind::Address => {
                    let address = self.read(from)?;
                    self.stack.bytes[to..to + 8].copy_from_slice(&address.to_le_bytes());
                }
                CaptureKind::BorrowedAddress => {
                    self.stack.bytes[to..to + 8].copy_from_slice(&from.to_le_bytes());
                }
                CaptureKind::ConsumedAddress => {
                    let temporary = self.allocate(
                        Kind::Stack,
                        u64::from(info.size),
                        u64::from(info.align),
                        info.ty.as_u32(),
                    )?;
                    self.copy_value(false, crate::op::Write::Init, from, temporary, capture.ty)?;
                    temporaries.push(temporary);
                    self.stack.bytes[to..to + 8].copy_from_slice(&temporary.to_le_bytes());
                }
                CaptureKind::Borrowed | CaptureKind::Consumed => {
                    let bytes = self.read_value(from, capture.ty)?;
                    if capture.how == CaptureKind::Consumed {
                        self.retain_bytes(&bytes, capture.ty)?;
                    }
                    self.stack.bytes[to..to + bytes.len()].copy_from_slice(&bytes);
                }
            }
            at += size.next_multiple_of(8);
        }
        Ok((at, temporaries))
    }

    /// Transfers ownership of temporary memory to the frame that was pushed last.
    pub(crate) fn own_temporaries(&mut self, temporaries: Vec<u64>) {
        for address in temporaries {
            self.on_stack(address, StackOrder::Temporary);
        }
    }
}
