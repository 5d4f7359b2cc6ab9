import type { MergeFavor } from "../../core/engine/index.js";
import { createHead, type Head } from "./document.js";
import type { ShownConflict } from "./plan-document.js";

/** Result of an import or its dry run. */
export interface ImportDocument extends Head<"import"> {
  /** Whether this was a dry run, which writes nothing. */
  readonly dry_run: boolean;
  /** Objects that are now declared and managed. */
  readonly imported: readonly ImportedObject[];
  /** Objects whose `code` the user must paste. They are not managed yet. */
  readonly to_paste: readonly ImportedObject[];
  readonly code?: string;
  /** Files created or extended, relative to the project folder. */
  readonly files: readonly string[];
  /** Why some objects were not declared, as sentences. */
  readonly left_out: readonly string[];
}

export interface ImportedObject {
  readonly address: string;
  readonly id: string;
  readonly label: string;
  readonly file: string;
}

export function toImportDocument(facts: Omit<ImportDocument, "format" | "version">): ImportDocument {
  return { ...createHead("import"), ...facts };
}

/** Maximum number of messages to show if they differ only in names and ids. */
const maxSimilar = 3;

/**
 * Shortens the list of objects that were not declared. Messages that differ only in names and ids are counted after the
 * first few.
 */
export function summarizeLeftOut({ left_out: sentences }: Pick<ImportDocument, "left_out">): string[] {
  const similar = new Map<string, string[]>();
  for (const sentence of sentences) {
    // After an unclosed quote, such as in a service message, only ids are ignored.
    const shape = sentence.replace(/"(?:[^"\\]|\\.)*("?)|\([^()]*\)/g, (part, closing) =>
      closing === "" ? part.replace(/\([^()]*\)/g, "…") : "…",
    );
    similar.set(shape, [...(similar.get(shape) ?? []), sentence]);
  }
  return [...similar.values()].flatMap((all) => {
    const left = all.length - maxSimilar;
    if (left <= 0) return all;
    return [...all.slice(0, maxSimilar), `And ${left} more like these. \`--format json\` lists them all.`];
  });
}

export type PullDocument = ReturnType<typeof toPullDocument>;

/** A field whose live value was written to `file`, relative to the project folder. */
interface PulledField extends Readonly<Record<"address" | "field" | "file", string>> {
  /** Set if the live value was merged with the files' value. */
  readonly merged?: PulledMerge;
}

/** Numbers of edits taken from the dashboard and kept from the files. */
interface PulledMerge extends Readonly<Record<"dashboard" | "yours", number>> {
  /** How conflicts were resolved. Omitted if there were none. */
  readonly resolved?: MergeFavor;
  readonly conflicts?: readonly ShownConflict[];
}

/** A field that could not be pulled, or an entire object if `field` is missing. The reason is a sentence. */
interface RefusedPull {
  readonly address: string;
  readonly field?: string;
  readonly reason: string;
  /** Passages or values that both sides changed differently. */
  readonly conflicts?: readonly ShownConflict[];
}

/** Result of a pull or its dry run. */
export function toPullDocument(
  pulled: readonly PulledField[],
  refused: readonly RefusedPull[],
  { dryRun }: { readonly dryRun: boolean },
) {
  const files = [...new Set(pulled.map(({ file }) => file))];
  return { ...createHead("pull"), dry_run: dryRun, pulled, refused, files };
}
