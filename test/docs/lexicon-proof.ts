/**
 * Tests the kind from the walkthrough, which has a field of every type, in all commands and in Terraform.
 * `add-a-kind.test.ts` runs this file in a repository copy that contains the kind.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { type Project, startProject } from "../cli/hosting.js";
import { startAcceptance } from "../terraform/acceptance.js";
import { withActions } from "../terraform/newer-cores.js";

interface Lexicon {
  readonly id: string;
  readonly [field: string]: unknown;
}

const listLexicons = ({ world }: { readonly world: object }) => (world as { lexicons: Lexicon[] }).lexicons;

/** Edits the lexicon like a dashboard user. */
async function edit({ emulator }: Pick<Project, "emulator">, body: object): Promise<void> {
  await send("PATCH", `${emulator.url}/v1/lexicons/${listLexicons(emulator)[0]?.id}`, body);
}

async function send(method: string, url: string, body: object): Promise<void> {
  const headers = { "x-api-key": "test-key", "content-type": "application/json" };
  const { ok } = await fetch(url, { method, headers, body: JSON.stringify(body) });
  expect(ok).toBe(true);
}

const yaml = `lexicons:
  brands:
    name: Brands
    words: [{ word: Lindau, spoken: LIN-dow }] # one
    speed: 1.0
    strict: false
    alphabet: ipa # as always
    languages:
      - de # German
      - "no"
    pauses: # seconds
      comma: 0 # none
`;

/** Manifest without comments in lists and mappings, because `pull` rejects edits that would drop a comment. */
const uncommented = yaml.replace(/ # (German|seconds|none|one)/g, "");

const unset = { speed: 1, strict: false, languages: [], pauses: { comma: 0.2, breath: false } };

test("detects, pulls and rolls back an edit to each field of a lexicon", async () => {
  const project = await startProject({ files: { "avatarops.yaml": yaml } });
  await project.expectApplied();
  expect(listLexicons(project.emulator)).toMatchObject([
    { speed: 1, strict: false, languages: ["de", "no"], pauses: { comma: 0, breath: false } },
  ]);
  await edit(project, {
    speed: 0.5,
    alphabet: "x-sampa",
    languages: ["de"],
    pauses: { comma: 2, breath: true },
  });
  const { stdout } = await project.avatarops("drift");
  expect(stdout).toMatch(/speed +1 → 0\.5/);
  expect(stdout).toMatch(/languages +− no/);
  expect(stdout).toMatch(/pauses +− comma: 0\n +− breath: false\n +\+ comma: 2\n +\+ breath: true/);
  expect((await project.avatarops("plan", "--format", "json")).stdout).toContain('"type": "object"');
  await project.expectDone("pull", "-y");
  expect(await project.read("avatarops.yaml")).toBe(
    yaml
      .replace("speed: 1.0", "speed: 0.5")
      .replace("alphabet: ipa", "alphabet: x-sampa")
      .replace('      - "no"\n', "")
      .replace("comma: 0 # none\n", "comma: 2 # none\n      breath: true\n"),
  );
  await project.expectNothingToDo("--refresh", "full");

  await project.write("avatarops.yaml", yaml);
  await project.expectApplied();
  expect((await project.expectDone("history")).stdout).toMatch(/speed 0\.5 → 1/);
  expect((await project.expectDone("show", "lexicon.brands")).stdout).toContain("comma: 0\n");
  await project.expectDone("rollback", "--to", "2", "-y");
  await project.expectDone("pull", "lexicon.brands", "-y");
  // The next apply releases the hold.
  await project.expectDone("apply", "-y");
  expect(listLexicons(project.emulator)).toMatchObject([{ speed: 0.5, pauses: { comma: 2, breath: true } }]);
  await project.expectNothingToDo("--refresh", "full");

  // Undeclared fields return to their default. Those without a default become unmanaged.
  await project.write("avatarops.yaml", "lexicons: { brands: { name: Brands } }\n");
  await project.expectApplied();
  expect(listLexicons(project.emulator)).toMatchObject([{ ...unset, words: [], alphabet: "x-sampa" }]);
});

test("exports, prints as TypeScript and imports a lexicon with all its values", async () => {
  const project = await startProject({ files: { "avatarops.yaml": yaml } });
  await project.expectApplied();
  await project.expectDone("export", "text");
  const at = { cwd: `${project.folder}/text` };
  const planned = await project.avataropsWith(at, "plan", "--detailed-exitcode", "--refresh", "full");
  expect(planned, planned.stdout + planned.stderr).toMatchObject({ exit: 0 });
  await project.write(
    "code/avatarops.config.ts",
    'import { Project } from "avatarops";\nexport default new Project();\n',
  );
  const printed = await project.avatarops("import", "--write", "--all", "-f", "code/avatarops.config.ts");
  expect(printed.stdout).toContain("pauses: { comma: 0 }");
  const [{ id } = { id: "" }] = listLexicons(project.emulator);
  const other = await startProject({ files: { "avatarops.yaml": "{}\n" } });
  listLexicons(other.emulator).push(...structuredClone(listLexicons(project.emulator)));
  await other.expectDone("import", "lexicon.brands", id, "--write");
  expect(await other.read("avatarops.yaml")).toMatch(
    /languages:\n {6}- de\n {6}- "no"\n {4}pauses:\n {6}comma: 0\n/,
  );
  await other.expectNothingToDo("--refresh", "full");
});

const value = {
  speed: fc.constantFrom(0.5, 1, 1.25, 2),
  strict: fc.boolean(),
  alphabet: fc.constantFrom("ipa", "x-sampa"),
  languages: fc.array(fc.constantFrom("en", "null", "1.0", "true", "a: b", "ß\n x", "  "), { maxLength: 3 }),
  words: fc.array(fc.record({ word: fc.constantFrom("", "0", "a b"), spoken: fc.constant("x") }), {
    maxLength: 2,
  }),
};
const pauses = { comma: fc.constantFrom(0, 0.2, 1), breath: fc.boolean() };
const declared = fc.record(
  { ...value, pauses: fc.record(pauses, { requiredKeys: [] }) },
  { requiredKeys: [] },
);
const step = fc.oneof(
  fc.record({ is: fc.constant("write" as const), fields: declared, flow: fc.boolean() }),
  fc.record({ is: fc.constant("edit" as const), fields: fc.record({ ...value, pauses: fc.record(pauses) }) }),
  fc.record({ is: fc.constant("apply" as const) }),
  fc.record({ is: fc.constant("pull" as const) }),
);

test("plans no changes after an apply or pull of random lexicon edits", {
  timeout: 3_600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 6 }), async (steps) => {
      const project = await startProject({ files: { "avatarops.yaml": uncommented } });
      await project.expectDone("apply", "-y");
      for (const step of steps) {
        if (step.is === "edit") await edit(project, step.fields);
        else if (step.is === "write") {
          const text = { lexicons: { brands: { name: "Brands", ...step.fields } } };
          await project.write("avatarops.yaml", step.flow ? JSON.stringify(text) : stringify(text));
        } else if (step.is === "apply") await project.expectDone("apply", "-y", "--overwrite-drift");
        else {
          await project.expectDone("pull", "lexicon.brands", "--theirs", "-y");
          // A pull keeps unapplied changes to other fields.
          await project.expectDone("apply", "-y");
        }
        if (step.is === "apply" || step.is === "pull") await project.expectNothingToDo("--refresh", "full");
      }
    }),
    { numRuns: Number(process.env.LIVES ?? 1_000) },
  );
});

test("applies a lexicon with terraform, detects edits and imports it unchanged", async () => {
  const main = `resource "avatarops_lexicon" "brands" {
  name      = "Brands"
  words     = [{ word = "Lindau", spoken = "LIN-dow" }]
  speed     = 1.0
  strict    = false
  languages = ["de", "no"]
  pauses    = { comma = 0 }
}
`;
  const terraform = await startAcceptance({ main });
  await terraform.settle();
  const [{ id } = { id: "" }] = listLexicons(terraform.emulator);
  expect(listLexicons(terraform.emulator)).toMatchObject([
    { ...unset, languages: ["de", "no"], pauses: { comma: 0 } },
  ]);
  await edit(terraform, { speed: 2, languages: ["de"], pauses: { comma: 0, breath: true } });
  const planned = (await terraform.succeed("plan")).replace(/ +/g, " ");
  for (const change of ["~ speed = 2 -> 1", '+ "no"', "- breath = true -> null"])
    expect(planned).toContain(change);
  await terraform.settle();
  expect(listLexicons(terraform.emulator)).toMatchObject([{ speed: 1, pauses: { comma: 0, breath: false } }]);
  // Unset fields return to their default.
  await terraform.write({ "main.tf": `resource "avatarops_lexicon" "brands" {\n  name = "Brands"\n}\n` });
  await terraform.settle();
  expect(listLexicons(terraform.emulator)).toMatchObject([{ ...unset, words: [] }]);
  await edit(terraform, { languages: ["de", "no"], pauses: { comma: 0, breath: false } });
  await terraform.succeed("state", "rm", "avatarops_lexicon.brands");
  await terraform.write({ "main.tf": `import {\n  to = avatarops_lexicon.brands\n  id = "${id}"\n}\n` });
  await terraform.succeed("plan", "-generate-config-out=generated.tf");
  expect(await terraform.succeed("apply", "-auto-approve")).toContain("1 imported, 0 added, 0 changed");
  await terraform.expectNothingToDo();
  expect(await terraform.stateOf("avatarops_lexicon.brands")).toMatchObject({
    ...{ speed: null, strict: false, languages: ["de", "no"], pauses: { comma: 0, breath: null } },
  });
});

test.skipIf(!withActions)("finds a lexicon with a Terraform query and imports it by identity", async () => {
  const terraform = await startAcceptance({ program: withActions, main: "" });
  const brands = { name: "Brands", speed: 0.5, languages: ["de"], pauses: { comma: 0, breath: false } };
  await send("POST", `${terraform.emulator.url}/v1/lexicons`, brands);
  const [{ id } = { id: "" }] = listLexicons(terraform.emulator);
  const list = 'list "avatarops_lexicon" "all" {\n  provider = avatarops\n}\n';
  await terraform.write({ "account.tfquery.hcl": list });
  expect(await terraform.succeed("query")).toMatch(new RegExp(`id=${id} +Brands\\n`));
  const adopt = `import {\n  to       = avatarops_lexicon.brands\n  identity = { id = "${id}" }\n}\n`;
  await terraform.write({ "account.tfquery.hcl": "", "main.tf": adopt });
  await terraform.succeed("plan", "-generate-config-out=generated.tf");
  expect(await terraform.succeed("apply", "-auto-approve")).toContain("1 imported, 0 added, 0 changed");
  await terraform.expectNothingToDo();
  expect(await terraform.stateOf("avatarops_lexicon.brands")).toMatchObject({
    speed: 0.5,
    languages: ["de"],
    pauses: { comma: 0 },
  });
});
