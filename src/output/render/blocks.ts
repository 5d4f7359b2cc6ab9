import type { PlanDocument, ShownDiagnostic, ShownField, ShownLine } from "../documents/index.js";
import type { PartialsView, ShownPartial } from "./partial-changes.js";
import type { Style } from "./span.js";

/*
 * What a document says, as plain data: it is described once, and printed as text for a terminal (`blocks-text.ts`) and
 * as Markdown for code hosts (`blocks-markdown.ts`). Blocks hold raw text. The printers alone make it safe, and each
 * piece says what it is, so that no description can forget it. Where text and Markdown differ, the blocks of one of
 * them are put into `inText` or `inMarkdown`.
 */

export interface Piece {
  readonly text: string;
  /**
   * Our own words; a foreign name, which is code in Markdown; a command to copy; or a foreign sentence, of which only plain
   * words stay plain in Markdown.
   */
  readonly is: "ours" | "name" | "command" | "sentence";
  /** In a terminal. Our words that are strong are bold in Markdown, too. */
  readonly style?: Style | undefined;
}

export type Words = readonly Piece[];

const pieceThatIs =
  (is: Piece["is"]) =>
  (text: string, style?: Style): Piece => ({ text, is, style });

/** Our own words; never text from a document. */
export const ours = pieceThatIs("ours");
export const name = pieceThatIs("name");
export const command = pieceThatIs("command");
export const sentence = pieceThatIs("sentence");

/** A line of our own words and pieces: a plain string between them does not compile. */
export function words(own: TemplateStringsArray, ...pieces: readonly (Piece | Words)[]): Words {
  return own.flatMap((text, at) => [...(text === "" ? [] : [ours(text)]), ...[pieces[at] ?? []].flat()]);
}

/** Lines as one, with our words between them. */
export function joined(lines: readonly Words[], separator: string): Words {
  return lines.flatMap((line, at) => (at === 0 ? line : [ours(separator), ...line]));
}

export type Block =
  | { readonly is: "heading"; readonly words: Words }
  /** An empty line in a terminal, unless there is one or nothing is above it. */
  | { readonly is: "gap" }
  /** In a terminal, it is indented by so much, and its further lines by so much more. */
  | { readonly is: "paragraph"; readonly words: Words; readonly hanging: number; readonly indent: number }
  | List
  /** In a terminal, below what is before it, if there is room. */
  | { readonly is: "indented"; readonly blocks: readonly Block[] }
  | Items
  | Facts
  /** Lines to copy: they are never wrapped. */
  | { readonly is: "lines"; readonly lines: readonly Words[] }
  | Table
  | Findings
  | Difference
  /** Where something is declared; only in Markdown, which can link it. */
  | { readonly is: "declared"; readonly at: ShownLine }
  | { readonly is: "only"; readonly in: "text" | "markdown"; readonly blocks: readonly Block[] };

/** The difference of a field; in Markdown without the edits that another object of its plan is shown with. */
export interface Difference {
  readonly is: "difference";
  readonly field: ShownField;
  readonly plan?: PlanDocument;
  /** Shown above: their edits are left out in Markdown. */
  readonly partials?: readonly ShownPartial[];
  /** In a terminal, a new text is shown with up to `lines` lines; `command` prints all of it. */
  readonly newText?: { readonly lines: number; readonly command: string };
}

/** A list in Markdown, of which `most` entries are shown, and lines in a terminal, marked as notes if they are that. */
export interface List {
  readonly is: "list" | "notes";
  readonly entries: readonly Words[];
  readonly most: number;
  readonly noun: string;
}

/** Diagnostics, and what policies say; in Markdown up to `most`, otherwise as many as there is room for. */
export interface Findings {
  readonly is: "findings";
  readonly diagnostics: readonly ShownDiagnostic[];
  readonly policies: readonly ShownDiagnostic[];
  readonly most?: number;
}

/** Objects, of each what is or was done with it: lines with columns in a terminal; a table and sections in Markdown. */
export interface Items {
  readonly is: "items";
  readonly items: readonly Item[];
  readonly noun: string;
  /** Titles of the columns. */
  readonly titles: readonly string[];
  /** In a terminal, of the column of what is done. */
  readonly width: number;
  /** Up to so many sections are open. */
  readonly mostOpen?: number;
  /** Where there are sections: shows everything, if there is no room. */
  readonly command?: string;
  /** Above the sections that are apart; our words. */
  readonly apart?: { readonly heading: string; readonly text: string };
  /** In Markdown, above the items. */
  readonly partials?: PartialsView;
}

export interface Item {
  /** What is or was done: "update", "created". */
  readonly word: string;
  /** Before the word in a terminal, up to two columns. */
  readonly mark?: string | undefined;
  readonly style: Style;
  /** In Markdown, its word is bold, and its row comes first. */
  readonly isOpen?: boolean;
  readonly name: Piece;
  /** The name that people see. */
  readonly label?: string;
  /** In a terminal, beside name and label. */
  readonly beside: readonly (Piece | undefined)[];
  /** In Markdown, the cells after name and label. */
  readonly cells: readonly Words[];
  /** In a terminal, below it. */
  readonly below?: readonly Block[];
  /** Why it is so: below it in a terminal, and below the table in Markdown. */
  readonly remarks?: readonly { readonly text: string; readonly code?: string }[];
  /** In Markdown, its details; `isApart`: they come after the others. */
  readonly section?: readonly Block[];
  readonly isApart?: boolean;
}

/** Names and foreign values; in a terminal, in two columns. */
export interface Facts {
  readonly is: "facts";
  readonly facts: readonly Fact[];
}

/** In a terminal, a name without a style is dim. */
export type Fact = readonly [name: string, value: string, style?: Style];

export interface Table {
  readonly is: "table";
  readonly columns: readonly TableColumn[];
  readonly rows: readonly (readonly string[])[];
  /** In a terminal, the cells that a text may have. Default: as many as it has. */
  readonly widest?: number;
  /** In Markdown, the last rows go if there is no room. */
  readonly isCut?: boolean;
}

export interface TableColumn {
  readonly title: string;
  /** Foreign text, our own words, or a number. */
  readonly is: "foreign" | "ours" | "number";
}

export function heading(...line: readonly Piece[]): Block {
  return { is: "heading", words: line };
}

export const gap: Block = { is: "gap" };

export function paragraph(line: Words, hanging = 0, indent = 0): Block {
  return { is: "paragraph", words: line, hanging, indent };
}

export function facts(entries: readonly Fact[]): Block {
  return { is: "facts", facts: entries };
}

export function lines(...texts: readonly Words[]): Block {
  return { is: "lines", lines: texts };
}

export function list(entries: readonly Words[], most = Number.POSITIVE_INFINITY, noun = "entry"): Block {
  return { is: "list", entries, most, noun };
}

/** What is to be known of the whole. */
export function notes(entries: readonly Words[]): Block {
  return { is: "notes", entries, most: 10, noun: "note" };
}

export function inText(...blocks: readonly Block[]): Block {
  return { is: "only", in: "text", blocks };
}

export function inMarkdown(...blocks: readonly Block[]): Block {
  return { is: "only", in: "markdown", blocks };
}
