import {
  assertTrustedJob,
  findPrunable,
  loadProject,
  type PrunableObject,
  pruneProject,
} from "../../../operations/index.js";
import { makeVisible, repeatInSentence } from "../../../output/render/index.js";
import { askOnTerminal, showOutcome } from "../applying.js";
import type { RunCommand } from "../command.js";
import { exitCode } from "../exit-code.js";
import type { pruneCommand } from "../facts/project.js";

export const command: RunCommand<typeof pruneCommand> = async (call) => {
  const { output, options } = call;
  const ids = [...new Set(call.arguments[0])];
  if (ids.length > 0) await assertTrustedJob(call);
  const project = await loadProject(call);
  if (ids.length === 0) {
    const { objects, unread, missing } = await findPrunable(call, project);
    if (objects.length > 0)
      output.warn(
        `Projects in other repositories may use these objects.${unread.length > 0 ? ` The state of ${unread.join(" and ")} could not be read.` : ""}`,
      );
    for (const sentence of missing) output.warn(sentence);
    const nothing =
      missing.length > 0
        ? "No undeclared objects were found."
        : "The account has no undeclared objects that avatarops could have created.";
    const { repeated } = output.stdoutText;
    const lines = objects.map((object) => repeatInSentence(describe(object), repeated));
    output.writeResult(lines.join("\n") || nothing);
    return missing.length > 0 ? exitCode.partly : exitCode.done;
  }
  const confirmation = askOnTerminal(call, options.autoApprove || options.digest !== undefined);
  const approve = options.autoApprove ? undefined : confirmation.approve;
  const { repeat } = confirmation;
  const outcome = await pruneProject(call, project, { ...options, ids, approve, repeat });
  return outcome ? showOutcome(call, outcome) : confirmation.refuse();
};

/** Describes an object on one line, with its age and the reason to keep it, if any. */
function describe(object: PrunableObject): string {
  const { kind, id, label, createdAt, updatedAt, lastUse, supersededBy, kept } = object;
  const facts = [
    ...(createdAt ? [`created ${createdAt.slice(0, 10)}`] : []),
    ...(updatedAt && updatedAt !== createdAt ? [`changed ${updatedAt.slice(0, 10)}`] : []),
    ...(lastUse === undefined ? [] : [`last session: ${lastUse}`]),
    ...(supersededBy === undefined ? [] : [`superseded by ${supersededBy}`]),
    ...(kept === undefined ? [] : [`kept: ${kept}`]),
  ];
  return makeVisible(
    `${kind.name} ${JSON.stringify(label)} (${id})${facts.length > 0 ? `: ${facts.join("; ")}` : ""}`,
  );
}
