import { type Head, head } from "./document.js";

/** What was declared of an account, or would be. */
export interface ImportDocument extends Head<"import"> {
  /** Nothing was written: it is what would be. */
  readonly dry_run: boolean;
  /** The objects that are declared and managed now. */
  readonly imported: readonly ImportedObject[];
  /** The objects for which `code` is to be pasted; they are not managed yet. */
  readonly to_paste: readonly ImportedObject[];
  readonly code?: string;
  /** The files that were made or added to, relative to the project folder. */
  readonly files: readonly string[];
  /** What was not declared, and why: sentences. */
  readonly left_out: readonly string[];
}

/** An object and the file it is declared in. */
export interface ImportedObject {
  readonly address: string;
  readonly id: string;
  readonly label: string;
  readonly file: string;
}

/** The document of an import that writes into the files. */
export function importDocument(facts: Omit<ImportDocument, "format" | "version">): ImportDocument {
  return { ...head("import"), ...facts };
}
