import type { Diagnostics, PrivateState } from "@avatarops/terraform-plugin";
import type { Kind } from "../../../core/kinds/index.js";
import { otherService } from "../diagnostics.js";
import type { OpenAccount } from "./open-account.js";

/** What is kept beside the state of the service an object is of. */
export function servedBy({ service }: OpenAccount): { readonly service: string } {
  return { service: service.baseUrl };
}

/**
 * Whether an object is of the service at hand, as far as the state says. Ids belong to an account: with the address of
 * another, everything in the state would look as if it were gone, and be created again there. That is an error, reported once and
 * not for each of a thousand objects.
 */
export function isOfThisService(
  kind: Kind,
  { service: recorded }: PrivateState,
  { service, settings, reportedServices: reported }: OpenAccount,
  diagnostics: Diagnostics,
): boolean {
  if (typeof recorded !== "string" || recorded === service.baseUrl) return true;
  if (settings.formerUrls.includes(recorded)) return true;
  if (!reported.has(recorded)) {
    reported.add(recorded);
    otherService(kind, recorded, service.baseUrl, diagnostics);
  }
  return false;
}
