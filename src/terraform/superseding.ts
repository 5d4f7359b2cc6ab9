import { type Diagnostics, type PrivateState, Unknown } from "@avatarops/terraform-plugin";
import { ServiceError } from "../api/index.js";
import { type Kind, readableFields, writeOnlyFields } from "../kinds/index.js";
import { fingerprint, matchFingerprint, newStateKey, Sealed } from "../secrets/index.js";
import type { OpenAccount } from "./account.js";
import { writeOnlyName } from "./attributes.js";
import { isImported } from "./last-applied.js";
import type { AccountCall, PlanCall, ResourceLifecycle, SavedValues } from "./resource-lifecycle.js";
import { servedBy } from "./same-service.js";
import { differences, specOf, stateOf, type Values } from "./values.js";
import { reportRefusal } from "./writing.js";

/**
 * Objects that are written once and never seen again: a change makes a new one, which supersedes the old.
 *
 * It is planned as a change in place in which the id becomes another, and not as a replacement: a replacement would
 * first forget the old one, and lose its id if the create then fails. The old id stays in the state, as the old object
 * stays in the service.
 *
 * Whether a write-only value changed cannot be seen by comparing it with the state, which does not have it. Where
 * `…_wo_version` is set, the version decides, and it alone: the way to go for values that differ at every run. Where it
 * is not set, a fingerprint (keyed, salted, slow; see the secrets' room) is kept beside the state, and a new value is
 * noticed by itself: nobody has to remember to count up a version.
 */
export function rotation(kind: Kind): ResourceLifecycle {
  return {
    async plan(call) {
      const { prior, planned, diagnostics } = call;
      if (!prior) return undefined;
      if (isImported(kind, prior)) {
        diagnostics.warning(
          `The ${kind.name} is recorded as the configuration has it`,
          `The service does not show what the ${kind.name} ${String(prior.id)} holds: it is taken to be what is configured, and nothing is sent. Later changes are noticed.`,
        );
        return undefined;
      }
      const change = await changeOf(kind, call, prior);
      if (change === "none") return undefined;
      return { planned: { ...planned, ...successor(prior, change) } };
    },
    create: (call) => store(kind, call, []),
    async update(call) {
      const { open, config, prior, planned, diagnostics } = call;
      if (planned.id !== Unknown) {
        const state: Values = { ...planned, superseded_ids: idsIn(prior.superseded_ids) };
        return { state, private: { ...servedBy(open), ...(await fingerprintsOf(kind, open, config)) } };
      }
      const saved = await store(kind, call, [...idsIn(prior.superseded_ids), String(prior.id)]);
      if (saved) {
        diagnostics.warning(
          `The superseded ${kind.name} is not deleted`,
          `${kind.afterForget} Its id is ${String(prior.id)}; \`superseded_ids\` keeps it.`,
        );
      }
      return saved;
    },
  };
}

type Change = "none" | "certain" | "possible";

function successor(prior: Values, change: Change): Values {
  const ids = [...idsIn(prior.superseded_ids), String(prior.id)];
  return { id: Unknown, superseded_ids: change === "certain" ? ids : Unknown };
}

async function changeOf(kind: Kind, call: PlanCall, prior: Values): Promise<Change> {
  const { planned } = call;
  if (differences(kind, specOf(kind, planned), specOf(kind, prior)).length > 0) return "certain";
  const changes = readableFields(kind).map(
    ([name]): Change => (planned[name] === Unknown ? "possible" : "none"),
  );
  for (const field of writeOnlyFields(kind)) changes.push(await valueChange(kind, field, call, prior));
  return changes.find((one) => one === "certain") ?? changes.find((one) => one === "possible") ?? "none";
}

async function valueChange(kind: Kind, field: string, call: PlanCall, prior: Values): Promise<Change> {
  const { config, planned, diagnostics, open } = call;
  const name = writeOnlyName(field);
  const version = planned[`${name}_version`] ?? null;
  const before = prior[`${name}_version`] ?? null;
  if (version === Unknown) return "possible";
  if (version !== null && before !== null) return version === before ? "none" : "certain";
  const value = config[name];
  if (value === Unknown && version === null) {
    diagnostics.warning(
      `Whether ${name} changed cannot be told yet`,
      `It is known only after apply. The ${kind.name} stays as it is; to send a new value anyway, set or change ${name}_version.`,
      [name],
    );
  }
  const known = call.private[field];
  if (typeof value !== "string" || !isFingerprint(known)) return "none";
  const extra = open.settings.fingerprintKey;
  const answer = await oneAtATime(() =>
    matchFingerprint(new Sealed(value), known.made, { stateKey: known.key, ...(extra ? { extra } : {}) }),
  );
  if (answer === "other-key") {
    diagnostics.warning(
      `Whether ${name} changed cannot be told`,
      `Its fingerprint was made with another fingerprint_key. The ${kind.name} stays as it is. Give the provider the key of before, or set ${name}_version once: that takes a new fingerprint.`,
      [name],
    );
  }
  return answer === "different" ? "certain" : "none";
}

async function store(
  kind: Kind,
  call: AccountCall,
  superseded: readonly string[],
): Promise<SavedValues | null> {
  const { open, config, planned, diagnostics } = call;
  if (!kind.create) throw new Error(`Bug: a ${kind.name} cannot be created`);
  // Before it is sent: once it is, its id must not be lost.
  const kept = { ...servedBy(open), ...(await fingerprintsOf(kind, open, config)) };
  const secret = Object.fromEntries(
    writeOnlyFields(kind).map((field) => [field, writeOnlyValue(config, field)]),
  );
  try {
    const live = await kind.create(open.service, { spec: specOf(kind, planned), secret });
    return { state: { ...stateOf(kind, live, planned), superseded_ids: superseded }, private: kept };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return error.outcome === "unknown"
      ? reportUnknown(kind, error, diagnostics)
      : reportRefusal(kind, error, diagnostics);
  }
}

function writeOnlyValue(config: Values, field: string): string {
  const value = config[writeOnlyName(field)];
  if (typeof value !== "string") throw new Error(`Bug: there is no value of ${field} to send`);
  return value;
}

function reportUnknown(kind: Kind, error: ServiceError, diagnostics: Diagnostics): null {
  diagnostics.error(
    `Whether the ${kind.name} was stored is not known`,
    `${error.message} It cannot be looked up: find it in the dashboard. If it is there, run \`terraform import avatarops_${kind.name}.NAME ID\` (if an old one is managed, take that out before with \`terraform state rm\`). If it is not, apply again.`,
  );
  return null;
}

function idsIn(value: Values[string] | undefined): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

interface Fingerprint {
  readonly key: string;
  readonly made: string;
}

function isFingerprint(value: unknown): value is Fingerprint {
  const { key, made } = (value ?? {}) as Partial<Record<keyof Fingerprint, unknown>>;
  return typeof key === "string" && typeof made === "string";
}

/** Fingerprints of the write-only values, each with a key of its own: the state of Terraform has no place for one key. */
async function fingerprintsOf(kind: Kind, { settings }: OpenAccount, config: Values): Promise<PrivateState> {
  const extra = settings.fingerprintKey;
  const made: Record<string, Fingerprint> = {};
  for (const field of writeOnlyFields(kind)) {
    const value = config[writeOnlyName(field)];
    if (typeof value !== "string") continue;
    const key = newStateKey();
    const keys = { stateKey: key, ...(extra ? { extra } : {}) };
    made[field] = { key, made: await oneAtATime(() => fingerprint(new Sealed(value), keys)) };
  }
  return made;
}

let last: Promise<unknown> = Promise.resolve();

/** One after the other: each fingerprint takes tens of megabytes while it is made. */
function oneAtATime<T>(make: () => Promise<T>): Promise<T> {
  const mine = last.then(make, make);
  last = mine.catch(() => {});
  return mine;
}
