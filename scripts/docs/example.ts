import { createSampleDataset, type Dataset } from "../../src/emulator/index.js";
import { findPassages } from "./passages.js";

/** Example manifest from the README. The README does not show its prompt files. */

export const exampleManifest = findPassages("README.md", "yaml")[0] ?? "";

/** `prompts/returns.md` at the first apply. */
export const examplePrompt =
  "You help visitors return a bicycle. Ask for the order number first.\nSpeak with ${customer_name} politely.\n";

/** `prompts/returns.md` after an edit. */
export const editedPrompt = examplePrompt.replace(
  "order number first",
  "order number, then for the frame number",
);

/** Returns the sample account, without undeclared objects that a plan would mention. */
export function createExampleDataset(): Dataset {
  const sample = createSampleDataset(Date.now());
  return {
    ...sample,
    contexts: [],
    avatars: sample.avatars.filter(({ id }) => exampleManifest.includes(id)),
  };
}
