import { Ajv, type ValidateFunction } from "ajv";
import { type DocumentName, documentNames, loadDocumentSchema } from "../../src/output/documents/index.js";

/** By the name of the document; strict: a key or a value that the schema does not have is a mistake. */
const validators = new Map<DocumentName, Promise<ValidateFunction>>();

/**
 * Throws if a document differs from its schema. Texts that are no such document are left alone, so that everything that a
 * command prints can be passed in.
 */
export async function expectDocumented(printed: string): Promise<void> {
  for (const document of documentsIn(printed)) {
    const name = documentNames.find((known) => document.format === `avatarops/${known}`);
    if (!name) continue;
    const validate = await validatorOf(name);
    if (validate(document)) continue;
    const mistakes = validate.errors?.map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
    throw new Error(`A ${name} document that its schema does not describe:\n${mistakes?.join("\n")}`);
  }
}

/** The schema of a document as a function that collects its complaints. */
export function validatorOf(name: DocumentName): Promise<ValidateFunction> {
  let validator = validators.get(name);
  if (!validator) {
    validator = loadDocumentSchema(name, { strict: true }).then((schema) =>
      new Ajv({ allErrors: true }).compile(schema),
    );
    validators.set(name, validator);
  }
  return validator;
}

function documentsIn(printed: string): readonly Record<string, unknown>[] {
  if (!printed.startsWith("{") || !printed.includes('"format": "avatarops/')) return [];
  try {
    return [JSON.parse(printed)];
  } catch {
    return [];
  }
}
