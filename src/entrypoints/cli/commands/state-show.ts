import { UsageError } from "../../../base/diagnostics/index.js";
import { failUnlessInState, loadProject, noState, readState } from "../../../operations/index.js";
import { stateShowDocument } from "../../../output/documents/index.js";
import type { RunCommand } from "../command.js";
import { exitCode } from "../exit-code.js";
import type { stateShowCommand } from "../facts/state.js";

export const command: RunCommand<typeof stateShowCommand> = async (call) => {
  const { output } = call;
  const [address] = call.arguments;
  const manifest = await loadProject(call);
  const state = await readState(call, manifest);
  if (!state) throw new UsageError("no-state", noState(manifest));
  failUnlessInState(address, state);
  const document = stateShowDocument(state, address);
  if (!document) {
    throw new UsageError(
      "unsettled",
      `${address} has no id yet: its creation was interrupted. Run \`avatarops plan\` to look for the object.`,
    );
  }
  output.show(document);
  return exitCode.done;
};
