import { type Dataset, sampleDataset } from "../../src/emulator/index.js";
import { passagesOf } from "./passages.js";

/* The example of the README, with the parts that its text leaves out. */

export const exampleManifest = passagesOf("README.md", "yaml")[0] ?? "";

/** The file `prompts/returns.md`, as first applied. */
export const examplePrompt =
  "You help visitors return a bicycle. Ask for the order number first.\nSpeak with ${customer_name} politely.\n";

/** The same after an edit. */
export const editedPrompt = examplePrompt.replace(
  "order number first",
  "order number, then for the frame number",
);

/**
 * The sample account without objects that the example does not declare, because a plan would mention them.
 */
export function exampleDataset(): Dataset {
  const sample = sampleDataset(Date.now());
  return {
    ...sample,
    contexts: [],
    avatars: sample.avatars.filter(({ id }) => exampleManifest.includes(id)),
  };
}
