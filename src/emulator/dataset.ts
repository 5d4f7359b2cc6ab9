import { complete, type Resource } from "./resource.js";
import * as resources from "./resources.js";
import { list, type Shape } from "./shape.js";

/** What the service stores for one account, as plain data (§2). Lists are in the order of creation. */
export type Dataset = {
  [Name in keyof typeof resources]: (typeof resources)[Name] extends Resource<infer Stored, infer _>
    ? Stored[]
    : never;
};

const all: Readonly<Record<string, Resource>> = resources;

/** An account in which nothing was made yet. */
export function emptyDataset(): Dataset {
  return Object.fromEntries(Object.keys(all).map((name) => [name, []])) as unknown as Dataset;
}

/** A whole world, every field of which must be there. */
export const datasetShape = complete(
  Object.fromEntries(Object.entries(all).map(([name, { stored }]) => [name, list(stored)])),
) as unknown as Shape<Dataset>;
