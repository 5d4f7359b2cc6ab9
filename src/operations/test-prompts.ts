import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import * as z from "zod";
import { UsageError } from "../base/diagnostics/index.js";
import { readRegular, writeInside } from "../base/files/index.js";
import { foldersInRepository } from "../base/optional-packages/index.js";
import { parseJson, plainLine } from "../base/text/index.js";
import { digestValue, documentKind } from "../core/kinds/index.js";
import type { Manifest } from "../core/manifest/index.js";
import { listed } from "./listed.js";
import { loadProject } from "./open-project.js";
import { renderDeclared } from "./render-declared.js";
import { findReviewTarget } from "./review/target.js";
import type { Runtime } from "./runtime.js";

/** What promptfoo writes of a test; `failureReason` is 2 if it could not be run. */
const result = z.object({
  success: z.boolean(),
  failureReason: z.int(),
  error: z.string().nullish(),
  vars: z.object({ message: z.coerce.string().default("Hello.") }),
  testCase: z.object({ description: z.string().optional() }),
});
const answerForm = z.object({ results: z.object({ results: z.array(result) }) });

/** The tests of a prompt: what promptfoo is asked, where its answer is kept, and that, if it was asked the very same. */
type PromptTests = Awaited<ReturnType<typeof findTests>>[number];

/** In one sentence: how many tests passed, and which failed why. */
export function describeTests({ address, results }: PromptTests): string {
  if (!results) return `The tests of ${address} were not run with this text.`;
  const failed = results.filter(({ success }) => !success);
  const reasons = failed.map(({ testCase: { description }, vars, error }) =>
    plainLine(`${description ?? vars.message} (${error})`),
  );
  const why = failed.length > 0 ? `: ${listed(reasons)}` : "";
  return `Tests of ${address}: ${results.length - failed.length} passed, ${failed.length} failed${why}.`;
}

/**
 * Has promptfoo, the user's own, test the prompts of `addresses`, or all that have tests; without `cache`, also those that it knows.
 *
 * @throws UsageError, InvalidProjectError, ServiceError
 */
export async function testPrompts(
  runtime: Runtime,
  addresses: readonly string[],
  options: { readonly live: boolean; readonly cache: boolean },
): Promise<readonly PromptTests[]> {
  const { run } = await findReviewTarget(runtime, {});
  if (run.isFromFork)
    throw new UsageError("untrusted", "The tests of a change from a fork would run with your keys.");
  const project = await loadProject(runtime);
  const isMeant = (address: string) => addresses.length === 0 || addresses.includes(address);
  const live = async (address: string) => (await renderDeclared(runtime, address, options)).text;
  const found = await findTests(project, isMeant, options.live ? live : undefined);
  const lacking = addresses.find((address) => found.every((one) => one.address !== address));
  if (lacking !== undefined || found.length === 0)
    throw new UsageError("no-tests", `No tests beside ${lacking ?? "a prompt"}, e.g. returns.test.yaml.`);
  for (const one of found)
    if (!options.cache || !one.results) one.results = await evaluate(runtime, project.root, one);
  return found;
}

/** The tests beside the files of prompts. */
export async function findTests(
  { root, declarations }: Manifest,
  isMeant: (address: string) => boolean,
  live?: (address: string) => Promise<string>,
) {
  const found = [];
  for (const { address, kind, spec, origins } of declarations) {
    const origin = kind.name === documentKind.kind.name ? origins[documentKind.body] : undefined;
    const file = `${origin?.file.replace(/\.[^./]*$/, "")}.test.yaml`;
    const mayHave = origin && ["file", "template", "body"].includes(origin.at) && isMeant(address);
    if (!mayHave || !existsSync(path.join(root, file))) continue;
    const content = toTemplate(live ? await live(address) : (spec[documentKind.body] as string));
    const prompt = JSON.stringify([{ role: "system", content }, visitor]);
    const tests = await readAll(root, [file, "promptfooconfig.yaml"]);
    const named = tests.join("\n").match(/(?<=file:\/\/)[\w./-]+/g) ?? [];
    const digest = digestValue([prompt, tests, await readAll(root, named)]);
    const kept = `.avatarops/tests/${digest.slice("1:".length)}.json`;
    found.push({ address, file, prompt, kept, results: await readResults(path.join(root, kept)) });
  }
  return found;
}

const visitor = { role: "user", content: "{{ message | default('Hello.') }}" };
const placeholder =
  /\$\{ *(?!(?:env|range|cycler|joiner|if|in|is|and|or|not|else|true|false|none)\b)([A-Za-z_]\w*) *\}|[{}#%]/g;

/** A template of Nunjucks that makes the text, whatever is in it, but for placeholders of which a test has the value. */
function toTemplate(text: string): string {
  return text.replace(placeholder, (found, name?: string) =>
    name === undefined ? `{{ '${found}' }}` : `{{ ${name} | default('${found}') }}`,
  );
}

function readAll(root: string, files: readonly string[]): Promise<string[]> {
  return Promise.all(files.map((file) => readRegular(path.join(root, file)).then(String, () => "")));
}

async function readResults(file: string) {
  const { data } = answerForm.safeParse(parseJson(await readRegular(file).then(String, () => "")));
  return data?.results.results;
}

/** Asks promptfoo, and keeps the answer. */
async function evaluate(runtime: Runtime, root: string, { file, prompt, kept }: PromptTests) {
  const { host, signal, finishing } = runtime;
  if (!existsSync(path.join(root, "promptfooconfig.yaml")))
    throw new UsageError("no-model", "There is no promptfooconfig.yaml, which names the model for tests.");
  runtime.output.info(`promptfoo runs ${file} …`);
  const folder = await mkdtemp(path.join(tmpdir(), "avatarops-tests-"));
  const [asked = "", answer = ""] = ["prompt.json", "answer.json"].map((name) => path.join(folder, name));
  try {
    await writeFile(asked, prompt);
    const files = ["-c", "promptfooconfig.yaml", "-p", asked, "-t", file, "-o", answer];
    const argv = ["eval", ...files, "--no-write", "--no-table", "--no-progress-bar"];
    const program = host.environment.AVATAROPS_PROMPTFOO ?? "promptfoo";
    const options = { cwd: root, env: toEnvironment(host, root, folder), signal, maxBuffer: 2 ** 26 };
    // Where a test fails, too, it does not exit with 0.
    const ran = await finishing(() => promisify(execFile)(program, argv, options)).catch((error) => error);
    signal.throwIfAborted();
    const results = await readResults(answer);
    const broken = results?.find(({ failureReason }) => failureReason === 2);
    const advice = "it is missing: `npm install -D promptfoo` (on Node 22.22), or set AVATAROPS_PROMPTFOO";
    const told = ran.code === "ENOENT" ? advice : String(ran.stdout || ran.stderr || ran.message);
    const why = plainLine(broken?.error ?? told);
    if (!results || broken) throw new UsageError("tests-not-run", `promptfoo could not run ${file}: ${why}`);
    await writeInside(root, [{ file: kept, content: JSON.stringify({ results: { results } }) }]);
    return results;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** promptfoo tells its makers that its telemetry is off: with this, it asks none of their hosts. */
const preload = `const { fetch } = globalThis;
globalThis.fetch = (input, ...rest) =>
  /(^|\\.)promptfoo\\.(app|dev)$/.test(new URL(input.url ?? input).hostname)
    ? Promise.reject(new Error("Not asked."))
    : fetch(input, ...rest);`;

/** The user's, without what is ours; promptfoo keeps nothing but in the folder. */
function toEnvironment({ environment: given }: Runtime["host"], root: string, folder: string) {
  const theirs = Object.entries(given).filter(([name]) => !name.startsWith("AVATAROPS_"));
  const off = ["DISABLE_TELEMETRY", "DISABLE_UPDATE", "DISABLE_SHARING", "DISABLE_REMOTE_GENERATION"];
  return {
    // By default, it checks no certificates, and asks for Google's credentials of the machine.
    ...{ PROMPTFOO_INSECURE_SSL: "false", METADATA_SERVER_DETECTION: "none" },
    ...Object.fromEntries([...theirs, ...off.map((name) => [`PROMPTFOO_${name}`, "true"])]),
    PATH: [...foldersInRepository(root).map((at) => path.join(at, "node_modules/.bin")), given.PATH].join(
      path.delimiter,
    ),
    PROMPTFOO_CONFIG_DIR: folder,
    NODE_OPTIONS: `${given.NODE_OPTIONS ?? ""} --no-warnings --import=data:text/javascript,${encodeURIComponent(preload)}`,
  };
}
