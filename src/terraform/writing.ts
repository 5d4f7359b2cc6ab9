import type { Diagnostics } from "@avatarops/terraform-plugin";
import { ServiceError } from "../api/index.js";
import type { Kind, Live, Spec } from "../kinds/index.js";
import { explainListMismatch } from "../lifecycle/index.js";
import type { OpenAccount } from "./account.js";
import { type SaveContext, toSavedState } from "./reading.js";
import type { SavedValues } from "./resource-lifecycle.js";
import { differences, plain, sizeOf } from "./values.js";

/** What a write needs. */
export interface WriteContext extends SaveContext {
  readonly diagnostics: Diagnostics;
  /** The object as planned, which is not always as configured: see `ignore_changes`. */
  readonly spec: Spec;
}

/** Writes the whole managed object over a live one (rule 3). A lost answer is looked up by reading again. */
export async function write(
  writing: WriteContext,
  id: string,
  before: Live | undefined,
): Promise<SavedValues | null> {
  const { kind, open, diagnostics, spec } = writing;
  if (!kind.update) throw new Error(`Bug: a ${kind.name} cannot be changed`);
  const asked = open.stopwatch();
  try {
    const wanted = { spec: { ...before?.spec, ...spec }, secret: {} };
    const live = await kind.update(open.service, id, wanted, before);
    return record(writing, live, asked());
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.outcome !== "unknown") return reportRefusal(kind, error, diagnostics);
    const live = await readAgain(kind, open, id);
    if (live && differences(kind, spec, live.spec).length === 0) return record(writing, live, asked());
    diagnostics.error(
      `Whether the ${kind.name} was changed is not known`,
      `${error.message} Plan again to see what the service has.`,
    );
    return null;
  }
}

/** Reports that the service refused a write, at the attribute it speaks of. Other errors are thrown on. */
export function reportRefusal(kind: Kind, error: ServiceError, diagnostics: Diagnostics): null {
  if (error.code !== "refused" && error.code !== "name-taken") throw error;
  const named = error.details.flatMap(({ loc }) => loc.split(".")).find((word) => word in kind.fields);
  const field = error.code === "name-taken" ? kind.label : named;
  diagnostics.error(
    `The service refused the ${kind.name}`,
    error.message,
    field === undefined ? [] : [field],
  );
  return null;
}

/** What the service now holds; a difference from what was sent is an error that names the field. */
export function record(writing: WriteContext, live: Live, atMs: number): SavedValues {
  const { kind, diagnostics, spec } = writing;
  for (const name of differences(kind, spec, live.spec)) {
    const sizes = `It accepted the ${kind.name} ${live.id}, but of ${name} ${sizeOf(kind, name, spec)} were sent and ${sizeOf(kind, name, live.spec)} came back.`;
    const advice =
      explainListMismatch(kind, name, plain(spec[name]), plain(live.spec[name])) ??
      "Shorten or correct it, then apply again.";
    diagnostics.error(`The service kept something else as ${name}`, `${sizes} ${advice}`, [name]);
  }
  return toSavedState(writing, live, atMs);
}

async function readAgain(kind: Kind, { reader }: OpenAccount, id: string): Promise<Live | undefined> {
  try {
    return await kind.read?.(reader, id);
  } catch (error) {
    // Out of reach: the outcome stays unknown, and the first error tells why.
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

/** Changes an object in place: read first, so that nobody's edit is written over unseen (rule 4). */
export async function changeInPlace(
  writing: WriteContext,
  prior: Spec,
  id: string,
): Promise<SavedValues | null> {
  const { kind, open, diagnostics } = writing;
  const before = await readNow(kind, open, id);
  if (before === "gone") {
    diagnostics.error(`The ${kind.name} is gone`, `There is no ${kind.name} ${id} any more. Plan again.`);
    return null;
  }
  if (before && reportMoved(kind, prior, before, diagnostics)) return null;
  return write(writing, id, before);
}

/** Reports an object that is no longer what the plan took it to be; whether it is so. */
export function reportMoved(kind: Kind, prior: Spec, live: Live, diagnostics: Diagnostics): boolean {
  const moved = differences(kind, prior, live.spec);
  if (moved.length === 0) return false;
  diagnostics.error(
    `The ${kind.name} was edited elsewhere`,
    `Its ${moved.join(" and ")} changed after the plan was made, and nothing was written over it. Plan again to see the edit.`,
    [moved[0] ?? kind.label],
  );
  return true;
}

/** The object as it is at this moment; undefined where it cannot be seen. */
export async function readNow(kind: Kind, open: OpenAccount, id: string): Promise<Live | "gone" | undefined> {
  if (kind.read) return (await kind.read(open.reader, id)) ?? "gone";
  const found = await open.objects.read(kind, id);
  return found.seen === "live" ? found.live : undefined;
}
