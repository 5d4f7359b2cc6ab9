import { findNearest, UsageError } from "../../base/diagnostics/index.js";
import { idForm, isId, isSameId } from "../../base/text/index.js";
import { type Manifest, type Preset, readVariables } from "../../core/manifest/index.js";
import type { State } from "../../core/state/index.js";
import type { Runtime } from "../runtime/runtime.js";

/** Finds a preset by its key. @throws UsageError */
export function findPreset(key: string, { presets }: Pick<Manifest, "presets">): Preset {
  const preset = presets.find((candidate) => candidate.key === key);
  if (preset) return preset;
  const keys = presets.map((candidate) => candidate.key);
  const meant = findNearest(key, keys);
  const known = keys.length > 0 ? `The presets are ${keys.join(", ")}.` : "The manifest has no presets.";
  throw new UsageError(
    "unknown-preset",
    `There is no preset "${key}" under \`sessions:\`. ${meant ? `Did you mean ${meant}?` : known}`,
  );
}

/** Returns presets with the declarations that they refer to. */
export function selectReferenced(
  presets: readonly Preset[],
  { declarations }: Pick<Manifest, "declarations">,
) {
  const used = new Set(presets.flatMap(({ references }) => references.map(({ address }) => address)));
  return { presets, declarations: declarations.filter(({ address }) => used.has(address)) };
}

/** Warns about placeholders without a value. Loading does not warn, because an application may set the values. */
export function warnOfPlaceholders(
  { output }: Runtime,
  presets: Iterable<Preset>,
  manifest: Pick<Manifest, "declarations">,
): void {
  for (const preset of presets) {
    const { required } = readVariables(preset, manifest);
    const names = required.map((name) => JSON.stringify(name)).join(", ");
    if (required.length > 0)
      output.warn(`sessions.${preset.key} has no value for these placeholders in its context: ${names}.`);
  }
}

/** Returns `--sandbox-avatar` or else `service.sandbox_avatar`. @throws UsageError */
export function chooseSandboxAvatar(
  runtime: Runtime,
  { service }: Pick<Manifest, "service">,
): string | undefined {
  const given = runtime.options.sandboxAvatar;
  if (given !== undefined && !isId(given))
    throw new UsageError(
      "not-an-id",
      `--sandbox-avatar ${JSON.stringify(given)} is not an id. Ids are ${idForm}.`,
    );
  return given ?? service.sandboxAvatar;
}

/** Rejects invalid smoke test options before anything is applied. @throws UsageError */
export function checkSmokeOptions(
  runtime: Runtime,
  manifest: Pick<Manifest, "service">,
  { smoke }: { readonly smoke?: boolean | undefined },
): void {
  const sandboxAvatar = chooseSandboxAvatar(runtime, manifest);
  if (smoke || sandboxAvatar === manifest.service.sandboxAvatar) return;
  throw new UsageError(
    "usage",
    "--sandbox-avatar requires --smoke. Add --smoke, or remove --sandbox-avatar.",
  );
}

/** Creates a function that looks up ids: in the files for adopted objects, in the state for created objects. */
export function createIdLookup(
  { declarations }: Pick<Manifest, "declarations">,
  state: State | undefined,
): (address: string) => string | undefined {
  const given = new Map(declarations.map(({ address, id }) => [address, id]));
  return (address) => {
    const [declared, recorded] = [given.get(address), state?.objects[address]?.id];
    return isSameId(declared, recorded) ? recorded : (declared ?? recorded);
  };
}
