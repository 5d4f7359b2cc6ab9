/**
 * What holds for every kind of source, tried through the command against the emulator. A source enters it with a
 * harness: how its vault is started, how a value gets into it, and how it goes wrong. A canary is looked for in all that
 * a run leaves behind, also where the source fails.
 */
import { describe, expect, test } from "vitest";
import { toSnakeCase } from "../../../src/base/text/index.js";
import { toCamelCase } from "../../../src/core/manifest/index.js";
import { isLong } from "../../real/long.js";
import { startThief } from "../../security/thief.js";
import {
  type Failure,
  first,
  type ProjectSettings,
  type StartedSource,
  second,
  Tried,
  type Written,
} from "./tried.js";

export { first as canary, type StartedSource } from "./tried.js";

/** The code of the problem that a failure is told with. */
const codes: Readonly<Record<Failure, string>> = {
  unauthorized: "refused",
  forbidden: "refused",
  missing: "not-found",
  unavailable: "unreachable",
  // Libraries take one for no answer of their service.
  redirecting: "refused|malformed",
  html: "malformed",
  cut: "malformed",
  huge: "too-long",
  slow: "timed-out",
  endless: "timed-out",
  empty: "empty",
  // Last: a value is stored then.
  recovering: "",
};

/** A source as the mapping of its fields in YAML and as the call of its function in TypeScript. */
export function written(
  kind: string,
  fields: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>,
): Written {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  const yaml = given.map(([name, value]) => `${toSnakeCase(name)}: ${JSON.stringify(value)}`).join(", ");
  const code = given.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(", ");
  return { yaml: `!${kind} { ${yaml} }`, typescript: `${functionNamed(kind)}({ ${code} })` };
}

function functionNamed(kind: string): string {
  return toCamelCase(kind.replaceAll("-", "_"));
}

/** Runs the suite for one kind of source; `package`: the optional one that it needs. */
export function describeSource(
  kind: string,
  start: () => Promise<StartedSource> | StartedSource,
  { package: needed }: { readonly package?: string } = {},
): void {
  /** For what no source does by itself. */
  const tags = kind === "keyring" ? [] : ["night"];
  const tried = async (settings: ProjectSettings = {}) => Tried.start(await start(), settings);

  describe(`the source ${kind}`, () => {
    test("is asked nothing by validate, and by a plan of something else", { tags }, async () => {
      const on = await tried();
      const { failures, reads, versions } = on.source;
      await failures.unavailable?.("one", on.project, "");
      await on.expectExit(0, "validate");
      const { stdout } = await on.expectExit(0, "plan", "--target", "context.desk");
      expect(stdout).toContain("context.desk");
      expect([reads(), versions.asked()]).toEqual([0, 0]);
    });

    test("is read once in a run, however many secrets need it", { tags }, async () => {
      const on = await tried({ secrets: ["one", "one"], fingerprintKey: "one" });
      await on.expectExit(0, "apply", "--auto-approve");
      expect(on.stored()).toEqual([first, first]);
      expect(on.source.reads()).toBe(1);
    });

    test("shows a new value as superseded, and never the value", async () => {
      const on = await tried();
      await on.expectExit(0, "apply", "--auto-approve");
      await on.expectNothingToDo();
      await on.put("one", second);
      const { stdout } = await on.expectExit(
        2,
        ..."plan --detailed-exitcode --format json --out plan.json".split(" "),
      );
      expect(JSON.parse(stdout)).toMatchObject({
        changes: [{ address: "secret.s0", action: "supersede", reason: "rotated" }],
      });
      await on.expectExit(0, "plan");
      await on.expectExit(0, "apply", "plan.json");
      expect(on.stored()).toEqual([first, second]);
      await on.expectNothingToDo();
      await on.expectExit(0, "history");
      await on.expectExit(0, "state", "show", "secret.s0", "--format", "json");
      on.expectClean();
    });

    test("serves the key of the service and the key of the fingerprints", { tags }, async () => {
      const on = await tried({ secrets: [], apiKey: "one", fingerprintKey: "one" });
      await on.expectExit(0, "apply", "--auto-approve");
      await on.expectNothingToDo();
      on.expectClean();
    });

    test("means the same in YAML and in TypeScript", async () => {
      const on = await tried();
      await on.expectExit(0, "apply", "--auto-approve");
      await on.writeTypeScript();
      await on.expectExit(0, "plan", "-f", "main.ts", "--detailed-exitcode");
      on.expectClean();
    });

    test("is not used for an untrusted change", async () => {
      const on = await tried();
      const { stdout } = await on.run("plan", "--untrusted", "--format", "json");
      expect(stdout).not.toContain(first);
      expect(on.source.reads()).toBe(0);
    });

    test("that fails in any way is told, and shows nothing of the value", async () => {
      const on = await tried();
      const failures = isLong ? Object.keys(codes) : ["forbidden", "redirecting"];
      for (const failure of failures as Failure[]) {
        const source = await start();
        await on.use(source, settingsFor(failure));
        const fail = source.failures[failure];
        if (!fail) continue;
        const elsewhere = await startThief();
        await fail("one", on.project, elsewhere.url);
        const code = codes[failure];
        if (failure !== "recovering") {
          const { exit: planned } = await on.run("plan");
          const { exit, problem } = await on.apply();
          expect({ failure, exit, code: problem?.code }).toEqual({
            failure,
            exit: 1,
            code: expect.stringMatching(`^(${code})$`),
          });
          const isCertain = ["not-found", "malformed", "too-long"].includes(problem?.code ?? "");
          expect({ failure, planned }).toEqual({
            failure,
            planned: isCertain && !source.versions.unseen?.includes(failure) ? 1 : 0,
          });
        } else await on.expectExit(0, "apply", "--auto-approve");
        expect(elsewhere.heard()).toBe("");
        expect(on.stored()).toEqual(failure === "recovering" ? [first] : []);
      }
      await on.run("history");
      on.expectClean();
    });

    test.skipIf(needed === undefined)("says how to install the package that it needs", async () => {
      const on = await tried();
      const { exit, stdout, stderr } = await on.runWithout(needed ?? "", "apply", "--auto-approve");
      expect(exit).not.toBe(0);
      expect((stdout + stderr).replace(/\s+/g, " ")).toMatch(new RegExp(`run \`npm install [^\`]*${needed}`));
    });

    test("whose version is unchanged is not read for a plan or by drift, and neither needs a right to read values", async () => {
      const source = await start();
      const on = await Tried.start(source);
      await on.expectExit(0, "apply", "--auto-approve");
      const read = source.reads();
      await source.versions.refuseValues();
      await on.expectExit(0, "plan", "--detailed-exitcode");
      await on.put("one", second);
      const { stdout } = await on.expectExit(2, "plan", "--detailed-exitcode");
      expect(stdout).toMatch(/version \S+\s+→\s+\S+/);
      const drift = await on.expectExit(2, "drift");
      expect(drift.stdout).toMatch(
        /secret\.s0 was rotated at its source[^:]*secret_value: version \S+\s+→\s+\S+/,
      );
      expect(source.reads()).toBe(read);
      await source.versions.allowValues();
      await on.expectExit(0, "apply", "--only-rotations", "--auto-approve");
      expect(on.stored()).toEqual([first, second]);
      await source.versions.refuseValues();
      await on.expectNothingToDo();
      on.expectClean();
    });
  });
}

function settingsFor(failure: Failure): ProjectSettings {
  return failure === "slow" || failure === "endless" ? { timeoutSeconds: 0.2 } : {};
}
