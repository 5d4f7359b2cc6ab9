import * as z from "zod";
import { noticeForm } from "./notice-form.js";
import { diagnosticsForm, driftForm, outcomeForm, projectsForm, smokeForm } from "./other-forms.js";
import { planForm } from "./plan-form.js";
import { sessionsReportForm } from "./sessions-report-form.js";

type JsonSchema = { [key: string]: unknown };

const forms = {
  plan: planForm,
  outcome: outcomeForm,
  drift: driftForm,
  diagnostics: diagnosticsForm,
  projects: projectsForm,
  "sessions-report": sessionsReportForm,
  smoke: smokeForm,
  notice: noticeForm,
};

/** Builds a document's JSON Schema. It allows keys and enum values of later releases, except with `strict`. */
export function buildSchema(
  name: keyof typeof forms,
  { strict = false }: { readonly strict?: boolean },
): Readonly<JsonSchema> {
  const { $schema, title, description, ...schema } = z.toJSONSchema(forms[name], {
    target: "draft-7",
    // Unlike "output", "input" allows unknown keys.
    io: strict ? "output" : "input",
    override: ({ jsonSchema }) => simplify(jsonSchema as JsonSchema, strict),
  }) as JsonSchema;
  return { $schema, title, description, ...schema };
}

/** Removes noise, such as the bounds of safe integers, and opens enums that later releases may extend. */
function simplify(schema: JsonSchema, strict: boolean): void {
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  delete schema.propertyNames;
  const { openSet } = schema;
  if (openSet === undefined) return;
  delete schema.openSet;
  if (strict) return;
  const known =
    openSet === true
      ? [{ enum: schema.enum }]
      : Object.entries(openSet as object).map(([value, description]) => ({ const: value, description }));
  schema.anyOf = [...known, { type: "string" }];
  delete schema.enum;
  delete schema.type;
}
