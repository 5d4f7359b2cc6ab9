import { loadProject, noState, readState } from "../../../operations/index.js";
import { stateListDocument } from "../../../output/documents/index.js";
import type { RunCommand } from "../command.js";
import { exitCode } from "../exit-code.js";
import type { stateListCommand } from "../facts/state.js";

/** A missing state is not an error: a script gets an empty list, with serial 0. */
const nothing = { lineage: "", serial: 0, service: "", objects: {}, pending: {} };

export const command: RunCommand<typeof stateListCommand> = async (call) => {
  const { output } = call;
  const manifest = await loadProject(call);
  const state = await readState(call, manifest);
  if (state || output.format === "json") output.show(stateListDocument(state ?? nothing));
  else output.info(noState(manifest));
  return exitCode.done;
};
