import { isMapping } from "../../../base/text/index.js";
import { malformed, notAllowed, notFound } from "../source-error.js";
import type { SourceContext } from "../source-kind.js";
import { decoded } from "../text.js";

/** The formats of SOPS that have fields, and `binary`: a whole file as one value. */
export type SopsFormat = "yaml" | "json" | "dotenv" | "binary";

/** The format of a file, by its name as SOPS itself has it. */
export function detectFormat(path: string): SopsFormat {
  const [, extension = ""] = /\.([a-z]+)$/.exec(path) ?? [];
  const formats: Readonly<Record<string, SopsFormat>> = {
    yaml: "yaml",
    yml: "yaml",
    json: "json",
    env: "dotenv",
  };
  return Object.hasOwn(formats, extension) ? (formats[extension] ?? "binary") : "binary";
}

const encrypted = /^ENC\[AES256_GCM,data:[^,\]]*,iv:[^,\]]*,tag:[^,\]]*,type:([a-z]+)\]$/;

/**
 * The encrypted text of a field, which can be read without a key.
 *
 * @throws the problem in words, if there is no such field, or if it is not an encrypted text.
 */
export async function encryptedField(bytes: Uint8Array, format: SopsFormat, field: string): Promise<string> {
  const { sops, ...fields } = await fieldsIn(bytes, format);
  if (typeof sops !== "object" && typeof fields.sops_mac !== "string") throw malformed(notEncrypted);
  const found = fieldAt(fields, field);
  if (found === undefined) throw notFound("does not exist: the file has no such field. Correct its name.");
  const [, type] = (typeof found === "string" && encrypted.exec(found)) || [];
  if (typeof found === "object" && found !== null)
    throw malformed("is not one value. Name a field in it, as in `llm.api_key`.");
  if (type === undefined)
    throw malformed(
      "is not encrypted in the file. Encrypt it: what is in git can be read by all who can read the repository.",
    );
  if (type !== "str" && type !== "bytes")
    throw malformed("is not a text. Put it in quotes in the file (`sops edit`).");
  return String(found);
}

const notEncrypted =
  "cannot be read: the file is not one that SOPS has encrypted. Encrypt it: `sops encrypt --in-place FILE`.";

/**
 * What is at a path of keys joined by dots, as `llm.api_key`; a number is a place in a list. A key may itself contain
 * dots.
 */
export function fieldAt(tree: unknown, path: string): unknown {
  if (typeof tree !== "object" || tree === null) return undefined;
  if (Object.hasOwn(tree, path)) return tree[path as keyof typeof tree];
  for (let dot = path.indexOf("."); dot >= 0; dot = path.indexOf(".", dot + 1)) {
    const key = path.slice(0, dot);
    const found = Object.hasOwn(tree, key)
      ? fieldAt(tree[key as keyof typeof tree], path.slice(dot + 1))
      : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

async function fieldsIn(bytes: Uint8Array, format: SopsFormat): Promise<Readonly<Record<string, unknown>>> {
  const text = decoded(bytes);
  const tree = text === undefined ? undefined : await parsed(text, format);
  if (!isMapping(tree)) throw malformed(notEncrypted);
  return tree;
}

/** To look for repeated keys takes quadratic time. */
const yamlSettings = { uniqueKeys: false, prettyErrors: false, logLevel: "silent" } as const;

async function parsed(text: string, format: SopsFormat): Promise<unknown> {
  try {
    if (format === "dotenv") return dotenvFields(text);
    // SOPS writes a file without fields as JSON, with its bytes in one field.
    if (format !== "yaml") return JSON.parse(text);
    const { parse } = await import("yaml");
    return parse(text, yamlSettings);
  } catch {
    return undefined;
  }
}

/** What SOPS adds has names of its own. */
function dotenvFields(text: string): Record<string, unknown> {
  const all = dotenvLines(text);
  const [added, own] = [true, false].map((is) => all.filter(([name]) => name.startsWith("sops_") === is));
  return { ...Object.fromEntries(own ?? []), ...(added?.length ? { sops: Object.fromEntries(added) } : {}) };
}

function dotenvLines(text: string): (readonly [name: string, value: string])[] {
  const lines = text.split("\n").filter((line) => line.includes("=") && !line.startsWith("#"));
  return lines.map((line) => {
    const equals = line.indexOf("=");
    return [line.slice(0, equals), line.slice(equals + 1).replace(/\r$/, "")] as const;
  });
}

/**
 * The master keys of a file are named in it, unencrypted, and `sops` logs in to their services with what it finds on
 * this machine. Refuses a file with an address to which no credentials are sent, or with a path that leads from a key to
 * something else.
 *
 * Looks at every key of the file, wherever it stands, and also where it is repeated: where sops finds its own depends on
 * that and on the spelling, and values that it has encrypted cannot be mistaken for an address.
 *
 * @throws SourceError
 */
export async function checkMasterKeys(
  text: string,
  format: SopsFormat,
  context: SourceContext,
): Promise<void> {
  if (format === "dotenv") {
    for (const [key, value] of dotenvLines(text)) checkEntry(key, value, context);
    return;
  }
  const { isScalar, parseDocument, visit } = await import("yaml");
  // JSON is YAML, too.
  const document = parseDocument(text, yamlSettings);
  const notSops = malformed(notEncrypted);
  if (document.errors.length > 0) throw notSops;
  visit(document, {
    // SOPS writes none.
    Alias() {
      throw notSops;
    },
    Pair(_, { key, value }) {
      if (isScalar(key)) checkEntry(String(key.value), isScalar(value) ? String(value.value) : "", context);
    },
  });
}

function checkEntry(key: string, value: string, context: SourceContext): void {
  // Without case, as sops compares them: ſ is an s, too.
  const name = key
    .toUpperCase()
    .toLowerCase()
    .replace(/^sops_.*__map_/s, "");
  if (["vault_address", "vault_url", "arn", "key_id"].includes(name) && !isKeyOfCloud(name, value))
    context.checkAddress(value, "source");
  if (["engine_path", "key_name"].includes(name) && value.split("/").includes(".."))
    throw notAllowed(
      `cannot be read: its ${name} ${JSON.stringify(value)} leads to something else than a key. Remove that key from the file.`,
    );
}

/** Or an encrypted value. */
function isKeyOfCloud(name: string, value: string): boolean {
  if (value.startsWith("ENC[")) return true;
  // In both, the region is a part of the host's name.
  return name === "arn"
    ? /^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d+:(?:key|alias)\/[^:\s]+(?:\+arn:aws[a-z-]*:iam::\d+:role\/\S+)?$/.test(
        value,
      )
    : name === "key_id" && /^[a-z0-9-]+:[a-z0-9-]+$/i.test(value);
}
