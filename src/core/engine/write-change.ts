import { findKind, isAdoptableByName, parseAddress, sortOldestFirst } from "../kinds/index.js";
import { createObject, updateObject, type WriteContext, type WriteResult } from "../lifecycle/index.js";
import { SourceError } from "../secrets/index.js";
import type { Intent } from "../state/index.js";
import { type ApplyContext, type ChangeWrite, isUpdate } from "./apply-context.js";
import { buildIntent, resolveWriteOnlyValues } from "./intent.js";
import { collectKnownIds, explainNamesakes, findNamesakes } from "./namesakes.js";
import {
  createNotSentResult,
  createResult,
  createSkippedResult,
  createStoppedResult,
  type Result,
} from "./outcome.js";
import type { Change } from "./plan-types.js";
import { recordWrite } from "./record-write.js";
import { withReferences } from "./references.js";

/**
 * Sends the write for one change, and updates the journal. The intent is durable before the request is sent, and stays
 * if the outcome is unknown.
 */
export async function write(input: ApplyContext, change: Change): Promise<Result> {
  const kind = input.kinds.get(change.address) ?? findKind(change.kind, input.manifest.service.profile);
  if (!kind) throw new Error(`Bug: no kind ${change.kind}`);
  const resolved = withReferences(input, change);
  if ("missing" in resolved)
    return createSkippedResult(change, "needs-another", describeNotMade(resolved.missing));
  return writeResolved({ input, change: resolved.change, kind });
}

function describeNotMade(address: string): string {
  return `It refers to ${address}, which has no id yet. Apply ${address} as well.`;
}

async function writeResolved(writing: ChangeWrite): Promise<Result> {
  const { input, change, kind } = writing;
  let intent: Intent | undefined;
  try {
    const sealed = await resolveWriteOnlyValues(input, change);
    const context = toWriteContext(writing, sealed.values, async () => {
      const next = await buildIntent(input, change, kind, sealed);
      await input.intents.record(next, { isUnlisted: !kind.list && !isUpdate(change) });
      intent = next;
    });
    const notes = [...change.notes, ...describeNamesakes(writing), ...findLineBreaks(sealed.values)];
    const noted = { ...change, notes };
    return await finish({ ...writing, change: noted }, await send(writing, context), intent);
  } catch (error) {
    if (error instanceof SourceError) return rejectWrite(change, error.code, error.message);
    throw error;
  }
}

function describeNamesakes({ input, change: { address, action, label }, kind }: ChangeWrite): string[] {
  const { manifest, session, listings } = input;
  if (action !== "create" || isAdoptableByName(kind)) return [];
  const declaration = manifest.declarations.find((one) => one.address === address);
  if (!declaration) return [];
  const own = collectKnownIds(manifest, session.state);
  const ids = findNamesakes(declaration, listings?.get(kind.name), own);
  return explainNamesakes(kind, { address, label, ids, isCreated: true });
}

/** Warns about line breaks in a write-only value, which often come from pasting. The service accepts them. */
function findLineBreaks(values: WriteContext["values"]): string[] {
  return Object.entries(values).flatMap(([field, value]) =>
    /[\r\n]/.test(value.reveal())
      ? [`${field} was sent with line breaks. If it should be a single line, correct it at its source.`]
      : [],
  );
}

function toWriteContext(
  { input, change, kind }: ChangeWrite,
  values: WriteContext["values"],
  beforeSend: () => Promise<void>,
): WriteContext {
  const { service, session, system, signal, settleMs, onEvent, claimed, names } = input;
  return {
    kind,
    service,
    reader: service,
    values,
    beforeSend,
    system,
    signal,
    settleMs,
    spec: change.wanted ?? {},
    copyBefore: session.state?.objects[change.address]?.copyBefore,
    list: (options) => input.list(kind, options),
    isForeign: (id) => change.known?.includes(id) || claimed.has(id),
    isOtherName: (name) => names.has(`${kind.name} ${name}`),
    onWait: (forMs) =>
      onEvent?.({
        type: "waiting",
        why: `for ${change.address}, because its create got no response`,
        forMs,
      }),
  };
}

function send({ change }: ChangeWrite, context: WriteContext): Promise<WriteResult> {
  const { id, address, liveDigest: digest } = change;
  if (!isUpdate(change)) return createObject(context);
  if (id === undefined) throw new Error(`Bug: ${address} cannot be updated without an id`);
  return updateObject(context, id, digest === undefined ? {} : { expected: { digest } });
}

async function finish(writing: ChangeWrite, ended: WriteResult, intent: Intent | undefined): Promise<Result> {
  const { input, change } = writing;
  if (ended.outcome === "written" && intent) return recordWrite(writing, ended, intent);
  if (ended.outcome !== "unknown" && intent) input.session.discardIntent(change.address);
  switch (ended.outcome) {
    case "written":
      throw new Error(`Bug: ${change.address} was written without a journal`);
    case "refused":
      return rejectWrite(change, ended.error.code, explainRefusal(writing, ended));
    case "stale":
      return createSkippedResult(
        change,
        "moved",
        "It was edited elsewhere after the plan was made. See the edit: `avatarops plan`.",
      );
    case "gone":
      if (ended.error) return rejectWrite(change, ended.error.code, ended.error.message);
      return createSkippedResult(
        change,
        "vanished",
        "It disappeared after the plan was made. Make a new plan: `avatarops plan`.",
      );
    case "unknown":
      return createResult(change, "unknown", {
        problem: { code: ended.error.code, message: explainUnknown(writing, ended) },
      });
  }
}

/** Creates the result of a write that changed nothing. */
function rejectWrite(change: Change, code: string, message: string): Result {
  if (code === "withheld") return createNotSentResult(change);
  return code === "cancelled"
    ? createStoppedResult(change)
    : createResult(change, "failed", { problem: { code, message } });
}

/** Explains why the service rejected a write. If the name is taken, shows which object has it. */
function explainRefusal(
  { input, change: { address, label }, kind }: ChangeWrite,
  { error, nameHolders = [] }: Extract<WriteResult, { outcome: "refused" }>,
): string {
  const [holder] = nameHolders;
  if (!holder) return error.message;
  const objects = Object.entries(input.session.state?.objects ?? {});
  const manager = objects.find(
    ([other, { id }]) => id === holder.id && parseAddress(other)?.kind.name === kind.name,
  );
  if (manager)
    return `${manager[0]}, which is managed here, already has the name ${JSON.stringify(label)} (${holder.id}). Rename one of the two, and apply again.`;
  const taken = `The account has another ${kind.name} named ${JSON.stringify(label)} (${holder.id}).`;
  // An address that already has an object cannot adopt another one.
  if (input.session.state?.objects[address]) return `${taken} Choose another name, or rename that object.`;
  return `${taken} To manage that object, run \`avatarops import ${address} ${holder.id}\`. Otherwise, choose another name.`;
}

/** Explains a write with an unknown outcome, and how to resolve it. */
function explainUnknown(
  { kind, change: { address } }: ChangeWrite,
  { error, candidates }: Extract<WriteResult, { outcome: "unknown" }>,
): string {
  return `${error.message} The outcome is unknown. ${createNextName()}`;

  function createNextName(): string {
    if (!kind.list)
      return `The service cannot list objects of this kind. Find the object in the dashboard and run \`avatarops import ${address} ID\`, or apply with --accept-duplicate ${address}.`;
    if (candidates.length === 0) return "The next plan looks for the object.";
    const commands = sortOldestFirst(candidates).map(({ id }) => `\`avatarops import ${address} ${id}\``);
    return `The account has an object that this request may have created, but its content differs. To manage that object, run ${commands.join(" or ")}.`;
  }
}
