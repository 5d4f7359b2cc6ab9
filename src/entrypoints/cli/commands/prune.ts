import { findPrunable, loadProject, type PrunableObject, pruneProject } from "../../../operations/index.js";
import { visible } from "../../../output/render/index.js";
import { askEach, askOnTerminal, showOutcome } from "../applying.js";
import type { RunCommand } from "../command.js";
import { exitCode } from "../exit-code.js";
import type { pruneCommand } from "../facts/project.js";

export const command: RunCommand<typeof pruneCommand> = async (call) => {
  const { host, output, options } = call;
  const project = await loadProject(call);
  let ids = [...new Set(call.arguments[0])];
  const confirmation = askOnTerminal(call);
  let approve = options.autoApprove ? undefined : confirmation.approve;
  if (ids.length === 0) {
    const { objects, unread } = await findPrunable(call, project);
    if (objects.length > 0)
      output.warn(
        `Projects of other repositories may use what is listed: only what this repository manages is known.${unread.length > 0 ? ` The state of ${unread.join(" and ")} could not be read.` : ""}`,
      );
    output.result(
      objects.map(describe).join("\n") ||
        "Nothing in the account that can be deleted is without a declaration.",
    );
    if (!host.interactive) return exitCode.done;
    const prunable = objects.filter(({ kept }) => kept === undefined);
    const questions = prunable.map((object) => visible(`Delete ${name(object)}? Type "yes" to delete it: `));
    const answers = await askEach(call, questions);
    if (answers.length < questions.length)
      output.warn("Nothing was deleted: not all questions were answered.");
    const chosen = prunable.filter((_, at) => answers.length === questions.length && answers[at]);
    if (chosen.length === 0) return exitCode.done;
    ids = chosen.map(({ id }) => id);
    // Each was answered for; the plan under the lock must be that of before.
    approve = async () => true;
  }
  const outcome = await pruneProject(call, project, { ...options, ids, approve });
  return outcome ? showOutcome(call, outcome) : confirmation.refuse();
};

function name({ kind, id, label }: PrunableObject): string {
  return `${kind.name} ${JSON.stringify(label)} (${id})`;
}

/** One line: what it is, how old it is as far as the service says, and why it is kept. */
function describe(object: PrunableObject): string {
  const { createdAt, updatedAt, lastUse, supersededBy, kept } = object;
  const facts = [
    ...(createdAt ? [`created ${createdAt.slice(0, 10)}`] : []),
    ...(updatedAt && updatedAt !== createdAt ? [`changed ${updatedAt.slice(0, 10)}`] : []),
    ...(lastUse === undefined ? [] : [`last session: ${lastUse}`]),
    ...(supersededBy === undefined ? [] : [`superseded by ${supersededBy}`]),
    ...(kept === undefined ? [] : [`kept: ${kept}`]),
  ];
  return visible(`${name(object)}${facts.length > 0 ? `: ${facts.join("; ")}` : ""}`);
}
