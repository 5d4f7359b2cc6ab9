// @module-tag script
/** `sessions watch` as a process, in a shell in a real terminal. */
import { expect, test } from "vitest";
import { startProject } from "./hosting.js";
import { openShell, pidIn, type Shell } from "./shell.js";

async function start(options: { readonly node?: string } = {}): Promise<Shell> {
  const { folder, emulator } = await startProject({ files: { "avatarops.yaml": "contexts: {}\n" } });
  emulator.addSession({ created_at: new Date(Date.now() - 60_000).toISOString() });
  const environment = { AVATAROPS_BASE_URL: emulator.url, AVATAROPS_API_KEY: "test-key" };
  return openShell(folder, { ...environment, NODE_OPTIONS: options.node ?? "" });
}

const isShown = (lines: readonly string[]) => lines[1]?.startsWith("1 active") === true;
const says = (text: string) => (lines: readonly string[]) => lines.includes(text);

const watching = "avatarops sessions watch; echo exit=$?\r";
/** How many of them are set tells whether the shell has the keyboard as it had it. */
const countModes = "stty -a | tr ' ;' '\\n\\n' | grep -xE 'echo|icanon|isig' | wc -l\r";

test("a watch is suspended, continued, resized and left, and the terminal is as before", async () => {
  const shell = await start();
  shell.type(watching);
  await shell.until(isShown);

  shell.type("\u001A");
  const suspended = await shell.until((lines) => lines.some((line) => line.includes("Stopped")));
  expect(suspended.join("\n")).not.toContain("1 active");
  shell.type(countModes);
  await shell.until(says("3"));

  shell.type("fg\r");
  await shell.until(isShown);
  shell.resize(40, 5);
  const small = await shell.until((lines) => lines.length === 5 && isShown(lines));
  expect(small[0]).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/);

  shell.resize(80, 24);
  shell.type("q");
  const left = await shell.until((lines) => lines.at(-1) === "$" && !isShown(lines));
  expect(left.join("\n")).not.toContain("1 active");

  shell.type(watching);
  await shell.until(isShown);
  shell.type("\u0003");
  await shell.until(says("exit=130"));
});

test.each([
  ["SIGTERM", 130],
  // As something does that ends the process in the middle of it.
  ["SIGUSR2", 1],
] as const)("the terminal is as before when the process gets %s and exits with %d", async (signal, exit) => {
  const shell = await start({
    node: "--import=data:text/javascript,process.on('SIGUSR2',()=>process.exit(7))",
  });
  shell.type(watching);
  await shell.until(isShown);
  process.kill(pidIn(shell), signal);
  await shell.until(says(`exit=${exit}`));
  shell.type(countModes);
  const left = (await shell.until(says("3"))).join("\n");
  expect(left).not.toContain("1 active");
  expect(left.includes("error[ended-early]")).toBe(exit === 1);
  expect(shell.written).toContain("\u001B[?25h\u001B[?1049l");
});
