/**
 * Runs in a separate process, because a regular expression that takes forever cannot be interrupted. Prints each case
 * before running it.
 */
import { listBuiltPatterns } from "./built.js";

const { worstCases } = await import("./worst-cases.js");

for (const [name, run] of Object.entries(worstCases)) {
  process.stdout.write(`${JSON.stringify({ begun: name })}\n`);
  try {
    await run();
  } catch (error) {
    // An error is an acceptable result, but a RangeError or TypeError is not.
    if (!(error instanceof Error) || error instanceof RangeError || error instanceof TypeError) throw error;
  }
}
process.stdout.write(`${JSON.stringify({ built: listBuiltPatterns() })}\n`);
