import { Ajv, type ValidateFunction } from "ajv";
import { type DocumentName, documentNames, loadDocumentSchema } from "../../src/output/documents/index.js";

/** Strict validators by document name, which reject keys and values that are missing from the schema. */
const validators = new Map<DocumentName, Promise<ValidateFunction>>();

/**
 * Throws if a document does not match its schema. Ignores other output, so tests can pass a command's entire stdout.
 */
export async function expectDocumented(printed: string): Promise<void> {
  for (const document of parseDocuments(printed)) {
    const name = documentNames.find((known) => document.format === `avatarops/${known}`);
    if (!name) continue;
    const validate = await compileValidator(name);
    if (validate(document)) continue;
    const mistakes = validate.errors?.map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
    throw new Error(`A ${name} document that its schema does not describe:\n${mistakes?.join("\n")}`);
  }
}

export function compileValidator(name: DocumentName): Promise<ValidateFunction> {
  let validator = validators.get(name);
  if (!validator) {
    validator = loadDocumentSchema(name, { strict: true }).then((schema) =>
      new Ajv({ allErrors: true }).compile(schema),
    );
    validators.set(name, validator);
  }
  return validator;
}

function parseDocuments(printed: string): readonly Record<string, unknown>[] {
  if (!printed.startsWith("{") || !printed.includes('"format": "avatarops/')) return [];
  try {
    return [JSON.parse(printed)];
  } catch {
    return [];
  }
}
