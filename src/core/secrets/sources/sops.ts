import { createHash } from "node:crypto";
import { parseJson } from "../../../base/text/index.js";
import { splitAtField } from "../json-field.js";
import { runProgram } from "../program.js";
import { readProjectFile } from "../project-file.js";
import { checkMasterKeys, detectFormat, encryptedField, fieldAt, type SopsFormat } from "../sops/document.js";
import { failed, malformed, refused, type SourceProblem } from "../source-error.js";
import type { FieldsIn, SourceContext, SourceFields, SourceKind } from "../source-kind.js";

/** A file has more than one secret, and the keys of all who may read it. */
const maxFileBytes = 1024 * 1024;

const fields = {
  path: {
    type: "file",
    required: true,
    description: "Path of the encrypted file: YAML, JSON, .env, or any other as a whole.",
  },
  field: {
    type: "string",
    description: "The field: its keys, joined by dots. Required, unless the file was encrypted as a whole.",
  },
} as const satisfies SourceFields;

/** Fields of `!sops`. */
export type SopsFields = FieldsIn<typeof fields>;

/**
 * A field of a file of the project that SOPS has encrypted. The `sops` program decrypts it, with the key that it finds
 * itself. Its version is a digest of the encrypted text, which is in the file for everyone to read: SOPS writes a new
 * one with a new value, and with a new data key (`sops rotate`).
 */
export const sops: SourceKind<SopsFields> = {
  name: "sops",
  title: "SOPS file",
  fields,
  shorthand: {
    example: "!sops secrets/production.yaml#llm.api_key",
    meaning: "the path of a file, and # with a field of it",
    read: (written) => splitAtField(written, "path"),
  },
  check({ path, field }) {
    const hasFields = detectFormat(path) !== "binary";
    if (hasFields && field === undefined) return `names no field: write !sops ${path}#llm.api_key.`;
    return !hasFields && field !== undefined
      ? "names a field, and SOPS sees fields only in files that end in .yaml, .yml, .json or .env."
      : undefined;
  },
  describe: ({ path, field }) => `SOPS file ${path}${field === undefined ? "" : `, field ${field}`}`,
  rights: { value: "a key for the file, such as SOPS_AGE_KEY", version: "none: it is in the file" },
  async read(fields, context) {
    const { version, real, format } = await encryptedIn(fields, context);
    const decrypted = await context.connection(real, () => decrypt(real, format, context));
    const value = fields.field === undefined ? decrypted : fieldAt(decrypted, fields.field);
    if (typeof value === "string" || value instanceof Uint8Array) return { value, version };
    throw malformed(otherFile);
  },
  async version(fields, context) {
    return (await encryptedIn(fields, context)).version;
  },
};

const otherFile =
  "cannot be read: what sops prints is not the file's content. Run `sops decrypt` by hand to see why.";

async function encryptedIn({ path, field }: SopsFields, context: SourceContext) {
  const { real, bytes } = await readProjectFile(path, maxFileBytes, context);
  const format = detectFormat(path);
  const encrypted = await encryptedField(bytes, format, field ?? "data");
  const version = createHash("sha256").update(encrypted).digest("hex").slice(0, 16);
  await checkMasterKeys(Buffer.from(bytes).toString("utf8"), format, context);
  return { version, real, format };
}

/** The whole file: once for all its fields. */
async function decrypt(real: string, format: SopsFormat, context: SourceContext): Promise<unknown> {
  const output = format === "binary" ? "binary" : "json";
  const argv = ["sops", "decrypt", "--input-type", format, "--output-type", output, real];
  const decrypted = await runProgram(argv, context, maxFileBytes, {
    tooLong: "has more than 1 MB, which is too long for a file of secrets.",
    notFound:
      "needs the program sops, which was not found. Install it (https://getsops.io), or correct your PATH.",
    ended: (how, exit) =>
      exits[exit]?.() ??
      failed(`cannot be decrypted: sops ended with ${how}. Run \`sops decrypt\` by hand to see why.`),
  });
  if (format === "binary") return decrypted;
  const value = parseJson(decrypted.toString("utf8"));
  if (value === undefined) throw malformed(otherFile);
  return value;
}

const changed = () =>
  failed(
    "cannot be decrypted: it was changed without sops since it was encrypted. Restore it from git, and change it with `sops edit`.",
  );

/** By its exit code: what it prints is not shown. */
const exits: Readonly<Record<string, () => SourceProblem>> = {
  24: changed,
  25: changed,
  51: changed,
  52: changed,
  128: () =>
    refused(
      "cannot be decrypted: there is no key for it here. Set SOPS_AGE_KEY, or SOPS_AGE_KEY_FILE, to the key of one of its recipients (`age` under `sops` in the file lists them).",
    ),
  // Earlier versions take `decrypt` for the name of a file.
  100: () => failed("needs sops 3.9 or later. Install it."),
};
