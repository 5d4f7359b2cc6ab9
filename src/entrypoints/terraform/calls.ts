import type { Attributes, ClientCall, PlanModification, PrivateState } from "@avatarops/terraform-plugin";
import type { Account, OpenAccount } from "./account/open-account.js";
import type { Values } from "./values.js";

/** A call that may use the account. */
export interface AccountCall extends ClientCall<Account> {
  readonly open: OpenAccount;
  readonly config: Values;
  readonly planned: Values;
  readonly private: PrivateState;
}

/** What a plan is refined from. */
export interface PlanCall extends AccountCall {
  /** Null for a new object. */
  readonly prior: Values | null;
}

/** What the framework proposes; `planned` is null for an object to be deleted. */
export interface ProposedPlanCall extends Omit<PlanCall, "open" | "planned"> {
  readonly planned: Values | null;
}

/** What an update is asked with. */
export interface UpdateCall extends AccountCall {
  readonly prior: Values;
}

/** What a delete is asked with. */
export interface DeleteCall extends ClientCall<Account> {
  readonly open: OpenAccount;
  readonly private: PrivateState;
  readonly prior: Values;
}

/** What a read is asked with. */
export interface ReadCall extends ClientCall<Account> {
  readonly state: Values;
  readonly private: PrivateState;
}

/** An object as it is saved to the state. */
export interface SavedValues {
  readonly state: Values;
  readonly private?: PrivateState;
}

/** What became of a plan. */
export interface PlannedValues extends Omit<PlanModification<Attributes>, "planned"> {
  readonly planned?: Values;
}
