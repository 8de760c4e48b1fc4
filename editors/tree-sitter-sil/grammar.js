/**
 * A grammar of SIL for editors: entities, bodies, blocks, instructions, and the names in them. It accepts more than the
 * parser of Silkit does, which reports errors; this one is there to color, fold and navigate.
 *
 * An instruction ends with its line. Swift declarations between entities are one node for each line, for injection.
 */
const instructions = require("./instructions.js");

module.exports = grammar({
  name: "sil",

  // Spaces, and the lines of a body that hold nothing, separate only.
  extras: ($) => [/[ \t\r]/, $.comment, $.block_comment],

  word: ($) => $.identifier,

  rules: {
    source_file: ($) => repeat(choice($.stage, $.function, $.entity, $.scope, $.swift, "\n")),

    stage: () => seq("sil_stage", choice("raw", "canonical", "lowered"), "\n"),

    // A header without a body is a declaration.
    function: ($) => prec.right(seq("sil", $.header, choice("\n", $.body))),

    header: ($) => repeat1($._part),

    // `[%0: noescape **]`: an effect of an optimized function, before its blocks.
    effect_line: ($) => seq($.attribute, repeat($._part), "\n"),

    body: ($) => seq("{", repeat(choice("\n", $.block, $.instruction, $.effect_line)), "}"),

    block: ($) => prec.right(seq($.label, repeat(choice("\n", $.instruction)))),

    label: ($) => seq(field("name", choice($.label_name, $.identifier)), optional($.group), ":"),

    // At the margin: everything inside a body is indented.
    label_name: () => token(prec(3, /bb[0-9]+/)),

    instruction: ($) => seq(
      optional(seq(field("result", choice($.value, $.group)), "=")),
      field("name", $.opcode),
      repeat(choice($._operand, $.opcode)),
      "\n",
    ),

    opcode: () => choice(...instructions),

    entity: ($) => prec.right(seq(
      choice(
        "sil_vtable", "sil_witness_table", "sil_default_witness_table", "sil_default_override_table", "sil_global",
        "sil_property", "sil_coverage_map", "sil_moveonlydeinit", "sil_differentiability_witness",
      ),
      repeat1($._part),
      choice("\n", $.table),
    )),

    table: ($) => seq("{", repeat(choice("\n", $._part, $.table, alias($.label_name, $.block_name))), "}"),

    scope: ($) => seq("sil_scope", $.number, $.table),

    // One line of Swift.
    swift: () => seq(token(prec(-1, /[^\s{}s%\/][^\n]*|s[^i\n\/][^\n]*|si[^l\n][^\n]*|[{}]/)), "\n"),

    _part: ($) => choice($._atom, $.attribute, $.opcode),

    _operand: ($) => choice($._atom, $.attribute, alias($.label_name, $.block_name), $.table),

    _atom: ($) => choice(
      $.value, $.symbol, $.member, $.type_mark, $.string, $.number, $.identifier, $.group, $.generics,
      $.punctuation,
    ),

    group: ($) => seq("(", repeat(choice($._operand, $.opcode, "\n")), ")"),

    generics: ($) => seq("<", repeat(choice($._operand, $.opcode, "\n")), ">"),

    attribute: ($) => seq("[", repeat(choice($._operand, $.opcode, "\n")), "]"),

    value: () => token(/%[A-Za-z0-9_]+/),
    symbol: () => token(prec(1, choice(/@"(?:[^"\\\n]|\\.)*"/, /@[A-Za-z_$][A-Za-z0-9_$.]*/))),
    member: () => token(/#(?:"[^"\n]*"|[^\s,()\[\]{}:;<>"])+/),
    type_mark: () => token(/\$\*?/),
    string: () => token(/"(?:[^"\\\n]|\\[^\n])*"/),
    number: () => token(/-?[0-9][0-9A-Fa-fxX_.]*/),
    identifier: () => token(prec(-1, /[A-Za-z_`τ\u{80}-\u{10ffff}][A-Za-z0-9_`τ\u{80}-\u{10ffff}]*/u)),
    punctuation: () => token(prec(-3, /->|=>|\.\.\.|==|[.,:=*&!?~\/|+^;'\\-]/)),

    comment: () => token(prec(2, /\/\/[^\n]*/)),
    block_comment: () => token(prec(2, /\/\*[^*]*\*+(?:[^\/*][^*]*\*+)*\//)),
  },
});
