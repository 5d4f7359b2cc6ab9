import { setTimeout as sleep } from "node:timers/promises";
import { type Diagnostics, Unknown } from "@avatarops/terraform-plugin";
import { ServiceError } from "../api/index.js";
import { type Kind, type ListedObject, type Live, readableFields, type Spec } from "../kinds/index.js";
import { findLostCreate } from "../lifecycle/index.js";
import { editKey } from "./account.js";
import { importBlocks } from "./import-block.js";
import { warnOverwritten } from "./last-applied.js";
import { toSavedState } from "./reading.js";
import type { CreateCall, PlanCall, ResourceLifecycle, SavedValues } from "./resource-lifecycle.js";
import { differences, specOf, type Values } from "./values.js";
import { changeInPlace, record, reportMoved, reportRefusal, type WriteContext, write } from "./writing.js";

/**
 * Objects the service makes, once and not twice (rule 2).
 *
 * A name is taken to be meant once. So before a create the list is looked through for it: an object that has it and
 * belongs to no resource is to be imported, and not to be doubled. An object that a resource let go of in this very run
 * is adopted again: the service cannot delete, so that a replacement would else make a twin. After a lost answer the
 * object is looked for by name, time and content for as long as the service may still be at work.
 */
export function creating(kind: Kind): ResourceLifecycle {
  return {
    async plan({ open, config, prior, planned, diagnostics }) {
      const label = planned[kind.label];
      if (prior !== null || typeof label !== "string") return undefined;
      const namesakes = await open.objects.findByName(kind, label);
      const { has, released } = open.ownership;
      const foreign = namesakes.filter(({ id }) => !has(kind, id) && !released(kind, id));
      if (foreign.length > 0) refuseTaken(kind, label, foreign, diagnostics);
      for (const { id } of namesakes) tellTakenOver(kind, id, { open, config, planned, diagnostics });
      return namesakes.length > 0 ? undefined : { planned: withoutMore(kind, config, planned) };
    },
    async create(call) {
      const { open, planned, diagnostics } = call;
      const label = String(planned[kind.label]);
      if (!open.ownership.reserve(kind, label)) {
        const detail = `Each create of this run must have a ${kind.label} of its own, by which the object can be found again.`;
        diagnostics.error(`Two resources are after the ${kind.label} ${JSON.stringify(label)}`, detail, [
          kind.label,
        ]);
        return null;
      }
      let made: SavedValues | null = null;
      try {
        made = await make(kind, call, label);
        return made;
      } finally {
        if (!made) open.ownership.giveBack(kind, label);
      }
    },
    update({ open, config, prior, planned, diagnostics }) {
      const writing = { kind, open, diagnostics, config, spec: specOf(kind, planned), like: planned };
      return changeInPlace(writing, specOf(kind, prior), String(prior.id));
    },
  };
}

/** A new object has of what is not set nothing; one that was let go of and is adopted again has what it has. */
function withoutMore(kind: Kind, config: Values, planned: Values): Values {
  const unset = readableFields(kind).filter(([name]) => config[name] === null && planned[name] === Unknown);
  return { ...planned, ...Object.fromEntries(unset.map(([name]) => [name, null])) };
}

const longestPauseMs = 4_000;

async function make(kind: Kind, call: CreateCall, label: string): Promise<SavedValues | null> {
  const { open, config, planned, diagnostics } = call;
  if (!kind.create) throw new Error(`Bug: a ${kind.name} cannot be created`);
  const writing = { kind, open, diagnostics, config, spec: specOf(kind, planned), like: planned };
  const namesakes = await open.objects.findByName(kind, label);
  const [first, ...others] = namesakes;
  const released = first && open.ownership.released(kind, first.id);
  if (released && others.length === 0) {
    const adopted = await adoptAgain(writing, first.id, released);
    if (adopted !== "gone") return adopted;
  } else if (first) {
    refuseTaken(kind, label, namesakes, diagnostics);
    return null;
  }
  const asked = open.stopwatch();
  try {
    const live = await kind.create(open.service, { spec: writing.spec, secret: {} });
    return record(writing, live, asked());
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.outcome === "unknown") return recoverLostCreate(writing, call, error, { label, atMs: asked() });
    if (error.code === "name-taken" && (await refuseAfterAll(writing, label))) return null;
    return reportRefusal(kind, error, diagnostics);
  }
}

/** The object of a tainted resource, which is planned like a new one, and will be written over. */
function tellTakenOver(
  kind: Kind,
  id: string,
  { open, config, planned, diagnostics }: Pick<PlanCall, "open" | "config" | "planned" | "diagnostics">,
): void {
  const key = editKey(kind, id);
  const edits = open.unreportedEdits.get(key);
  if (!edits) return;
  open.unreportedEdits.delete(key);
  const { prior } = edits;
  const unset = readableFields(kind).filter(([name]) => config[name] === null);
  const staying = unset.map(([name]): [string, Values[string]] => [name, prior[name] ?? null]);
  const written = { ...planned, ...Object.fromEntries(staying) };
  warnOverwritten(kind, { prior, planned: written, kept: edits.kept }, open.settings, diagnostics);
}

async function adoptAgain(
  writing: WriteContext,
  id: string,
  released: Spec,
): Promise<SavedValues | null | "gone"> {
  const { kind, open, spec, diagnostics } = writing;
  const asked = open.stopwatch();
  const live = await kind.read?.(open.reader, id);
  if (!live) return "gone";
  if (reportMoved(kind, released, live, diagnostics)) return null;
  if (differences(kind, spec, live.spec).length === 0) return toSavedState(writing, live, asked());
  return write(writing, id, live);
}

async function recoverLostCreate(
  writing: WriteContext,
  { signal, log }: CreateCall,
  loss: ServiceError,
  sent: { readonly label: string; readonly atMs: number },
): Promise<SavedValues | null> {
  const { kind, diagnostics } = writing;
  let candidates: readonly ListedObject[] = [];
  try {
    const lostCreate = await search(writing, signal, sent);
    if (lostCreate.found) {
      log("info", "the answer to a create was lost; what it made was found", { id: lostCreate.found.id });
      return record(writing, lostCreate.found, sent.atMs);
    }
    candidates = lostCreate.candidates;
  } catch (error) {
    // Out of reach or stopped: the outcome stays unknown, and the first error tells why.
    if (!(error instanceof ServiceError) && !signal.aborted) throw error;
  }
  const next =
    candidates.length > 0
      ? `What may be it has other content, so that only you can tell. If it is, import it:\n\n${importBlocks(kind, candidates)}`
      : "The next plan looks for it by its name, and shows how to import it if it is there.";
  diagnostics.error(`Whether the ${kind.name} was created is not known`, `${loss.message} ${next}`);
  return null;
}

async function search(
  { kind, open, spec }: WriteContext,
  signal: AbortSignal,
  { label, atMs }: { readonly label: string; readonly atMs: number },
) {
  const made = {
    label,
    at: new Date(atMs).toISOString(),
    isForeign: (id: string) => open.ownership.has(kind, id),
    matches: (live: Live) => differences(kind, spec, live.spec).length === 0,
  };
  const untilMs = open.nowMs() + open.settings.settleMs;
  for (let pauseMs = 250; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    open.objects.invalidateList(kind);
    const lostCreate = await findLostCreate(open.reader, kind, made, await open.objects.list(kind));
    // Objects that resemble it and are not it: waiting does not make that clearer.
    if (lostCreate.found || lostCreate.candidates.length > 0 || open.nowMs() + pauseMs > untilMs)
      return lostCreate;
    await sleep(pauseMs, undefined, { signal });
  }
}

/** The service says that the name is taken, by one who was quicker than our look at the list. */
async function refuseAfterAll({ kind, open, diagnostics }: WriteContext, label: string): Promise<boolean> {
  open.objects.invalidateList(kind);
  const namesakes = await open.objects.findByName(kind, label);
  if (namesakes.length > 0) refuseTaken(kind, label, namesakes, diagnostics);
  return namesakes.length > 0;
}

function refuseTaken(
  kind: Kind,
  label: string,
  taken: readonly ListedObject[],
  diagnostics: Diagnostics,
): void {
  const several = taken.length > 1;
  const which = several ? `${taken.length} ${kind.collection}` : `a ${kind.name}`;
  const detail = [
    `To manage ${several ? "one of them" : "it"} here, import it: add this to the configuration, with the address of this resource for NAME.`,
    importBlocks(kind, taken),
    `If it is this resource's own, half replaced under \`create_before_destroy\`: take that out, and \`terraform state rm\` the resource before it is imported. Else choose another ${kind.label}. If another resource of the configuration has this ${kind.label} and gives it up, let this one depend on it.`,
  ].join("\n\n");
  diagnostics.error(`The account has ${which} named ${JSON.stringify(label)} already`, detail, [kind.label]);
}
