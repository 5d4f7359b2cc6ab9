import * as z from "zod";
import { addArticle } from "../../../base/text/index.js";
import {
  createIdSchema,
  createLiteralOrSource,
  createObjectSchema,
  createPresetSchema,
  findReferencedKind,
  isRemovable,
  kinds,
  type PresetFields,
  type PresetGroup,
  preset,
  profileNames,
  removalPolicies,
  toPresetKey,
  valueSettings,
  webAddress,
  withEveryField,
} from "../../kinds/index.js";
import { variablePattern } from "../../templates/index.js";
import { notifyForm } from "./notify-form.js";
import { policiesForm } from "./policy-form.js";
import { waitPattern } from "./wait.js";

/*
 * Form of the manifest, except the field tables of the kinds. Both the loader's checks and the JSON Schema for editors
 * are derived from it, so they always agree.
 */

/**
 * Pattern for logical names, which may contain letters of any script. Names appear in addresses, file names and command
 * lines.
 */
export const logicalNamePattern = /^[\p{L}\p{Nd}][\p{L}\p{M}\p{Nd}_-]*$/u;

const toOptional = <Form extends z.ZodType>(form: Form, description: string) =>
  form.optional().describe(description);

/** Settings that add allowed values to those documented for a kind's fields. */
const valueLists = Object.fromEntries(
  valueSettings.map(({ name, description }) => [
    name,
    z.array(z.string().min(1)).optional().describe(description),
  ]),
);

/** Units of the service's session durations. */
export const durationUnits = ["seconds", "milliseconds", "minutes"] as const;

export type DurationUnit = (typeof durationUnits)[number];

export const serviceForm = z.strictObject({
  base_url: createLiteralOrSource(
    webAddress,
    "Base URL of the service. Default: `!env AVATAROPS_BASE_URL`.",
  ).optional(),
  api_key: createLiteralOrSource(
    z.string(),
    "API key, from a secret source. Default: `!env AVATAROPS_API_KEY`.",
    "source-only",
  ).optional(),
  profile: toOptional(
    z.enum(profileNames),
    "Profile with the extra features of the deployment behind `base_url`, such as `liveavatar`. Default: none.",
  ),
  success_codes: toOptional(
    z.array(z.int()).min(1),
    "Envelope codes that mean success. Default: 100 and 1000.",
  ), // See §2.1.
  ignore_list_counts: toOptional(
    z.boolean(),
    "Ignore the `count` of lists, for services whose count is wrong. Default: false.",
  ), // See §2.2.
  ...(valueLists as object),
  sandbox_avatar: toOptional(z.guid(), "Id of the avatar that sandbox sessions use."), // See §8.
  session_duration_unit: toOptional(
    z.enum(durationUnits),
    "Unit of the service's session durations. Default: seconds.",
  ), // See §2.7.
  credit_price: toOptional(
    z.strictObject({ amount: z.number().gt(0), currency: z.string().regex(/^[A-Z]{3}$/) }),
    "Price of a credit, such as `{ amount: 0.12, currency: EUR }`, so that reports show costs. Default: none.",
  ),
  concurrency: toOptional(z.int().min(1).max(100), "Maximum number of concurrent requests."),
  requests_per_second: toOptional(z.number().gt(0), "Maximum number of requests started per second."),
  timeout_seconds: toOptional(z.number().gt(0).max(3600), "Timeout for each request."),
  wait_for_idle: toOptional(
    z.string().regex(waitPattern, "is not a duration, such as 30s or 10m"),
    "Maximum time that apply waits for active sessions to end before it changes existing contexts, such as `10m`. Default: `0s`, no wait.",
  ),
});

export type CreditPrice = NonNullable<z.infer<typeof serviceForm>["credit_price"]>;

/**
 * Schema of a `sessions:` entry: the body of a session token request (§4.5) with references instead of ids.
 */
export const presetForm = createPresetGroup(preset.fields);

function createPresetGroup(fields: PresetFields): z.ZodObject {
  const entries = Object.entries(fields).flatMap(([name, field]): [string, z.ZodType][] => {
    if (field.type === "object") return [[toPresetKey(name, field), createGroupForm(name, field)]];
    if (field.type !== "reference") return [[name, createPresetSchema(field)]];
    const phrase = addArticle(findReferencedKind(field).name);
    const id = `Id of ${phrase} that is not declared here, instead of \`${field.kind}\`.`;
    return [
      [field.kind, toOptional(z.string(), `Logical name of ${phrase} declared here.`)],
      [name, toOptional(createIdSchema(findReferencedKind(field)), id)],
    ];
  });
  return z.strictObject({ ...Object.fromEntries(entries), [preset.extra.key]: createExtraForm(fields) });
}

/** Creates the `extra` form: any keys except the names of preset fields. Each value may come from a source. */
function createExtraForm(fields: PresetFields): z.ZodType {
  const key = z
    .string()
    .refine((name) => !Object.hasOwn(fields, name), "is a preset field and belongs outside `extra`")
    .meta({ not: { enum: Object.keys(fields) } });
  return toOptional(z.record(key, z.any().meta({ literalOrSource: "or-literal" })), preset.extra.description);
}

function createGroupForm(name: string, { key = name, description, parts }: PresetGroup): z.ZodType {
  const sent = key === name ? description : description.replace(/\.$/, `: sent as \`${name}\`.`);
  return toOptional(createPresetGroup(parts), sent);
}

const thresholdsForm = z.strictObject({
  max_percent: toOptional(
    z.number().min(0).max(100),
    "Maximum percentage of the managed objects that one apply may change or remove without `--allow threshold`. Default: 30.",
  ),
  min_objects: toOptional(
    z.int().min(1),
    "Minimum number of managed objects for `max_percent` to apply. Default: 10.",
  ),
});

/** Form of `reviews:`, the settings of `avatarops review` and `avatarops apply --reviewed`. */
const reviewsForm = z.strictObject({
  require_approval: z
    .int()
    .min(0)
    .max(100)
    .optional()
    .describe(
      "Number of people other than the author who must approve the last commit of a pull request before `apply --reviewed` applies it. Default: 0.",
    ),
  comment: z
    .enum(["always", "changes"])
    .optional()
    .describe(
      "With `changes`, a pull request that changes nothing gets no new comment, but its existing comment is updated. Default: always.",
    ),
});

const variablesForm = z.record(
  z
    .string()
    .regex(variablePattern, "is not a valid name: start with a letter, and use letters, digits, _ and -"),
  z.string(),
);

/** Mapping that may follow `!file` instead of a path. Names a template file and sets variables for it. */
export const templateForm = z.strictObject({
  path: z.string().min(1).describe("File path, relative to this file."),
  variables: toOptional(variablesForm, "Variables for this template, which override the project variables."),
});

/** Top-level settings. An environment can override each of them. */
export const settingsForm = z.strictObject({
  service: toOptional(serviceForm, "Connection settings for the service."),
  state: toOptional(
    z.string().min(1),
    "State location: a file in the project folder, or the URL of a shared store. Default: `.avatarops/state.json`.",
  ),
  drift: z
    .enum(["refuse", "overwrite"])
    .optional()
    .describe("Whether apply refuses or overwrites edits made in the account. Default: refuse."),
  thresholds: toOptional(thresholdsForm, "Limits on applies without `--allow threshold`."),
  on_removal: toOptional(
    z.strictObject(
      Object.fromEntries(
        kinds
          .filter(isRemovable)
          .map(({ collection }) => [
            collection,
            toOptional(
              z.enum(removalPolicies),
              `Whether to forget or delete ${collection} that are removed from the files, if avatarops created them. Adopted ones stay. Default: forget.`,
            ),
          ]),
      ),
    ),
    "Default `on_removal` of objects, by kind.",
  ),
  fingerprint_key: createLiteralOrSource(
    z.string(),
    "Key for secret fingerprints in the state, from a secret source.",
    "source-only",
  ).optional(),
  variables: toOptional(variablesForm, "Template variables by name, used as `{{name}}`."),
  templates: toOptional(
    z.array(z.string().min(1)),
    "Prompts that are templates with partials (`{{> name}}`) and variables (`{{name}}`): files or patterns, relative to the project folder. A Markdown file can also set `template: true` in its front matter.",
  ),
  partials: toOptional(
    z.string().min(1),
    "Partials folder, relative to the project folder. Default: partials.",
  ),
  notify: toOptional(notifyForm, "Webhooks that receive notices."),
  policies: toOptional(
    policiesForm,
    "Rules for texts, names and plans, by rule name. Apply refuses plans that violate a rule with severity `error`.",
  ),
  reviews: toOptional(reviewsForm, "Comments on pull requests, and required approvals."),
});

const createNamedForm = (entry: z.ZodType, description: string) =>
  z.record(z.string().regex(logicalNamePattern), entry).optional().describe(description);

/**
 * Collections of objects or presets by logical name, such as `contexts:` and `sessions:`. Object schemas are created
 * only when needed, because the loader creates its own from the project's settings.
 */
export const collectionsForm = z.strictObject({
  ...Object.fromEntries(
    kinds.map((kind) => [
      kind.collection,
      createNamedForm(
        z.lazy(() => createObjectSchema(withEveryField(kind))),
        kind.description,
      ),
    ]),
  ),
  [preset.collection]: createNamedForm(presetForm, preset.description),
});

export const collectionNames: readonly string[] = Object.keys(collectionsForm.shape);

export const includedForm = z.strictObject({
  include: toOptional(
    z.array(z.string().min(1)),
    "More project files, or patterns (`*`, `?`, `**`): YAML, TypeScript, or Markdown with one object per file.",
  ),
  ...collectionsForm.shape,
});

/**
 * Keys allowed in an environment. Mappings are merged key by key into the main file's mappings, and other values
 * replace the main file's values.
 */
export const environmentForm = z.strictObject({
  needs: toOptional(
    z.array(z.string().min(1)),
    "Environments that must get a change before this one, such as `[staging]`.",
  ),
  ...settingsForm.shape,
  ...collectionsForm.shape,
});

/** Keys allowed in the main file. Users may add keys that start with `x-`, for anchors. */
export const manifestForm = z.strictObject({
  ...settingsForm.shape,
  ...includedForm.shape,
  environments: createNamedForm(environmentForm, "Per-environment overrides, selected with `--env`."),
});

export const ownKeyPattern = /^x-/;

/** The top-level keys that are not collections. */
export const settingNames: readonly string[] = Object.keys(manifestForm.shape).filter(
  (name) => !collectionNames.includes(name),
);
