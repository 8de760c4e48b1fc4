//! All records of a file as text, in the layout of `llvm-bcanalyzer -dump`.

use crate::container::{Event, Names, Record, Stream};
use crate::file::SwiftModule;
use std::io::{self, Write};

impl SwiftModule {
    /// Writes all blocks and records, one a line. Ends at damage with a line that names it.
    pub fn write_records(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut stream = Stream::new(self.bytes());
        let mut record = Record::default();
        // The ids of the blocks around the current position.
        let mut blocks: Vec<u32> = Vec::new();
        let mut line = Vec::new();
        loop {
            line.clear();
            match stream.next(&mut record) {
                // The info block says how to read the others, and is not shown, as in the other tool.
                Ok(Event::Enter { block: 0, .. }) => {
                    writeln!(line, "<BLOCKINFO_BLOCK/>")?;
                    blocks.push(0);
                }
                Ok(Event::Enter { block, width, words }) => {
                    indent(&mut line, blocks.len());
                    line.push(b'<');
                    block_name(&mut line, stream.names(), block);
                    writeln!(line, " NumWords={words} BlockCodeSize={width}>")?;
                    blocks.push(block);
                }
                Ok(Event::Leave) => {
                    let block = blocks.pop().unwrap_or(0);
                    if block != 0 {
                        indent(&mut line, blocks.len());
                        line.extend_from_slice(b"</");
                        block_name(&mut line, stream.names(), block);
                        line.extend_from_slice(b">\n");
                    }
                }
                Ok(Event::Record) => {
                    let block = blocks.last().copied().unwrap_or(u32::MAX);
                    if block == 0 {
                        continue;
                    }
                    indent(&mut line, blocks.len());
                    self.write_record(&mut line, stream.names().record(block, record.code), &record);
                }
                Ok(Event::End) => return Ok(()),
                Err(damage) => return writeln!(out, "damaged: {damage}"),
            }
            out.write_all(&line)?;
        }
    }

    fn write_record(&self, line: &mut Vec<u8>, name: Option<&str>, record: &Record) {
        line.push(b'<');
        match name {
            Some(name) => line.extend(name.bytes().filter(u8::is_ascii_graphic)),
            None => {
                line.extend_from_slice(b"UnknownCode");
                number(line, u64::from(record.code));
            }
        }
        if record.abbreviation != 3 {
            line.extend_from_slice(b" abbrevid=");
            number(line, u64::from(record.abbreviation));
        }
        for (index, &field) in record.fields.iter().enumerate() {
            line.extend_from_slice(b" op");
            number(line, index as u64);
            line.push(b'=');
            number(line, field);
        }
        line.extend_from_slice(b"/>");
        if let Some(blob) = record.blob.clone().and_then(|range| self.bytes().get(range)) {
            line.extend_from_slice(b" blob data = ");
            if blob.iter().all(|b| (0x20..0x7F).contains(b)) {
                line.push(b'\'');
                line.extend_from_slice(blob);
                line.push(b'\'');
            } else {
                line.extend_from_slice(b"unprintable, ");
                number(line, blob.len() as u64);
                line.extend_from_slice(b" bytes.");
            }
        }
        line.push(b'\n');
    }
}

fn indent(line: &mut Vec<u8>, depth: usize) {
    line.extend(std::iter::repeat_n(b' ', 2 * depth));
}

fn block_name(line: &mut Vec<u8>, names: &Names, block: u32) {
    match names.block(block) {
        Some(name) => line.extend(name.bytes().filter(u8::is_ascii_graphic)),
        None => {
            line.extend_from_slice(b"UnknownBlock");
            number(line, u64::from(block));
        }
    }
}

/// Appends a number. The formatting machinery would take most of the time of a dump.
fn number(line: &mut Vec<u8>, mut value: u64) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    line.extend_from_slice(&digits[at..]);
}
