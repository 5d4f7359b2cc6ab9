import { createInterface } from "node:readline/promises";
import type { Call } from "./command.js";

/** Asks on the terminal; true only for "yes". Ended by Ctrl-C or the end of input, it is a no. */
export async function ask({ host, signal }: Call, question: string): Promise<boolean> {
  const terminal = createInterface({ input: host.stdin, output: host.stderr as NodeJS.WriteStream });
  try {
    const closed = new Promise<undefined>((resolve) => terminal.once("close", () => resolve(undefined)));
    const answer = await Promise.race([terminal.question(question, { signal }), closed]);
    // Nobody pressed Enter: what is said next begins on a line of its own.
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
