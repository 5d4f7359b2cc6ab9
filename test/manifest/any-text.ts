import fc from "fast-check";

const pieces = [
  ..."\uFEFF|\r\n|\r|\n|---\n|---|...|\u0000|\u2028|\u2029|\u0085|\ud800|\udfff|\ufffe|name: T|```|%YAML 1.2".split(
    "|",
  ),
  ...[
    "!file x",
    "&a",
    "*a",
    "\t",
    " ",
    "#",
    " #",
    ": ",
    "'",
    '"',
    "- ",
    "|",
    "${x}",
    "é",
    "a",
    "\\",
    "%",
    "{",
    "]",
  ],
];

/** Arbitrary Unicode strings with lone surrogates and sequences that are special in files and formats. */
export const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc
    .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: "binary", maxLength: 3 })), {
      maxLength: 12,
    })
    .map((parts) => parts.join("")),
);

/** Converts line endings to line feeds, as reading a file does. */
export const normalizeLineEnds = (text: string) => text.replace(/\r+\n/g, "\n");
