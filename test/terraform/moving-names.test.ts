// @module-tag terraform
/** Tests that plans fail if they move a name between resources, and name the change to apply first. */
import { describe, expect, test } from "vitest";
import { testedCore } from "../../packages/terraform-plugin/test/terraform.js";
import { type Acceptance, startAcceptance } from "./acceptance.js";

const formatContext = (resource: string, name: string, more = "") => `
resource "avatarops_context" "${resource}" {
  name   = "${name}"
  prompt = "Be kind."
${more}}
`;

const forget = (resource: string, destroy = false) => `
removed {
  from = avatarops_context.${resource}
  lifecycle {
    destroy = ${destroy}
  }
}
`;

async function startAndApply(main: string) {
  const terraform = await startAcceptance({ main });
  await terraform.settle();
  terraform.requests();
  const { contexts } = terraform.emulator.world;
  const names = () => contexts.map(({ name }) => name).toSorted();
  const idOf = (name: string) => contexts.find((one) => one.name === name)?.id ?? "";
  return { ...terraform, names, idOf };
}

/** Asserts that the plan and both kinds of apply fail without a write. Returns the plan's output. */
async function expectRefusal({ fail, requests }: Pick<Acceptance, "fail" | "requests">): Promise<string> {
  const output = await fail("plan", "-parallelism=1");
  await fail("apply", "-auto-approve");
  expect(requests().filter((one) => !one.startsWith("GET"))).toEqual([]);
  return output;
}

describe("name that moves from one resource to another", () => {
  test("fails the plan if an address changes without a `moved` block", async () => {
    const { names, idOf, ...terraform } = await startAndApply(formatContext("support", "Support desk"));
    await terraform.write({ "main.tf": formatContext("desk", "Support desk") });
    const output = await expectRefusal(terraform);
    expect(output).toContain('Error: The name "Support desk" moves between two resources');
    expect(output).toContain(
      `This plan creates the context "Support desk", and removes the context "Support desk" (${idOf("Support desk")}) from the state. If only addresses changed, add \`moved\` blocks`,
    );

    expect(await terraform.fail("plan", "-refresh=false")).toContain("moves between two resources");

    const moved = "moved {\n  from = avatarops_context.support\n  to   = avatarops_context.desk\n}\n";
    await terraform.write({ "moved.tf": moved });
    await terraform.settle();
    expect(names()).toEqual(["Support desk"]);
  });

  test("can be claimed by an import after the old resource is removed from the state", async () => {
    const { names, idOf, ...terraform } = await startAndApply(formatContext("support", "Support desk"));
    const id = idOf("Support desk");
    await terraform.write({ "main.tf": formatContext("desk", "Support desk") });
    expect(await expectRefusal(terraform)).toContain("so import it by its id");
    await terraform.succeed("apply", "-auto-approve", "-target=avatarops_context.support");
    await terraform.write({ "import.tf": `import {\n  to = avatarops_context.desk\n  id = "${id}"\n}\n` });
    await terraform.settle();
    expect(names()).toEqual(["Support desk"]);
    expect(idOf("Support desk")).toBe(id);
  });

  test("fails the plan if a for_each key changes, or if the removal of the first element shifts count indexes", async () => {
    const main = (keys: string) => `
locals {
  names = ${keys}
}

resource "avatarops_context" "each" {
  for_each = local.names
  name     = each.value
  prompt   = "Be kind."
}

resource "avatarops_context" "list" {
  count  = length(local.names)
  name   = "List \${values(local.names)[count.index]}"
  prompt = "Be kind."
}
`;
    const { idOf, ...terraform } = await startAndApply(main('{ a = "A", b = "B", c = "C" }'));
    await terraform.write({ "main.tf": main('{ b = "B", c = "C", d = "A" }') });
    expect(await expectRefusal(terraform)).toContain(`and removes the context "A" (${idOf("A")})`);
    await terraform.write({ "main.tf": main('{ b = "B", c = "C" }') });
    const output = await expectRefusal(terraform);
    expect(output).toContain('The name "List B" moves between two resources');
    // The message depends on the planning order.
    expect(output).toMatch(
      /If only addresses changed, add `moved` blocks|or add `moved` blocks if only addresses/,
    );
    expect(output).toMatch(new RegExp(`The context ${idOf("List C")} still has|"List C" .${idOf("List C")}`));
  });

  test("fails the plan if each resource takes the next one's name, until the suggested renames are applied one by one", async () => {
    const main = (...names: string[]) => names.map((name, at) => formatContext(`c${at}`, name)).join("");
    const { names, idOf, ...terraform } = await startAndApply(main("A", "B", "C", "D"));
    const ids = ["A", "B", "C", "D"].map(idOf);
    await terraform.write({ "main.tf": main("B", "C", "D", "E") });
    for (const [at, name, next] of [
      [3, "D", "E"],
      [2, "C", "D"],
      [1, "B", "C"],
    ] as const) {
      const output = await expectRefusal(terraform);
      const advised = [...output.matchAll(/Apply the rename of ("." \(.*?\) to ".") alone first/g)];
      expect(new Set(advised.map(([, change]) => change))).toEqual(
        new Set([`"${name}" (${ids[at]}) to "${next}"`]),
      );
      await terraform.succeed("apply", "-auto-approve", `-target=avatarops_context.c${at}`);
      terraform.requests();
    }
    await terraform.settle();
    expect(["B", "C", "D", "E"].map(idOf)).toEqual(ids);
  });

  test("fails the plan if two resources swap names, or a new one takes a renamed resource's name", async () => {
    const { idOf, ...terraform } = await startAndApply(formatContext("a", "A") + formatContext("b", "B"));
    await terraform.write({ "main.tf": formatContext("a", "B") + formatContext("b", "A") });
    expect(await expectRefusal(terraform)).toContain("first apply a temporary name for one of them");
    await terraform.write({
      "main.tf": formatContext("a", "C") + formatContext("b", "B") + formatContext("c", "A"),
    });
    expect(await expectRefusal(terraform)).toContain(`renames the context "A" (${idOf("A")}) to "C"`);
  });

  test("is moved in the apply if the new resource depends on the old one", async () => {
    const { names, ...terraform } = await startAndApply(formatContext("a", "A"));
    const next = `
resource "terraform_data" "name" {
  input      = "A"
  depends_on = [avatarops_context.a]
}
`;
    await terraform.write({
      "main.tf":
        formatContext("a", "B") + next + formatContext("b", "x").replace('"x"', "terraform_data.name.output"),
    });
    await terraform.settle();
    expect(names()).toEqual(["A", "B"]);
  });

  test("stays with one resource if the name is known only during the apply", async () => {
    const { names, ...terraform } = await startAndApply(formatContext("a", "A"));
    const late = (resource: string) =>
      formatContext(resource, "x").replace('"x"', "terraform_data.name.output") +
      'resource "terraform_data" "name" {\n  input = "A"\n}\n';
    await terraform.write({ "main.tf": late("b") });
    const { stdout } = await terraform.run("apply", "-auto-approve");
    const listed = await terraform.succeed("state", "list");
    // Terraform chooses the order. In either order, one resource keeps the object.
    expect(listed.match(/avatarops_context/g), stdout).toHaveLength(1);
    expect(names()).toEqual(["A"]);
  });

  test("fails a destroy unless the suggested -refresh=false is used", async () => {
    const terraform = await startAndApply(formatContext("a", "A") + formatContext("b", "B"));
    await terraform.write({ "main.tf": formatContext("a", "B") + formatContext("c", "A") });
    const output = await terraform.fail("destroy", "-auto-approve");
    expect(output).toContain("moves between two resources");
    expect(output).toContain("When you destroy all resources, use `-refresh=false`.");
    expect(terraform.names()).toEqual(["A", "B"]);
    await terraform.succeed("destroy", "-auto-approve", "-refresh=false");
    expect(await terraform.succeed("state", "list")).toBe("");
  });

  test("is reported with the id to import if the old resource uses another provider block", async () => {
    const blocks = 'provider "avatarops" {}\n\nprovider "avatarops" {\n  alias = "b"\n}\n';
    const inB = "  provider = avatarops.b\n";
    const { idOf, ...terraform } = await startAndApply(blocks + formatContext("a", "A"));
    const id = idOf("A");
    await terraform.write({ "main.tf": blocks + formatContext("b", "A", inB) });
    for (const command of [["plan"], ["apply", "-auto-approve"]]) {
      const { stdout, stderr } = await terraform.run(...command);
      expect(stdout + stderr).toContain('The account already has a context named "A"');
      expect(stdout + stderr).toMatch(new RegExp(`id = "${id}"`));
    }
    await terraform.succeed("import", "avatarops_context.b", id);
    await terraform.settle();
    expect(terraform.emulator.world.contexts.map((one) => one.id)).toEqual([id]);
  });

  test.each([
    ["a `removed` block", { "removed.tf": forget("a") }, []],
    ["`state rm`", {}, ["state", "rm", "avatarops_context.a"]],
  ])("is reported with the id to import after %s", async (_, files, command) => {
    const { idOf, ...terraform } = await startAndApply(formatContext("a", "A") + formatContext("b", "B"));
    const [id, other] = [idOf("A"), idOf("B")];
    if (command.length > 0) await terraform.succeed(...command);
    await terraform.write({ ...files, "main.tf": formatContext("b", "A") });
    // OpenTofu reads a forgotten object but plans nothing for it, so only the apply reports its id.
    const isSilent = testedCore.isOpenTofu && command.length === 0;
    const renamed = isSilent ? "" : await terraform.succeed("plan");
    expect(renamed).toContain(isSilent ? "" : `Its id is ${id}`);
    expect(await terraform.fail("apply", "-auto-approve")).toContain(`Its id is ${id}`);
    expect(terraform.names()).toEqual(["A", "B"]);

    await terraform.write({ "main.tf": formatContext("b", "B") + formatContext("c", "A") });
    expect(await terraform.succeed("plan")).toContain(`id = "${id}"`);
    await terraform.fail("apply", "-auto-approve");
    await terraform.succeed("import", "avatarops_context.c", id);
    await terraform.settle();
    expect([idOf("A"), idOf("B")]).toEqual([id, other]);
  });

  test("fails the plan even if a `removed` block destroys the old resource", async () => {
    const terraform = await startAndApply(formatContext("a", "A"));
    await terraform.write({ "main.tf": formatContext("b", "A"), "removed.tf": forget("a", true) });
    expect(await expectRefusal(terraform)).toContain('The name "A" moves between two resources');
  });

  test("does not block a refresh, a replacement, a targeted plan or a destroy without refresh", async () => {
    const { names, ...terraform } = await startAndApply(formatContext("a", "A") + formatContext("b", "B"));
    await terraform.settle("-replace=avatarops_context.a", "-replace=avatarops_context.b");
    const cbd = "lifecycle {\n    create_before_destroy = true\n  }\n";
    await terraform.write({ "main.tf": formatContext("a", "A", cbd) + formatContext("b", "C", cbd) });
    await terraform.settle();
    await terraform.write({ "main.tf": formatContext("a", "C") + formatContext("b", "D") });
    await terraform.succeed("plan", "-refresh-only");
    await terraform.succeed("plan", "-target=avatarops_context.a");
    await terraform.succeed("destroy", "-auto-approve", "-refresh=false");
    expect(names()).toEqual(["A", "C"]);
  });
});
