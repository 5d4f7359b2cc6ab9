import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { type Manifest, type Preset, readVariables } from "../../core/manifest/index.js";
import { isEnv } from "../../core/secrets/index.js";
import { resolvePreset, TokenError } from "../reports/index.js";

/*
 * Presets file for an application. A pipeline writes it after an apply, with the account's ids instead of names. The
 * file contains no secrets, only the names of environment variables. Callers must provide values from other sources,
 * because an application has no access to the project's vault.
 */

const keyPath = z.array(z.union([z.string(), z.int().min(0)])).min(1);

const presetForm = z.object({
  /** The token request body (§4.5). */
  request: z.record(z.string(), z.unknown()),
  /** The placeholders that the caller must fill. */
  variables: z.array(z.string()),
  /** Values from environment variables, by their path in the request. */
  environment: z.array(z.object({ path: keyPath, variable: z.string().min(1) })),
  /** Values that the caller must pass, by path in the request, with the name of their declared source. */
  missing: z.array(z.object({ path: keyPath, from: z.string() })),
});

const fileForm = z.object({
  format: z.literal("avatarops/presets"),
  version: z.literal(1),
  /** Base URL of the account that the ids belong to. */
  service: z.string(),
  success_codes: z.array(z.int()).optional(),
  sandbox_avatar: z.string().optional(),
  presets: z.record(z.string(), presetForm),
});

/** A project's presets for an application, as JSON without secrets. */
export type PresetsFile = z.infer<typeof fileForm>;

export type FilePreset = z.infer<typeof presetForm>;

/**
 * Builds a project's presets with the ids of an account. `idOf` returns the id of an address, if known.
 *
 * @throws TokenError if a preset refers to an object without an id.
 */
export function createPresetsFile(
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
      presets.map((preset) => [preset.key, toFilePreset(preset, manifest, idOf)] as const),
    ),
  };
}

function toFilePreset(
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

const cache = new Map<string, Promise<PresetsFile>>();

/**
 * Loads the presets from a file, once per process, or from the given content.
 *
 * @throws TokenError `no-presets`
 */
export async function loadPresets(given: string | URL | object, preset: string): Promise<PresetsFile> {
  if (typeof given !== "string" && !(given instanceof URL)) return parsePresets(given, "`presets`", preset);
  const file = path.resolve(given instanceof URL ? fileURLToPath(given) : given);
  const reading = cache.get(file) ?? readPresets(file, preset);
  cache.set(file, reading);
  try {
    return await reading;
  } catch (error) {
    // Retries on the next call, because the file may exist by then.
    cache.delete(file);
    throw error;
  }
}

async function readPresets(file: string, preset: string): Promise<PresetsFile> {
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    const code = (cause as { code?: unknown }).code;
    const reason = code === "ENOENT" ? "it does not exist" : String(code);
    throw createNoPresetsError(preset, `Cannot read the presets file ${file}: ${reason}.`, cause);
  });
  try {
    return parsePresets(JSON.parse(text.replace(/^\uFEFF/, "")), file, preset);
  } catch (cause) {
    if (cause instanceof TokenError) throw cause;
    throw createNoPresetsError(preset, `${file} is not JSON.`, cause);
  }
}

function parsePresets(value: unknown, name: string, preset: string): PresetsFile {
  const result = fileForm.safeParse(value);
  if (result.success) return result.data;
  const version = (value as { version?: unknown } | null)?.version;
  if (typeof version === "number" && version > 1)
    throw createNoPresetsError(
      preset,
      `${name} was written by a newer version of avatarops (format ${version}).`,
    );
  const at = result.error.issues[0]?.path.map(String).join(".") || "its content";
  throw createNoPresetsError(
    preset,
    `${name} is not the output of \`avatarops generate presets\`: ${at} is missing or invalid.`,
  );
}

function createNoPresetsError(preset: string, problem: string, cause?: unknown): TokenError {
  const message = `${problem} Write the file with \`avatarops generate presets > avatarops.presets.json\` after each apply.`;
  return new TokenError("no-presets", preset, message, cause);
}
