/** The verdict on a plan with a change of some action; the first that applies to one of its changes, in this order. */
export const planExits = [
  /** The user must decide which object it is. */
  "ambiguous",
  /** An object with a declared id does not exist, or a value to send. */
  "missing",
  /** An object is protected, but no longer declared. */
  "protected",
  /** An object could not be read. */
  "unreadable",
  "changes",
  "nothing",
] as const;

export type PlanExit = (typeof planExits)[number];

/** Everything known of an action where it is planned, carried out, counted or shown. */
export interface ActionFacts {
  /** What it does, for the documentation. */
  readonly description: string;
  /** The verdict of a plan with it. An action that is neither `changes` nor `nothing` cannot be applied. */
  readonly exit: PlanExit;
  /** What it sends to the service: a create, an update (an adoption only if something differs), a delete. */
  readonly sends?: "create" | "update" | "delete";
  /** For a change with an id: the object is in the account, and is not listed as undeclared. */
  readonly isAccountedFor: boolean;
  /** What was done, as one word: "created". */
  readonly done: string;
  /** The sign before it in a plan; for actions that cannot be undone. */
  readonly symbol?: string;
  /** Its colour in a plan. */
  readonly style: "good" | "changed" | "dim" | "error";
}

/** Every action, in the order in which they are shown: writes first, decisions last. */
const facts = {
  create: {
    description: "Creates a new object.",
    ...{ exit: "changes", sends: "create", isAccountedFor: true, done: "created", style: "good" },
  },
  update: {
    description: "Writes the differences.",
    ...{ exit: "changes", sends: "update", isAccountedFor: true, done: "updated", style: "changed" },
  },
  adopt: {
    description: "Starts to manage an existing object, and writes the differences, if any.",
    ...{ exit: "changes", sends: "update", isAccountedFor: true, done: "adopted", style: "changed" },
  },
  supersede: {
    description: "Creates a new object that replaces the old one, which stays in the account.",
    ...{ exit: "changes", sends: "create", isAccountedFor: true, done: "superseded", style: "changed" },
  },
  delete: {
    description: "Deletes the object from the account; only for kinds that the service can delete.",
    ...{
      exit: "changes",
      sends: "delete",
      isAccountedFor: true,
      done: "deleted",
      symbol: "-",
      style: "error",
    },
  },
  forget: {
    description: "Stops managing the object; it stays in the account.",
    ...{ exit: "changes", isAccountedFor: false, done: "forgotten", style: "dim" },
  },
  protected: {
    description: "The object is no longer declared. `protect` is set: it is neither deleted nor forgotten.",
    ...{ exit: "protected", isAccountedFor: true, done: "protected", style: "error" },
  },
  missing: {
    description: "No object has the declared id, and the service cannot create one.",
    ...{ exit: "missing", isAccountedFor: false, done: "missing", style: "error" },
  },
  unreadable: {
    description:
      "The object could not be read, or an object with its name may exist: nothing is changed or created.",
    ...{ exit: "unreadable", isAccountedFor: true, done: "unreadable", style: "error" },
  },
  ambiguous: {
    description: "Several objects match, or the response to a create was lost: the user must decide.",
    ...{ exit: "ambiguous", isAccountedFor: true, done: "ambiguous", style: "error" },
  },
  keep: {
    description: "Nothing to do.",
    ...{ exit: "nothing", isAccountedFor: true, done: "kept", style: "dim" },
  },
} as const satisfies Readonly<Record<string, ActionFacts>>;

export type Action = keyof typeof facts;

export const actionFacts: Readonly<Record<Action, ActionFacts>> = facts;

/** All actions, in the order in which they are shown. */
export const actionNames = Object.keys(facts) as readonly Action[];
