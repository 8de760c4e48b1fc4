(comment) @comment
(block_comment) @comment
(string) @string
(number) @number
(value) @variable
(symbol) @function
(member) @property
(type_mark) @operator
(label_name) @label
(block_name) @label
(attribute (identifier) @attribute)
((symbol) @attribute
  (#match? @attribute "^@(owned|guaranteed|unowned|in|out|inout|inout_aliasable|in_guaranteed|in_constant|direct|convention|callee_guaranteed|callee_owned|noescape|async|error|Sendable|substituted|opened|thick|thin|objc_metatype|autoreleased|pack_owned|pack_guaranteed|pack_inout|pack_out|sil_weak|sil_unowned|sil_unmanaged|moveOnly|escaping|isolated|sil_isolated)$"))
(instruction name: (opcode) @keyword)
["sil" "sil_stage" "sil_scope" "sil_vtable" "sil_witness_table" "sil_default_witness_table"
 "sil_default_override_table" "sil_global" "sil_property" "sil_coverage_map" "sil_moveonlydeinit"
 "sil_differentiability_witness"] @keyword.directive
((identifier) @type (#match? @type "^[A-Z]"))
