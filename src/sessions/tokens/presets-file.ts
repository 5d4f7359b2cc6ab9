import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { type Manifest, type Preset, readVariables } from "../../core/manifest/index.js";
import { isEnv } from "../../core/secrets/index.js";
import { resolvePreset, TokenError } from "../reports/index.js";

/*
 * What an application has of a project at run time: a file that a pipeline writes after an apply, with the ids of the
 * account in place of names. It has no secret: of a value that comes from an environment variable it has the
 * variable's name; a value from elsewhere is the caller's to give, since an application has no vault of the project's.
 */

const place = z.array(z.union([z.string(), z.int().min(0)])).min(1);

const presetForm = z.object({
  /** The body of the token request (§4.5). */
  request: z.record(z.string(), z.unknown()),
  /** The placeholders that the caller has to fill. */
  variables: z.array(z.string()),
  /** Values from environment variables, by their place in the request. */
  environment: z.array(z.object({ path: place, variable: z.string().min(1) })),
  /** Values that the caller has to give, by their place in the request, and what kind of source the files name. */
  missing: z.array(z.object({ path: place, from: z.string() })),
});

const fileForm = z.object({
  format: z.literal("avatarops/presets"),
  version: z.literal(1),
  /** The address of the account that the ids belong to. */
  service: z.string(),
  success_codes: z.array(z.int()).optional(),
  sandbox_avatar: z.string().optional(),
  presets: z.record(z.string(), presetForm),
});

/** The presets of a project for an application, as JSON. Contains no secret. */
export type PresetsFile = z.infer<typeof fileForm>;

export type FilePreset = z.infer<typeof presetForm>;

/**
 * The presets of a project with the ids of an account. `idOf` returns the id of an address, if it has one yet.
 *
 * @throws TokenError if a preset refers to an object that has none.
 */
export function presetsFile(
  manifest: Pick<Manifest, "presets" | "declarations" | "service">,
  idOf: (address: string) => string | undefined,
  service: string,
  presets: readonly Preset[] = manifest.presets,
): PresetsFile {
  const { successCodes, sandboxAvatar } = manifest.service;
  return {
    format: "avatarops/presets",
    version: 1,
    service,
    ...(successCodes ? { success_codes: [...successCodes] } : {}),
    sandbox_avatar: sandboxAvatar,
    presets: Object.fromEntries(
      presets.map((preset) => [preset.key, filePreset(preset, manifest, idOf)] as const),
    ),
  };
}

function filePreset(
  preset: Preset,
  manifest: Pick<Manifest, "declarations">,
  idOf: (address: string) => string | undefined,
): FilePreset {
  const sources = preset.sources ?? [];
  return {
    request: resolvePreset(preset, idOf),
    variables: [...readVariables(preset, manifest).required],
    environment: sources.flatMap(({ path, source }) =>
      isEnv(source) ? [{ path: [...path], variable: source.name }] : [],
    ),
    missing: sources.flatMap(({ path, source }) =>
      isEnv(source) ? [] : [{ path: [...path], from: source.from }],
    ),
  };
}

const read = new Map<string, Promise<PresetsFile>>();

/**
 * The presets of an application: of a file, which is read once in the life of the process, or of its content.
 *
 * @throws TokenError `no-presets`
 */
export async function loadPresets(given: string | URL | object, preset: string): Promise<PresetsFile> {
  if (typeof given !== "string" && !(given instanceof URL)) return parsePresets(given, "`presets`", preset);
  const file = path.resolve(given instanceof URL ? fileURLToPath(given) : given);
  const reading = read.get(file) ?? readPresets(file, preset);
  read.set(file, reading);
  try {
    return await reading;
  } catch (error) {
    // It may be there at the next call.
    read.delete(file);
    throw error;
  }
}

async function readPresets(file: string, preset: string): Promise<PresetsFile> {
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    const code = (cause as { code?: unknown }).code;
    const why = code === "ENOENT" ? "there is none" : `it cannot be read (${String(code)})`;
    throw noPresets(preset, `There are no presets at ${file}: ${why}.`, cause);
  });
  try {
    return parsePresets(JSON.parse(text.replace(/^\uFEFF/, "")), file, preset);
  } catch (cause) {
    if (cause instanceof TokenError) throw cause;
    throw noPresets(preset, `${file} is no JSON.`, cause);
  }
}

function parsePresets(value: unknown, what: string, preset: string): PresetsFile {
  const result = fileForm.safeParse(value);
  if (result.success) return result.data;
  const version = (value as { version?: unknown } | null)?.version;
  const isNewer = typeof version === "number" && version > 1;
  const at = result.error.issues[0]?.path.map(String).join(".") || "its beginning";
  const why = isNewer ? `it has version ${version}: update avatarops` : `${at} is not as expected`;
  throw noPresets(preset, `${what} is not what \`avatarops generate presets\` prints: ${why}.`);
}

function noPresets(preset: string, what: string, cause?: unknown): TokenError {
  const message = `${what} Write the file with \`avatarops generate presets > avatarops.presets.json\` after each apply.`;
  return new TokenError("no-presets", preset, message, cause);
}
