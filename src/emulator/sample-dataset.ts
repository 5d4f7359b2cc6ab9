import { createEmptyDataset, type Dataset } from "./dataset.js";
import type { Profile } from "./profile.js";
import type { EmulatedResource } from "./resource.js";
import * as resources from "./resources.js";
import { createNumberedId } from "./sample-ids.js";

/** Creates a realistic account of a small company. Only its timestamps depend on `nowMs`, and all are earlier. */
export function createSampleDataset(nowMs: number, profile?: Profile): Dataset {
  const rows = all.map(([name, { createSample }]) => [name, createSample?.(nowMs, profile) ?? []]);
  return { ...createEmptyDataset(), ...Object.fromEntries(rows) };
}

/** The number of objects of each resource. */
export type DatasetSize = { [Name in keyof Dataset]?: number } & {
  /** Returns the prompt of context `i`, counted from 0. */
  prompt?: (i: number) => string;
  /** Creation time of the first object of each resource. The others follow at intervals of one second. */
  firstCreatedAtMs?: number;
};

/** Generates a dataset of any size with fixed ids, for tests and benchmarks: "Context 1", "Avatar 1" and so on. */
export function generateDataset(size: DatasetSize): Dataset {
  const {
    prompt = (i: number) => `Prompt ${i + 1}`,
    firstCreatedAtMs = Date.UTC(2025, 0, 1),
    ...counts
  } = size;
  const rowCounts: Readonly<Record<string, number>> = counts;
  const rows = all.map(([name, { rowGenerator }]) => {
    const make = (_: unknown, i: number) => {
      if (!rowGenerator) throw new Error(`Bug: no generator for ${name}`);
      const at = new Date(firstCreatedAtMs + i * 1000).toISOString();
      const dated = { id: createNumberedId(rowGenerator.digit, i), created_at: at, updated_at: at };
      return rowGenerator.row(i, dated, { prompt, counts: rowCounts });
    };
    return [name, Array.from({ length: rowCounts[name] ?? 0 }, make)];
  });
  return { ...createEmptyDataset(), ...Object.fromEntries(rows) };
}

const all: readonly [name: string, EmulatedResource][] = Object.entries(resources);
