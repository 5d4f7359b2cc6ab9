import type { Kind } from "./kind.js";

/**
 * Written once and never shown again (§2.6, §4.4): no list, no read, no update, no delete. A new value
 * creates a new secret that supersedes the old one, whose id is recorded as stale.
 */
export const secret: Kind = {
  name: "secret",
  title: "Secret",
  className: "Secret",
  collection: "secrets",
  description: "The key of a language-model or speech provider, stored encrypted by the service.",
  identity: "created",
  label: "secret_name",
  fields: {
    secret_name: {
      type: "string",
      required: true,
      minLength: 1,
      maxLength: 255,
      description: "Name, 1 to 255 characters. Names need not be unique: the id is the handle.", // §8
    },
    secret_type: {
      type: "string",
      required: true,
      minLength: 1,
      values: ["LLMPROVIDER_API_KEY", "VOICEPROVIDER_API_KEY"],
      valuesFrom: {
        name: "secret_types",
        description: "Secret types that the service knows besides the two documented ones.",
      },
      description: "Which provider's key it is.", // §4.4
    },
    secret_value: {
      type: "string",
      required: true,
      minLength: 1,
      writeOnly: true,
      description: "The key itself, from `!env`, `!file` or `!exec`; never written out.",
    },
  },
  computed: {},
  example: {
    key: "llm",
    id: "9a1f0c1e-52b7-4a1b-9c2d-5ee0fe120000",
    spec: { secret_name: "llm-production", secret_type: "LLMPROVIDER_API_KEY" },
  },
  afterForget: "The secret stays stored in the account: the service offers no delete.",

  async create(service, input) {
    const made = await service.secrets.create({
      secret_name: input.spec.secret_name as string,
      secret_type: input.spec.secret_type as string,
      secret_value: input.secret.secret_value as string,
    });
    // The answer has the name only; the type is as sent.
    return {
      id: made.id,
      label: made.secret_name,
      spec: { ...input.spec, secret_name: made.secret_name },
      computed: {},
    };
  },
};
