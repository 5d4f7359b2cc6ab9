import { execFile } from "node:child_process";
import { mkdir, symlink } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { startProject } from "../cli/hosting.js";

const repository = path.resolve(import.meta.dirname, "../..");

const manifest = `contexts:
  returns:
    name: Returns desk
    prompt: "Help \${customer}. Say \${ customer } once. \${unclosed"
    opening_text: "Hi, \${customer}, order \${order id}!"
  plain: { name: Plain, prompt: You help. }
  hostile:
    name: Hostile
    prompt: ${JSON.stringify('${x"; }; } evil} ${class} ${*/ import "fs"} ${a\u2028b} ${\u202eabc} ${grüße} ${`} ${__proto__} ${it\'s \\ }')}
avatars:
  host: { id: a03779b1-9e37-4a1b-9c2d-5ee0fe120000, name: Host }
sessions:
  kiosk: { avatar: host, mode: FULL, persona: { context: returns } }
  counter:
    avatar: host
    mode: FULL
    persona: { context: returns }
    dynamic_variables: { order id: "17", shop: !env SHOP }
  default: { avatar: host, mode: FULL, persona: { context: plain } }
  evil: { avatar: host, mode: FULL, persona: { context: hostile } }
  "1-größe": { avatar: host, mode: LITE }
`;

test("generates deterministic types from the files alone, with names as literals", async () => {
  const { avatarops, emulator } = await startProject({ files: { "avatarops.yaml": manifest } });
  const first = await avatarops("generate", "types");
  expect(first.exit).toBe(0);
  expect((await avatarops("generate", "types")).stdout).toBe(first.stdout);
  expect(emulator.requests).toEqual([]);
  await expect(first.stdout).toMatchFileSnapshot("types.txt");
});

const good = `import { type ContextTypes, mintToken, type PresetName } from "avatarops";
const customer: ContextTypes["returns"] = { customer: "Anna", "order id": "17" };
await mintToken("kiosk", { dynamicVariables: customer });
await mintToken("kiosk", { dynamicVariables: { customer: "Anna", "order id": "17" }, sandbox: true });
await mintToken("counter", { dynamicVariables: { customer: "Anna" }, signal: AbortSignal.timeout(1000) });
await mintToken("counter", { dynamicVariables: { customer: "Anna", shop: undefined } });
await mintToken("default");
await mintToken("default", { extra: { livekit_config: { list: [1, null, { deep: true }] } } });
await mintToken("1-größe");
await mintToken("1-größe", { dynamicVariables: { anything: "x" } });
await mintToken("evil", {
  dynamicVariables: {
    'x";': "", class: "", '*/ import "fs"': "", "a\\u2028b": "", "\\u202eabc": "", grüße: "", "\`": "",
    ["__proto__"]: "", "it's \\\\": "",
  },
});
export const names: readonly PresetName[] = ["kiosk", "counter", "default", "evil", "1-größe"];
`;

/** Each line contains one mistake. */
const bad = `import { mintToken, type PresetName } from "avatarops";
await mintToken("kiosk");
await mintToken("kiosk", {});
await mintToken("kiosk", { dynamicVariables: { customer: "Anna" } });
await mintToken("kiosk", { dynamicVariables: { custmer: "Anna", "order id": "17" } });
await mintToken("kiosk", { dynamicVariables: { customer: "Anna", "order id": "17", more: "" } });
await mintToken("kiosk", { dynamicVariables: { customer: "Anna", "order id": 17 } });
await mintToken("kiosc", { dynamicVariables: { customer: "Anna", "order id": "17" } });
await mintToken("default", { dynamicVariables: { customer: "Anna" } });
await mintToken("default", { extra: { at: new Date() } });
await mintToken("default", { sandBox: true });
console.log((await mintToken("default")).token);
export const name: PresetName = "counters";
`;

test("rejects missing placeholders and misspelled names through generated types", async () => {
  const { avatarops, folder, write } = await startProject({ files: { "avatarops.yaml": manifest } });
  await write("avatarops.d.ts", (await avatarops("generate", "types")).stdout);
  await write("package.json", '{ "type": "module" }');
  await write("good.ts", good);
  await write("bad.ts", bad);
  await mkdir(path.join(folder, "node_modules"));
  await symlink(repository, path.join(folder, "node_modules/avatarops"));
  const compiled = await compile(folder, "good.ts", "bad.ts");
  const mistakes = compiled.split("\n").filter((line) => line.includes("error TS"));
  const lines = new Set(mistakes.map((line) => line.replace(/,.*/s, "")));
  expect([...lines], compiled).toEqual(Array.from({ length: 12 }, (_, i) => `bad.ts(${i + 2}`));
  expect(compiled).toContain('"order id"');
});

/** Runs the real TypeScript compiler with strict options and returns its output. */
async function compile(folder: string, ...files: string[]): Promise<string> {
  const tsc = path.join(repository, "node_modules/typescript/bin/tsc");
  const types = ["--typeRoots", path.join(repository, "node_modules/@types"), "--types", "node"];
  const strict = ["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--skipLibCheck"];
  const how = ["--noEmit", "--pretty", "false", "--module", "nodenext", "--target", "es2023"];
  const args = [tsc, ...how, ...strict, ...types, "avatarops.d.ts", ...files];
  try {
    return (await promisify(execFile)(process.execPath, args, { cwd: folder })).stdout;
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}
