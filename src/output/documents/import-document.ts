import { type Head, head } from "./document.js";

/** What an import declared, or would declare. */
export interface ImportDocument extends Head<"import"> {
  /** A dry run: nothing was written. */
  readonly dry_run: boolean;
  /** The objects that are now declared and managed. */
  readonly imported: readonly ImportedObject[];
  /** The objects whose `code` the user must paste; they are not managed yet. */
  readonly to_paste: readonly ImportedObject[];
  readonly code?: string;
  /** The files created or extended, relative to the project folder. */
  readonly files: readonly string[];
  /** What was not declared, and why, as sentences. */
  readonly left_out: readonly string[];
}

export interface ImportedObject {
  readonly address: string;
  readonly id: string;
  readonly label: string;
  readonly file: string;
}

export function importDocument(facts: Omit<ImportDocument, "format" | "version">): ImportDocument {
  return { ...head("import"), ...facts };
}

export type PullDocument = ReturnType<typeof pullDocument>;

/** A field whose live value was written into a file, which is relative to the project folder. */
type PulledField = Readonly<Record<"address" | "field" | "file", string>>;

/** What could not be pulled, and why, as a sentence. Without a field it is the whole object. */
interface RefusedPull {
  readonly address: string;
  readonly field?: string;
  readonly reason: string;
}

/** What a pull wrote into the files; in a dry run, what it would write. */
export function pullDocument(
  pulled: readonly PulledField[],
  refused: readonly RefusedPull[],
  { dryRun }: { readonly dryRun: boolean },
) {
  const files = [...new Set(pulled.map(({ file }) => file))];
  return { ...head("pull"), dry_run: dryRun, pulled, refused, files };
}
