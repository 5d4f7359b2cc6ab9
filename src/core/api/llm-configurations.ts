import * as z from "zod";
import { ignoreNotFound } from "./errors.js";
import { request, type SendRequest } from "./request.js";
import { id, requestShape, text } from "./shape.js";

const configuration = z.object({
  ...{ id, display_name: text, model_name: text, secret_id: text },
  // Not included in lists. Times are in ISO 8601.
  ...{ base_url: text, created_at: text, updated_at: text },
});
const configurations = z.array(configuration);

/** Language model for sessions (undocumented). Null or missing strings are "". */
export type LlmConfiguration = Readonly<z.output<typeof configuration>>;

/** Request body for a configuration. Without `base_url`, an update keeps the current value. */
export interface LlmConfigurationBody
  extends Pick<LlmConfiguration, "display_name" | "model_name" | "secret_id"> {
  readonly base_url?: string;
}

/** LLM configuration endpoints (undocumented). */
export interface LlmConfigurations {
  /** Returns all configurations in one response. */
  list(): Promise<readonly LlmConfiguration[]>;
  /** Reads a configuration. Returns undefined if no configuration has this id. */
  read(id: string): Promise<LlmConfiguration | undefined>;
  /** Creates a configuration. Never retried once it may have been sent (see `ServiceError.outcome`). */
  create(body: LlmConfigurationBody): Promise<LlmConfiguration>;
  update(id: string, body: LlmConfigurationBody): Promise<LlmConfiguration>;
  /** Deletes a configuration. Idempotent. */
  remove(id: string): Promise<void>;
}

export function createLlmConfigurationsClient(send: SendRequest): LlmConfigurations {
  const requestAll = (method: "GET" | "POST", body: { body?: LlmConfigurationBody } = {}) =>
    request(method, "/v1/llm-configurations", { isBeyondDocument: true, ...body });
  const requestOne = (
    method: "GET" | "PATCH" | "DELETE",
    id: string,
    body: { body?: LlmConfigurationBody } = {},
  ) => request(method, "/v1/llm-configurations/{}", { ids: [id], isBeyondDocument: true, ...body });
  return {
    list: () => requestShape(send, requestAll("GET"), configurations),
    read: (id) => ignoreNotFound(requestShape(send, requestOne("GET", id), configuration)),
    create: (body) => requestShape(send, requestAll("POST", { body }), configuration),
    update: (id, body) => requestShape(send, requestOne("PATCH", id, { body }), configuration),
    async remove(id) {
      await send(requestOne("DELETE", id));
    },
  };
}
