import { malformed, notAllowed } from "../source-error.js";
import type { SourceContext } from "../source-kind.js";
import { dotenvLines, notEncrypted, type SopsFormat, yamlSettings } from "./document.js";

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
