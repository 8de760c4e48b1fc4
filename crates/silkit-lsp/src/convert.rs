//! From answers about offsets to the types of the protocol.

use crate::position::Encoding;
use crate::state::Open;
use lsp_types::{
    CodeActionKind, CodeActionOptions, CodeActionProviderCapability, CodeLensOptions, CompletionItem,
    CompletionItemKind, CompletionOptions, CompletionTextEdit, DeclarationCapability, Diagnostic,
    DiagnosticRelatedInformation, DiagnosticSeverity, DocumentSymbol, FoldingRangeProviderCapability,
    HoverProviderCapability, Location, NumberOrString, OneOf, OptionalVersionedTextDocumentIdentifier,
    PositionEncodingKind, Range, RenameOptions, SemanticToken, SemanticTokenModifier, SemanticTokenType,
    SemanticTokensLegend, SemanticTokensOptions, ServerCapabilities, SymbolKind, TextDocumentEdit,
    TextDocumentSyncCapability, TextDocumentSyncKind, TextEdit, WorkspaceEdit,
};
use silkit_ide::{
    Completion, CompletionKind, Diagnosed, Edit, Outline, OutlineKind, Severity, TextRange, Token, TokenKind,
    TokenRole,
};

/// Returns what the server can do.
pub(crate) fn capabilities(encoding: Encoding) -> ServerCapabilities {
    ServerCapabilities {
        position_encoding: Some(match encoding {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
        }),
        text_document_sync: Some(TextDocumentSyncCapability::Kind(TextDocumentSyncKind::INCREMENTAL)),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        definition_provider: Some(OneOf::Left(true)),
        // The declaration of an instruction is the Swift that it was compiled from.
        declaration_provider: Some(DeclarationCapability::Simple(true)),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        workspace_symbol_provider: Some(OneOf::Left(true)),
        folding_range_provider: Some(FoldingRangeProviderCapability::Simple(true)),
        inlay_hint_provider: Some(OneOf::Left(true)),
        document_formatting_provider: Some(OneOf::Left(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: Default::default(),
        })),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(["%", "@", "#", "$", "["].map(str::to_owned).to_vec()),
            resolve_provider: Some(true),
            ..Default::default()
        }),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]),
            ..Default::default()
        })),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(true) }),
        semantic_tokens_provider: Some(
            SemanticTokensOptions {
                legend: SemanticTokensLegend {
                    token_types: TOKEN_TYPES.iter().map(|name| SemanticTokenType::new(name)).collect(),
                    token_modifiers: vec![SemanticTokenModifier::DEFINITION],
                },
                // Of a whole text they would be larger than the text.
                range: Some(true),
                full: None,
                work_done_progress_options: Default::default(),
            }
            .into(),
        ),
        ..Default::default()
    }
}

/// The types of semantic tokens, by [`token_type`]. Only `label` is not of the protocol.
const TOKEN_TYPES: [&str; 6] = ["variable", "label", "function", "property", "type", "keyword"];

fn token_type(kind: TokenKind) -> u32 {
    match kind {
        TokenKind::Value => 0,
        TokenKind::Block => 1,
        TokenKind::Symbol => 2,
        TokenKind::Member => 3,
        TokenKind::Type => 4,
        TokenKind::Instruction => 5,
    }
}

/// Returns the semantic tokens of a list of tokens. One that is longer than its line ends there.
pub(crate) fn semantic_tokens(open: &Open, tokens: &[Token]) -> Vec<SemanticToken> {
    let text = open.document.text();
    let (mut line, mut column) = (0, 0);
    let code = tokens.iter().filter(|token| token.role != TokenRole::Comment);
    let encoded = code.map(|token| {
        let position = open.position(token.start as usize);
        let first_line = token.text(text).lines().next().unwrap_or_default();
        let delta_line = position.line - line;
        let delta_start = if delta_line == 0 { position.character - column } else { position.character };
        (line, column) = (position.line, position.character);
        SemanticToken {
            delta_line,
            delta_start,
            length: open.lines.width(first_line),
            token_type: token_type(token.kind),
            token_modifiers_bitset: u32::from(token.role == TokenRole::Definition),
        }
    });
    encoded.collect()
}

/// Returns the positions of a range of the text.
pub(crate) fn range(open: &Open, range: TextRange) -> Range {
    open.range(range.as_usize())
}

/// Returns a place in the text.
pub(crate) fn location(open: &Open, place: TextRange) -> Location {
    Location { uri: open.uri.clone(), range: range(open, place) }
}

/// Returns all findings of a text.
pub(crate) fn diagnostics(open: &Open) -> Vec<Diagnostic> {
    open.document.diagnostics().iter().map(|found| diagnostic(open, found)).collect()
}

/// Returns a finding: its other places are related information, its notes more lines of the message.
pub(crate) fn diagnostic(open: &Open, found: &Diagnosed) -> Diagnostic {
    let found = &found.diagnostic;
    let place = |span: silkit_ide::Span| TextRange { start: span.start, end: span.end };
    let primary = found.primary();
    let mut message = found.message.to_string();
    if let Some(label) = primary.filter(|label| !label.text.is_empty()) {
        message += &format!(": {}", label.text);
    }
    for note in found.notes.iter().filter(|note| note.span.is_none()) {
        message += &format!("\n{}", note.message);
    }
    let labels = found.others().map(|label| (label.span, &label.text));
    let notes = found.notes.iter().filter_map(|note| Some((note.span?, &note.message)));
    let related = labels.chain(notes).map(|(span, text)| DiagnosticRelatedInformation {
        location: location(open, place(span)),
        message: text.to_string(),
    });
    let related: Vec<_> = related.collect();
    Diagnostic {
        range: primary.map(|label| range(open, place(label.span))).unwrap_or_default(),
        severity: Some(severity(found.severity)),
        code: found.rule.map(|rule| NumberOrString::String(rule.as_str().to_owned())),
        source: Some("silkit".to_owned()),
        message,
        related_information: (!related.is_empty()).then_some(related),
        ..Diagnostic::default()
    }
}

/// Returns the finding that says that there are none, because of a failure.
pub(crate) fn failure(message: &str) -> Diagnostic {
    Diagnostic {
        severity: Some(DiagnosticSeverity::ERROR),
        source: Some("silkit".to_owned()),
        message: message.to_owned(),
        ..Diagnostic::default()
    }
}

fn severity(severity: Severity) -> DiagnosticSeverity {
    match severity {
        Severity::Error => DiagnosticSeverity::ERROR,
        Severity::Warning => DiagnosticSeverity::WARNING,
        Severity::Note => DiagnosticSeverity::INFORMATION,
        Severity::Help => DiagnosticSeverity::HINT,
    }
}

/// Returns an entry of the contents as a symbol.
#[allow(deprecated, reason = "the protocol's type has a field that is deprecated, and no constructor")]
pub(crate) fn symbol(open: &Open, entry: &Outline) -> DocumentSymbol {
    let children: Vec<_> = entry.children.iter().map(|child| symbol(open, child)).collect();
    DocumentSymbol {
        name: entry.name.clone(),
        detail: (!entry.detail.is_empty()).then(|| entry.detail.clone()),
        kind: symbol_kind(entry.kind),
        tags: None,
        deprecated: None,
        range: range(open, entry.range),
        selection_range: range(open, entry.name_range),
        children: (!children.is_empty()).then_some(children),
    }
}

pub(crate) fn symbol_kind(kind: OutlineKind) -> SymbolKind {
    match kind {
        OutlineKind::Function => SymbolKind::FUNCTION,
        OutlineKind::Block => SymbolKind::NAMESPACE,
        OutlineKind::Global => SymbolKind::VARIABLE,
        OutlineKind::Table => SymbolKind::OBJECT,
        OutlineKind::Type => SymbolKind::CLASS,
    }
}

/// Returns a proposal. The order is that of the list.
pub(crate) fn completion(open: &Open, index: usize, proposal: Completion) -> CompletionItem {
    let kind = match proposal.kind {
        CompletionKind::Instruction => CompletionItemKind::OPERATOR,
        CompletionKind::Attribute => CompletionItemKind::PROPERTY,
        CompletionKind::Value => CompletionItemKind::VARIABLE,
        CompletionKind::Block => CompletionItemKind::REFERENCE,
        CompletionKind::Symbol => CompletionItemKind::FUNCTION,
        CompletionKind::Type => CompletionItemKind::CLASS,
        CompletionKind::Member => CompletionItemKind::FIELD,
        CompletionKind::Keyword => CompletionItemKind::KEYWORD,
    };
    let new_text = proposal.insert;
    CompletionItem {
        filter_text: Some(proposal.label.clone()),
        label: proposal.label,
        kind: Some(kind),
        detail: (!proposal.detail.is_empty()).then_some(proposal.detail),
        sort_text: Some(format!("{index:04}")),
        text_edit: Some(CompletionTextEdit::Edit(TextEdit { range: range(open, proposal.range), new_text })),
        ..CompletionItem::default()
    }
}

/// Returns edits of a text.
pub(crate) fn edits(open: &Open, edits: &[Edit]) -> Vec<TextEdit> {
    let edit = |edit: &Edit| TextEdit { range: range(open, edit.range), new_text: edit.text.clone() };
    edits.iter().map(edit).collect()
}

/// Returns edits of one version of a text, which a client refuses for another one.
pub(crate) fn workspace_edit(open: &Open, changes: &[Edit]) -> WorkspaceEdit {
    let text_document =
        OptionalVersionedTextDocumentIdentifier { uri: open.uri.clone(), version: Some(open.version) };
    let edits = edits(open, changes).into_iter().map(OneOf::Left).collect();
    let change = TextDocumentEdit { text_document, edits };
    WorkspaceEdit {
        document_changes: Some(lsp_types::DocumentChanges::Edits(vec![change])),
        ..WorkspaceEdit::default()
    }
}
