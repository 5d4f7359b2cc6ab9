import { describe } from "../../../core/secrets/index.js";
import { loadProject, noState, readState } from "../../../operations/index.js";
import { stateSecretsDocument } from "../../../output/documents/index.js";
import type { RunCommand } from "../command.js";
import { exitCode } from "../exit-code.js";
import type { stateSecretsCommand } from "../facts/state.js";

/** A missing state is not an error: it has no secrets. */
const nothing = { lineage: "", serial: 0, service: "", objects: {}, pending: {} };

/** Reads the files and the state: asks neither the service nor any source. */
export const command: RunCommand<typeof stateSecretsCommand> = async (call) => {
  const { host, output } = call;
  const manifest = await loadProject(call);
  const state = await readState(call, manifest);
  const describeSource = (address: string, field: string) => {
    const source = manifest.declarations.find((declared) => declared.address === address)?.sources[field];
    return source && describe(source, manifest.sourceKinds);
  };
  const document = stateSecretsDocument(state ?? nothing, describeSource, host.now());
  if (state || output.format === "json") output.show(document);
  else output.info(noState(manifest));
  return exitCode.done;
};
