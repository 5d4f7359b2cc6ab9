import { UsageError } from "../../../base/diagnostics/index.js";
import {
  findBlame as blameText,
  listHistory,
  openHistory,
  readKind,
  showObject,
} from "../../../operations/index.js";
import { createHistoryHead } from "../../../output/documents/index.js";
import { openJsonList, renderHistoryItem } from "../../../output/render/index.js";
import type { RunCommand } from "../command.js";
import { exitCode } from "../exit-code.js";
import type { blameCommand, historyCommand, showCommand } from "../facts/team.js";
import { showFailure } from "../show-failure.js";

export const showHistory: RunCommand<typeof historyCommand> = async (call) => {
  const { output } = call;
  const [address] = call.arguments;
  if (address !== undefined) readKind(address);
  else if (call.options.diff)
    throw new UsageError("usage", "--diff requires an address. Add one, such as context.support.");
  const past = await openHistory(call);
  const { diff, limit = Number.POSITIVE_INFINITY } = call.options;
  let count = 0;
  let isBegun = false;
  const list = openJsonList(createHistoryHead(address), "records");
  const isJson = output.format === "json";
  const write = async () => {
    for await (const item of listHistory(past, { address, diff })) {
      call.signal.throwIfAborted();
      output.writeResult(
        isJson ? list.items([item]) : renderHistoryItem(item, output.format, { ...output.stdoutText, diff }),
      );
      isBegun = true;
      if (!("gap" in item)) count += 1;
      if (count >= limit) break;
    }
    if (count === 0 && address !== undefined && !Object.hasOwn(past.state.objects, address))
      throw new UsageError(
        "unknown-address",
        `Neither the state nor its history contains ${address}. To see known objects, run \`avatarops state list\` or \`avatarops history\`.`,
      );
  };
  try {
    await call.runCleanup(write);
  } catch (error) {
    // Once started, the JSON document must be closed.
    if (!isJson || !isBegun) throw error;
    output.writeResult(list.end());
    return showFailure(error, { ...output, format: "text" }, call.signal);
  }
  if (isJson) output.writeResult(list.end());
  if (count > 0) return exitCode.done;
  output.info(
    address === undefined
      ? "The history has no records yet. The next apply that changes something adds one."
      : `The history has no record of a change to ${address}.`,
  );
  return exitCode.done;
};

export const showPastObject: RunCommand<typeof showCommand> = async (call) => {
  const [address] = call.arguments;
  readKind(address);
  const document = await showObject(call, await openHistory(call), address, call.options.at);
  const { output } = call;
  output.show(document);
  const missing = document.fields.filter((field) => field.missing !== undefined);
  for (const { field, missing: why } of missing)
    output.warn(`The ${field} of ${document.address} is unavailable: ${why}.`);
  return missing.length === 0 ? exitCode.done : exitCode.failed;
};

export const blame: RunCommand<typeof blameCommand> = async (call) => {
  call.output.show(await blameText(call, call.arguments[0], call.options.field));
};
