//! The answers to requests, each from one version of a text.

use crate::convert;
use crate::requests::folder::FolderFile;
use crate::requests::{
    ControlFlow, Drawing, FileQuery, Folder, Function, FunctionQuery, FunctionText, Functions, OfSwift,
    Place, SwiftFrame, SwiftPosition, SwiftQuery,
};
use crate::server::{Failure, Files, Job, Server};
use crate::state::{COMMANDS, Open, lock};
use lsp_server::ErrorCode;
use lsp_types::request::{self, Request};
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionParams, CodeLens, Command, CompletionItem, CompletionList,
    CompletionResponse, DocumentHighlight, DocumentHighlightKind, DocumentSymbolResponse, Documentation,
    FoldingRange, GotoDefinitionResponse, Hover, HoverContents, InlayHint, InlayHintKind, InlayHintLabel,
    Location, MarkupContent, MarkupKind, OneOf, Position, PrepareRenameResponse, Range, SemanticTokens,
    SemanticTokensRangeResult, SymbolKind, TextDocumentPositionParams, Uri, WorkspaceSymbol,
    WorkspaceSymbolResponse,
};
use serde_json::{Value, json};
use silkit_ide::{Document, HintKind, Outline, TextRange, TokenKind, TokenRole};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The file that was last shown as a folder of functions.
pub(crate) struct CachedFolder {
    uri: String,
    file: Arc<FolderFile>,
}

/// The most symbols that a search returns.
const MAX_SYMBOLS: usize = 500;

/// Answers a request.
pub(crate) fn answer(server: &Server<'_>, job: &Job) -> Result<Value, Failure> {
    let request = Dispatch { server, job };
    #[cfg(test)]
    if job.request.method == "test/panic" {
        panic!("as asked");
    }
    request
        .on::<request::HoverRequest>(|open, p| Ok(hover(open, &p.text_document_position_params)))
        .or(|| {
            request.on::<request::GotoDefinition>(|open, p| {
                Ok(definition(open, &p.text_document_position_params))
            })
        })
        .or(|| {
            request.on::<request::GotoDeclaration>(|open, p| {
                let places = swift_frames(server, open, p.text_document_position_params.position);
                Ok(declaration(places))
            })
        })
        .or(|| {
            request.on::<request::References>(|open, p| {
                Ok(Some(references(open, p.text_document_position.position, p.context.include_declaration)))
            })
        })
        .or(|| {
            request.on::<request::DocumentHighlightRequest>(|open, p| {
                Ok(Some(highlights(open, p.text_document_position_params.position)))
            })
        })
        .or(|| {
            request.on::<request::PrepareRenameRequest>(|open, p| {
                let range = open.document.renamed(open.offset(p.position));
                Ok(range.map(|range| PrepareRenameResponse::Range(convert::range(open, range))))
            })
        })
        .or(|| {
            request.on::<request::Rename>(|open, p| {
                let at = open.offset(p.text_document_position.position);
                let edits = open.document.rename(at, &p.new_name);
                let edits = edits.map_err(|error| Failure(ErrorCode::RequestFailed, error.to_string()))?;
                Ok(Some(convert::workspace_edit(open, &edits)))
            })
        })
        .or(|| {
            request.on::<request::DocumentSymbolRequest>(|open, _| {
                let outline = open.document.outline();
                let symbols = outline.iter().map(|entry| convert::symbol(open, entry)).collect();
                Ok(Some(DocumentSymbolResponse::Nested(symbols)))
            })
        })
        .or(|| request.anywhere::<request::WorkspaceSymbolRequest>(|p| Ok(Some(symbols(server, &p.query)))))
        .or(|| request.on::<request::FoldingRangeRequest>(|open, _| Ok(Some(folds(open)))))
        .or(|| request.on::<request::InlayHintRequest>(|open, p| Ok(Some(hints(server, open, p.range)))))
        .or(|| {
            request.on::<request::Completion>(|open, p| {
                Ok(Some(completion(open, p.text_document_position.position)))
            })
        })
        .or(|| request.anywhere::<request::ResolveCompletionItem>(|item| Ok(with_page(item))))
        .or(|| request.on::<request::CodeActionRequest>(|open, p| Ok(Some(actions(open, &p)))))
        .or(|| {
            request.on::<request::Formatting>(|open, _| {
                Ok(open.document.format().map(|edit| convert::edits(open, &[edit])))
            })
        })
        .or(|| request.on::<request::CodeLensRequest>(|open, _| Ok(Some(lenses(server, open)))))
        .or(|| request.anywhere::<request::CodeLensResolve>(|lens| Ok(with_summary(server, lens))))
        .or(|| {
            request.on::<request::SemanticTokensRangeRequest>(|open, p| {
                let tokens = open.document.tokens().within(open.offsets(p.range));
                let data = convert::semantic_tokens(open, tokens);
                Ok(Some(SemanticTokensRangeResult::Tokens(SemanticTokens { result_id: None, data })))
            })
        })
        .or(|| own(&request))
        .answer
        .unwrap_or_else(|| {
            let message = format!("unknown request `{}`", job.request.method);
            Err(Failure(ErrorCode::MethodNotFound, message))
        })
}

/// Answers a request that is not of the protocol.
fn own(request: &Dispatch<'_>) -> Found {
    let server = request.server;
    Found { answer: None }
        .or(|| {
            request.on::<ControlFlow>(|open, p| {
                let drawn = open.document.control_flow(open.offset(p.position));
                Ok(drawn.map(|(title, svg)| Drawing { title, svg }))
            })
        })
        .or(|| {
            request
                .on::<SwiftPosition>(|open, Place { position, .. }| Ok(swift_frames(server, open, position)))
        })
        .or(|| {
            request.on::<OfSwift>(|open, SwiftQuery { file, line, .. }| {
                let found = open.document.sil_of_swift(&file, line);
                Ok(found.into_iter().map(|range| convert::range(open, range)).collect())
            })
        })
        .or(|| {
            request.anywhere::<Functions>(|FileQuery { uri }| {
                Ok(folder(server, &uri, true)?.map_or_else(Folder::default, |file| file.folder()))
            })
        })
        .or(|| {
            request.anywhere::<Function>(|FunctionQuery { uri, index }| {
                let text = folder(server, &uri, false)?.and_then(|file| file.function(index));
                Ok(text.map(|text| FunctionText { text }))
            })
        })
}

/// A request on its way to its handler.
struct Dispatch<'a> {
    server: &'a Server<'a>,
    job: &'a Job,
}

/// The answer, once a handler was found.
struct Found {
    answer: Option<Result<Value, Failure>>,
}

impl Found {
    fn or(self, next: impl FnOnce() -> Found) -> Found {
        if self.answer.is_some() { self } else { next() }
    }
}

impl Dispatch<'_> {
    /// Answers a request about no open text in particular.
    fn anywhere<R: Request>(&self, handle: impl FnOnce(R::Params) -> Result<R::Result, Failure>) -> Found {
        if self.job.request.method != R::METHOD {
            return Found { answer: None };
        }
        let params = serde_json::from_value::<R::Params>(self.job.request.params.clone());
        let answer = params.map_err(|error| {
            Failure(
                ErrorCode::InvalidParams,
                format!("cannot read the parameters of `{}`: {error}", R::METHOD),
            )
        });
        let answer = answer.and_then(handle).map(|result| json!(result));
        Found { answer: Some(answer) }
    }

    /// Answers a request about an open text.
    fn on<R: Request>(&self, handle: impl FnOnce(&Open, R::Params) -> Result<R::Result, Failure>) -> Found {
        self.anywhere::<R>(|params| match &self.job.open {
            Some(open) => handle(open, params),
            None => Err(Failure(ErrorCode::InvalidParams, "the text is not open".to_owned())),
        })
    }
}

fn hover(open: &Open, at: &TextDocumentPositionParams) -> Option<Hover> {
    let hover = open.document.hover(open.offset(at.position))?;
    let value = hover.markdown;
    let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
    Some(Hover { contents, range: Some(convert::range(open, hover.range)) })
}

fn definition(open: &Open, at: &TextDocumentPositionParams) -> Option<GotoDefinitionResponse> {
    let range = open.document.definition(open.offset(at.position))?;
    Some(GotoDefinitionResponse::Scalar(convert::location(open, range)))
}

/// Returns the files that exist among Swift positions.
fn declaration(frames: Vec<SwiftFrame>) -> Option<GotoDefinitionResponse> {
    let location = |frame: SwiftFrame| {
        let position =
            Position { line: frame.line.saturating_sub(1), character: frame.column.saturating_sub(1) };
        Some(Location { uri: frame.uri?, range: Range { start: position, end: position } })
    };
    let found: Vec<Location> = frames.into_iter().filter_map(location).collect();
    (!found.is_empty()).then_some(GotoDefinitionResponse::Array(found))
}

fn references(open: &Open, at: Position, with_definition: bool) -> Vec<Location> {
    let mut found = open.document.references(open.offset(at));
    found.retain(|token| with_definition || token.role != TokenRole::Definition);
    found.iter().map(|token| convert::location(open, token.range())).collect()
}

fn highlights(open: &Open, at: Position) -> Vec<DocumentHighlight> {
    let highlight = |token: &silkit_ide::Token| DocumentHighlight {
        range: convert::range(open, token.range()),
        kind: Some(match token.role {
            TokenRole::Definition if token.kind == TokenKind::Value => DocumentHighlightKind::WRITE,
            TokenRole::Comment => DocumentHighlightKind::TEXT,
            _ => DocumentHighlightKind::READ,
        }),
    };
    open.document.highlights(open.offset(at)).iter().map(highlight).collect()
}

/// Searches the names of all open texts.
fn symbols(server: &Server<'_>, query: &str) -> WorkspaceSymbolResponse {
    let query = query.to_lowercase();
    let mut found = Vec::new();
    for open in server.state.all() {
        let is_wanted = |entry: &Outline| {
            entry.name.to_lowercase().contains(&query) || entry.detail.to_lowercase().contains(&query)
        };
        for entry in open.document.outline().into_iter().filter(is_wanted) {
            if found.len() == MAX_SYMBOLS {
                break;
            }
            let kind: SymbolKind = convert::symbol_kind(entry.kind);
            let location = OneOf::Left(convert::location(&open, entry.name_range));
            let container_name = (!entry.detail.is_empty()).then_some(entry.detail);
            let name = entry.name;
            found.push(WorkspaceSymbol { name, kind, tags: None, container_name, location, data: None });
        }
    }
    WorkspaceSymbolResponse::Nested(found)
}

fn folds(open: &Open) -> Vec<FoldingRange> {
    let fold = |range: TextRange| {
        let Range { start, end } = convert::range(open, range);
        FoldingRange { start_line: start.line, end_line: end.line, ..FoldingRange::default() }
    };
    open.document.folds().into_iter().map(fold).filter(|fold| fold.start_line < fold.end_line).collect()
}

fn hints(server: &Server<'_>, open: &Open, range: Range) -> Vec<InlayHint> {
    let shown = server.state.client().settings.inlay_hints;
    let range = open.offsets(range);
    let hints = open.document.hints(TextRange::new(range.start, range.end)).into_iter();
    let hint = |hint: silkit_ide::Hint| InlayHint {
        position: open.position(hint.at as usize),
        label: InlayHintLabel::String(hint.text),
        kind: (hint.kind == HintKind::Type).then_some(InlayHintKind::TYPE),
        text_edits: None,
        tooltip: None,
        padding_left: Some(hint.kind != HintKind::Type),
        padding_right: None,
        data: None,
    };
    hints.filter(|hint| shown.shows(hint.kind)).map(hint).collect()
}

fn completion(open: &Open, at: Position) -> CompletionResponse {
    let proposals = open.document.completions(open.offset(at)).into_iter().enumerate();
    let items = proposals.map(|(index, proposal)| convert::completion(open, index, proposal)).collect();
    CompletionResponse::List(CompletionList { is_incomplete: false, items })
}

/// Adds the page of an instruction to a proposal.
fn with_page(mut item: CompletionItem) -> CompletionItem {
    if item.kind == Some(lsp_types::CompletionItemKind::OPERATOR)
        && let Some(value) = Document::instruction_page(&item.label)
    {
        let page = MarkupContent { kind: MarkupKind::Markdown, value };
        item.documentation = Some(Documentation::MarkupContent(page));
    }
    item
}

fn actions(open: &Open, params: &CodeActionParams) -> Vec<lsp_types::CodeActionOrCommand> {
    let is_wanted =
        |kind: &CodeActionKind| params.context.only.as_ref().is_none_or(|only| only.contains(kind));
    if !is_wanted(&CodeActionKind::QUICKFIX) {
        return Vec::new();
    }
    let range = open.offsets(params.range);
    let fixes = open.document.fixes(TextRange::new(range.start, range.end)).into_iter();
    let diagnosed = open.document.diagnostics();
    let action = |fix: silkit_ide::Fix| {
        let diagnostics = diagnosed.get(fix.diagnostic).map(|found| vec![convert::diagnostic(open, found)]);
        let action = CodeAction {
            title: fix.title,
            kind: Some(CodeActionKind::QUICKFIX),
            diagnostics,
            edit: Some(convert::workspace_edit(open, &fix.edits)),
            is_preferred: Some(fix.is_preferred),
            ..CodeAction::default()
        };
        action.into()
    };
    fixes.map(action).collect()
}

/// Returns the lenses above functions: what each contains, computed when it is seen, and the commands of the client.
fn lenses(server: &Server<'_>, open: &Open) -> Vec<CodeLens> {
    let settings = server.state.client().settings;
    if !settings.code_lens.enable {
        return Vec::new();
    }
    let known = COMMANDS.iter().filter(|(command, _)| settings.commands.iter().any(|own| own == command));
    let known: Vec<_> = known.collect();
    let mut found = Vec::new();
    for name in open.document.functions() {
        let range = convert::range(open, name);
        let data = Some(json!({"uri": open.uri, "generation": open.generation}));
        found.push(CodeLens { range, command: None, data });
        let is_main = open.document.text().get(name.as_usize()) == Some("@main");
        for (command, title) in known.iter().filter(|(command, _)| is_main || *command != "sil.run") {
            let arguments = Some(vec![json!(open.uri), json!(range.start)]);
            let command = Command { title: (*title).to_owned(), command: (*command).to_owned(), arguments };
            found.push(CodeLens { range, command: Some(command), data: None });
        }
    }
    found
}

/// Adds to a lens what its function contains.
fn with_summary(server: &Server<'_>, mut lens: CodeLens) -> CodeLens {
    let data = lens.data.take().unwrap_or_default();
    let open = data["uri"].as_str().and_then(|uri| server.state.get(uri));
    let open = open.filter(|open| data["generation"].as_u64() == Some(open.generation));
    let summary = open.and_then(|open| open.document.function_summary(open.offset(lens.range.start)));
    let title = summary.map_or_else(
        || "…".to_owned(),
        |s| {
            format!(
                "{} · {} · {} · {} · {}",
                counted(s.blocks, "block"),
                counted(s.instructions, "instruction"),
                counted(s.retains, "retain"),
                counted(s.releases, "release"),
                counted(s.allocations, "allocation")
            )
        },
    );
    lens.command = Some(Command { title, command: String::new(), arguments: None });
    lens
}

fn counted(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

fn swift_frames(server: &Server<'_>, open: &Open, at: Position) -> Vec<SwiftFrame> {
    let base = path_of(&open.uri);
    let frame = |line: silkit_ide::SwiftLine| SwiftFrame {
        function: line.function,
        file: line.position.file.to_owned(),
        line: line.position.line,
        column: line.position.column,
        uri: find(server.files, base.as_deref(), line.position.file).and_then(|path| uri_of(&path)),
    };
    open.document.swift_lines(open.offset(at)).into_iter().map(frame).collect()
}

/// Finds the file that a compiler was called with: relative to the folder of the text or one around it, or beside it.
fn find(files: &dyn Files, text: Option<&Path>, file: &str) -> Option<PathBuf> {
    let file = Path::new(file);
    if file.is_absolute() && files.exists(file) {
        return Some(file.to_owned());
    }
    let folders = text?.ancestors().skip(1);
    let relative = folders.clone().filter(|_| !file.is_absolute()).map(|folder| folder.join(file));
    let beside = folders.take(1).filter_map(|folder| Some(folder.join(file.file_name()?)));
    relative.chain(beside).find(|path| files.exists(path))
}

/// Returns the functions of a file, from the last reading if it is the same file and not `again`.
fn folder(server: &Server<'_>, uri: &Uri, again: bool) -> Result<Option<Arc<FolderFile>>, Failure> {
    let cached = lock(&server.folder).as_ref().filter(|c| c.uri == uri.as_str()).map(|c| Arc::clone(&c.file));
    if cached.is_some() && !again {
        return Ok(cached);
    }
    let Some(path) = path_of(uri) else { return Ok(None) };
    let fail =
        |why: String| Failure(ErrorCode::RequestFailed, format!("cannot read `{}`: {why}", path.display()));
    let bytes = server.files.read(&path).map_err(|error| fail(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| fail("it is not UTF-8 text".to_owned()))?;
    let file = Arc::new(FolderFile::new(text));
    *lock(&server.folder) = Some(CachedFolder { uri: uri.as_str().to_owned(), file: Arc::clone(&file) });
    Ok(Some(file))
}

/// Returns the path of a `file:` URI.
fn path_of(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.as_str().strip_prefix("file://")?;
    let path = &rest[rest.find('/')?..];
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let mut digit = || char::from(rest.next()?).to_digit(16);
                u8::try_from(digit()? * 16 + digit()?).ok()?
            }
            byte => byte,
        });
    }
    let path = String::from_utf8(bytes).ok()?;
    // `/C:/x` is a path of Windows.
    let drive = path.strip_prefix('/').filter(|rest| rest.as_bytes().get(1) == Some(&b':'));
    Some(PathBuf::from(drive.unwrap_or(&path)))
}

/// Returns the `file:` URI of a path.
fn uri_of(path: &Path) -> Option<Uri> {
    let mut out = String::from("file://");
    let path = path.to_str()?.replace('\\', "/");
    if !path.starts_with('/') {
        out.push('/');
    }
    for byte in path.bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' => out.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => out.push(char::from(byte)),
            byte => out += &format!("%{byte:02X}"),
        }
    }
    out.parse().ok()
}

#[cfg(test)]
mod unit {
    use super::*;

    #[test]
    fn uris_lead_to_paths_and_back() {
        let path = Path::new("/tmp/a b/é%.sil");
        let uri = uri_of(path).unwrap();
        assert_eq!(uri.as_str(), "file:///tmp/a%20b/%C3%A9%25.sil");
        assert_eq!(path_of(&uri).as_deref(), Some(path));
        assert_eq!(path_of(&"untitled:x".parse().unwrap()), None);
        assert_eq!(path_of(&"file:///C:/x.sil".parse().unwrap()), Some(PathBuf::from("C:/x.sil")));
    }
}
