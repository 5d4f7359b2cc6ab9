import { observeState, plan } from "../../core/engine/index.js";
import { parseAddress } from "../../core/kinds/index.js";
import type { Manifest } from "../../core/manifest/index.js";
import { type PlanDocument, planDocument, type ShownChange } from "../../output/documents/index.js";
import { type Policy, type PolicyFinding, type PolicyInput, policyInput } from "./function.js";
import { findingsIn } from "./judge-functions.js";

/** A change of a plan in a test; what is left out is that of a change without fields. */
export type ChangeForTest = Pick<ShownChange, "address" | "action"> & Partial<ShownChange>;

/**
 * What a policy gets, for its tests: the plan that creates or adopts all that a manifest declares, with these changes in
 * place of those of the same objects, or beside them. Needs no account.
 */
export function makePolicyInput(manifest: Manifest, changes: readonly ChangeForTest[] = []): PolicyInput {
  const service = "https://service.example";
  const made = plan(manifest, undefined, observeState(manifest, undefined), { service });
  const document = planDocument(made);
  const given = changes.map(toChange);
  const others = document.changes.filter(
    ({ address }) => !given.some((change) => change.address === address),
  );
  const all = [...others, ...given];
  const exit = all.length > 0 ? "changes" : "nothing";
  return policyInput(
    { ...document, exit, summary: summarise(document, all), changes: all },
    manifest.declarations,
  );
}

/**
 * What a policy finds, as `avatarops plan` would read it.
 *
 * @throws Error if it returns another shape; and what it throws.
 */
export async function judgeBy(policy: Policy, input: PolicyInput): Promise<readonly PolicyFinding[]> {
  const copy = JSON.parse(JSON.stringify(input)) as PolicyInput;
  const findings = findingsIn((await policy(copy)) ?? []);
  if (typeof findings === "string") throw new Error(`The policy ${findings}.`);
  return findings;
}

function toChange(change: ChangeForTest): ShownChange {
  const { kind, key } = parseAddress(change.address) ?? {};
  const { address, action } = change;
  if (!kind || key === undefined) throw new Error(`${JSON.stringify(address)} is no address.`);
  const reason = action === "forget" || action === "delete" ? "removed" : "configured";
  return {
    ...{ address, kind: kind.name, label: key, action, reason, overwrites: false, fields: [], notes: [] },
    ...change,
  };
}

function summarise({ summary }: PlanDocument, changes: readonly ShownChange[]): PlanDocument["summary"] {
  const count = (name: string) => changes.filter(({ action }) => action === name).length;
  const counts = Object.keys(summary).map((name) => [name, name === "keep" ? summary.keep : count(name)]);
  return {
    ...(Object.fromEntries(counts) as PlanDocument["summary"]),
    drifted: changes.filter(({ overwrites }) => overwrites).length,
  };
}
