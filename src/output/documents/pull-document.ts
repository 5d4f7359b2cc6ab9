import { head } from "./document.js";

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
