import { loadProject, noState, openProjectStore } from "../../../operations/index.js";
import { stateListDocument } from "../../../output/documents/index.js";
import { renderJson, renderStateListText } from "../../../output/render/index.js";
import type { RunCommand } from "../command.js";
import { exitCode } from "../exit-code.js";
import type { stateListCommand } from "../facts/state.js";

/** A missing state is not an error: a script gets an empty list, with serial 0. */
const nothing = { lineage: "", serial: 0, service: "", objects: {}, pending: {} };

export const command: RunCommand<typeof stateListCommand> = async (call) => {
  const { output } = call;
  const manifest = await loadProject(call);
  const state = (await openProjectStore(call, manifest).read())?.state;
  if (output.format === "json") output.result(renderJson(stateListDocument(state ?? nothing)));
  else if (state) output.result(renderStateListText(stateListDocument(state), output.stdoutText));
  else output.info(noState(manifest));
  return exitCode.done;
};
