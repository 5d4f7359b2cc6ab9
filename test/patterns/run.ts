/** A process of its own, as a pattern that does not end cannot be stopped from within. Tells what it has come through. */
import { builtPatterns } from "./built.js";

const { worstCases } = await import("./worst-cases.js");

for (const [name, run] of Object.entries(worstCases)) {
  process.stdout.write(`${JSON.stringify({ begun: name })}\n`);
  try {
    await run();
  } catch (error) {
    // To be refused is a way to be dealt with; a RangeError is not.
    if (!(error instanceof Error) || error instanceof RangeError || error instanceof TypeError) throw error;
  }
}
process.stdout.write(`${JSON.stringify({ built: builtPatterns() })}\n`);
