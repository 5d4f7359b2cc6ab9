import { UsageError } from "../../../base/diagnostics/index.js";
import { idForm, isId, listNames } from "../../../base/text/index.js";
import { parseAddress } from "../../../core/kinds/index.js";
import {
  describePull,
  type ImportReport,
  type ImportResult,
  type ImportTarget,
  importDeclared,
  importIntoFiles,
  loadProject,
  pullProject,
} from "../../../operations/index.js";
import { summarizeLeftOut, toStateShowDocument } from "../../../output/documents/index.js";
import { confirm } from "../applying.js";
import type { CommandCall, RunCommand } from "../command.js";
import { type ExitCode, exitCode } from "../exit-code.js";
import type { importCommand, pullCommand } from "../facts/project.js";

export const importObjects: RunCommand<typeof importCommand> = async (call) => {
  const target = readTarget(call);
  const [writes, dryRun] = [call.options.write, call.options.dryRun];
  const project = await loadProject(call);
  const isDeclared = project.declarations.some(
    (declaration) => target !== "all" && declaration.address === target.address,
  );
  if (target === "all" || (writes && !isDeclared))
    return showReport(call, await importIntoFiles(call, project, target, { dryRun }));
  const { address, id } = target;
  if (dryRun) throw new UsageError("usage", `${address} is already declared. Remove --write and --dry-run.`);
  show(call, id, await importDeclared(call, project, target));
  return exitCode.done;
};

function showReport(
  { output }: CommandCall<typeof importCommand>,
  { document, isPartial, isRefused }: ImportReport,
): ExitCode {
  output.show(document);
  for (const sentence of summarizeLeftOut(document)) output.warn(sentence);
  if (document.to_paste.length === 0 || document.dry_run) {
    const isNothing = document.imported.length + document.to_paste.length === 0;
    return !isPartial ? exitCode.done : isNothing && isRefused ? exitCode.failed : exitCode.partly;
  }
  const commands = document.to_paste.map(({ address, id }) => `\`avatarops import ${address} ${id}\``);
  output.warn(
    `avatarops does not edit code, so paste the printed lines yourself. The next apply then adopts the objects. To adopt them now: ${listNames(commands, 20)}.`,
  );
  return document.files.length > 0 ? exitCode.partly : exitCode.failed;
}

/** Reads the target, which is one object by address and id, or all undeclared objects. */
function readTarget(call: CommandCall<typeof importCommand>): ImportTarget {
  const [address, id] = call.arguments;
  const writes = call.options.write;
  if (call.options.all) {
    if (writes && address === undefined) return "all";
    throw new UsageError(
      "usage",
      "--all requires --write, and takes no ADDRESS or ID. Run `avatarops import --write --all`.",
    );
  }
  if (call.options.dryRun && !writes)
    throw new UsageError("usage", "--dry-run requires --write. Add --write, or remove --dry-run.");
  if (address !== undefined && id !== undefined) {
    if (isId(id)) return { address, id };
    throw new UsageError("not-an-id", `${JSON.stringify(id)} is not an id. Ids are ${idForm}.`);
  }
  const all = writes ? ", or --all" : "";
  const missing = address === undefined ? "ADDRESS and ID" : parseAddress(address) ? "ID" : "ADDRESS";
  throw new UsageError("usage", `Missing ${missing}${all}, e.g. context.support 2c5faf09-…`);
}

function show(
  { output }: CommandCall<typeof importCommand>,
  id: string,
  { declaration, observed, state }: ImportResult,
): void {
  const { address, kind } = declaration;
  const document = toStateShowDocument(state, address);
  if (!document) throw new Error(`Bug: ${address} was imported but is not in the state`);
  output.show(document);
  if (observed.seen !== "live")
    output.warn(
      `The service cannot read objects of the kind ${kind.name}, so avatarops did not check whether ${id} exists.`,
    );
}

const discardedEdits = {
  uncommitted: "an uncommitted edit",
  "no-repository": "an unapplied change",
  unapplied: "a committed but unapplied change",
};

export const pull: RunCommand<typeof pullCommand> = async (call) => {
  const { output } = call;
  const favors = (["ours", "theirs", "markers"] as const).filter((favor) => call.options[favor]);
  if (favors.length > 1)
    throw new UsageError("usage", `Use only one of ${listNames(favors.map((one) => `--${one}`))}.`);
  const [favor] = favors;
  const project = await loadProject(call, { elsewhere: true });
  const named = [...new Set(call.arguments[0])];
  const { dryRun, here, autoApprove } = call.options;
  let isUndecided = false;
  let isDeclined = false;
  const { fields, refused } = await pullProject(call, project, {
    ...{ named, dryRun, onlyThisObject: here, favor },
    asks: !autoApprove && !dryRun && call.host.interactive,
    async approve(edits) {
      if (!autoApprove && (dryRun || !call.host.interactive)) {
        isUndecided = !dryRun;
        return false;
      }
      for (const { declaration, field, others = [], droppedValue } of edits) {
        const name = `${declaration.address}.${field}`;
        if (others.length > 0) output.info(`The edit to ${name} also changes ${others.join(", ")}.`);
        if (droppedValue)
          output.info(`This pull discards ${discardedEdits[droppedValue]} to ${name} in the files.`);
      }
      isDeclined = !autoApprove && !(await confirm(call, 'Write these? Type "yes" to continue: '));
      return !isDeclined;
    },
  });
  const document = await describePull(call, project, { fields, refused }, { dryRun });
  output.show(document);
  const hasMarkers = fields.some(({ merge }) => merge?.favor === "markers");
  if (refused.length === 0 && !hasMarkers) return exitCode.done;
  if (document.pulled.length > 0) return exitCode.partly;
  if (isDeclined) return exitCode.cancelled;
  const isConflicting = refused.some(({ conflicts }) => conflicts !== undefined);
  return isUndecided || isConflicting ? exitCode.undecided : exitCode.failed;
};
