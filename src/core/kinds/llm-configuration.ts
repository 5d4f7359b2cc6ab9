import type { LlmConfiguration, LlmConfigurationBody } from "../api/index.js";
import type { Kind, RemoteObject, WriteInput } from "./kind.js";
import { timestamps } from "./named.js";

/** A language model for sessions. The documentation mentions only its id, in tokens (§4.5). */
export const llmConfiguration: Kind = {
  name: "llm_configuration",
  title: "LLM configuration",
  className: "LlmConfiguration",
  collection: "llm_configurations",
  description: "A language model that sessions can use, and the secret with its provider's key.",
  identity: "created",
  label: "display_name",
  fields: {
    display_name: {
      ...{ type: "string", required: true, minLength: 1, maxLength: 255 },
      description: "Name, 1 to 255 characters.",
    },
    model_name: {
      ...{ type: "string", required: true, minLength: 1, maxLength: 255 },
      description: "The provider's name for the model, 1 to 255 characters.",
    },
    secret: {
      ...{ type: "reference", kind: "secret", required: true },
      description: "The secret with the provider's key.",
    },
    // A PATCH keeps absent fields. It is unknown whether null clears a field.
    base_url: {
      ...{ type: "string", format: "url" },
      description:
        "Base URL of the provider, if it is not the service's default. It can be changed, but not removed.",
    },
  },
  computed: timestamps,
  example: {
    key: "main",
    id: "5e0b7d1c-8a4f-4d0e-9b35-0f6a2c7d9e10",
    spec: { display_name: "Production", model_name: "gpt-4o", secret: "llm" },
  },
  afterForget: "The LLM configuration stays in the account.",

  profiles: {
    liveavatar: {
      list: {
        endpoint: "llm_configurations",
        exhaustive: true,
        whole: false,
        async read(service) {
          const entries = await service.llmConfigurations.list();
          return { entries, count: entries.length, pages: 1, complete: true };
        },
        toListed: ({ id, display_name }: LlmConfiguration) => ({ id, label: display_name }),
      },
      async read(service, id) {
        const found = await service.llmConfigurations.read(id);
        return found && toLive(found);
      },
      create: async (service, input) => toLive(await service.llmConfigurations.create(toBody(input))),
      update: async (service, id, input) => toLive(await service.llmConfigurations.update(id, toBody(input))),
      remove: (service, id) => service.llmConfigurations.remove(id),
    },
  },
};

/** Builds the whole managed object (rule 3). */
function toBody({ spec: { secret, ...spec } }: WriteInput): LlmConfigurationBody {
  return { ...spec, secret_id: secret } as unknown as LlmConfigurationBody;
}

function toLive(found: LlmConfiguration): RemoteObject {
  const { id, display_name, model_name, secret_id, base_url, created_at, updated_at } = found;
  return {
    ...{ id, label: display_name, createdAt: created_at, updatedAt: updated_at },
    spec: { display_name, model_name, secret: secret_id, ...(base_url && { base_url }) },
    computed: { created_at, updated_at },
  };
}
