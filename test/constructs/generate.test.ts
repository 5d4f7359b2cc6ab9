import { expect, test } from "vitest";
import { generateConstruct as generateCdktfConstruct } from "../../scripts/generate/cdktf.js";
import { generateConstruct } from "../../scripts/generate/constructs.js";
import type { Kind } from "../../src/core/kinds/index.js";

/* What no kind of today has, but the type allows: a kind that can be deleted, with a few values, a reference and a secret. */

const badge: Kind = {
  ...{ name: "door_badge", title: "Door badge", className: "Badge", collection: "door_badges" },
  ...{ description: "Who may come in.", identity: "created", label: "name" },
  fields: {
    name: { type: "string", required: true, description: "Its name." },
    colour: { type: "string", values: ["red", "blue"], description: "Its colour." },
    holder: { type: "reference", kind: "avatar", description: "Whose it is." },
    code: {
      type: "string",
      required: true,
      writeOnly: true,
      description: "Its code, from `!env`; never shown.",
    },
  },
  computed: {},
  example: { key: "ada", id: "1", spec: { name: "Ada" } },
  afterForget: "The badge stays.",
  create: () => Promise.reject(new Error("not called")),
  remove: () => Promise.reject(new Error("not called")),
};

test("a construct has a property for each field, and one that protects it", () => {
  const text = generateConstruct(badge);
  expect(text).toContain("export interface BadgeProps {");
  expect(text).toContain("readonly name: Text;");
  expect(text).toContain('readonly colour?: "red" | "blue" | undefined;');
  expect(text).toContain("/** Its code, from `env`; never shown. */\n  readonly code: ValueSource;");
  expect(text).toContain('readonly holder?: ConstructOf<"avatar"> | string | undefined;');
  expect(text).toContain('import { type ConstructOf, DeclaredConstruct } from "../declared.js";');
  expect(text).toContain("readonly protect?: boolean | undefined;");
  expect(text).toContain('readonly kind = "door_badge";');
  expect(text).toContain('super("door_badges", scope, id, props);');
});

test("a construct over bindings takes a secret only as a token, and tells what destroying means", () => {
  const text = generateCdktfConstruct(badge);
  expect(text).toContain('import * as bindings from "./bindings/door-badge/index.js";');
  expect(text).toContain('extends Omit<bindings.DoorBadgeConfig, "holderId" | "codeWo" | "codeWoVersion">');
  expect(text).toContain("readonly holder?: IAvatar | string;");
  expect(text).toContain("...(holder === undefined ? {} : { holderId: toId(holder) }),");
  expect(text).toContain('codeWo: requireSecretToken(this, "code", code),');
  expect(text).toContain("Destroying it forgets it, unless `onRemoval` says otherwise.");
});
