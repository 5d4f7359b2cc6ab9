import { UsageError } from "../../../base/diagnostics/index.js";
import { capitalize } from "../../../base/text/index.js";
import { checkBaseUrl } from "../../../core/api/index.js";
import { findStockNames, type Manifest } from "../../../core/manifest/index.js";
import type { State } from "../../../core/state/index.js";
import {
  assertSameService,
  createIdLookup,
  findPreset,
  loadProject,
  readServiceUrl,
  readState,
  selectReferenced,
  withService,
} from "../../../operations/index.js";
import { createPresetsFile, declareTypes } from "../../../sessions/tokens/index.js";
import type { Call, RunCommand } from "../command.js";
import type { generatePresetsCommand, generateTypesCommand } from "../facts/others.js";

export const generateTypes: RunCommand<typeof generateTypesCommand> = async (call) => {
  call.output.writeResult(declareTypes(await loadProject(call)));
};

export const generatePresets: RunCommand<typeof generatePresetsCommand> = async (call) => {
  const manifest = await loadProject(call);
  const [keys] = call.arguments;
  const named = keys.map((key) => findPreset(key, manifest));
  const state = await readState(call, manifest);
  const baseUrl = findBaseUrl(call, manifest, state);
  const used = selectReferenced(named.length > 0 ? named : manifest.presets, manifest);
  if (findStockNames(used).length > 0) await withService(call, { ...manifest, ...used }, async () => {});
  call.output.writeDocument(
    createPresetsFile(manifest, createIdLookup(manifest, state), baseUrl, used.presets),
  );
};

/** Finds the base URL of the account that the ids belong to. @throws UsageError */
function findBaseUrl(call: Call, manifest: Manifest, state: State | undefined): string {
  const text = readServiceUrl(call, manifest)?.trim() || state?.service;
  if (text === undefined)
    throw new UsageError(
      "not-set",
      "The service's base URL is not set, and there is no state yet. Set AVATAROPS_BASE_URL or service.base_url.",
    );
  const checked = checkBaseUrl(text);
  if ("problem" in checked)
    throw new UsageError(
      "base-url",
      `The service's base URL ${checked.problem}. ${capitalize(checked.hint)}.`,
    );
  assertSameService(state, { baseUrl: checked.url });
  return checked.url;
}
