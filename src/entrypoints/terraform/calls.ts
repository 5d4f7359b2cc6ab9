import type * as plugin from "@avatarops/terraform-plugin";
import type { Account, OpenAccount } from "./account/open-account.js";
import type { Recovery } from "./timeouts.js";
import type { Values } from "./values.js";

/** Call with a findAccount account. */
interface Opened {
  readonly open: OpenAccount;
}

/** Call that writes. */
export type AccountCall = plugin.CreateCall<Account> & Opened & Recovery;
export type UpdateCall = plugin.UpdateCall<Account> & Opened & Recovery;
export type DeleteCall = plugin.DeleteCall<Account> & Opened;

/** Proposed plan. `planned` is null for an object to delete. */
export type ProposedPlanCall = plugin.PlanCall<Account>;

/** Proposed plan of an object to keep or create. */
export type PlanCall = ProposedPlanCall & Opened & { readonly planned: Values };

export type ReadCall = plugin.ReadCall<Account>;
