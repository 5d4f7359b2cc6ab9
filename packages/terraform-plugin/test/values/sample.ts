import type { Attributes } from "../../src/attribute.js";
import type { Value } from "../../src/values/value.js";
import { pathText } from "../../src/values/value-error.js";
import type { Violation } from "../../src/violations/violation.js";

/* A schema with every nesting, and with attributes set by everyone who may. */

export const description = "";
const link: Attributes = {
  url: { type: "string", required: true, description },
  faq: { type: "string", optional: true, description },
  id: { type: "string", computed: true, description },
  rank: { type: "number", optional: true, computed: true, description },
};

export const attributes: Attributes = {
  id: { type: "string", computed: true, description },
  name: { type: "string", optional: true, description },
  size: { type: "number", optional: true, computed: true, description },
  tags: { type: ["set", "string"], optional: true, description },
  any: { type: "dynamic", optional: true, description },
  secret: { type: "string", optional: true, writeOnly: true, description },
  one: { nesting: "single", attributes: link, optional: true, description },
  list: { nesting: "list", attributes: link, optional: true, description },
  made: { nesting: "list", attributes: link, optional: true, computed: true, description },
};

const nothing: { readonly [name: string]: Value } = Object.fromEntries(
  Object.keys(attributes).map((name) => [name, null]),
);

/** An object with some attributes, the others null. */
export function object(given: { readonly [name: string]: Value } = {}): { readonly [name: string]: Value } {
  return { ...nothing, ...given };
}

export function aLink(given: { readonly [name: string]: Value }): { readonly [name: string]: Value } {
  return { url: "u", faq: null, id: null, rank: null, ...given };
}

/** What was found, a line for each: `path: rule`. */
export function lines(broken: readonly Violation[]): string[] {
  return broken.map(({ path, rule }) => `${pathText(path)}: ${rule}`);
}
