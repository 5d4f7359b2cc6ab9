import { ServiceError } from "../api/index.js";
import {
  findDifferingFields,
  type ListedObject,
  type RemoteObject,
  type Spec,
  type WriteInput,
} from "../kinds/index.js";
import { digestCopy, isOldCopy } from "./listed-copy.js";
import { findMismatches } from "./mismatch.js";
import { type ExpectedObject, findChanges, readCurrent } from "./read-current.js";
import { recoverLostCreate, recoverLostUpdate } from "./recover-lost-create.js";
import { startStopwatch } from "./stopwatch.js";
import type { WriteContext } from "./write-context.js";
import type { WriteResult } from "./write-result.js";

/*
 * The steps of one write:
 *
 *     read            reads the object, because a change since the plan stops an update (rule 4)
 *     beforeSend      writes the command's journal, so that a crash leaves a trace (rule 2)
 *     send            sends the request once, and reveals secret values only in this call (rule 6)
 *     recover         reads the object after a lost response, instead of sending the request again
 *     compare         compares the stored object with the request (rule 3)
 */

/** Sends one create. Never throws a ServiceError. */
export async function createObject(context: WriteContext): Promise<WriteResult> {
  const { kind, service, spec } = context;
  const { create } = kind;
  if (!create) throw new Error(`Bug: a ${kind.name} cannot be created`);
  return send(context, {
    sent: spec,
    call: (input) => create(service, input),
    recover: (sentAtMs, error) => recoverLostCreate(context, sentAtMs, error),
  });
}

export interface UpdateOptions {
  /** Object that the plan is based on. If it has changed since, the update is not sent. Default: no check. */
  readonly expected?: ExpectedObject;
  /** Whether to skip the request if the object already equals the declaration. */
  readonly skipIfSame?: boolean;
}

/** Updates an object by sending all its fields (rule 3). Never throws a ServiceError. */
export async function updateObject(
  context: WriteContext,
  id: string,
  { expected, skipIfSame }: UpdateOptions = {},
): Promise<WriteResult> {
  const { kind, service, spec, system, normalize } = context;
  const { update } = kind;
  if (!update) throw new Error(`Bug: a ${kind.name} cannot be changed`);
  const readAt = startStopwatch(service, system);
  const before = await catchServiceError(readCurrent(context, id, { fresh: false }));
  if (before instanceof ServiceError) return { outcome: "refused", error: before };
  if (before === "gone") return { outcome: "gone" };
  const copyBefore = digestCopy(kind, before);
  if (before) {
    const isOld = isOldCopy(kind, before, context.copyBefore);
    const fields = isOld ? undefined : findChanges(context, expected, before);
    if (fields) return { outcome: "stale", live: before, fields };
    if (skipIfSame && !isOld && findDifferingFields(kind, spec, before.spec, normalize).length === 0)
      return { outcome: "written", live: before, mismatches: [], recovered: false, sentAtMs: readAt() };
  }
  const result = await send(context, {
    id,
    // Other fields keep their current value.
    sent: { ...before?.spec, ...spec },
    call: (input) => update(service, id, input, before),
    // Passes the digest of the copy before this update, because an unchanged copy does not prove that the update
    // arrived.
    recover: () => recoverLostUpdate({ ...context, copyBefore }, id),
  });
  return result.outcome === "written" ? { ...result, before, copyBefore } : result;
}

interface ObjectWrite {
  /** Object id, for an update. */
  readonly id?: string;
  readonly sent: Spec;
  readonly call: (input: WriteInput) => Promise<RemoteObject>;
  readonly recover: (sentAtMs: number, error: ServiceError) => ReturnType<typeof recoverLostCreate>;
}

async function send(context: WriteContext, { id, sent, call, recover }: ObjectWrite): Promise<WriteResult> {
  await context.beforeSend?.();
  const sentAt = startStopwatch(context.service, context.system);
  const toWriteResult = (live: RemoteObject, recovered: boolean): WriteResult => {
    const mismatches = findMismatches(context, sent, live);
    return { outcome: "written", live, mismatches, recovered, sentAtMs: sentAt() };
  };
  const response = await catchServiceError(call({ spec: sent, secret: revealValues(context) }));
  const result = id === undefined ? rejectForeign(context, response) : response;
  if (!(result instanceof ServiceError)) return toWriteResult(result, false);
  if (result.outcome === "unknown") {
    const { found, candidates } = await recover(sentAt(), result);
    return found ? toWriteResult(found, true) : { outcome: "unknown", error: result, candidates };
  }
  // An HTML page may come from a proxy, so it does not prove that the object is gone.
  if (id !== undefined && result.code === "not-found" && !result.fromProxy)
    return { outcome: "gone", error: result };
  const nameHolders = result.code === "name-taken" ? await findNameHolders(context, sent, id) : undefined;
  return { outcome: "refused", error: result, nameHolders };
}

/** Rejects a response to a create that contains another object. A proxy may have repeated an earlier response. */
function rejectForeign(
  { kind, spec, isForeign, isOtherName }: WriteContext,
  response: RemoteObject | ServiceError,
): RemoteObject | ServiceError {
  if (response instanceof ServiceError) return response;
  const { id, label } = response;
  const isOther = label !== spec[kind.label] && isOtherName?.(label);
  if (!isOther && !isForeign(id)) return response;
  return new ServiceError(
    `The response to the create contains the id of another ${kind.name} (${id}). Check whether a proxy repeats responses.`,
    { code: "wrong-shape", method: "POST", path: "", outcome: "unknown" },
  );
}

/** Reveals secret values. Only for the call that sends them (rule 6). */
function revealValues({ values }: WriteContext): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value.reveal()]));
}

function catchServiceError<T>(request: Promise<T>): Promise<T | ServiceError> {
  return request.catch((error: unknown) => {
    if (error instanceof ServiceError) return error;
    throw error;
  });
}

/** Finds the objects that already use the name. Returns undefined if there are none or the list cannot be read. */
async function findNameHolders(
  { kind, list }: Pick<WriteContext, "kind" | "list">,
  sent: Spec,
  ownId: string | undefined,
): Promise<readonly ListedObject[] | undefined> {
  const label = sent[kind.label];
  if (!kind.list || typeof label !== "string") return undefined;
  try {
    const holders = (await list({ fresh: true })).findByLabel(label, ({ id }) => id !== ownId);
    return holders.outcome === "found" ? holders.found : undefined;
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}
