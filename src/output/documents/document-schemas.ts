/** The documents that have a JSON Schema, in the order in which they are named. */
export const documentNames = [
  "plan",
  "outcome",
  "drift",
  "diagnostics",
  "projects",
  "sessions-report",
  "smoke",
  "notice",
] as const;

export type DocumentName = (typeof documentNames)[number];

/** The file of a schema in the package; its version is that of the document. */
export function schemaFile(name: DocumentName): string {
  return `schemas/${name}-v1.schema.json`;
}

/**
 * JSON Schema of a document; draft 7, which most validators and OPA support. It accepts keys that it does not know, and
 * values of sets that may grow, because a later avatarops may write them in a document of the same version. With
 * `strict` it accepts only what this one writes.
 */
export async function documentSchema(
  name: DocumentName,
  options: { readonly strict?: boolean } = {},
): Promise<Readonly<Record<string, unknown>>> {
  const { buildSchema } = await import("./schemas/index.js");
  return buildSchema(name, options);
}
