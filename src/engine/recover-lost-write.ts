import { setTimeout as sleep } from "node:timers/promises";
import { ServiceError } from "../api/index.js";
import { findLostCreate, type ListResult, type Live, toListing } from "../kinds/index.js";
import { madeBy, wasSent } from "./find.js";
import type { Result } from "./outcome.js";
import { result } from "./result.js";
import { claimsOf } from "./tracked-declaration.js";
import type { WriteContext } from "./writing.js";

/**
 * After a write whose answer never came: was it done? An updated object is read; a created one is looked for by
 * what is known of it, for as long as the service may still be at work. Found, it is recorded as if it had been
 * answered. Otherwise the intent stays, nothing is sent again, and the next plan looks once more.
 */
export async function recoverLostWrite(
  writing: WriteContext,
  loss: ServiceError,
  record: (live: Live) => Promise<Result>,
): Promise<Result> {
  const { change, kind } = writing;
  try {
    const live = await (change.action === "update" || change.action === "adopt" ? readAgain : search)(
      writing,
    );
    if (live) {
      const found = await record(live);
      return {
        ...found,
        notes: [...found.notes, "The answer was lost; what it did was found in the account."],
      };
    }
  } catch (error) {
    // The service is out of reach: the outcome stays unknown, and the first error tells why.
    if (!(error instanceof ServiceError) && !isAbort(error)) throw error;
  }
  const next = kind.list
    ? "The next plan looks for it."
    : `It cannot be looked up: find it in the dashboard and run \`avatarops import ${change.address} ID\`, or apply with --accept-duplicate ${change.address}.`;
  return result(change, "unknown", {
    problem: { code: loss.code, message: `${loss.message} Whether it was done is not known. ${next}` },
  });
}

async function readAgain({ input, change, kind, intent }: WriteContext): Promise<Live | undefined> {
  if (change.id === undefined) return undefined;
  const live = await kind.read?.(input.service, change.id);
  return live && wasSent(kind, intent, live) ? live : undefined;
}

async function search(writing: WriteContext): Promise<Live | undefined> {
  const { input, kind, intent } = writing;
  const { settleMs = 10_000, signal } = input;
  if (!kind.list) return undefined;
  const until = input.now() + settleMs;
  for (let pauseMs = 250; ; pauseMs = Math.min(pauseMs * 2, 4_000)) {
    const listing: ListResult = await kind.list.read(input.service, {});
    // Taken anew each time: other creates are being answered meanwhile, and what they made is not ours.
    const { ids } = claimsOf(input.manifest, input.session.state);
    const lostCreate = await findLostCreate(
      input.service,
      kind,
      madeBy(kind, intent, ids),
      toListing(kind.list, listing),
    );
    // Objects that resemble it and are not it: waiting does not make that clearer.
    if (lostCreate.found || lostCreate.candidates.length > 0) return lostCreate.found;
    if (input.now() + pauseMs > until) return undefined;
    input.on?.({
      type: "waiting",
      why: `looking for ${writing.change.address}, whose answer was lost`,
      forMs: pauseMs,
    });
    await sleep(pauseMs, undefined, signal ? { signal } : {});
  }
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}
