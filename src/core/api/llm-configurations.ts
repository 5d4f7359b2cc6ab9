import * as z from "zod";
import { absentIfUnknown } from "./errors.js";
import { request, type Send } from "./request.js";
import { ask, id, text } from "./shape.js";

const configuration = z.object({
  ...{ id, display_name: text, model_name: text, secret_id: text },
  // What follows is not in a list. Times are ISO 8601.
  ...{ base_url: text, created_at: text, updated_at: text },
});
const configurations = z.array(configuration);

/** A language model that sessions can use, beyond the document. Texts that are null or absent are "". */
export type LlmConfiguration = Readonly<z.output<typeof configuration>>;

/** A language-model configuration as sent: without `base_url`, an update leaves the one that it has. */
export interface LlmConfigurationBody
  extends Pick<LlmConfiguration, "display_name" | "model_name" | "secret_id"> {
  readonly base_url?: string;
}

/** The language-model configurations of the account, beyond the document. */
export interface LlmConfigurations {
  /** All of them, in one answer. */
  list(): Promise<readonly LlmConfiguration[]>;
  /** Undefined if there is none with this id. */
  read(id: string): Promise<LlmConfiguration | undefined>;
  /** Never repeated once it may have been sent; see `ServiceError.outcome`. */
  create(body: LlmConfigurationBody): Promise<LlmConfiguration>;
  update(id: string, body: LlmConfigurationBody): Promise<LlmConfiguration>;
  /** May be repeated. */
  remove(id: string): Promise<void>;
}

export function llmConfigurations(send: Send): LlmConfigurations {
  const all = (method: "GET" | "POST", body: { body?: LlmConfigurationBody } = {}) =>
    request(method, "/v1/llm-configurations", { isBeyondDocument: true, ...body });
  const one = (method: "GET" | "PATCH" | "DELETE", id: string, body: { body?: LlmConfigurationBody } = {}) =>
    request(method, "/v1/llm-configurations/{}", { ids: [id], isBeyondDocument: true, ...body });
  return {
    list: () => ask(send, all("GET"), configurations),
    read: (id) => absentIfUnknown(ask(send, one("GET", id), configuration)),
    create: (body) => ask(send, all("POST", { body }), configuration),
    update: (id, body) => ask(send, one("PATCH", id, { body }), configuration),
    async remove(id) {
      await send(one("DELETE", id));
    },
  };
}
