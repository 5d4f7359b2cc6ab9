import { parseAddress } from "../../../core/kinds/index.js";
import type { Manifest } from "../../../core/manifest/index.js";
import type { State } from "../../../core/state/index.js";
import { changeState, failUnlessInState, loadProject, without } from "../../../operations/index.js";
import type { Call, RunCommand } from "../command.js";
import { exitCode } from "../exit-code.js";
import type { stateForgetCommand } from "../facts/state.js";

export const command: RunCommand<typeof stateForgetCommand> = async (call) => {
  const addresses = [...new Set(call.arguments[0])];
  const manifest = await loadProject(call);
  return changeState(call, manifest, "state forget", async (session, state) => {
    for (const address of addresses) failUnlessInState(address, state);
    const sentences = addresses.map((address) => farewell(address, state));
    await session.replace({
      objects: without(state.objects, addresses),
      pending: without(state.pending, addresses),
    });
    call.output.result(sentences.join("\n"));
    for (const address of addresses) warnIfDeclared(call, manifest, address);
    return exitCode.done;
  });
};

/** What is forgotten, and the ids that stay in the account: nothing else will record them. */
function farewell(address: string, { objects }: State): string {
  const kind = parseAddress(address)?.kind;
  const entry = objects[address];
  const ids = entry ? [entry.id, ...(entry.stale ?? []).map(({ id }) => id)] : [];
  const named = ids.length > 0 ? ` (${ids.join(", ")})` : "";
  return [`Forgot ${address}${named}.`, ...(kind ? [kind.afterForget] : [])].join(" ");
}

function warnIfDeclared({ output }: Call, manifest: Manifest, address: string): void {
  const declaration = manifest.declarations.find((candidate) => candidate.address === address);
  if (!declaration) return;
  const { kind } = declaration;
  const next = kind.identity === "adopted" || kind.list ? "adopts it again" : "creates a new one";
  output.warn(`${address} is still declared: remove it from the files, or the next apply ${next}.`);
}
