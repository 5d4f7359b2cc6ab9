import { type Head, head } from "./document.js";

/** A project exported from an account. */
export interface ExportDocument extends Head<"export"> {
  /** Of the service. */
  readonly service: string;
  /** The files written, relative to the project folder. */
  readonly files: readonly string[];
  readonly objects: readonly ExportedObject[];
  /** What the project lacks, and why, as sentences. */
  readonly left_out: readonly string[];
}

export interface ExportedObject {
  readonly address: string;
  readonly id: string;
  readonly label: string;
}

export function exportDocument(facts: Omit<ExportDocument, "format" | "version">): ExportDocument {
  const { service, files, objects, left_out } = facts;
  return {
    ...head("export"),
    service,
    files,
    objects: objects.map(({ address, id, label }) => ({ address, id, label })),
    left_out,
  };
}
