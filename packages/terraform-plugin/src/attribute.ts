import type { Type, Value } from "./values/value.js";

interface AttributeCommon {
  /** One or more sentences of Markdown, for the documentation. */
  readonly description: string;
  /** Who sets it: the user must (`required`), the user can (`optional`), the provider does (`computed`), or the last two. */
  readonly required?: true;
  readonly optional?: true;
  readonly computed?: true;
  /** Hidden in Terraform's output, but still in the state. */
  readonly sensitive?: true;
  /** Set in the configuration, never in the plan or state. Needs Terraform 1.11 or OpenTofu 1.11. */
  readonly writeOnly?: true;
  /**
   * Unchanged when another attribute changes: the plan has the value that the provider computed earlier, not "known after
   * apply". With "even-null", null is kept as well, for an attribute that the user can set and the object may lack.
   */
  readonly useStateForUnknown?: true | "even-null";
  /** Read by the provider alone, so a change of it leaves every computed attribute unchanged. */
  readonly stateOnly?: true;
  /** A change of it replaces the object. Has no effect inside another attribute. */
  readonly requiresReplace?: true;
  /**
   * Returns whether two values are equivalent. If so, the plan keeps the prior one, and a read keeps the value in the state.
   * A read also passes null.
   */
  semanticEquals?(one: Value, other: Value): boolean;
  /** Returns the problems of a value that is known and not null. */
  validate?(value: Value): readonly AttributeProblem[];
}

/** A problem of a value. */
export interface AttributeProblem {
  readonly summary: string;
  readonly detail?: string;
}

/** An attribute with a type of the configuration language. */
export interface PlainAttribute extends AttributeCommon {
  readonly type: Type;
}

/** An attribute whose value is an object or a list of objects with their own attributes. */
export interface NestedAttribute extends AttributeCommon {
  readonly nesting: "single" | "list";
  readonly attributes: Attributes;
}

/** An attribute of a schema. */
export type Attribute = PlainAttribute | NestedAttribute;

/** The attributes of a schema, by name. */
export type Attributes = { readonly [name: string]: Attribute };
