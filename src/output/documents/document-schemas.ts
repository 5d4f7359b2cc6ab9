/** Documents with a JSON Schema, in display order. */
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

/** Returns the path to a document's schema in the package. The file name contains the document's version. */
export function getSchemaFile(name: DocumentName): string {
  return `schemas/${name}-v1.schema.json`;
}

/**
 * Returns a document's JSON Schema in draft 7, which most validators and OPA support. Allows unknown keys and enum
 * values of later releases, except with `strict`.
 */
export async function loadDocumentSchema(
  name: DocumentName,
  options: { readonly strict?: boolean } = {},
): Promise<Readonly<Record<string, unknown>>> {
  const { buildSchema } = await import("./schemas/index.js");
  return buildSchema(name, options);
}
