/** Possible verdicts on a plan, most important first. The first one that applies wins. */
export const planExits = [
  /** Several objects match, and the user must choose one. */
  "ambiguous",
  /** An object with a declared id does not exist, or a value to send is missing. */
  "missing",
  /** An object is protected, but was removed from the files. */
  "protected",
  /** An object could not be read. */
  "unreadable",
  "changes",
  /** No known differences, but a secret may have changed. */
  "unverified",
  "nothing",
] as const;

export type PlanExit = (typeof planExits)[number];

/** Action properties, for planning, applying, counting and display. */
export interface ActionFacts {
  /** Sentence for the documentation. */
  readonly description: string;
  /** Verdict for a plan that contains the action. Plans with a verdict after `unreadable` can be applied. */
  readonly exit: PlanExit;
  /** Request that the action sends. An adoption sends it only if something differs. */
  readonly sends?: "create" | "update" | "delete";
  /** Whether an object with an id counts as managed, so it is not listed as undeclared. */
  readonly countsAsManaged: boolean;
  /** Past participle for outcomes: "created". */
  readonly done: string;
  /** Symbol in a plan, for actions that cannot be undone. */
  readonly symbol?: string;
  /** Color in a plan. */
  readonly style: "good" | "changed" | "dim" | "error";
}

/** Actions in display order: changes first, then problems, then unchanged objects. */
const facts = {
  create: {
    description: "Creates a new object.",
    ...{ exit: "changes", sends: "create", countsAsManaged: true, done: "created", style: "good" },
  },
  update: {
    description: "Writes the differences.",
    ...{ exit: "changes", sends: "update", countsAsManaged: true, done: "updated", style: "changed" },
  },
  adopt: {
    description: "Starts managing an existing object, and writes any differences.",
    ...{ exit: "changes", sends: "update", countsAsManaged: true, done: "adopted", style: "changed" },
  },
  supersede: {
    description: "Creates a new object that replaces the old one, which stays in the account.",
    ...{ exit: "changes", sends: "create", countsAsManaged: true, done: "superseded", style: "changed" },
  },
  delete: {
    description: "Deletes the object from the account. Only for kinds that the service can delete.",
    ...{
      exit: "changes",
      sends: "delete",
      countsAsManaged: true,
      done: "deleted",
      symbol: "-",
      style: "error",
    },
  },
  forget: {
    description: "Stops managing the object, which stays in the account.",
    ...{ exit: "changes", countsAsManaged: false, done: "forgotten", style: "dim" },
  },
  protected: {
    description: "The object was removed from the files, but is kept because `protect` is set.",
    ...{ exit: "protected", countsAsManaged: true, done: "protected", style: "error" },
  },
  missing: {
    description: "No object has the declared id, and the service cannot create one.",
    ...{ exit: "missing", countsAsManaged: false, done: "missing", style: "error" },
  },
  unreadable: {
    description:
      "The object could not be read, or an object with its name may exist, so nothing is changed or created.",
    ...{ exit: "unreadable", countsAsManaged: true, done: "unreadable", style: "error" },
  },
  ambiguous: {
    description: "Several objects match, or the response to a create was lost, so you must decide.",
    ...{ exit: "ambiguous", countsAsManaged: true, done: "ambiguous", style: "error" },
  },
  keep: {
    description: "Nothing to do.",
    ...{ exit: "nothing", countsAsManaged: true, done: "kept", style: "dim" },
  },
} as const satisfies Readonly<Record<string, ActionFacts>>;

export type Action = keyof typeof facts;

export const actionFacts: Readonly<Record<Action, ActionFacts>> = facts;

/** All actions in display order. */
export const actionNames = Object.keys(facts) as readonly Action[];
