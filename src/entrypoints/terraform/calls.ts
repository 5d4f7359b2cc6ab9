import type * as plugin from "@avatarops/terraform-plugin";
import type { Account, OpenAccount } from "./account/open-account.js";
import type { Recovery } from "./timeouts.js";
import type { Values } from "./values.js";

/** With an account that can be reached. */
interface Opened {
  readonly open: OpenAccount;
}

/** A call that writes. */
export type AccountCall = plugin.CreateCall<Account> & Opened & Recovery;
export type UpdateCall = plugin.UpdateCall<Account> & Opened & Recovery;
export type DeleteCall = plugin.DeleteCall<Account> & Opened;

/** What a plan is refined from; `planned` is null for an object to be deleted. */
export type ProposedPlanCall = plugin.PlanCall<Account>;

/** The same, of an object that is to be. */
export type PlanCall = ProposedPlanCall & Opened & { readonly planned: Values };

export type ReadCall = plugin.ReadCall<Account>;
