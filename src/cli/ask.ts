import { createInterface } from "node:readline/promises";
import type { Call } from "./command.js";

/** Asks on the terminal; true only for "yes". Ended by Ctrl-C or the end of input, it is a no. */
export async function ask({ host, signal }: Call, question: string): Promise<boolean> {
  const terminal = createInterface({ input: host.stdin, output: host.stderr as NodeJS.WriteStream });
  try {
    const closed = new Promise<string>((resolve) => terminal.once("close", () => resolve("")));
    return (await Promise.race([terminal.question(question, { signal }), closed])).trim() === "yes";
  } catch (error) {
    if (error instanceof Error && error.name === "AbortError") return false;
    throw error;
  } finally {
    terminal.close();
  }
}
