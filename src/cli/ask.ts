import { createInterface } from "node:readline/promises";
import type { Call } from "./command.js";

/** Asks a question on the terminal. Returns true only for "yes"; Ctrl-C and end of input count as no. */
export async function ask({ host, signal }: Call, question: string): Promise<boolean> {
  const terminal = createInterface({ input: host.stdin, output: host.stderr as NodeJS.WriteStream });
  try {
    const closed = new Promise<undefined>((resolve) => terminal.once("close", () => resolve(undefined)));
    const answer = await Promise.race([terminal.question(question, { signal }), closed]);
    // Enter was not pressed, so the cursor is still on the question's line.
    if (answer === undefined) host.stderr.write("\n");
    return answer?.trim() === "yes";
  } catch (error) {
    if (!(error instanceof Error && error.name === "AbortError")) throw error;
    host.stderr.write("\n");
    return false;
  } finally {
    terminal.close();
  }
}
