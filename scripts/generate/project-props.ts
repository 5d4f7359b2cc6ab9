import * as z from "zod";
import {
  collectionsForm,
  environmentForm,
  manifestForm,
  serviceForm,
  settingsForm,
} from "../../src/core/manifest/forms/form.js";
import { noticeTargetForm } from "../../src/core/manifest/forms/notify-form.js";
import { rewriteForCode } from "../../src/core/manifest/forms/spelling.js";
import { toCamelCase } from "../../src/core/manifest/index.js";
import { formatDoc, formatUnion, header } from "./words.js";

/* Generates the properties of `Project` and its environments from the manifest schema. */

/** Returns the file with the properties. */
export function generateProjectProps(): string {
  const { thresholds, reviews, ...settings } = settingsForm.shape;
  const own = Object.keys(manifestForm.shape).filter(
    (name) => !(name in settingsForm.shape || name in collectionsForm.shape),
  );
  return [
    header,
    'import type { PoliciesProps } from "../../manifest/index.js";\n',
    'import type { ValueSource } from "../../secrets/index.js";\n',
    'import type { CollectionDifferences } from "./differences.js";\n\n',
    formatDoc("Settings of a project. An included file can have only `include`."),
    generateRecord("ProjectProps extends Settings", pick(manifestForm.shape, own)),
    formatDoc("Settings that an environment can override."),
    generateRecord("Settings", { ...settings, thresholds, reviews }),
    formatDoc(
      "Overrides by environment. Objects are merged by logical name and key; other values are replaced.",
    ),
    generateRecord(
      "EnvironmentProps extends Settings, CollectionDifferences",
      pick(environmentForm.shape, ["needs"]),
    ),
    formatDoc("Connection settings for the service."),
    generateRecord("ServiceProps", serviceForm.shape),
    formatDoc("A webhook that receives notices."),
    generateRecord("NoticeTargetProps", noticeTargetForm.shape),
    formatDoc("Comments on pull requests, and required approvals."),
    generateRecord("ReviewsProps", reviews.unwrap().shape),
    formatDoc("Limits on applies without `--allow threshold`."),
    generateRecord("ThresholdsProps", thresholds.unwrap().shape),
  ].join("");
}

type Shape = Readonly<Record<string, z.ZodType>>;

function pick(shape: Shape, names: readonly string[]): Shape {
  return Object.fromEntries(Object.entries(shape).filter(([name]) => names.includes(name)));
}

function generateRecord(heading: string, shape: Shape): string {
  const lines = Object.entries(shape).map(([name, form]) => {
    const inner = form instanceof z.ZodOptional ? (form.unwrap() as z.ZodType) : form;
    const { description = "" } = form.meta() ?? inner.meta() ?? {};
    const [mark, absent] = form instanceof z.ZodOptional ? ["?", " | undefined"] : ["", ""];
    return `${formatDoc(rewriteForCode(description), "  ")}  readonly ${toCamelCase(name)}${mark}: ${generateType(name, inner)}${absent};\n`;
  });
  return `export interface ${heading} {\n${lines.join("")}}\n\n`;
}

const records: Readonly<Record<string, string>> = {
  service: "ServiceProps",
  thresholds: "ThresholdsProps",
  policies: "PoliciesProps",
  notify: "NoticeTargetProps",
  reviews: "ReviewsProps",
  environments: "Readonly<Record<string, EnvironmentProps>>",
};

function generateType(name: string, form: z.ZodType): string {
  const { literalOrSource, type = [] } = form.meta() ?? {};
  if (literalOrSource) return literalOrSource === "source-only" ? "ValueSource" : "string | ValueSource";
  if (form instanceof z.ZodAny) return [type].flat().join(" | ");
  if (form instanceof z.ZodEnum) return formatUnion(form.options.map(String), false);
  if (form instanceof z.ZodArray) return `readonly (${generateType(name, form.element as z.ZodType)})[]`;
  if (form instanceof z.ZodNumber) return "number";
  if (form instanceof z.ZodBoolean) return "boolean";
  if (form instanceof z.ZodString || form instanceof z.ZodStringFormat) return "string";
  if (records[name]) return records[name];
  if (form instanceof z.ZodRecord)
    return `Readonly<Record<string, ${generateType(name, form.valueType as z.ZodType)}>>`;
  if (
    form instanceof z.ZodObject &&
    Object.values(form.shape).every((of) => !(of instanceof z.ZodOptional))
  ) {
    const keys = Object.entries<z.ZodType>(form.shape);
    return `{ ${keys.map(([key, of]) => `readonly ${toCamelCase(key)}: ${generateType(key, of)}`).join("; ")} }`;
  }
  const [first, ...others] = form instanceof z.ZodObject ? Object.entries<z.ZodOptional>(form.shape) : [];
  const keys = [first, ...others].flatMap((entry) => (entry ? [toCamelCase(entry[0])] : []));
  const value = first ? generateType(name, first[1].unwrap() as z.ZodType) : "never";
  return `Readonly<Partial<Record<${formatUnion(keys, false)}, ${value}>>>`;
}
