import type { SourceContext } from "../source-kind.js";
import type { SopsFormat } from "./document.js";

/**
 * The services whose keys a file is encrypted with are named in the file, unencrypted, and `sops` logs in to them with
 * what it finds on this machine. Refuses a file that names an address to which no credentials are sent.
 *
 * Looks at every key of the file, wherever it stands: where sops finds its own depends on merge keys of YAML, on
 * repeated keys of JSON and on the spelling of keys, and values that it has encrypted cannot be mistaken for an address.
 *
 * @throws SourceError
 */
export async function checkKeyServices(
  text: string,
  format: SopsFormat,
  context: SourceContext,
): Promise<void> {
  for (const [key, value] of await entriesIn(text, format)) {
    if (typeof value === "string" && value.startsWith("ENC[")) continue;
    const name = key.toLowerCase().replace(/^sops_.*__map_/, "");
    if (!["vault_address", "vault_url", "arn", "key_id"].includes(name)) continue;
    const written = typeof value === "string" ? value : JSON.stringify(value);
    // In both, the region is a part of the host's name.
    const isKey =
      name === "arn"
        ? /^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d+:(?:key|alias)\/[^:\s]+(?:\+arn:aws[a-z-]*:iam::\d+:role\/\S+)?$/.test(
            written,
          )
        : name === "key_id" && /^[a-z0-9-]+:[a-z0-9-]+$/i.test(written);
    if (!isKey) context.checkAddress(written, "source");
  }
}

type Entries = readonly (readonly [key: string, value: unknown])[];

async function entriesIn(text: string, format: SopsFormat): Promise<Entries> {
  if (format === "dotenv") {
    const lines = text.split(/\r?\n/).map((line) => /^([^=]*)=(.*)$/.exec(line));
    return lines.map((line) => [line?.[1] ?? "", line?.[2]]);
  }
  if (format !== "yaml") return entriesOfJson(text);
  const { parse } = await import("yaml");
  return entriesOf(parse(text, { prettyErrors: false, logLevel: "silent" }));
}

function entriesOf(value: unknown, seen = new Set<unknown>()): Entries {
  if (typeof value !== "object" || value === null || seen.has(value)) return [];
  seen.add(value);
  return Object.entries(value).flatMap(([key, inner]) => [[key, inner] as const, ...entriesOf(inner, seen)]);
}

/** Of valid JSON, with those of repeated keys, of which a parser keeps the last. */
function entriesOfJson(text: string): Entries {
  // What does not end is a token, too: no character is looked at twice.
  const tokens = text.match(/"(?:[^"\\]|\\[\s\S])*(?:"|\\?$)|:|[^\s":]+/g) ?? [];
  const stringAt = (at: number) => (tokens[at]?.startsWith('"') ? JSON.parse(tokens[at]) : undefined);
  return tokens.flatMap((token, at) =>
    token === ":" ? [[stringAt(at - 1), stringAt(at + 1)] as const] : [],
  );
}
