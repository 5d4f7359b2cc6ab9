import type { Type, Value } from "./values/value.js";

interface AttributeCommon {
  /** Description in one or more sentences of Markdown, for the documentation. */
  readonly description: string;
  /** Whether the user must set the attribute. `optional` means the user can, and `computed` means the provider does. */
  readonly required?: true;
  readonly optional?: true;
  readonly computed?: true;
  /** Whether Terraform's output hides the value. The state still contains it. */
  readonly sensitive?: true;
  /**
   * Whether the value is only in the configuration, never in the plan or state. Needs Terraform 1.11 or OpenTofu 1.11.
   */
  readonly writeOnly?: true;
  /**
   * Whether the plan keeps the earlier computed value when another attribute changes, instead of "known after apply".
   * With "even-null", null is also kept, for an attribute that the user can set and the object may lack.
   */
  readonly useStateForUnknown?: true | "even-null";
  /** Whether only the provider reads the attribute, so changing it leaves every computed attribute unchanged. */
  readonly stateOnly?: true;
  /** Whether a change of the attribute replaces the object. Has no effect inside another attribute. */
  readonly requiresReplace?: true;
  /**
   * Returns whether two values are equivalent. If so, the plan keeps the prior value, and a read keeps the value in the
   * state. A read also passes null.
   */
  semanticEquals?(one: Value, other: Value): boolean;
  /** Returns the problems of a value that is known and not null. */
  validate?(value: Value): readonly AttributeProblem[];
}

/** Problem with the value of an attribute. */
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

/** Schema attribute. */
export type Attribute = PlainAttribute | NestedAttribute;

/** Schema attributes by name. */
export type Attributes = { readonly [name: string]: Attribute };
