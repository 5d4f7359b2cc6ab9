import type * as plugin from "@avatarops/terraform-plugin";
import type { OpenedAccount, ProviderClient } from "./account/open-account.js";
import type { Recovery } from "./timeouts.js";
import type { AttributeValues } from "./values.js";

/** Call with a known account. */
interface AccountContext {
  readonly account: OpenedAccount;
}

/** Create call, with the opened account and the input for finding an object whose create timed out. */
export type WriteCall = plugin.CreateCall<ProviderClient> & AccountContext & Recovery;
export type UpdateCall = plugin.UpdateCall<ProviderClient> & AccountContext & Recovery;
export type DeleteCall = plugin.DeleteCall<ProviderClient> & AccountContext;

/** Proposed plan. `planned` is null for an object to delete. */
export type ProposedPlanCall = plugin.PlanCall<ProviderClient>;

/** Proposed plan for an object that is created, updated or kept. */
export type PlanCall = ProposedPlanCall & AccountContext & { readonly planned: AttributeValues };

export type ReadCall = plugin.ReadCall<ProviderClient>;
