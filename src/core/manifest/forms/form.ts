import * as z from "zod";
import {
  findReferencedKind,
  idSchema,
  isRemovable,
  kinds,
  literalOrSource,
  objectSchema,
  type PresetFields,
  type PresetGroup,
  preset,
  presetKey,
  presetSchema,
  profileNames,
  removalPolicies,
  valueSettings,
  webAddress,
  withArticle,
  withEveryField,
} from "../../kinds/index.js";
import { variablePattern } from "../../templates/index.js";
import { notifyForm } from "./notify-form.js";
import { policiesForm } from "./policy-form.js";
import { waitPattern } from "./wait.js";

/*
 * The form of the manifest apart from the kinds' field tables. Both the loader's checks and the JSON Schema
 * for editors are derived from it, so they cannot disagree.
 */

/** Logical names may use letters of every script: they appear in addresses, file names and command lines. */
export const logicalNamePattern = /^[\p{L}\p{Nd}][\p{L}\p{M}\p{Nd}_-]*$/u;

const optional = <Form extends z.ZodType>(form: Form, description: string) =>
  form.optional().describe(description);

/** Lists of values that a kind's fields allow in addition to the documented ones. */
const valueLists = Object.fromEntries(
  valueSettings.map(({ name, description }) => [
    name,
    z.array(z.string().min(1)).optional().describe(description),
  ]),
);

/** What the service's durations of sessions may be counted in. */
export const durationUnits = ["seconds", "milliseconds", "minutes"] as const;

export type DurationUnit = (typeof durationUnits)[number];

export const serviceForm = z.strictObject({
  base_url: literalOrSource(
    webAddress,
    "Address of the service. Default: `!env AVATAROPS_BASE_URL`.",
  ).optional(),
  api_key: literalOrSource(
    z.string(),
    "API key, from a source. Default: `!env AVATAROPS_API_KEY`.",
    "source-only",
  ).optional(),
  profile: optional(
    z.enum(profileNames),
    "The deployment that base_url leads to, if it offers more than the document and avatarops knows it: `liveavatar`. Default: none.",
  ),
  success_codes: optional(
    z.array(z.int()).min(1),
    "Envelope codes that mean success. Default: 100 and 1000.",
  ), // §2.1
  ignore_list_counts: optional(
    z.boolean(),
    "Ignore the `count` of lists, for services whose count is wrong. Default: false.",
  ), // §2.2
  ...(valueLists as object),
  sandbox_avatar: optional(z.guid(), "Id of the avatar that sandbox sessions use."), // §8
  session_duration_unit: optional(
    z.enum(durationUnits),
    "The unit in which the service states durations of sessions. Default: seconds.",
  ), // §2.7
  credit_price: optional(
    z.strictObject({ amount: z.number().gt(0), currency: z.string().regex(/^[A-Z]{3}$/) }),
    "What a credit costs, such as `{ amount: 0.12, currency: EUR }`: reports show money beside credits. Default: they do not.",
  ),
  concurrency: optional(z.int().min(1).max(100), "Maximum number of concurrent requests."),
  requests_per_second: optional(z.number().gt(0), "Maximum number of requests started per second."),
  timeout_seconds: optional(z.number().gt(0).max(3600), "Timeout of one request."),
  wait_for_idle: optional(
    z.string().regex(waitPattern, "is not a duration, such as 30s or 10m"),
    "How long apply waits until no session is active before it changes contexts that exist, such as `10m`; `0s`: it does not. Default: it does not wait.",
  ),
});

/** What a credit costs. */
export type CreditPrice = NonNullable<z.infer<typeof serviceForm>["credit_price"]>;

/** An entry of `sessions:`, the body of a session token request (§4.5) with references instead of ids. */
export const presetForm = presetGroup(preset.fields);

function presetGroup(fields: PresetFields): z.ZodObject {
  const entries = Object.entries(fields).flatMap(([name, field]): [string, z.ZodType][] => {
    if (field.type === "object") return [[presetKey(name, field), groupForm(name, field)]];
    if (field.type !== "reference") return [[name, presetSchema(field)]];
    const phrase = withArticle(findReferencedKind(field));
    const id = `Id of ${phrase} that is not declared here; replaces \`${field.kind}\`.`;
    return [
      [field.kind, optional(z.string(), `Logical name of ${phrase} declared here.`)],
      [name, optional(idSchema(findReferencedKind(field)), id)],
    ];
  });
  return z.strictObject({ ...Object.fromEntries(entries), [preset.extra.key]: extraForm(fields) });
}

/** Any values by any keys but the fields' own; each may come from a source. */
function extraForm(fields: PresetFields): z.ZodType {
  const key = z
    .string()
    .refine((name) => !Object.hasOwn(fields, name), "is a field of its own: write it beside")
    .meta({ not: { enum: Object.keys(fields) } });
  return optional(z.record(key, z.any().meta({ literalOrSource: "or-literal" })), preset.extra.description);
}

function groupForm(name: string, { key = name, description, parts }: PresetGroup): z.ZodType {
  const sent = key === name ? description : description.replace(/\.$/, `: sent as \`${name}\`.`);
  return optional(presetGroup(parts), sent);
}

const thresholdsForm = z.strictObject({
  max_percent: optional(
    z.number().min(0).max(100),
    "The largest share of the managed objects that apply changes or removes without `--force`. Default: 30.",
  ),
  min_objects: optional(
    z.int().min(1),
    "The smallest number of managed objects for which the share counts. Default: 10.",
  ),
});

/** `reviews:`, what `avatarops review` shows and `avatarops apply --reviewed` asks for. */
const reviewsForm = z.strictObject({
  require_approval: z
    .int()
    .min(0)
    .max(100)
    .optional()
    .describe(
      "How many people other than the author must have approved the last commit of a pull request before `apply --reviewed` applies it. Default: 0.",
    ),
  comment: z
    .enum(["always", "changes"])
    .optional()
    .describe(
      "`changes`: a pull request that changes nothing gets no comment, and one that it has says so. Default: always.",
    ),
});

const variablesForm = z.record(
  z.string().regex(variablePattern, "is no name: begin it with a letter, and use letters, digits, _ and -"),
  z.string(),
);

/** What may follow `!file` instead of a path: a template, with values of its own. */
export const templateForm = z.strictObject({
  path: z.string().min(1).describe("The file, relative to the one that names it."),
  variables: optional(variablesForm, "Values for its variables, over those of the project."),
});

/** Top-level keys with a single value each. */
export const settingsForm = z.strictObject({
  service: optional(serviceForm, "How to reach the service."),
  state: optional(
    z.string().min(1),
    "The state: a file in the project folder, or the URL of a store that runners share. Default: `.avatarops/state.json`.",
  ),
  drift: z
    .enum(["refuse", "overwrite"])
    .optional()
    .describe("What apply does about edits made elsewhere. Default: refuse."),
  thresholds: optional(thresholdsForm, "How much apply changes without `--force`."),
  on_removal: optional(
    z.strictObject(
      Object.fromEntries(
        kinds
          .filter(isRemovable)
          .map(({ collection }) => [
            collection,
            optional(
              z.enum(removalPolicies),
              `What becomes of ${collection} that avatarops created, and that are no longer declared; those that it adopted stay. Default: forget.`,
            ),
          ]),
      ),
    ),
    "What becomes of objects that leave the files and say nothing of it themselves, by kind.",
  ),
  fingerprint_key: literalOrSource(
    z.string(),
    "Key for the fingerprints of secret values in the state; from a source.",
    "source-only",
  ).optional(),
  variables: optional(variablesForm, "Texts by name, for `{{name}}` in templates."),
  templates: optional(
    z.array(z.string().min(1)),
    "Files and patterns, relative to the project folder, of the prompts that are templates: made of partials, `{{> name}}`, and variables, `{{name}}`. A Markdown file of an object may also say so itself: `template: true` in its front matter.",
  ),
  partials: optional(
    z.string().min(1),
    "The folder of partials, relative to the project folder. Default: partials.",
  ),
  notify: optional(notifyForm, "Who is told of what happens, by webhooks."),
  policies: optional(
    policiesForm,
    "Rules for texts, names and plans, by the rule's name. What breaks one is not applied.",
  ),
  reviews: optional(reviewsForm, "What pull requests show, and who must approve them."),
});

const named = (entry: z.ZodType, description: string) =>
  z.record(z.string().regex(logicalNamePattern), entry).optional().describe(description);

/**
 * `contexts:`, `avatars:` and so on: for each kind, a mapping of objects by logical name; and `sessions:`. The schemas
 * of objects are made when something looks into them: the checks of a loader need those of a few kinds, made with its settings.
 */
export const collectionsForm = z.strictObject({
  ...Object.fromEntries(
    kinds.map((kind) => [
      kind.collection,
      named(
        z.lazy(() => objectSchema(withEveryField(kind))),
        kind.description,
      ),
    ]),
  ),
  [preset.collection]: named(presetForm, preset.description),
});

export const collectionNames: readonly string[] = Object.keys(collectionsForm.shape);

export const includedForm = z.strictObject({
  include: optional(
    z.array(z.string().min(1)),
    "More files of the project, or patterns (`*`, `?`, `**`): YAML, TypeScript, or Markdown with one object each.",
  ),
  ...collectionsForm.shape,
});

/** The allowed keys of an environment: merged over the rest, mappings key by key; everything else is replaced. */
export const environmentForm = z.strictObject({
  needs: optional(
    z.array(z.string().min(1)),
    "The environments in which everything must be applied before it is applied in this one, such as `[staging]`.",
  ),
  ...settingsForm.shape,
  ...collectionsForm.shape,
});

/** The allowed keys of the main file. Keys that start with `x-` belong to the user, for anchors. */
export const manifestForm = z.strictObject({
  ...settingsForm.shape,
  ...includedForm.shape,
  environments: named(environmentForm, "Differences by environment, chosen with `--env`."),
});

export const ownKeyPattern = /^x-/;

/** The top-level keys that are not collections. */
export const settingNames: readonly string[] = Object.keys(manifestForm.shape).filter(
  (name) => !collectionNames.includes(name),
);
