import type { PrivateState } from "@avatarops/terraform-plugin";
import type { System } from "../../../base/system/index.js";

/*
 * Random id of a resource, in its private state. Distinguishes two resources that manage the same object, because
 * Terraform passes no addresses to a provider.
 */

export function recordResourceId(saved: PrivateState, { newId }: Pick<System, "newId">): PrivateState {
  return { ...saved, resource_id: readResourceId(saved) ?? newId() };
}

export function readResourceId({ resource_id }: PrivateState): string | undefined {
  return typeof resource_id === "string" ? resource_id : undefined;
}
