import * as z from "zod";
import type { Resource } from "./resource.js";
import * as resources from "./resources.js";
import { strictObject } from "./shape.js";

/** What the service stores for one account, as plain data (§2). Lists are in the order of creation. */
export type Dataset = {
  [Name in keyof typeof resources]: (typeof resources)[Name] extends Resource<infer Stored, infer _>
    ? Stored[]
    : never;
};

const all: Readonly<Record<string, Resource>> = resources;

/** An empty account. */
export function emptyDataset(): Dataset {
  return Object.fromEntries(Object.keys(all).map((name) => [name, []])) as unknown as Dataset;
}

/** A complete dataset. A resource that is newer than the data has no rows in it. */
export const datasetSchema: z.ZodType<Dataset> = strictObject(
  Object.fromEntries(Object.entries(all).map(([name, { stored }]) => [name, z.array(stored).optional()])),
).transform((lists) => ({ ...emptyDataset(), ...lists }) as Dataset);
