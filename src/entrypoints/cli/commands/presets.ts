import { UsageError } from "../../../base/diagnostics/index.js";
import { checkBaseUrl } from "../../../core/api/index.js";
import type { Manifest } from "../../../core/manifest/index.js";
import type { State } from "../../../core/state/index.js";
import {
  addressIn,
  idLookup,
  loadProject,
  presetNamed,
  readState,
  refuseOtherService,
} from "../../../operations/index.js";
import { presetsFile } from "../../../sessions/tokens/index.js";
import type { Call, RunCommand } from "../command.js";
import type { presetsCommand } from "../facts/others.js";

export const command: RunCommand<typeof presetsCommand> = async (call) => {
  const manifest = await loadProject(call);
  const [keys] = call.arguments;
  const named = keys.map((key) => presetNamed(key, manifest));
  const state = await readState(call, manifest);
  const address = serviceAddress(call, manifest, state);
  const presets = named.length > 0 ? named : manifest.presets;
  call.output.document(presetsFile(manifest, idLookup(manifest, state), address, presets));
};

/** The address of the account that the ids belong to. Nothing is sent there. @throws UsageError */
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
