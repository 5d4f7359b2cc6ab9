import type { Attributes, ClientCall, PlanModification, PrivateState } from "@avatarops/terraform-plugin";
import type { Account, OpenAccount } from "./account.js";
import type { Values } from "./values.js";

/** How objects of a kind come to be and are changed. */
export interface ResourceLifecycle {
  plan(call: PlanCall): Promise<PlannedValues | undefined>;
  create(call: CreateCall): Promise<SavedValues | null>;
  update(call: UpdateCall): Promise<SavedValues | null>;
}

/** A call that may use the account. */
export interface AccountCall extends ClientCall<Account> {
  readonly open: OpenAccount;
  readonly config: Values;
  readonly planned: Values;
  readonly private: PrivateState;
}

export interface PlanCall extends AccountCall {
  readonly prior: Values | null;
}

export type CreateCall = AccountCall;

export interface UpdateCall extends AccountCall {
  readonly prior: Values;
}

export interface SavedValues {
  readonly state: Values;
  readonly private?: PrivateState;
}

export interface PlannedValues extends Omit<PlanModification<Attributes>, "planned"> {
  readonly planned?: Values;
}
