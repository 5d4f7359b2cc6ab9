import { type Head, head } from "./document.js";

/** What a pull wrote into the files, or would write. */
export interface PullDocument extends Head<"pull"> {
  /** A dry run: nothing was written. */
  readonly dry_run: boolean;
  readonly pulled: readonly PulledField[];
  readonly refused: readonly RefusedPull[];
  /** The files written, relative to the project folder, without duplicates. */
  readonly files: readonly string[];
}

/** A field whose live value was written into a file. */
export interface PulledField {
  readonly address: string;
  readonly field: string;
  /** Relative to the project folder. */
  readonly file: string;
}

/** What could not be pulled, and why, as a sentence. Without a field it is the whole object. */
export interface RefusedPull {
  readonly address: string;
  readonly field?: string;
  readonly reason: string;
}

export function pullDocument(
  pulled: readonly PulledField[],
  refused: readonly RefusedPull[],
  { dryRun }: { readonly dryRun: boolean },
): PullDocument {
  const files = [...new Set(pulled.map(({ file }) => file))];
  return { ...head("pull"), dry_run: dryRun, pulled, refused, files };
}
