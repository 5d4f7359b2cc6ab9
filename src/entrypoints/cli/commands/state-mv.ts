import { UsageError } from "../../../base/diagnostics/index.js";
import { parseAddress } from "../../../core/kinds/index.js";
import { isLogicalName } from "../../../core/manifest/index.js";
import type { State } from "../../../core/state/index.js";
import { changeState, failUnlessInState, loadProject, renameInHolds } from "../../../operations/index.js";
import type { RunCommand } from "../command.js";
import { exitCode } from "../exit-code.js";
import type { stateMvCommand } from "../facts/state.js";

export const command: RunCommand<typeof stateMvCommand> = async (call) => {
  const [from, to] = call.arguments;
  const manifest = await loadProject(call);
  return changeState(call, manifest, "state mv", async (session, state) => {
    failUnlessInState(from, state);
    refuseTarget(from, to, state);
    session.describe({ moved: { from, to } });
    await session.replace({ ...moved(state, from, to), holds: renameInHolds(state, from, to) });
    call.output.result(`${from} is now ${to}.`);
    if (!manifest.declarations.some(({ address }) => address === to))
      call.output.warn(`${to} is not declared: rename it in the files too, or the next apply forgets it.`);
    return exitCode.done;
  });
};

function refuseTarget(from: string, to: string, { objects, pending }: State): void {
  const kind = parseAddress(from)?.kind;
  const target = parseAddress(to);
  if (!target || target.kind !== kind) {
    const example = `${kind?.name ?? from.split(".")[0]}.NAME`;
    throw new UsageError("wrong-kind", `"${to}" cannot be the address of ${from}: use ${example}.`);
  }
  if (!isLogicalName(target.key)) {
    const rule = "use letters, digits, - and _, and start with a letter or digit.";
    throw new UsageError("invalid-name", `The files cannot use the name of "${to}": ${rule}`);
  }
  if (Object.hasOwn(objects, to) || Object.hasOwn(pending, to)) {
    const advice = `To stop managing it: \`avatarops state forget ${to}\`.`;
    throw new UsageError("taken-address", `${to} is already bound to another object. ${advice}`);
  }
}

/** The object and an interrupted write keep their position; the write also contains its address. */
function moved({ objects, pending }: State, from: string, to: string): Pick<State, "objects" | "pending"> {
  const intents = renamed(pending, from, to);
  const intent = intents[to];
  return {
    objects: renamed(objects, from, to),
    pending: intent ? { ...intents, [to]: { ...intent, address: to } } : intents,
  };
}

function renamed<Value>(
  record: Readonly<Record<string, Value>>,
  from: string,
  to: string,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key === from ? to : key, value]));
}
