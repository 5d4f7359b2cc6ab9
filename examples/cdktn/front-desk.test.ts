import { App, Testing } from "cdktn";
import { expect, test } from "vitest";
import { FrontDesk } from "./front-desk.js";

const avatar = { id: "a03779b1-9e37-4a1b-9c2d-5ee0fe120000", name: "Reception" };
const createApp = () => new App({ context: { targetVersions: { terraform: ">=1.11.0" } } });
const voice = { id: "403779b1-9e37-4a1b-9c2d-5ee0fe120000", name: "Mara" };

test("appends the stack's label to the context name and escapes the service's placeholders for Terraform", () => {
  const stack = new FrontDesk(createApp(), "trial", { label: " (trial)", avatar, voice });

  const { resource } = JSON.parse(Testing.synth(stack, true));

  const [desk] = Object.values<Record<string, unknown>>(resource.avatarops_context);
  expect(desk).toMatchObject({
    name: "Support desk (trial)",
    // Terraform turns the escaped `$${` into `${`.
    opening_text: "Hi $${customer_name}, what can I help with?",
    prompt: expect.stringContaining("$${customer_name}"),
  });
});

test("declares the API key as a variable that Terraform neither prints nor stores", () => {
  const stack = new FrontDesk(createApp(), "trial", { label: "", avatar, voice });

  const { resource, variable } = JSON.parse(Testing.synth(stack, true));

  const [secret] = Object.values<Record<string, unknown>>(resource.avatarops_secret);
  expect(secret).toMatchObject({ secret_value_wo: "${var.llm_api_key}" });
  expect(variable.llm_api_key).toEqual({ type: "string", sensitive: true, ephemeral: true });
});
