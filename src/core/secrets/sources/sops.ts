import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { isMapping, parseJson } from "../../../base/text/index.js";
import { readProjectFile } from "../project-file.js";
import { SourceProblem } from "../source-error.js";
import type { FieldsIn, SourceContext, SourceFields, SourceKind } from "../source-kind.js";
import { decodeUtf8 } from "../text.js";
import { runProgram } from "./env-file-exec.js";

const fields = {
  path: {
    type: "file",
    required: true,
    description: "Path of the encrypted file: YAML, JSON or .env, or another file encrypted as a whole.",
  },
  field: {
    type: "string",
    description:
      "Dotted path of the value, such as `llm.api_key`. Required unless the file was encrypted as a whole.",
  },
} as const satisfies SourceFields;

/** Fields of `!sops`. */
export type SopsFields = FieldsIn<typeof fields>;

/**
 * A value in a project file encrypted with SOPS. Its version is a digest of the encrypted value, which SOPS keeps when
 * other values change. So reading the version requires neither a key nor the program.
 */
export const sops: SourceKind<SopsFields> = {
  name: "sops",
  title: "SOPS file",
  fields,
  shorthand: {
    example: "!sops secrets/production.yaml#llm.api_key",
    meaning: "a file path, # and the path of a value",
    read(written) {
      const [, path, field] = (typeof written === "string" && /^([^#]+)(?:#([^#]+))?$/.exec(written)) || [];
      return path === undefined ? undefined : { path, ...(field !== undefined && { field }) };
    },
  },
  check({ path, field }) {
    if (detectFormat(path) === "binary")
      return field && "names a field, which SOPS supports only in .yaml, .yml, .json and .env files.";
    return field ? undefined : `has no field. Write !sops ${path}#llm.api_key.`;
  },
  describe: ({ path, field }) => `SOPS file ${path}${field === undefined ? "" : `, field ${field}`}`,
  rights: {
    value: "a key for the file, such as `SOPS_AGE_KEY`",
    version: "none (the version is in the file)",
  },
  async read(source, context) {
    const { version, digest, format } = await readEncrypted(source, context);
    const content = await context.connection(`${source.path} ${digest}`, () =>
      decrypt(source.path, format, context),
    );
    const value = source.field === undefined ? content : findField(content, source.field);
    if (typeof value === "string" || value instanceof Uint8Array) return { value, version };
    throw new SourceProblem(
      "malformed",
      "cannot be read: sops did not print the decrypted value. Run `sops decrypt FILE` to see its output.",
    );
  },
  versionChecksField: true,
  version: async (source, context) => (await readEncrypted(source, context)).version,
};

type Format = "yaml" | "json" | "dotenv" | "binary";

/** Detects the format by the file extension, as SOPS does. */
function detectFormat(path: string): Format {
  const [, ending = ""] = /\.([a-z]+)$/.exec(path) ?? [];
  return ({ yaml: "yaml", yml: "yaml", json: "json", env: "dotenv" } as const)[ending] ?? "binary";
}

/** Reads the encrypted value's version. Rejects a file that would send credentials to a host that is not allowed. */
async function readEncrypted({ path, field = "data" }: SopsFields, context: SourceContext) {
  const bytes = await readProjectFile(path, context, fileLimit);
  const format = detectFormat(path);
  const digest = createHash("sha256").update(bytes).digest("hex");
  // Parses once for all values in the file, because that takes a second for the largest files.
  const { tree, entries } = await context.connection(`parsed ${path} ${digest}`, () =>
    parseEncrypted(decodeUtf8(bytes) ?? "", format),
  );
  if (/^sops(?:[._]|$)/.test(field)) throw new SourceProblem("malformed", notEncrypted);
  for (const [key, value] of entries) checkMasterKey(key, value, context);
  const value = findField(tree, field);
  if (value === undefined)
    throw new SourceProblem("not-found", "does not exist in the file. Correct the field.");
  if (typeof value !== "string" || !/^ENC\[AES256_GCM,.*,type:(?:str|bytes)\]$/.test(value))
    throw new SourceProblem(
      "malformed",
      "is not an encrypted string. Put it in quotes, and encrypt it with `sops edit`.",
    );
  return { digest, format, version: createHash("sha256").update(value).digest("hex").slice(0, 16) };
}

/** Limit for the encrypted file and for its decrypted text. */
const fileLimit = {
  bytes: 1024 * 1024,
  problem: "is in a file that is larger than 1 MB. Move the value to a smaller SOPS file.",
};

/** Parses an encrypted file, and lists its entries. @throws SourceProblem if it is not encrypted */
async function parseEncrypted(text: string, format: Format) {
  const variables = format === "dotenv" ? listDotenvEntries(text) : undefined;
  const tree: unknown = variables ? Object.fromEntries(variables) : await parseTree(text);
  const isSops = isMapping(tree) && (isMapping(tree.sops) || typeof tree.sops_mac === "string");
  if (!isSops) throw new SourceProblem("malformed", notEncrypted);
  return { tree, entries: variables ?? (await listEntries(text)) };
}

const notEncrypted =
  "cannot be read: the file is not encrypted with SOPS. Encrypt it with `sops encrypt --in-place FILE`.";

/** Repeated keys are allowed, because checking for them takes quadratic time. */
const yamlOptions = { uniqueKeys: false, prettyErrors: false, logLevel: "silent" } as const;

async function parseTree(text: string): Promise<unknown> {
  const { parse } = await import("yaml");
  try {
    // YAML includes JSON.
    return parse(text, yamlOptions);
  } catch {
    return undefined;
  }
}

/**
 * Lists every key in the file with its scalar value. Our checks need all of them, because SOPS accepts its own keys in
 * several spellings.
 */
async function listEntries(text: string): Promise<(readonly [key: string, value: string])[]> {
  const { isScalar, parseDocument, visit } = await import("yaml");
  const document = parseDocument(text, yamlOptions);
  const found: (readonly [string, string])[] = [];
  visit(document, {
    // SOPS never writes aliases. They could hide a value from these checks.
    Alias() {
      throw new SourceProblem("malformed", notEncrypted);
    },
    Pair(_, { key, value }) {
      if (isScalar(key)) found.push([String(key.value), isScalar(value) ? String(value.value) : ""]);
    },
  });
  return found;
}

function listDotenvEntries(text: string): (readonly [key: string, value: string])[] {
  return text.split("\n").flatMap((line) => {
    const equals = line.indexOf("=");
    if (equals === -1 || line.startsWith("#")) return [];
    return [[line.slice(0, equals), line.slice(equals + 1).replace(/\r$/, "")] as const];
  });
}

/**
 * Checks an entry of the file that may name a key service. `sops` would log in there with this machine's credentials.
 *
 * @throws SourceProblem
 */
function checkMasterKey(key: string, value: string, context: SourceContext): void {
  // SOPS ignores case by Unicode's rules, so ſ equals s.
  const name = key
    .toUpperCase()
    .toLowerCase()
    .replace(/^sops_.*__map_/s, "");
  if (value.startsWith("ENC[")) return;
  const isAddress = ["vault_address", "vault_url", "arn", "key_id"].includes(name);
  if (isAddress && !isCloudKey(name, value)) context.checkAddress(value, "source");
  if (["engine_path", "key_name"].includes(name) && value.split("/").includes(".."))
    throw new SourceProblem(
      "not-allowed",
      `cannot be read: its ${name} ${JSON.stringify(value)} contains "..". Remove it from the file.`,
    );
}

/** Returns whether a value identifies a key in AWS or Huawei Cloud, where the region is part of the host name. */
function isCloudKey(name: string, value: string): boolean {
  return name === "arn"
    ? /^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d+:(?:key|alias)\/[^:\s]+(?:\+arn:aws[a-z-]*:iam::\d+:role\/\S+)?$/.test(
        value,
      )
    : name === "key_id" && /^[a-z0-9-]+:[a-z0-9-]+$/i.test(value);
}

/** Finds a value by its dotted path. Keys may contain dots themselves, and numbers are list indexes. */
function findField(tree: unknown, path: string): unknown {
  if (typeof tree !== "object" || tree === null) return undefined;
  if (Object.hasOwn(tree, path)) return tree[path as keyof typeof tree];
  for (let dot = path.indexOf("."); dot >= 0; dot = path.indexOf(".", dot + 1)) {
    const key = path.slice(0, dot);
    if (!Object.hasOwn(tree, key)) continue;
    const found = findField(tree[key as keyof typeof tree], path.slice(dot + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Environment variables passed to `sops`: its keys and logins, proxies, and variables that any program needs. */
const allowedVariables =
  /^(?:(?:SOPS|VAULT|AWS|AZURE|GOOGLE|CLOUDSDK|HUAWEICLOUD|XDG|SSL_CERT)_\w+|GNUPGHOME|(?:HTTPS?|NO|ALL)_PROXY|PATH|PATHEXT|HOME|USERPROFILE|APPDATA|LOCALAPPDATA|SYSTEMROOT|TMPDIR|TEMP|TMP)$/i;

/** Decrypts the whole file. Called once per run for all values in the file. */
async function decrypt(path: string, format: Format, context: SourceContext): Promise<unknown> {
  const output = format === "binary" ? "binary" : "json";
  const command = [
    "sops",
    "decrypt",
    "--input-type",
    format,
    "--output-type",
    output,
    resolve(context.root, path),
  ];
  const environment = Object.fromEntries(
    Object.entries(context.environment).filter(([name]) => allowedVariables.test(name)),
  );
  const printed = await runProgram(command, { ...context, environment }, problems, fileLimit);
  return format === "binary" ? printed : parseJson(printed.toString("utf8"));
}

/** Problems by exit code. The output is not shown, because it may contain values. */
const problems: Readonly<Record<string, () => SourceProblem>> = {
  ENOENT: () =>
    new SourceProblem(
      "missing-program",
      "needs the program sops. Install it from https://getsops.io, or correct your PATH.",
    ),
  100: () => new SourceProblem("failed", "needs sops 3.9 or later. Install it from https://getsops.io."),
  128: () =>
    new SourceProblem(
      "refused",
      "cannot be decrypted: this machine has no key for it. Set SOPS_AGE_KEY or SOPS_AGE_KEY_FILE to a recipient's key. The file lists its recipients under `sops`.",
    ),
  ...Object.fromEntries(
    [24, 25, 51, 52].map((exit) => [
      exit,
      () =>
        new SourceProblem(
          "failed",
          "cannot be decrypted: it was changed without sops. Restore it from git, and change it with `sops edit`.",
        ),
    ]),
  ),
};
