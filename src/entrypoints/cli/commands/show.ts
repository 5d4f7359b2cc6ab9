import { UsageError } from "../../../base/diagnostics/index.js";
import { type PastObject, pastObject } from "../../../core/history/index.js";
import { type Kind, readableFields } from "../../../core/kinds/index.js";
import {
  failUnlessInState,
  findSerial,
  kindAt,
  openHistory,
  type ProjectHistory,
  stateAt,
  toPoint,
} from "../../../operations/index.js";
import { isForgotten, type ObjectField, objectDocument, shownType } from "../../../output/documents/index.js";
import { renderJson, renderObjectText } from "../../../output/render/index.js";
import type { RunCommand } from "../command.js";
import { exitCode } from "../exit-code.js";
import type { showCommand } from "../facts/team.js";

export const command: RunCommand<typeof showCommand> = async (call) => {
  const [address] = call.arguments;
  const kind = kindAt(address);
  const past = await openHistory(call);
  const { at } = call.options;
  const then = await stateAt(past, at === undefined ? past.state.serial : await findSerial(past, at));
  const now = Object.hasOwn(past.state.objects, address) ? past.state.objects[address] : undefined;
  const found = pastObject(then, address, now);
  if (!found) {
    if (at === undefined) failUnlessInState(address, past.state);
    throw new UsageError(
      "unknown-address",
      `${address} was not managed at serial ${then.serial}. ${then.unknown.get(address) ?? `\`avatarops history ${address}\` shows when it was.`}`,
    );
  }
  const fields = await fieldsOf(past, found.address, kind, found.object);
  const document = objectDocument(found.address, found.object.entry.id, toPoint(then), fields);
  const { output } = call;
  output.result(
    output.format === "json" ? renderJson(document) : renderObjectText(document, output.stdoutText),
  );
  const missing = fields.filter((field) => field.missing !== undefined);
  if (missing.length === 0) return exitCode.done;
  for (const { field, missing: why } of missing)
    output.warn(`The ${field} of ${found.address} is not shown, because its text was not found: ${why}.`);
  return exitCode.failed;
};

async function fieldsOf(
  { finder }: ProjectHistory,
  address: string,
  kind: Kind,
  { entry, definitions }: PastObject,
): Promise<ObjectField[]> {
  const fields: ObjectField[] = [];
  for (const [name, field] of readableFields(kind)) {
    const stored = entry.applied[name];
    if (stored === undefined) continue;
    const shown = { field: name, type: shownType(field) };
    const found = isForgotten(stored)
      ? await finder.find({ address, kind, field: name, stored, definitions })
      : { value: stored };
    fields.push("value" in found ? { ...shown, value: found.value } : { ...shown, value: stored, ...found });
  }
  return fields;
}
