//! The requests that are not of the protocol. Clients that do not know them lose nothing else.
//!
//! | method | parameters | answer |
//! |---|---|---|
//! | `sil/controlFlow` | `textDocument`, `position` | `title`, `svg`: the function there; links are `#L12`, lines from 1 |
//! | `sil/swiftPosition` | `textDocument`, `position` | a list of `function`, `file`, `line`, `column` (from 1), `uri` if the file exists; the innermost first |
//! | `sil/ofSwift` | `textDocument`, `file`, `line` (from 1) | the ranges of the instructions of a line of Swift |
//! | `sil/functions` | `uri` of a file | the [folder]: `functions` with `name`, `title`, `bytes` |
//! | `sil/function` | `uri` of a file, `index` | `text` of this function |

use lsp_types::{Position, Range, TextDocumentIdentifier, Uri};
use serde::{Deserialize, Serialize};

macro_rules! request {
    ($(#[$doc:meta])* $name:ident($method:literal, $params:ty) -> $result:ty) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub enum $name {}
        impl lsp_types::request::Request for $name {
            type Params = $params;
            type Result = $result;
            const METHOD: &'static str = $method;
        }
    };
}

request!(
    /// Draws the function at a position.
    ControlFlow("sil/controlFlow", Place) -> Option<Drawing>
);
request!(
    /// Leads from an instruction to Swift.
    SwiftPosition("sil/swiftPosition", Place) -> Vec<SwiftFrame>
);
request!(
    /// Leads from a line of Swift to instructions.
    OfSwift("sil/ofSwift", SwiftQuery) -> Vec<Range>
);
request!(
    /// Lists the functions of a file.
    Functions("sil/functions", FileQuery) -> Folder
);
request!(
    /// Returns one function of a file.
    Function("sil/function", FunctionQuery) -> Option<FunctionText>
);

/// A position in an open text.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Place {
    /// The text.
    pub text_document: TextDocumentIdentifier,
    /// The position.
    pub position: Position,
}

/// A drawing.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Drawing {
    /// The name of the function, as people read it.
    pub title: String,
    /// An SVG document.
    pub svg: String,
}

/// A Swift position.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SwiftFrame {
    /// The function that the code was written in.
    pub function: Option<String>,
    /// The file, as the compiler was called with it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1; 0 if unknown.
    pub column: u32,
    /// The file, if it exists.
    pub uri: Option<Uri>,
}

/// A line of a Swift file, and a text to search.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SwiftQuery {
    /// The text.
    pub text_document: TextDocumentIdentifier,
    /// The path of the Swift file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

/// A file on disk, too long to be opened as a text.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FileQuery {
    /// The file.
    pub uri: Uri,
}

/// A function of a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FunctionQuery {
    /// The file.
    pub uri: Uri,
    /// The index in [`Folder::functions`].
    pub index: usize,
}

/// The functions of a file with bodies, in text order.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Folder {
    /// The functions.
    pub functions: Vec<FolderEntry>,
}

/// A function of a folder.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FolderEntry {
    /// The name as spelled.
    pub name: String,
    /// The name as people read it.
    pub title: String,
    /// The length of its text.
    pub bytes: usize,
}

/// The text of a function.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FunctionText {
    /// The text, which can be read alone: it begins with the stage and the imports of the file.
    pub text: String,
}

pub mod folder {
    //! A file as a folder of functions: only the lines that begin entities are read.

    use super::{Folder, FolderEntry};
    use silkit_ide::{TokenIndex, TokenScope, readable};

    /// A file and where its functions are.
    #[derive(Debug)]
    pub struct FolderFile {
        text: String,
        index: TokenIndex,
    }

    impl FolderFile {
        /// Finds the functions of a text.
        pub fn new(text: String) -> Self {
            let index = TokenIndex::outline(&text);
            Self { text, index }
        }

        fn functions(&self) -> impl Iterator<Item = &TokenScope> {
            self.index.scopes().iter().filter(|scope| scope.is_function() && scope.body.is_some())
        }

        /// Returns the functions with bodies.
        pub fn folder(&self) -> Folder {
            let entry = |scope: &TokenScope| {
                let name = self.index.name_of(&self.text, scope)?;
                Some(FolderEntry { name: name.to_owned(), title: readable(name), bytes: scope.range.len() })
            };
            Folder { functions: self.functions().filter_map(entry).collect() }
        }

        /// Returns the text of a function with the lines that let it be read alone.
        pub fn function(&self, index: usize) -> Option<String> {
            let mut named = self.functions().filter(|scope| self.index.name_of(&self.text, scope).is_some());
            let scope = named.nth(index)?;
            let is_lead = |line: &&str| line.starts_with("sil_stage ") || line.starts_with("import ");
            let lead: String =
                self.text.lines().take(100).filter(is_lead).map(|line| format!("{line}\n")).collect();
            Some(format!("{lead}\n{}\n", self.text.get(scope.range.as_usize())?))
        }
    }
}
