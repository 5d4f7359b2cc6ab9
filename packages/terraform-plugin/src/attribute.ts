import type { Type, Value } from "./values/value.js";

interface AttributeCommon {
  /** Description in one or more sentences of Markdown, for the documentation. */
  readonly description: string;
  /**
   * Who sets the attribute: the user must (`required`), the user may (`optional`), or the provider does (`computed`).
   */
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
   * The value "even-null" also keeps an earlier null, for an optional attribute that the object may lack.
   */
  readonly useStateForUnknown?: true | "even-null";
  /**
   * Whether the attribute only configures the provider, so a change to it leaves every computed attribute unchanged.
   */
  readonly stateOnly?: true;
  /** Whether a change to the attribute replaces the object. Ignored for nested attributes. */
  readonly requiresReplace?: true;
  /**
   * Returns whether two values are equivalent. If so, the plan keeps the prior value, and a read keeps the value in the
   * state. During a read, either value may be null.
   */
  semanticEquals?(one: Value, other: Value): boolean;
  /** Validates a known, non-null value. Returns the problems found. */
  validate?(value: Value): readonly AttributeProblem[];
}

/** Problem with the value of an attribute. */
export interface AttributeProblem {
  readonly summary: string;
  readonly detail?: string;
}

/** Attribute with a plain type, such as a string or a list of strings. */
export interface PlainAttribute extends AttributeCommon {
  readonly type: Type;
}

/** An attribute whose value is an object or a list of objects with their own attributes. */
export interface NestedAttribute extends AttributeCommon {
  readonly nesting: "single" | "list";
  readonly attributes: Attributes;
}

export type Attribute = PlainAttribute | NestedAttribute;

export type Attributes = { readonly [name: string]: Attribute };
