import { stateShowDocument } from "../../documents/index.js";
import { renderJson, renderStateShowText } from "../../render/index.js";
import { type RunCommand, textArgument } from "../command.js";
import { exitCode } from "../exit-code.js";
import { UsageError } from "../failure.js";
import { loadProject } from "../project.js";
import { failUnlessInState, noState } from "../state-changes.js";
import { openProjectStore } from "../store.js";

export const command: RunCommand = async (call) => {
  const { output } = call;
  const address = textArgument(call, 0);
  const manifest = await loadProject(call);
  const state = (await openProjectStore(call, manifest).read())?.state;
  if (!state) throw new UsageError("no-state", noState(manifest));
  failUnlessInState(address, state);
  const document = stateShowDocument(state, address);
  if (!document) {
    throw new UsageError(
      "unsettled",
      `${address} has no id yet: its creation was interrupted. Run \`avatarops plan\` to look for the object.`,
    );
  }
  output.result(
    output.format === "json" ? renderJson(document) : renderStateShowText(document, output.stdoutText),
  );
  return exitCode.done;
};
