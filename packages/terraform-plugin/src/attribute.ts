import type { Path } from "./diagnostic.js";
import type { Type } from "./type.js";
import type { NumberValue, Unknown, Value } from "./value.js";

interface AttributeFacts {
  /** One or more sentences of Markdown, for the documentation. */
  readonly description: string;
  /** Who sets it: the user must (`required`), the user may (`optional`), the provider does (`computed`), or the last two. */
  readonly required?: true;
  readonly optional?: true;
  readonly computed?: true;
  /** Hidden in the core's output. It is in the state all the same. */
  readonly sensitive?: true;
  /** Given in the configuration, never in plan or state. Needs Terraform 1.11 or OpenTofu 1.11. */
  readonly writeOnly?: true;
  readonly deprecated?: true;
  /**
   * Stays as it is when something else changes: what the provider computed once is planned, not "known after apply".
   * With "even-null", so does nothing, for what the user may set and the object need not have.
   */
  readonly keep?: true | "even-null";
  /** A change of it makes a new object. */
  readonly replace?: true;
  /** Taken where the configuration is null. Only together with optional and computed. */
  readonly fallback?: Value;
  /**
   * Whether two values mean the same: then the plan keeps the prior one, and a reading keeps what the state has. A reading
   * also asks about null.
   */
  same?(one: Value, other: Value): boolean;
  /** What is wrong with a value that is known and not null. */
  check?(value: Value): readonly Complaint[];
}

/** What is wrong with a value; `path` is relative to it. */
export interface Complaint {
  readonly summary: string;
  readonly detail?: string;
  readonly path?: Path;
}

/** An attribute with a type of the configuration language. */
export interface PlainAttribute extends AttributeFacts {
  readonly type: Type;
}

/** An attribute whose value is one object or a collection of them, each with attributes of its own. */
export interface NestedAttribute extends AttributeFacts {
  readonly nesting: "single" | "list" | "set" | "map";
  readonly attributes: Attributes;
}

export type Attribute = PlainAttribute | NestedAttribute;
export type Attributes = { readonly [name: string]: Attribute };

/** The type of values of an attribute's type. */
type OfType<T> = T extends "string"
  ? string
  : T extends "number"
    ? NumberValue
    : T extends "bool"
      ? boolean
      : T extends readonly ["list" | "set", infer E]
        ? readonly OfType<E>[]
        : T extends readonly ["map", infer E]
          ? { readonly [key: string]: OfType<E> }
          : T extends readonly ["object", infer F]
            ? { readonly [K in keyof F]: OfType<F[K]> | null }
            : Value;

type OfAttribute<A> = A extends { readonly type: infer T }
  ? OfType<T>
  : A extends { readonly nesting: infer N; readonly attributes: infer C extends Attributes }
    ? N extends "single"
      ? Known<C>
      : N extends "map"
        ? { readonly [key: string]: Known<C> }
        : readonly Known<C>[]
    : never;

/** The values of attributes where all is known: a state, or a configuration while it is applied. */
export type Known<A extends Attributes> = {
  readonly [K in keyof A]: A[K] extends { readonly required: true }
    ? OfAttribute<A[K]>
    : OfAttribute<A[K]> | null;
};

/** The values of attributes where anything, at any depth, may still be unknown: a configuration or a plan. */
export type Partly<A extends Attributes> = { readonly [K in keyof A]: WithUnknown<Known<A>[K]> };

type WithUnknown<T> =
  | Unknown
  | (T extends readonly (infer E)[]
      ? readonly WithUnknown<E>[]
      : T extends { readonly [key: string]: Value }
        ? { readonly [K in keyof T]: WithUnknown<T[K]> }
        : T);
