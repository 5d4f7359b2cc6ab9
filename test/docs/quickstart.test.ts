// @module-tag ci
import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { passages } from "../../scripts/docs/passages.js";
import { newFolder } from "../cli/hosting.js";
import { openShell, type Shell } from "../cli/shell.js";
import { findFreePort } from "../stores/starting.js";
import { replaceVaryingParts } from "./printed.js";

const page = "docs/quickstart.md";
const blocks = passages.filter((passage) => passage.page === page);

describe("quickstart page", () => {
  test("shows the output of its commands in an 80-column terminal", async () => {
    const environment = {
      ...{
        NO_COLOR: "1",
        GIT_CONFIG_GLOBAL: "/dev/null",
        GIT_AUTHOR_NAME: "Ada",
        GIT_AUTHOR_EMAIL: "ada@example.com",
      },
      ...{ GIT_COMMITTER_NAME: "Ada", GIT_COMMITTER_EMAIL: "ada@example.com", GIT_PAGER: "cat" },
    };
    const open = async () => openShell(await newFolder(), environment, undefined, 40);
    const [install, emulate = "", settings = ""] = blocks.flatMap(({ language, text }) =>
      language === "sh" ? [text.trim()] : [],
    );
    expect(install).toContain("npm link");
    const port = await findFreePort();
    const emulator = await open();
    emulator.type(`${emulate} --port ${port}\r`);
    // The default port may be in use on the test machine.
    const line = settings.replaceAll("8642", `${port}`);
    await emulator.until((lines) => lines.includes(line));
    const shell = await open();
    await run(shell, line);

    for (const { language, text } of blocks) {
      if (language !== "console") continue;
      const printed: string[] = [];
      for (const [command] of text.matchAll(/(?<=^\$ ).*$/gm)) {
        printed.push(...(await run(shell, command)));
        // Waits as a reader of the page would. A command right after an edit would wait for the service's clock and
        // print a message.
        if (command.includes("emulate edit")) await setTimeout(2_500);
      }
      expect(normalize(printed.join("\n"))).toBe(normalize(text.trimEnd()));
    }
  });
});

/** Runs a command, confirms its prompt and returns the lines on the screen. */
async function run(shell: Shell, command: string): Promise<readonly string[]> {
  shell.type("clear\r");
  await shell.until((lines) => lines.length === 1 && lines[0] === "$");
  shell.type(`${command}\r`);
  // When the command has ended, the screen shows a second shell prompt, even without output.
  const isDone = (lines: readonly string[]) => lines.length > 1 && lines.at(-1) === "$";
  const asks = (lines: readonly string[]) => lines.at(-1)?.endsWith("continue:") ?? false;
  if (asks(await shell.until((lines) => isDone(lines) || asks(lines)))) shell.type("yes\r");
  const lines = await shell.until(isDone);
  await setTimeout(0);
  return lines.slice(0, -1);
}

/**
 * Removes values that differ between runs: ids, the port, request counts and the message about the service's clock. The
 * message appears if the milliseconds of a timestamp end in 0.
 */
function normalize(text: string): string {
  return replaceVaryingParts(text)
    .replace(/\d+ requests?/g, "N requests")
    .replace(/^waiting for the service's clock.*\n/gm, "");
}
