import { expectSuccess } from "../cli/hosting.js";
import { ada, type Change, createDeskFiles, merge, startChange } from "./change.js";
import type { Person, StandInName } from "./stand-in.js";

export const ben: Person = { id: 61, login: "ben" };
export const cy: Person = { id: 62, login: "cy" };

/** Reviews and merges a change. Ada, Ben and Cy have write access to the repository. */
export async function startMergedChange(name: StandInName, settings = ""): Promise<Change> {
  const change = await startChange(name, createDeskFiles("Be kind.", settings));
  change.world.writers.push(ada, ben, cy);
  await reviewAndMerge(change);
  return change;
}

export async function reviewAndMerge(change: Change): Promise<void> {
  await expectSuccess(change.review());
  merge(change);
}

export const toOneLine = (text: string) => text.replaceAll(/[│\s]+/g, " ");
