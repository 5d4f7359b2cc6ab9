import type { PlanDocument, ShownDiagnostic, ShownField, ShownLine } from "../documents/index.js";
import type { PartialsView, ShownPartial } from "./partial-changes.js";
import type { Style } from "./span.js";

/*
 * Document content as plain data, printed as terminal text by `blocks-text.ts` and as Markdown for code hosts by
 * `blocks-markdown.ts`. Blocks contain raw text. The printers escape each piece according to its type. Use `textOnly`
 * and `markdownOnly` for blocks of only one format.
 */

export interface Piece {
  readonly text: string;
  /**
   * Origin and meaning of the text. "own" is written by avatarops. All other text is untrusted, such as a name from the
   * service: "name" is a name, "command" is a command to copy, and "sentence" may quote other untrusted text.
   */
  readonly is: "own" | "name" | "command" | "sentence";
  /** Terminal style. In Markdown, "strong" makes text written by avatarops bold. */
  readonly style?: Style | undefined;
}

export type Inline = readonly Piece[];

const createPieceFactory =
  (is: Piece["is"]) =>
  (text: string, style?: Style): Piece => ({ text, is, style });

/** Creates a piece of text written by avatarops. Never use it for text from a document. */
export const ownText = createPieceFactory("own");
export const name = createPieceFactory("name");
export const command = createPieceFactory("command");
export const sentence = createPieceFactory("sentence");

/** Creates a line from literal text and pieces. A plain string in `${…}` does not compile. */
export function inline(own: TemplateStringsArray, ...pieces: readonly (Piece | Inline)[]): Inline {
  return own.flatMap((text, at) => [...(text === "" ? [] : [ownText(text)]), ...[pieces[at] ?? []].flat()]);
}

/** Joins lines with a literal separator. */
export function joinInline(lines: readonly Inline[], separator: string): Inline {
  return lines.flatMap((line, at) => (at === 0 ? line : [ownText(separator), ...line]));
}

export type Block =
  | { readonly is: "heading"; readonly inline: Inline }
  /** Empty line in a terminal. Omitted at the top and after another empty line. */
  | { readonly is: "gap" }
  /** Paragraph. A terminal indents it by `indent` columns, and wrapped lines by `hanging` more. */
  | { readonly is: "paragraph"; readonly inline: Inline; readonly hanging: number; readonly indent: number }
  | List
  /** Blocks that are indented in a wide terminal. */
  | { readonly is: "indented"; readonly blocks: readonly Block[] }
  | Items
  | Facts
  /** Lines to copy, which are not wrapped. */
  | { readonly is: "lines"; readonly lines: readonly Inline[] }
  | Table
  | Findings
  | Difference
  /** Location of a declaration. Shown only in Markdown, which can link to it. */
  | { readonly is: "declared"; readonly at: ShownLine }
  | { readonly is: "only"; readonly in: "text" | "markdown"; readonly blocks: readonly Block[] };

/** Difference in a field. Markdown omits edits that are shown with another object in the plan. */
export interface Difference {
  readonly is: "difference";
  readonly field: ShownField;
  readonly plan?: PlanDocument;
  /** Partials printed above this block. Markdown omits edits that they already show. */
  readonly partials?: readonly ShownPartial[];
  /** Maximum number of lines of a new text to show in a terminal, and the command that prints the whole text. */
  readonly newText?: { readonly lines: number; readonly command: string };
}

/** List of entries. Markdown shows up to `maxEntries`, and a terminal shows all, one per line. */
export interface List {
  readonly is: "list" | "notes";
  readonly entries: readonly Inline[];
  readonly maxEntries: number;
  readonly noun: string;
}

/** Diagnostics and policy findings. Markdown shows up to `maxEntries`, or as many as fit if `maxEntries` is not set. */
export interface Findings {
  readonly is: "findings";
  readonly diagnostics: readonly ShownDiagnostic[];
  readonly policies: readonly ShownDiagnostic[];
  readonly maxEntries?: number;
}

/** Objects with their actions or results. Printed as columns in a terminal, and as a table and sections in Markdown. */
export interface Items {
  readonly is: "items";
  readonly items: readonly ListItem[];
  readonly noun: string;
  readonly titles: readonly string[];
  /** Width of the column with `word`, in terminal columns. */
  readonly width: number;
  /** Maximum number of sections to show open. If there are more, all are folded. */
  readonly maxOpenSections?: number;
  /** Command that shows everything, for sections that do not fit. */
  readonly command?: string;
  /** Heading and text to print above the sections with `isApart`. */
  readonly apart?: { readonly heading: string; readonly text: string };
  /** Partials to show above the items in Markdown. */
  readonly partials?: PartialsView;
}

export interface ListItem {
  /** Action or result, such as "update" or "created". */
  readonly word: string;
  /** Symbol before the word in a terminal, up to two columns. */
  readonly mark?: string | undefined;
  readonly style: Style;
  /** Whether the item needs attention. Markdown prints its status in bold, and lists it first. */
  readonly isOpen?: boolean;
  readonly name: Piece;
  /** Display name. */
  readonly label?: string;
  /** Pieces next to the name and label in a terminal. */
  readonly beside: readonly (Piece | undefined)[];
  /** Cells after the name and label in Markdown. */
  readonly cells: readonly Inline[];
  /** Blocks below the item in a terminal. */
  readonly below?: readonly Block[];
  /** Reasons, printed below the item in a terminal, and below the table in Markdown. */
  readonly remarks?: readonly { readonly text: string; readonly code?: string }[];
  /** Details in Markdown. With `isApart`, they come after all other sections. */
  readonly section?: readonly Block[];
  readonly isApart?: boolean;
}

/** Pairs of a name and an untrusted value. A terminal shows them in two columns. */
export interface Facts {
  readonly is: "facts";
  readonly facts: readonly Fact[];
}

/** Name and value. A name without a style is dim in a terminal. */
export type Fact = readonly [name: string, value: string, style?: Style];

export interface Table {
  readonly is: "table";
  readonly columns: readonly TableColumn[];
  readonly rows: readonly (readonly string[])[];
  /** Maximum width of text in a terminal. Default: unlimited. */
  readonly maxTextWidth?: number;
  /** Whether a narrow terminal shows the first column above the others instead of dropping the table layout. */
  readonly isGrouped?: boolean;
  /** Whether Markdown may drop rows from the end to fit the size limit. */
  readonly isCut?: boolean;
}

export interface TableColumn {
  readonly title: string;
  /** Whether the cell contains untrusted text, text written by avatarops, or a number. */
  readonly is: "untrusted" | "own" | "number";
}

export function heading(...line: readonly Piece[]): Block {
  return { is: "heading", inline: line };
}

export const gap: Block = { is: "gap" };

export function paragraph(line: Inline, hanging = 0, indent = 0): Block {
  return { is: "paragraph", inline: line, hanging, indent };
}

export function facts(entries: readonly Fact[]): Block {
  return { is: "facts", facts: entries };
}

export function lines(...texts: readonly Inline[]): Block {
  return { is: "lines", lines: texts };
}

export function bulletList(
  entries: readonly Inline[],
  maxEntries = Number.POSITIVE_INFINITY,
  noun = "entry",
): Block {
  return { is: "list", entries, maxEntries, noun };
}

/** Creates notes on the document as a whole. */
export function notes(entries: readonly Inline[]): Block {
  return { is: "notes", entries, maxEntries: 10, noun: "note" };
}

export function textOnly(...blocks: readonly Block[]): Block {
  return { is: "only", in: "text", blocks };
}

export function markdownOnly(...blocks: readonly Block[]): Block {
  return { is: "only", in: "markdown", blocks };
}
