import type { Kind, Spec } from "../../core/kinds/index.js";
import { deleteObject as deleteFromAccount } from "../../core/lifecycle/index.js";
import type { DeleteCall } from "./calls.js";
import { editedMeanwhile, needsProfile, notDeleted, notForgotten, refused } from "./diagnostics.js";
import { chooseStrategy } from "./strategy.js";
import { supersededIds } from "./superseded-ids.js";
import { idOf, normalizedValue, toSpec } from "./values.js";

/** Forgets an object, which stays in the account. A resource with its name can adopt it again in the same run. */
export function forgetObject(kind: Kind, { open, prior, diagnostics, private: saved }: DeleteCall): void {
  const { ownership } = open;
  if (ownership.isContested(kind, String(prior.id))) {
    notForgotten(kind, prior, diagnostics);
    return;
  }
  // A replacement's delete has no plan that could warn. Kinds with the strategy `create` adopt the same object again.
  if (!saved.is_announced && chooseStrategy(kind) !== "create") notDeleted(kind, prior, saved, diagnostics);
  ownership.release(kind, String(prior.id), toSpec(kind, prior));
  ownership.giveBack(kind, String(prior[kind.label]), String(prior.id));
}

/** Deletes an object if it is as planned. Otherwise reports an error, and Terraform keeps the resource. */
export async function deleteObject(kind: Kind, call: DeleteCall): Promise<void> {
  const { open, prior, diagnostics, log } = call;
  if (!kind.remove) return void needsProfile(kind, "remove", 'on_removal = "delete"', diagnostics);
  const { service, reader, objects, findUsers, ownership } = open;
  const id = idOf(prior);
  const context = { kind, service, reader, list: objects.list, findUsers, normalize: normalizedValue };
  const { to_delete: seen } = call.private as { readonly to_delete?: Spec };
  const result = await deleteFromAccount(context, id, { spec: seen ?? toSpec(kind, prior) });
  switch (result.outcome) {
    case "removed": {
      if (result.recovered) log("info", "the answer to a delete was lost; the object is gone", { id });
      objects.recordRemoval(kind, id);
      ownership.giveBack(kind, String(prior[kind.label]), id);
      const superseded = supersededIds(prior, call.private);
      if (superseded.length > 0)
        diagnostics.warning(
          `The superseded ${kind.collection} are not deleted`,
          `They stay in the account, and no state has their ids any more: ${superseded.join(", ")}.`,
        );
      return;
    }
    case "in-use":
      diagnostics.error(`The ${kind.name} is not deleted`, `The ${kind.name} ${id} ${result.why}`);
      return;
    case "stale":
      editedMeanwhile(kind, result.fields, diagnostics);
      return;
    case "refused":
      if (result.error.code !== "refused") throw result.error;
      refused(kind, result.error, diagnostics);
      return;
    default: {
      const isThere = result.outcome === "still-there";
      diagnostics.error(
        isThere ? `The ${kind.name} is not deleted` : "Delete outcome unknown",
        `${result.error.message} ${isThere ? `The ${kind.name} ${id} is still there.` : ""} Apply again: a delete may be sent more than once.`,
      );
    }
  }
}
