import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeState, encodeState } from "../../src/core/state/encoding.js";
import { openStore } from "../../src/core/state/index.js";
import { toFileError } from "../../src/core/state/state-error.js";
import { scaleRuns } from "../real/long.js";
import {
  createEntry,
  createIntent,
  createMachine,
  createState,
  createStoreNames,
  makeFolder,
  patience,
  service,
} from "./building.js";

const good = createState({
  objects: { "context.a": createEntry("a1") },
  pending: { "secret.b": createIntent("secret.b") },
});
const text = encodeState(good, undefined);

async function catchReadingError(stateText: string | undefined, journal?: string): Promise<unknown> {
  const file = join(await makeFolder(), "state.json");
  if (stateText !== undefined) await writeFile(file, stateText);
  if (journal !== undefined) await writeFile(`${file}.journal`, journal);
  const store = openStore(file, createMachine());
  const problem = await store.read().then(
    () => undefined,
    (error: Error & { code: string }) => ({
      code: error.code,
      message: error.message.replaceAll(file, "FILE"),
    }),
  );
  // A run that wants to write fails with the same error, releases the lock and changes nothing.
  if (problem) {
    await expect(store.lock(patience)).rejects.toMatchObject({ code: problem.code });
    await expect(readFile(`${file}.lock`)).rejects.toMatchObject({ code: "ENOENT" });
    if (stateText !== undefined) expect(await readFile(file, "utf8")).toBe(stateText);
  }
  return problem;
}

const restore =
  "Undo the edit, or restore the last good version (find it with `git log` and restore it with `git restore`).";

describe("invalid state file", () => {
  const cases: [string, string, string, string][] = [
    ["empty", "", "corrupt", "FILE is not JSON, or is nested too deeply."],
    ["cut", text.slice(0, -20), "corrupt", "FILE is not JSON, or is nested too deeply."],
    [
      "a list",
      "[]",
      "corrupt",
      "FILE is not a valid state: the whole file is wrong: expected object, received array.",
    ],
    [
      "no version",
      text.replace('"version": 1,', ""),
      "corrupt",
      "FILE is not a valid state: version is missing.",
    ],
    [
      "a wrong id",
      text.replace('"id": "a1"', '"id": 5'),
      "corrupt",
      'FILE is not a valid state: objects["context.a"].id is wrong: expected string, received number.',
    ],
    [
      "a wrong value deep inside",
      text.replace('"length": 300', '"length": "300"'),
      "corrupt",
      'FILE is not a valid state: pending["secret.b"].sent.prompt is not a valid digest.',
    ],
    [
      "a key that is not an address",
      text.replace('"context.a"', '"context.$(x)"'),
      "corrupt",
      'FILE is not a valid state: objects["context.$(x)"] is not an address.',
    ],
    [
      "an unknown field",
      text.replace('"applied"', '"aplied": {}, "applied"'),
      "corrupt",
      'FILE is not a valid state: objects["context.a"].aplied is not a state field.',
    ],
  ];
  test.each(cases)("is rejected with its location and a fix: %s", async (_, wrong, code, message) => {
    expect(await catchReadingError(wrong)).toEqual({ code, message: `${message} ${restore}` });
  });

  test("is rejected if a later version wrote it", async () => {
    expect(await catchReadingError(text.replace('"version": 1', '"version": 2'))).toEqual({
      code: "newer-version",
      message: "FILE was written by a newer version of avatarops (format 2). Upgrade avatarops to use it.",
    });
  });

  test("is rejected if git merged it with conflicts", async () => {
    const merged = text.replace(
      / {2}"serial": 3,\n/,
      '<<<<<<< HEAD\n  "serial": 3,\n=======\n  "serial": 4,\n>>>>>>> b\n',
    );
    expect(await catchReadingError(merged)).toEqual({
      code: "merge-conflict",
      message: expect.stringMatching(
        /^FILE contains git conflict markers \(line 4\), .*Keep the side.*avatarops plan/,
      ),
    });
  });

  test("is rejected if its path is a folder, is below a file, or is a symlink loop", async () => {
    const folder = await makeFolder();
    await mkdir(join(folder, "folder"));
    await writeFile(join(folder, "file"), "");
    await symlink("circle", join(folder, "circle"));
    const codeOf = (name: string) =>
      openStore(join(folder, name), createMachine())
        .read()
        .catch(({ code }) => code);
    expect([await codeOf("folder"), await codeOf("file/state.json"), await codeOf("circle")]).toEqual([
      "not-a-file",
      "not-a-folder",
      "not-a-file",
    ]);
    await expect(
      openStore(join(folder, "file/state.json"), createMachine()).lock(patience),
    ).rejects.toMatchObject({
      code: "not-a-folder",
    });
  });
});

test("reads a state file with a byte order mark and different formatting", () => {
  expect(decodeState(`\uFEFF${JSON.stringify(good)}`, createStoreNames("f"))).toEqual(good);
});

test("reads back every written state unchanged", () => {
  const word = fc.string({ unit: "binary", minLength: 1 });
  // Excludes `__proto__`, which Zod drops. No field or address has this name.
  const name = word.filter((one) => one !== "__proto__");
  const value = fc.oneof(
    word,
    fc.array(fc.dictionary(name, word)),
    fc.record({ digest: word, length: fc.nat() }),
  );
  const id = fc.stringMatching(/^[\w.~:@+=,-]{1,255}$/).filter((one) => one !== "." && one !== "..");
  const address = fc.stringMatching(/^[a-z_]+\.[\wäß漢-]+$/);
  const entry = fc.record({ id, applied: fc.dictionary(name, value) });
  fc.assert(
    fc.property(fc.dictionary(address, entry), (objects) => {
      const state = createState({ objects });
      expect(decodeState(encodeState(state, "j"), createStoreNames("f"))).toEqual({ ...state, journal: "j" });
    }),
    { numRuns: scaleRuns(50) },
  );
});

describe("journal", () => {
  const header = { journal: 1, id: "j", lineage: "line", serial: 3, service, requestTimeoutMs: 30_000 };
  const lines = (...values: unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join("");
  const settled = [{ settle: "context.b", entry: createEntry("b1") }];

  test.each([
    ["with an incomplete header", JSON.stringify(header).slice(0, 20), undefined],
    ["with an empty header", "\0\0\0\n", undefined],
    ["with a torn last line", lines(header) + lines(settled).slice(0, 30), undefined],
    ["with a hole in the last line", lines(header) + lines(settled).replace("b1", "\0\0"), undefined],
  ])("is read %s", async (_, journal) => {
    expect(await catchReadingError(text, journal)).toBeUndefined();
  });

  test.each([
    ["not JSON", lines(header).concat("garbled\n", lines(settled)), 2, "it is not JSON"],
    ["not JSON, in the last whole line", lines(header, settled).concat("garbled\n"), 3, "it is not JSON"],
    ["not a step", lines(header, [{ settle: 5 }], settled), 2, "[0] is wrong: Invalid input"],
    ["not a header", lines(settled, settled), 1, "the whole file is wrong: expected object, received array"],
  ])("is rejected with the line number if a line is %s", async (_, journal, line, why) => {
    expect(await catchReadingError(text, journal)).toEqual({
      code: "corrupt",
      message:
        `Line ${line} of FILE.journal, the journal of an interrupted run, is damaged: ${why}. Restore the journal from ` +
        "a backup. Without a backup, delete that line, check its objects in the account and run `avatarops plan`.",
    });
  });

  test("is rejected if a later version wrote it", async () => {
    expect(await catchReadingError(text, lines({ ...header, journal: 2 }))).toMatchObject({
      code: "newer-version",
    });
  });

  test.each([
    ["an older state", createState({ serial: 2 }), "the state next to it has serial 2"],
    ["a colleague's newer state", createState({ serial: 4 }), "the state next to it has serial 4"],
    [
      "another state",
      createState({ lineage: "x" }),
      "the state next to it has serial 3 and a different lineage",
    ],
    ["no state", undefined, "there is no state next to it"],
  ])(
    "is rejected with a list of its addresses if it does not match the state (%s)",
    async (_, state, beside) => {
      const journal = lines(header, [{ intend: createIntent("secret.z") }, ...settled]);
      const problem = await catchReadingError(state && encodeState(state, undefined), journal);
      expect(problem).toEqual({
        code: "orphaned-journal",
        message: expect.stringMatching(
          new RegExp(
            `^FILE.journal is the journal of an interrupted run on state serial 3, but ${beside}\\. .*\\(context.b, secret.z\\), then delete the journal\\.$`,
          ),
        ),
      });
    },
  );

  test("is ignored if the state already contains it, regardless of the serial", async () => {
    const file = join(await makeFolder(), "state.json");
    await writeFile(file, encodeState(createState({ serial: 9 }), "j"));
    await writeFile(`${file}.journal`, lines(header, settled));
    expect(await openStore(file, createMachine()).read()).toEqual({
      state: createState({ serial: 9 }),
      interrupted: false,
    });
  });
});

test.each([
  ["EACCES", "no-permission"],
  ["EPERM", "no-permission"],
  ["EROFS", "read-only-disk"],
  ["ENOSPC", "disk-full"],
  ["EDQUOT", "disk-full"],
  ["EISDIR", "not-a-file"],
  ["ELOOP", "not-a-file"],
  ["ENOTDIR", "not-a-folder"],
  ["EIO", "unwritable"],
])("maps the system error %s to %s", (system, code) => {
  const cause = Object.assign(new Error(), { code: system });
  const refusal = toFileError(cause, "write", "/f");
  expect(refusal).toMatchObject({ code, file: "/f", cause });
  expect(refusal.message).toMatch(/^Cannot write \/f: .+\. .+\.$/);
});
