//! The text form of SIL: lexer, parser and printer.
