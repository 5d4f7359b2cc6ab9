import { describe, expect, test } from "vitest";
import { generateDataset } from "../../src/emulator/index.js";
import { startAcceptance } from "./acceptance.js";

const support = `
resource "avatarops_context" "support" {
  name         = "Support desk"
  prompt       = "You answer politely, $\${user}."
  opening_text = "Hi, how can I help?"
  links = [
    { url = "https://example.com/returns", faq = "Returns and refunds" },
    { url = "https://example.com/prices" },
  ]
}
`;

describe("context resource", { tags: "terraform" }, () => {
  test("is created once, changed in place, and stays in the account when forgotten", async () => {
    const { emulator, requests, ...terraform } = await startAcceptance({ main: support });
    await terraform.settle();
    expect(emulator.world.contexts).toMatchObject([
      {
        name: "Support desk",
        prompt: "You answer politely, ${user}.",
        opening_text: "Hi, how can I help?",
        links: [
          { url: "https://example.com/returns", faq: "Returns and refunds" },
          { url: "https://example.com/prices", faq: "" },
        ],
      },
    ]);
    const [made] = emulator.world.contexts;
    expect(requests().filter((one) => one.startsWith("POST"))).toEqual(["POST /v1/contexts"]);

    await terraform.write({ "main.tf": support.replace("politely", "briefly") });
    const plan = await terraform.succeed("plan");
    expect(plan).toContain("1 to change");
    expect(plan).not.toMatch(/created_at|links/);
    await terraform.settle();
    expect(emulator.world.contexts).toHaveLength(1);
    expect(emulator.world.contexts[0]).toMatchObject({
      id: made?.id,
      prompt: "You answer briefly, ${user}.",
      links: made?.links,
    });

    // The object stays the same when its resource is tainted or replaced.
    await terraform.succeed("taint", "avatarops_context.support");
    await terraform.settle();
    await terraform.settle("-replace=avatarops_context.support");
    expect(emulator.world.contexts).toMatchObject([{ id: made?.id, links: made?.links ?? [] }]);

    // Clears unset fields, and reads empty values as null.
    await terraform.write({
      "main.tf": 'resource "avatarops_context" "support" {\n  name = "Support desk"\n  prompt = ""\n}\n',
    });
    await terraform.settle();
    expect(emulator.world.contexts).toMatchObject([{ prompt: "", opening_text: "", links: [] }]);
    const nothing = { opening_text: null, links: null };
    expect(await terraform.stateOf("avatarops_context.support")).toMatchObject(nothing);

    // Plans a new object after the context was deleted.
    emulator.removeContext("Support desk");
    expect(await terraform.succeed("plan")).toContain("1 to add");
    await terraform.settle();
    expect(emulator.world.contexts).toHaveLength(1);

    await terraform.write({ "main.tf": "" });
    const forgotten = await terraform.settle();
    expect(forgotten).toContain("stays in the account");
    expect(emulator.world.contexts).toHaveLength(1);
  });

  test("is rejected if its name already exists, and the error suggests a working import block", async () => {
    const { emulator, requests, ...terraform } = await startAcceptance({
      main: support.replace("Support desk", "Context 2"),
      world: generateDataset({ contexts: 3 }),
    });
    const id = emulator.world.contexts[1]?.id;
    const planned = await terraform.succeed("plan");
    expect(planned).toContain('Warning: The account already has a context named "Context 2"');
    expect(planned).toContain("The apply will fail unless you fix this first.");
    const output = await terraform.fail("apply", "-auto-approve");
    expect(output).toContain('Error: The account already has a context named "Context 2"');
    for (const text of [planned, output]) {
      expect(text).toContain("on main.tf line 3");
      expect(text).toContain(`id = "${id}"`);
    }
    expect(requests().every((one) => one.startsWith("GET"))).toBe(true);

    await terraform.write({
      "import.tf": `import {\n  to = avatarops_context.support\n  id = "${id}"\n}\n`,
    });
    const plan = await terraform.succeed("plan");
    expect(plan).toContain("1 to import, 0 to add, 1 to change");
    await terraform.settle();
    expect(emulator.world.contexts).toHaveLength(3);
    expect(emulator.world.contexts[1]).toMatchObject({ id, prompt: "You answer politely, ${user}." });
  });

  test("does not block a destroy of other contexts if its name already exists", async () => {
    const { emulator, ...terraform } = await startAcceptance({
      main: support,
      world: generateDataset({ contexts: 1 }),
    });
    await terraform.settle();
    const another = support.replace('"support"', '"another"').replace("Support desk", "Context 1");
    await terraform.write({ "main.tf": support + another });
    expect(await terraform.succeed("destroy", "-auto-approve")).toContain("1 destroyed");
    expect(emulator.world.contexts).toHaveLength(2);
  });

  test("leaves a prompt listed in ignore_changes unchanged, even if another field changes", async () => {
    const mine = support.replace("links = [", "lifecycle {\n    ignore_changes = [prompt]\n  }\n  links = [");
    const { emulator, ...terraform } = await startAcceptance({ main: mine });
    await terraform.settle();
    emulator.editContext("Support desk", { prompt: "I was here." });
    await terraform.expectNothingToDo();
    await terraform.write({ "main.tf": mine.replace("how can I help?", "welcome!") });
    await terraform.settle();
    expect(emulator.world.contexts).toMatchObject([{ prompt: "I was here.", opening_text: "Hi, welcome!" }]);
    await terraform.write({ "main.tf": mine });
    await terraform.succeed("plan", "-out=saved");
    emulator.editContext("Support desk", { prompt: "I am here again." });
    expect(await terraform.fail("apply", "saved")).toContain(
      "Its prompt changed after the plan was made, so",
    );
    await terraform.settle();
    expect(emulator.world.contexts).toMatchObject([{ prompt: "I am here again." }]);
  });

  test("fails the plan if another new or existing resource has the same name", async () => {
    const again = support.replace('"support"', '"again"');
    const twice = support + again;
    const { emulator, ...terraform } = await startAcceptance({ main: twice });
    const expectRefusal = async () => {
      const output = await terraform.fail("plan");
      expect(output).toContain("Error: Two resources use the same name");
      expect(output).toContain('has the name "Support desk".');
    };
    await expectRefusal();
    await terraform.write({ "main.tf": support });
    await terraform.settle();
    await terraform.write({ "main.tf": twice });
    await expectRefusal();
    await terraform.write({ "main.tf": support + again.replace("Support desk", "Other desk") });
    await terraform.settle();
    await terraform.write({ "main.tf": twice });
    await expectRefusal();
    expect(emulator.world.contexts.map(({ name }) => name).toSorted()).toEqual([
      "Other desk",
      "Support desk",
    ]);
  });

  test("fails the apply if a name that is known only during the apply belongs to another resource", async () => {
    const twice = `${support}${support.replace('"support"', '"again"').replace('"Support desk"', "terraform_data.name.output")}
resource "terraform_data" "name" {
  input = "Support desk"
}
`;
    const { emulator, ...terraform } = await startAcceptance({ main: twice });
    expect(await terraform.succeed("plan")).toContain("3 to add");
    await terraform.fail("apply", "-auto-approve");
    expect(emulator.world.contexts).toHaveLength(1);
  });

  test("can be imported with `terraform import` and moved with a `moved` block", async () => {
    const { emulator, ...terraform } = await startAcceptance({
      main: support.replace("Support desk", "Context 1"),
      world: generateDataset({ contexts: 1 }),
    });
    const [there] = emulator.world.contexts;
    await terraform.succeed("import", "avatarops_context.support", there?.id ?? "");
    await terraform.settle();
    await terraform.write({
      "main.tf": support.replace("Support desk", "Context 1").replace('"support"', '"desk"'),
      "moved.tf": "moved {\n  from = avatarops_context.support\n  to   = avatarops_context.desk\n}\n",
    });
    await terraform.settle();
    expect(emulator.world.contexts.map(({ id }) => id)).toEqual([there?.id]);
  });

  test("is adopted and changed separately from another context with the same name", async () => {
    const twin = (key: string, prompt: string) =>
      `resource "avatarops_context" "${key}" {\n  name   = "Twin"\n  prompt = "${prompt}"\n}\n`;
    const { emulator, ...terraform } = await startAcceptance({
      main: twin("a", "A.") + twin("b", "B."),
      emulator: { behavior: { contextNames: "free" } },
    });
    const [a, b] = ["A.", "B."].map((prompt) => emulator.addContext({ name: "Twin", prompt }));
    const adopt = (key: string, id = "") => `import {\n  to = avatarops_context.${key}\n  id = "${id}"\n}\n`;
    await terraform.write({ "import.tf": adopt("a", a?.id) + adopt("b", b?.id) });
    expect(await terraform.succeed("plan")).toContain("2 to import, 0 to add, 0 to change");
    await terraform.settle();
    await terraform.write({ "main.tf": twin("a", "A.") + twin("b", "New.") });
    await terraform.settle();
    expect(emulator.world.contexts.map(({ prompt }) => prompt)).toEqual(["A.", "New."]);
    await terraform.write({ "main.tf": twin("a", "A.") + twin("b", "New.") + twin("c", "C.") });
    expect(await terraform.fail("plan")).toContain("Error: Two resources use the same name");
    await terraform.write({ "main.tf": twin("a", "A."), "import.tf": undefined });
    await terraform.settle();
    expect(emulator.world.contexts).toHaveLength(2);
  });

  test("is not imported if it is missing or its id is invalid", async () => {
    const { ...terraform } = await startAcceptance({ main: support });
    const missing = "00000000-0000-4000-8000-000000000000";
    expect(await terraform.fail("import", "avatarops_context.support", missing)).toContain(missing);
    expect(await terraform.fail("import", "avatarops_context.support", "Support desk")).toContain(
      "Invalid import ID",
    );
  });

  test("gets generated configuration that plans no changes, even with special characters in its fields", async () => {
    const nasty =
      'Say "hi" to ${user}, %{ never } mind.\n\n  Tab\there, heredoc EOT\nEOT\n\\ and ünïcödé 🎈\n';
    const { emulator, ...terraform } = await startAcceptance({
      main: "",
      world: generateDataset({ contexts: 2 }),
    });
    emulator.editContext("Context 1", {
      prompt: nasty,
      opening_text: "Grüß dich, ${user}!",
      links: [{ url: "https://example.com/a?b=${c}", faq: "" }],
    });
    const blocks = emulator.world.contexts.map(
      ({ id }, i) => `import {\n  to = avatarops_context.c${i}\n  id = "${id}"\n}\n`,
    );
    await terraform.write({ "import.tf": blocks.join("\n") });
    await terraform.succeed("plan", "-generate-config-out=generated.tf");
    const before = structuredClone(emulator.world.contexts);
    const plan = await terraform.succeed("plan");
    expect(plan).toContain("2 to import, 0 to add, 0 to change");
    await terraform.settle();
    expect(emulator.world.contexts).toEqual(before);
  });

  test("reports each mistake with its line", async () => {
    const { ...terraform } = await startAcceptance({
      main: support.replace('"Support desk"', '""').replace('"https://example.com/prices"', '"prices"'),
    });
    const output = await terraform.fail("validate");
    expect(output).toContain("on main.tf line 3");
    expect(output).toContain("links[1].url");

    const merge = "<<<<<<< HEAD\nBe brief.\n=======\nBe kind.\n>>>>>>> kind";
    await terraform.write({ "main.tf": support.replace(/"(You|Returns).*"/g, JSON.stringify(merge)) });
    const unfinished = await terraform.fail("validate");
    expect(unfinished).toContain("on main.tf line 4");
    expect(unfinished).toContain("prompt contains git conflict markers");
    expect(unfinished).toContain("faq contains git conflict markers");
  });
});

describe("two hundred contexts", { tags: "terraform" }, () => {
  const many = `
resource "avatarops_context" "all" {
  for_each = toset([for n in range(200) : tostring(n)])
  name     = "Desk \${each.key}"
  prompt   = join(" ", [for i in range(50) : "Prompt \${each.key}."])
}
`;

  for (const { how, args } of [
    { how: "one at a time", args: ["-parallelism=1"] },
    { how: "ten at a time", args: [] },
  ]) {
    const title = `take one request each to create ${how}, and at most five to plan unchanged`;
    test(title, { tags: "night" }, async () => {
      const { emulator, requests, ...terraform } = await startAcceptance({ main: many });
      await terraform.succeed("apply", "-auto-approve", ...args);
      const asked = requests();
      expect(asked.filter((one) => one.startsWith("POST"))).toHaveLength(200);
      expect(asked.length).toBeLessThan(210);
      await terraform.expectNothingToDo(...args);
      // Allows two single reads, one list page, and then both pages of the list with all 200 contexts.
      expect(requests().length).toBeLessThanOrEqual(5);
      emulator.editContext("Desk 77", { prompt: "Mine." });
      const plan = await terraform.succeed("plan", ...args);
      expect(plan).toContain('avatarops_context.all["77"] will be updated in-place');
      expect(plan).toContain("0 to add, 1 to change, 0 to destroy");
      expect(requests().length).toBeLessThanOrEqual(6);
    });
  }
});

describe("required argument set to null", { tags: "terraform" }, () => {
  const main = `
variable "prompt" {
  type    = string
  default = "hello"
}

resource "avatarops_context" "desk" {
  name   = "Desk"
  prompt = var.prompt
}
`;

  test("is rejected in the plan without a write", async () => {
    const { emulator, requests, ...terraform } = await startAcceptance({ main });
    await terraform.settle();
    await terraform.write({ "terraform.tfvars": "prompt = null\n" });
    requests();
    const output = await terraform.fail("apply", "-auto-approve");
    expect(output).toContain("prompt is required");
    expect(output).toContain("on main.tf line 9");
    expect(requests().filter((one) => !one.startsWith("GET"))).toEqual([]);
    expect(emulator.world.contexts).toMatchObject([{ prompt: "hello" }]);

    // Also rejects a null element of a list and null inside an element.
    await terraform.write({ "main.tf": main.replace("var.prompt", '""\n  links  = [null, { url = null }]') });
    const within = await terraform.fail("plan");
    expect(within).toContain("An element of links is null");
    expect(within).toContain("links[1].url");
  });
});

describe("context with create_before_destroy", { tags: "terraform" }, () => {
  test("is not replaced until the setting is removed, as the apply error advises", async () => {
    const lifecycle = "  lifecycle {\n    create_before_destroy = true\n  }\n";
    const { emulator, ...terraform } = await startAcceptance({
      main: support.replace(/\n}\n$/, `\n${lifecycle}}\n`),
    });
    await terraform.settle();
    const [made] = emulator.world.contexts;
    const output = await terraform.fail("apply", "-auto-approve", "-replace=avatarops_context.support");
    expect(output).toContain("If this is a replacement with `create_before_destroy`, remove that setting.");
    await terraform.expectNothingToDo();
    await terraform.write({ "main.tf": support });
    await terraform.settle("-replace=avatarops_context.support");
    expect(emulator.world.contexts.map(({ id }) => id)).toEqual([made?.id]);
  });
});

describe("two resources with the same context", { tags: "terraform" }, () => {
  const format = (name: string, prompt: string, id: string) =>
    `import {\n  to = avatarops_context.${name}\n  id = "${id}"\n}\nresource "avatarops_context" "${name}" {\n  name   = "Context 1"\n  prompt = "${prompt}"\n}\n`;

  test.each([
    ["different", "Two."],
    ["the same", "One."],
  ])("fail the plan if both import it with %s prompt", async (_, second) => {
    const { emulator, ...terraform } = await startAcceptance({
      main: "",
      world: generateDataset({ contexts: 1 }),
    });
    const [existing] = emulator.world.contexts;
    const { id = "", prompt } = existing ?? {};
    await terraform.write({ "main.tf": format("one", "One.", id) + format("two", second, id) });
    const output = await terraform.fail("apply", "-auto-approve");
    expect(output).toContain("Two resources manage the same context");
    expect(emulator.world.contexts).toMatchObject([{ prompt }]);
    await terraform.write({ "main.tf": format("one", "One.", id) });
    await terraform.settle();

    await terraform.write({ "main.tf": format("one", "One.", id) + format("two", second, id) });
    expect(await terraform.fail("plan")).toContain("Two resources manage the same context");
    await terraform.write({
      "main.tf": format("two", second, id),
      "moved.tf": "moved {\n  from = avatarops_context.one\n  to = avatarops_context.two\n}\n",
    });
    await terraform.settle("-refresh=false");
  });
});
