import { ServiceError } from "../api/index.js";
import {
  digestSpec,
  explainListMismatch,
  type Kind,
  kindNamed,
  type Live,
  readableFields,
  type Spec,
  sameValue,
} from "../kinds/index.js";
import { SourceError } from "../secrets/index.js";
import type { Entry } from "../state/index.js";
import type { ApplyContext } from "./apply-context.js";
import { intentOf, resolveWriteOnlyValues, type WriteOnlyValues } from "./intent.js";
import type { Result } from "./outcome.js";
import type { Change } from "./plan-value.js";
import { explainRefusal } from "./problem.js";
import { recoverLostWrite } from "./recover-lost-write.js";
import { result } from "./result.js";
import { toStoredSpec } from "./stored-form.js";
import type { WriteContext } from "./writing.js";

/**
 * One write, from intent to recorded result.
 *
 *     read again      an update goes out only if the object is still the one the plan was computed from
 *     intend          recorded and synced to disk: from here on a crash leaves a trace
 *     send            a create at most once (rule 2)
 *     compare         what came back with what was sent (rule 3)
 *     settle          recorded; the intent is done
 *
 * What the service refused voids the intent. What was not answered is looked up at once, and where that does not
 * tell, the intent stays: the next plan finds it.
 */
export async function write(input: ApplyContext, change: Change, isAside = false): Promise<Result> {
  try {
    return await attempt(input, change, isAside);
  } catch (error) {
    if (error instanceof ServiceError || error instanceof SourceError) {
      const status = error.code === "cancelled" ? "skipped" : "failed";
      return result(change, status, { problem: { code: error.code, message: error.message } });
    }
    throw error;
  }
}

async function attempt(input: ApplyContext, change: Change, isAside: boolean): Promise<Result> {
  const kind = kindNamed(change.kind);
  if (!kind) throw new Error(`Bug: no kind ${change.kind}`);
  const before =
    isUpdate(change) && change.id !== undefined ? await kind.read?.(input.service, change.id) : undefined;
  input.timestamps.noteTimestamp(kind, before?.updatedAt);
  if (isUpdate(change) && kind.read) {
    const moved = movedSince(input, kind, change, before);
    if (moved) return result(change, "skipped", { problem: moved });
  }
  const whole = { ...before?.spec, ...change.wanted };
  const values = await resolveWriteOnlyValues(input, change);
  const intent = await intentOf(input, change, kind, values);
  await input.session.recordIntent(intent);
  const writing: WriteContext = { input, change, kind, whole, intent, isAside };
  try {
    return await record(writing, await send(writing, values, before));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.outcome === "unknown") return recoverLostWrite(writing, error, (live) => record(writing, live));
    await input.session.discardIntent(change.address);
    return result(change, error.code === "cancelled" ? "skipped" : "failed", {
      problem: await explainRefusal(writing, error),
    });
  }
}

async function send(
  { input, change, kind, whole }: WriteContext,
  values: WriteOnlyValues,
  before?: Live,
): Promise<Live> {
  // The one place where values are open: in the call that sends them (rule 6).
  const secret = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value.reveal()]));
  const wanted = { spec: whole, secret };
  if (isUpdate(change)) {
    if (!kind.update || change.id === undefined) throw new Error(`Bug: ${change.address} cannot be updated`);
    return kind.update(input.service, change.id, wanted, before);
  }
  if (!kind.create) throw new Error(`Bug: ${change.address} cannot be created`);
  return kind.create(input.service, wanted);
}

/** Whether it writes an object that is there already. */
function isUpdate({ action }: Change): boolean {
  return action === "update" || action === "adopt";
}

/** Records what the service now holds; a difference from what was sent is an error that names the field. */
async function record(writing: WriteContext, live: Live): Promise<Result> {
  const { input, change, kind, whole, intent, isAside } = writing;
  const mismatches = readableFields(kind).filter(
    ([name, field]) => whole[name] !== undefined && !sameValue(field, whole[name], live.spec[name]),
  );
  const managed = Object.fromEntries(
    Object.keys(change.wanted ?? {}).map((name) => [name, live.spec[name] ?? ""]),
  );
  const id = isUpdate(change) ? (change.id ?? live.id) : live.id;
  const old = input.session.state?.objects[change.address];
  const stale = [...(old?.stale ?? []), ...superseded(input, change, kind, old)];
  if (isAside) input.renamed.set(change.address, digestSpec(kind, live.spec));
  const inSyncAt =
    mismatches.length === 0 && !isAside
      ? input.timestamps.recordWrite(change.address, kind, { ...live, id })
      : undefined;
  await input.session.completeIntent(change.address, {
    id,
    applied: { ...(isAside ? old?.applied : {}), ...toStoredSpec(kind, managed) },
    ...(inSyncAt === undefined ? {} : { inSyncAt }),
    ...(intent.fingerprints ? { fingerprints: intent.fingerprints } : {}),
    ...(stale.length > 0 ? { stale } : {}),
  });
  if (mismatches.length === 0) return result(change, "applied", { id, notes: change.notes });
  const message = mismatches.map(([name]) => explainMismatch(kind, name, whole, live.spec)).join(" ");
  return result(change, "failed", { id, problem: { code: "not-as-sent", message } });
}

function explainMismatch(kind: Kind, name: string, { [name]: sent }: Spec, { [name]: kept }: Spec): string {
  const size = (value: Spec[string] | undefined) =>
    typeof value === "string"
      ? `${value.length.toLocaleString("en")} characters`
      : `${value?.length ?? 0} entries`;
  return (
    explainListMismatch(kind, name, sent, kept) ??
    `The service accepted ${name} but kept something else: ${size(sent)} were sent, ${size(kept)} came back. Shorten or correct it, then apply again.`
  );
}

function superseded({ now }: ApplyContext, change: Change, kind: Kind, old: Entry | undefined) {
  if (change.action !== "supersede" || !old) return [];
  const label = old.applied[kind.label];
  const since = new Date(now()).toISOString();
  return [{ id: old.id, label: typeof label === "string" ? label : change.label, since }];
}

/** Why the object is no longer the one the plan was computed from; undefined when it is. */
function movedSince(
  { renamed }: ApplyContext,
  kind: Kind,
  change: Change,
  before: Live | undefined,
): Result["problem"] {
  if (!before) return { code: "vanished", message: "It disappeared after the plan was made; plan again." };
  const expected = renamed.get(change.address) ?? change.liveDigest;
  if (digestSpec(kind, before.spec) === expected) return undefined;
  return {
    code: "moved",
    message: "It was edited elsewhere after the plan was made; plan again to see the edit.",
  };
}
