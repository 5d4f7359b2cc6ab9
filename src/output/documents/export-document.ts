import { head } from "./document.js";

interface ExportFacts {
  /** Base URL of the service. */
  readonly service: string;
  /** The files written, relative to the project folder. */
  readonly files: readonly string[];
  readonly objects: readonly Readonly<Record<"address" | "id" | "label", string>>[];
  /** What the project lacks, and why, as sentences. */
  readonly left_out: readonly string[];
}

/** A project exported from an account. */
export function exportDocument(facts: ExportFacts) {
  return { ...head("export"), ...facts };
}
