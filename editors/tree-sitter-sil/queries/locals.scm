(body) @local.scope
(instruction result: (value) @local.definition)
(label name: (label_name) @local.definition)
(value) @local.reference
(block_name) @local.reference
