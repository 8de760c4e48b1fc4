//! Linkage of functions, globals and tables.

/// Linkage (SIL.md, "Linkage").
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
pub enum Linkage {
    /// Not spelled: public for definitions, public_external for declarations.
    #[default]
    Default,
    /// `public`.
    Public,
    /// `non_abi`.
    PublicNonAbi,
    /// `package`.
    Package,
    /// `package_non_abi`.
    PackageNonAbi,
    /// `hidden`.
    Hidden,
    /// `shared`.
    Shared,
    /// `private`.
    Private,
    /// `public_external`.
    PublicExternal,
    /// `package_external`.
    PackageExternal,
    /// `hidden_external`.
    HiddenExternal,
    /// `shared_external`.
    SharedExternal,
}

impl Linkage {
    /// All linkages with a spelling.
    pub const SPELLED: &'static [Linkage] = &[
        Linkage::Public,
        Linkage::PublicNonAbi,
        Linkage::Package,
        Linkage::PackageNonAbi,
        Linkage::Hidden,
        Linkage::Shared,
        Linkage::Private,
        Linkage::PublicExternal,
        Linkage::PackageExternal,
        Linkage::HiddenExternal,
        Linkage::SharedExternal,
    ];

    /// Returns true if this is the linkage of entities that another module defines.
    pub fn is_external(self) -> bool {
        matches!(
            self,
            Self::PublicExternal | Self::PackageExternal | Self::HiddenExternal | Self::SharedExternal
        )
    }

    /// Returns the keyword, empty for [`Linkage::Default`].
    pub fn spelling(self) -> &'static str {
        match self {
            Linkage::Default => "",
            Linkage::Public => "public",
            Linkage::PublicNonAbi => "non_abi",
            Linkage::Package => "package",
            Linkage::PackageNonAbi => "package_non_abi",
            Linkage::Hidden => "hidden",
            Linkage::Shared => "shared",
            Linkage::Private => "private",
            Linkage::PublicExternal => "public_external",
            Linkage::PackageExternal => "package_external",
            Linkage::HiddenExternal => "hidden_external",
            Linkage::SharedExternal => "shared_external",
        }
    }
}
