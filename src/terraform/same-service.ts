import type { Diagnostics, PrivateState } from "@avatarops/terraform-plugin";
import type { Kind } from "../kinds/index.js";
import type { OpenAccount } from "./account.js";

/** What is kept beside the state of the service an object is of. */
export function servedBy({ service }: OpenAccount): { readonly service: string } {
  return { service: service.baseUrl };
}

/**
 * Whether an object is of the service at hand, as far as the state tells. Ids belong to an account: with the address of
 * another, everything in the state would look as if it were gone, and be made anew there. That is an error, told once and
 * not for each of a thousand objects.
 */
export function isOfThisService(
  kind: Kind,
  { service: recorded }: PrivateState,
  { service, settings, reportedServices: refused }: OpenAccount,
  diagnostics: Diagnostics,
): boolean {
  if (typeof recorded !== "string" || recorded === service.baseUrl) return true;
  if (settings.formerUrls.includes(recorded)) return true;
  if (!refused.has(recorded)) {
    refused.add(recorded);
    diagnostics.error(
      "The state is of another service",
      `It has this ${kind.name} from ${recorded}, and base_url of the provider is ${service.baseUrl}. Give each account a state of its own, such as a workspace. If it is the same account at another address, add former_base_urls = [${JSON.stringify(recorded)}] to the provider block.`,
    );
  }
  return false;
}
