import { readFile } from "node:fs/promises";
import { UsageError } from "../../../base/diagnostics/index.js";
import { checkBaseUrl } from "../../../core/api/index.js";
import { findStockNames, type Manifest } from "../../../core/manifest/index.js";
import type { State } from "../../../core/state/index.js";
import {
  addressIn,
  idLookup,
  loadProject,
  presetNamed,
  readState,
  refuseOtherService,
  usedBy,
  withService,
} from "../../../operations/index.js";
import { declareTypes, presetsFile } from "../../../sessions/tokens/index.js";
import type { Call, RunCommand } from "../command.js";
import type { generatePresetsCommand, generateTypesCommand } from "../facts/others.js";

export const types: RunCommand<typeof generateTypesCommand> = async (call) => {
  const { output, host } = call;
  const declared = declareTypes(await loadProject(call));
  const { check: file } = call.options;
  if (file === undefined) return output.result(declared);
  const kept = await readFile(host.resolve(file), "utf8").catch((cause: unknown) => {
    const code = String((cause as { code?: unknown }).code);
    throw new UsageError("outdated-types", `${file} cannot be read (${code}). ${remedy}`);
  });
  // Git may have changed the line ends on the way.
  if (kept.replaceAll("\r\n", "\n") !== declared)
    throw new UsageError("outdated-types", `${file} is not what the files declare now. ${remedy}`);
  output.info("The types are up to date.");
};

const remedy = "Write it again: `avatarops generate types > avatarops.d.ts`.";

export const presets: RunCommand<typeof generatePresetsCommand> = async (call) => {
  const manifest = await loadProject(call);
  const [keys] = call.arguments;
  const named = keys.map((key) => presetNamed(key, manifest));
  const state = await readState(call, manifest);
  const address = serviceAddress(call, manifest, state);
  const used = usedBy(named.length > 0 ? named : manifest.presets, manifest);
  if (findStockNames(used).length > 0) await withService(call, { ...manifest, ...used }, async () => {});
  call.output.document(presetsFile(manifest, idLookup(manifest, state), address, used.presets));
};

/** The address of the account that the ids belong to. @throws UsageError */
function serviceAddress(call: Call, manifest: Manifest, state: State | undefined): string {
  const text = addressIn(call, manifest)?.trim() || state?.service;
  if (text === undefined)
    throw new UsageError(
      "not-set",
      "The address of the service is not set, and there is no state yet: set AVATAROPS_BASE_URL or service.base_url.",
    );
  const checked = checkBaseUrl(text);
  if ("problem" in checked)
    throw new UsageError("base-url", `The address of the service ${checked.problem}: ${checked.hint}.`);
  refuseOtherService(state, { baseUrl: checked.url });
  return checked.url;
}
