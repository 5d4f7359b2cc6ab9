import { createInterface } from "node:readline/promises";
import type { Call } from "./command.js";

/**
 * Asks a question on the terminal. Returns true only for "yes": as in Terraform, one key pressed by mistake changes no
 * account. Who types "y" means it, and is asked again; Ctrl-C and end of input count as no.
 */
export async function ask({ host, signal }: Call, question: string): Promise<boolean> {
  const output = host.stderr as NodeJS.WriteStream;
  const terminal = createInterface({ input: host.stdin, output, signal, prompt: question });
  try {
    terminal.prompt();
    for await (const answer of terminal) {
      if (answer.trim() === "yes") return true;
      if (!/^(y|ye|yes)$/i.test(answer.trim())) return false;
      terminal.setPrompt('Only "yes", in full and in small letters, continues: ');
      terminal.prompt();
    }
    // Enter was not pressed, so the cursor is still on the question's line.
    host.stderr.write("\n");
    return false;
  } finally {
    terminal.close();
  }
}
