import { UsageError } from "../../../base/diagnostics/index.js";
import { compareEnvironments, promote as promoteTexts } from "../../../operations/index.js";
import type { RunCommand } from "../command.js";
import { exitCode } from "../exit-code.js";
import type { compareCommand, promoteCommand } from "../facts/team.js";

export const compare: RunCommand<typeof compareCommand> = async (call) => {
  const document = await compareEnvironments(call, ...call.arguments);
  call.output.show(document);
  return document.objects.length > 0 ? exitCode.changesPending : exitCode.done;
};

export const promote: RunCommand<typeof promoteCommand> = async (call) => {
  const { from, to } = call.options;
  if (from === undefined || to === undefined)
    throw new UsageError("usage", "Name both environments: --from staging --to production.");
  const files = await promoteTexts(call, call.arguments[0], { from, to });
  const next = `Wrote ${files.join(", ")}. \`avatarops plan --env ${to}\` shows what an apply would change.`;
  call.output.info(files.length > 0 ? next : `${to} has the texts of ${from} already, apart from variables.`);
};
