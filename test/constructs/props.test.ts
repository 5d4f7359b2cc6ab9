import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type Kind, kinds } from "../../src/core/kinds/index.js";
import { camelCase, manifestSchema, toField } from "../../src/core/manifest/index.js";

/*
 * The interfaces of properties are generated or written by hand; here they are held to the JSON Schema of the same tables.
 */

/** The documented properties of an interface: name and whether it may be left out. */
function propertiesOf(file: string, name: string): Record<string, "required" | "optional"> {
  const code = readFileSync(`src/core/constructs/${file}.ts`, "utf8");
  const [, body = ""] =
    new RegExp(`export interface ${name}(?: extends [\\w, ]+)? \\{\n(.*?)^\\}`, "ms").exec(code) ?? [];
  const properties = body.matchAll(/^ {2}(\/\*\*(?:[^*]|\*(?!\/))*\*\/\n {2})?readonly (\w+)(\??):/gm);
  return Object.fromEntries(
    [...properties].map(([, said, property = "", mark]) => {
      expect(said, `${name}.${property} has no description`).toBeDefined();
      return [property, mark === "?" ? "optional" : "required"];
    }),
  );
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
}

const manifest = manifestSchema() as Schema;

function expected({ properties = {}, required = [] }: Schema): Record<string, string> {
  return Object.fromEntries(
    Object.keys(properties).map((field) => [
      camelCase(field),
      required.includes(field) ? "required" : "optional",
    ]),
  );
}

describe("the properties of constructs", () => {
  test.each(kinds.map((kind) => [kind.className, kind] as const))(
    "of %s are the fields of its kind",
    (className, kind) => {
      const one = manifest.properties?.[kind.collection]?.additionalProperties ?? {};
      expect(propertiesOf(`generated/${kind.name.replaceAll("_", "-")}`, `${className}Props`)).toEqual(
        expected(one),
      );
    },
  );

  test("of a link are those of the table", () => {
    const contexts = manifest.properties?.contexts?.additionalProperties;
    expect(propertiesOf("generated/context", "LinkProps")).toEqual(
      expected(contexts?.properties?.links?.items ?? {}),
    );
  });

  test.each([
    ["PresetProps", []],
    ["PersonaProps", ["persona"]],
    ["VoiceSettings", ["persona", "voice_settings"]],
    ["SpeechToText", ["persona", "stt_config"]],
    ["VideoSettings", ["video_settings"]],
  ])("of presets are those of %s", (name, path) => {
    const preset = manifest.properties?.sessions?.additionalProperties ?? {};
    const part = path.reduce<Schema>((at, key) => at.properties?.[key] ?? {}, preset);
    expect(propertiesOf("generated/preset", name)).toEqual(expected(part));
  });

  test("of a project are the settings", () => {
    const { service = {}, ...rest } = manifest.properties ?? {};
    const collections = [...kinds.map(({ collection }) => collection), "sessions"];
    const settings = Object.keys({ service, ...rest }).filter((key) => !collections.includes(key));
    const own = {
      ...propertiesOf("generated/project-props", "Settings"),
      ...propertiesOf("generated/project-props", "ProjectProps"),
    };
    expect(Object.keys(own).sort()).toEqual(settings.map(camelCase).sort());
    expect(propertiesOf("generated/project-props", "ServiceProps")).toEqual(expected(service));
    const environment = {
      ...propertiesOf("generated/project-props", "Settings"),
      ...propertiesOf("generated/differences", "CollectionDifferences"),
      ...propertiesOf("generated/project-props", "EnvironmentProps"),
    };
    const allowed = manifest.properties?.environments?.additionalProperties ?? {};
    expect(Object.keys(environment).sort()).toEqual(Object.keys(expected(allowed)).sort());
  });

  test("are spelled in one way each", () => {
    const fields = kinds.flatMap((kind: Kind) => Object.keys(kind.fields));
    expect(fields.map((field) => toField(camelCase(field)))).toEqual(fields);
  });

  test("with a few known values are these, or any text where a setting adds to them", () => {
    const fields = kinds.flatMap(({ name: kind, fields }) =>
      Object.entries(fields).map(([name, field]) => ({ kind, name, field })),
    );
    for (const { kind, name, field } of fields) {
      if (field.type !== "string" || !field.values) continue;
      const known = field.values.map((value) => JSON.stringify(value)).join(" | ");
      const code = readFileSync(`src/core/constructs/generated/${kind}.ts`, "utf8");
      expect(code).toContain(`${camelCase(name)}: ${known}${field.valuesFrom ? " | (string & {})" : ""};`);
    }
  });
});
