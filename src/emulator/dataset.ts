import type { EmulatedResource } from "./resource.js";
import * as resources from "./resources.js";

/** One account's data, as plain objects and arrays (§2). Lists are in creation order. */
export type Dataset = {
  [Name in keyof typeof resources]: (typeof resources)[Name] extends EmulatedResource<infer Stored, infer _>
    ? Stored[]
    : never;
};

/** Creates an empty account. */
export function createEmptyDataset(): Dataset {
  return Object.fromEntries(Object.keys(resources).map((name) => [name, []])) as unknown as Dataset;
}
