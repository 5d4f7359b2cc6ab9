import { stateListDocument } from "../../documents/index.js";
import { renderJson, renderStateListText } from "../../render/index.js";
import type { RunCommand } from "../command.js";
import { exitCode } from "../exit-code.js";
import { loadProject } from "../project.js";
import { noState } from "../remembered.js";
import { openProjectStore } from "../store.js";

/** No state is no failure: a script sees a list of nothing, with serial 0. */
const nothing = { lineage: "", serial: 0, service: "", objects: {}, pending: {} };

export const command: RunCommand = async (call) => {
  const { talk } = call;
  const manifest = await loadProject(call);
  const state = (await openProjectStore(call, manifest).read())?.state;
  if (talk.format === "json") talk.print(renderJson(stateListDocument(state ?? nothing)));
  else if (state) talk.print(renderStateListText(stateListDocument(state), talk.page));
  else talk.say(noState(manifest));
  return exitCode.done;
};
