import type { Kind, Spec } from "../../core/kinds/index.js";
import { deleteObject as deleteFromAccount } from "../../core/lifecycle/index.js";
import { isSameServiceForDelete } from "./account/same-service.js";
import type { DeleteCall } from "./calls.js";
import {
  reportEditedSincePlan,
  reportMissingProfile,
  reportNotForgotten,
  reportRefusal,
  warnNotDeleted,
  warnSupersededRemain,
} from "./diagnostics.js";
import { reportDeletedEdits } from "./edits-elsewhere.js";
import { chooseStrategy } from "./strategy.js";
import { listSupersededIds } from "./superseded-ids.js";
import { normalizeValue, toObjectId, toSpec } from "./values.js";

/** Forgets an object, which stays in the account. A resource with its name can adopt it again in the same run. */
export function forgetObject(kind: Kind, { account, prior, diagnostics, private: saved }: DeleteCall): void {
  const { ownership } = account;
  if (ownership.isContested(kind, String(prior.id))) {
    reportNotForgotten(kind, prior, diagnostics);
    return;
  }
  // Warns about a delete that is part of a replacement, because it has no separate plan that could warn. With the
  // strategy `create`, the same object is adopted again.
  if (!saved.is_announced && chooseStrategy(kind) !== "create")
    warnNotDeleted(kind, prior, saved, diagnostics);
  ownership.release(kind, String(prior.id), toSpec(kind, prior));
  ownership.releaseName(kind, String(prior[kind.label]), String(prior.id));
}

/**
 * Deletes an object if it still has the values that the plan saw. If they changed, reports an error, and Terraform
 * keeps the resource.
 */
export async function deleteObject(kind: Kind, call: DeleteCall): Promise<void> {
  const { account, prior, diagnostics, log } = call;
  // A saved plan may be applied with another base URL, and Terraform does not plan a delete again.
  if (!isSameServiceForDelete(kind, call.private, account, diagnostics)) return;
  if (!kind.remove) return void reportMissingProfile(kind, "remove", 'on_removal = "delete"', diagnostics);
  const { service, reader, objects, findUsers, ownership, settings } = account;
  const id = toObjectId(prior);
  const context = { kind, service, reader, list: objects.list, findUsers, normalize: normalizeValue };
  const { to_delete: planned } = call.private as { readonly to_delete?: Spec };
  const expected = planned ?? toSpec(kind, prior);
  const result = await deleteFromAccount(context, id, { spec: expected });
  switch (result.outcome) {
    case "removed": {
      if (result.recovered) log("info", "response to a delete was lost, but the object was deleted", { id });
      objects.recordRemoval(kind, id);
      // Terraform does not show the warnings of a replacement's plan.
      if (!call.private.is_announced && settings.drift !== "overwrite")
        reportDeletedEdits(
          kind,
          { live: expected, saved: call.private, isReplaced: true },
          { drift: "warn" },
          diagnostics,
        );
      ownership.releaseName(kind, String(prior[kind.label]), id);
      warnSupersededRemain(kind, listSupersededIds(prior, call.private), diagnostics);
      return;
    }
    case "in-use":
      diagnostics.error(`The ${kind.name} was not deleted`, `The ${kind.name} ${id} ${result.why}`);
      return;
    case "stale":
      reportEditedSincePlan(kind, result.fields, diagnostics);
      return;
    case "refused":
      if (result.error.code !== "refused") throw result.error;
      reportRefusal(kind, result.error, diagnostics);
      return;
    default: {
      const stillExists = result.outcome === "still-there";
      diagnostics.error(
        stillExists ? `The ${kind.name} was not deleted` : "Delete outcome unknown",
        `${result.error.message} ${stillExists ? `The ${kind.name} ${id} still exists. ` : ""}Apply again. Repeating a delete is safe.`,
      );
    }
  }
}
