/** The store of docs/shared-state.md, as it stands there, in a package of a project, with a stand-in of Google Cloud Storage. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { openStore, type StoreEnvironment } from "../../src/core/state/index.js";
import type { OpenPackageStore } from "../../src/core/state/stores/package.js";
import { storeChecks } from "../../src/core/state/testing.js";
import { saying, startProject } from "../cli/hosting.js";
import { newFolder } from "../git/repositories.js";
import { serve } from "../listening.js";
import { machine } from "../state/building.js";

const page = readFileSync("docs/shared-state.md", "utf8");
const [, code = ""] = /^```js\n(export function openStore.*?)^```$/ms.exec(page) ?? [];

/** Objects with generations, as Google keeps them; `answer`: what to say in its place. */
async function startStorage(answer: () => number | undefined = () => undefined) {
  const objects = new Map<string, { text: string; generation: string }>();
  let writes = 0;
  const { url, close } = await serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { pathname, searchParams } = new URL(request.url ?? "", "http://storage");
    const status = answer();
    if (status) return response.writeHead(status).end();
    if (request.method === "POST") {
      const name = searchParams.get("name") ?? "";
      const { generation = "0" } = objects.get(name) ?? {};
      if (generation !== searchParams.get("ifGenerationMatch")) return response.writeHead(412).end();
      const written = { text: Buffer.concat(chunks).toString(), generation: `${++writes}` };
      objects.set(name, written);
      return response.end(JSON.stringify(written));
    }
    if (pathname.endsWith("/o")) {
      const after = searchParams.get("pageToken") ?? "";
      const names = [...objects.keys()].filter((name) => name.startsWith(searchParams.get("prefix") ?? ""));
      const [first, ...rest] = names.sort().filter((name) => name > after);
      const items = first === undefined ? [] : [{ name: first }];
      return response.end(JSON.stringify({ items, ...(rest.length > 0 && { nextPageToken: first }) }));
    }
    const object = objects.get(decodeURIComponent(pathname.split("/").at(-1) ?? ""));
    if (!object) return response.writeHead(404).end();
    response.setHeader("x-goog-generation", object.generation).end(object.text);
  });
  onTestFinished(close);
  return { objects, environment: { STORAGE_EMULATOR_HOST: url, GOOGLE_TOKEN: "token" } };
}

function install(folder: string, text = code): void {
  const at = path.join(folder, "node_modules/@acme/state");
  mkdirSync(at, { recursive: true });
  writeFileSync(path.join(at, "package.json"), '{ "type": "module", "exports": "./index.js" }');
  writeFileSync(path.join(at, "index.js"), text);
}

const location = "package:@acme/state?bucket=states&name=production";

describe("the store of the page", () => {
  let openDocumented: OpenPackageStore;
  beforeAll(async () => {
    ({ openStore: openDocumented } = await import(`data:text/javascript,${encodeURIComponent(code)}`));
  });

  const newPlace = async () => {
    const { environment } = await startStorage();
    return () => openDocumented(new URL(location), environment);
  };
  for (const { name, run } of storeChecks(newPlace)) test(name, run);

  test("the checks fail for a store that replaces a text whatever its version is", async () => {
    const careless = async () => {
      const open = await newPlace();
      return async () => {
        const store = await open();
        const latest = async (part: "lock" | "state") =>
          (await store.read(part))[0] ?? { text: undefined, version: undefined };
        return {
          ...store,
          swap: async (...[part, text, , details]: Parameters<typeof store.swap>) =>
            store.swap(part, text, await latest(part), { by: details.by }),
        };
      };
    };
    const failed = await Promise.allSettled(storeChecks(careless).map(({ run }) => run()));
    expect(failed.filter(({ status }) => status === "rejected").length).toBeGreaterThan(0);
  });
});

test("a project keeps its state in a package that it has installed", async () => {
  const { objects, environment } = await startStorage();
  const project = await startProject({
    files: { "avatarops.yaml": `state: ${location}\ncontexts: { a: { name: A, prompt: One } }\n` },
    environment,
  });
  const apply = () => project.avatarops("apply", "--auto-approve");
  expect(await apply()).toMatchObject({
    exit: 1,
    stderr: saying("Install it in the project folder: `npm install @acme/state`."),
  });
  install(project.folder);
  expect(await apply()).toMatchObject({ exit: 0 });
  expect(objects.get("production.state")?.text).toContain('"context.a"');
  await project.expectNothingToDo();
  expect((await project.avatarops("history")).stdout).toMatch(/added +context\.a/);
});

describe("a package is refused", () => {
  const at = async (text: string | undefined, more: Partial<StoreEnvironment> = {}, place = location) => {
    const root = newFolder();
    if (text !== undefined) install(root, text);
    return openStore(place, { ...machine(), root, ...more }).read();
  };

  test.each([
    ["that throws a refusal", code, "Google answers 403"],
    ["without the function", "export const open = 1;", "exports no function openStore"],
    ["that is not there", undefined, "npm install @acme/state"],
  ])("%s", async (_, text, message) => {
    const { environment } = await startStorage(() => 403);
    await expect(at(text, { environment })).rejects.toThrow(message);
  });

  test("of an untrusted change, whose code is not run", async () => {
    const run = at("process.exit(9);", { isUntrusted: true });
    await expect(run).rejects.toMatchObject({
      code: "refused",
      message: expect.stringContaining("untrusted"),
    });
  });

  test.each(["package:../evil", "package:./evil", "package:/etc/evil", "package:node:fs", "package:"])(
    "%s, which names none",
    async (place) => {
      await expect(at(undefined, {}, place)).rejects.toMatchObject({ code: "unknown-store" });
    },
  );

  test("with a token among its settings", async () => {
    await expect(at(code, {}, `${location}&token=x`)).rejects.toMatchObject({ code: "credentials-in-url" });
  });
});
