import type { Type, Value } from "./values/value.js";

interface AttributeCommon {
  /** One or more sentences of Markdown, for the documentation. */
  readonly description: string;
  /** Who sets it: the user must (`required`), the user may (`optional`), the provider does (`computed`), or the last two. */
  readonly required?: true;
  readonly optional?: true;
  readonly computed?: true;
  /** Hidden in Terraform's output. It is in the state all the same. */
  readonly sensitive?: true;
  /** Given in the configuration, never in plan or state. Needs Terraform 1.11 or OpenTofu 1.11. */
  readonly writeOnly?: true;
  /**
   * Stays as it is when something else changes: what the provider computed once is planned, not "known after apply".
   * With "even-null", so does nothing, for what the user may set and the object need not have.
   */
  readonly useStateForUnknown?: true | "even-null";
  /** Only the provider reads it: a change of it alone leaves every computed attribute as it is. */
  readonly stateOnly?: true;
  /** A change of it makes a new object; of no use within another attribute. */
  readonly requiresReplace?: true;
  /**
   * Whether two values mean the same: then the plan keeps the prior one, and a reading keeps what the state has. A reading
   * also asks about null.
   */
  semanticEquals?(one: Value, other: Value): boolean;
  /** What is wrong with a value that is known and not null. */
  validate?(value: Value): readonly AttributeProblem[];
}

/** What is wrong with a value. */
export interface AttributeProblem {
  readonly summary: string;
  readonly detail?: string;
}

/** An attribute with a type of the configuration language. */
export interface PlainAttribute extends AttributeCommon {
  readonly type: Type;
}

/** An attribute whose value is one object or a list of them, each with attributes of its own. */
export interface NestedAttribute extends AttributeCommon {
  readonly nesting: "single" | "list";
  readonly attributes: Attributes;
}

/** An attribute of a schema. */
export type Attribute = PlainAttribute | NestedAttribute;

/** The attributes of a schema, by name. */
export type Attributes = { readonly [name: string]: Attribute };
