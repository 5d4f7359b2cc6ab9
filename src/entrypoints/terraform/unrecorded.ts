import type { Kind } from "../../core/kinds/index.js";
import { readUnlessDown } from "./account/open-account.js";
import type { PlanCall } from "./calls.js";
import { reportUnconfirmedName, warnUnrecorded } from "./diagnostics.js";
import { findDifferences, toSpec } from "./values.js";

/**
 * Warns of objects that a killed apply may have created without recording them, because names need not be unique. A
 * secret that supersedes another one can only be newer.
 */
export async function warnAboutUnrecorded(kind: Kind, call: PlanCall): Promise<void> {
  const { account, prior, planned, diagnostics } = call;
  const label = planned[kind.label];
  if (!kind.list || typeof label !== "string") return;
  const listing = await readUnlessDown(account, () => account.objects.list(kind));
  if (!listing) return;
  const { warning } = diagnostics;
  const lookup = listing.findByLabel(label, ({ id }) => !account.ownership.isClaimed(kind, id));
  if (lookup.outcome === "unknown")
    reportUnconfirmedName(kind, label, lookup.doubt, { warning, error: warning });
  if (lookup.outcome !== "found") return;
  const current = prior && listing.findById(String(prior.id));
  const since = current?.outcome === "found" ? current.found.createdAt : undefined;
  const spec = toSpec(kind, planned);
  const similar = lookup.found.filter(
    ({ createdAt, live }) =>
      (!prior || (createdAt !== undefined && since !== undefined && createdAt > since)) &&
      (!live || findDifferences(kind, spec, live.spec).length === 0),
  );
  if (similar.length > 0) warnUnrecorded(kind, label, similar, { isNew: !prior }, diagnostics);
}
