//! Options of the reference's tools for imported modules. They are accepted without effect, so that command lines
//! written for those tools work.

/// Options that change nothing here
#[derive(clap::Args)]
pub(crate) struct FrontEnd {
    #[arg(short = 'I', value_name = "DIR", hide = true)]
    import_path: Vec<String>,
    #[arg(long, hide = true)]
    module_name: Option<String>,
    #[arg(long, hide = true)]
    module_cache_path: Option<String>,
    #[arg(long, hide = true)]
    resource_dir: Option<String>,
    #[arg(long, hide = true)]
    sdk: Option<String>,
    #[arg(long, hide = true)]
    target: Option<String>,
}
