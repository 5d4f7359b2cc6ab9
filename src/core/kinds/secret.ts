import type { ListedSecret } from "../api/index.js";
import type { Kind } from "./kind.js";

const fields = {
  secret_name: {
    type: "string",
    required: true,
    minLength: 1,
    maxLength: 255,
    description:
      "Name, 1 to 255 characters. It does not have to be unique, because the id identifies the secret.", // The name rules are documented in §8.
  },
  secret_type: {
    type: "string",
    required: true,
    minLength: 1,
    values: ["LLMPROVIDER_API_KEY", "VOICEPROVIDER_API_KEY"],
    valuesFrom: {
      name: "secret_types",
      description: "Secret types that the service accepts in addition to the two documented ones.",
    },
    description: "Type of provider that the key is for.", // Documented in §4.4.
  },
  secret_value: {
    type: "string",
    required: true,
    minLength: 1,
    writeOnly: true,
    description:
      "The key itself, from a secret source such as `!env`, `!file` or `!exec`. avatarops never stores it.",
  },
} as const satisfies Kind["fields"];

/**
 * Write-once secrets, without list, read, update or delete (§2.6, §4.4). A new value creates a new secret, and the id
 * of the superseded secret is recorded.
 */
export const secret: Kind = {
  name: "secret",
  title: "Secret",
  className: "Secret",
  collection: "secrets",
  description: "A key for a language-model or speech provider, stored encrypted by the service.",
  identity: "created",
  label: "secret_name",
  fields,
  computed: {},
  example: {
    key: "llm",
    id: "9a1f0c1e-52b7-4a1b-9c2d-5ee0fe120000",
    spec: { secret_name: "llm-production", secret_type: "LLMPROVIDER_API_KEY" },
  },
  afterForget: "The secret stays in the account, because the service cannot delete secrets.",

  async create(service, input) {
    const made = await service.secrets.create({
      secret_name: input.spec.secret_name as string,
      secret_type: input.spec.secret_type as string,
      secret_value: input.secret.secret_value as string,
    });
    // The response contains only the name, so the fields are taken from the request.
    return { id: made.id, label: made.secret_name, spec: input.spec, computed: {} };
  },

  profiles: {
    liveavatar: {
      afterForget: "The secret stays in the account.",
      fields: {
        ...fields,
        // Accepts any type, because the service adds types without notice.
        secret_type: {
          ...{ type: "string", required: true, minLength: 1 },
          description:
            "Type of the key's provider, such as LLM_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY, ELEVENLABS_API_KEY or CARTESIA_API_KEY.",
        },
      },
      list: {
        endpoint: "secrets",
        exhaustive: true,
        whole: true,
        async read(service) {
          const entries = await service.secrets.list();
          return { entries, count: entries.length, pages: 1, complete: true };
        },
        toListed: ({ id, secret_name, secret_type, created_at }: ListedSecret) => ({
          ...{ id, label: secret_name, createdAt: created_at },
          live: { id, label: secret_name, spec: { secret_name, secret_type }, computed: {} },
        }),
      },
      remove: (service, id) => service.secrets.remove(id),
    },
  },
};
