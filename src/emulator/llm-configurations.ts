import * as z from "zod";
import { createRowGetter, type TimestampedRow } from "./account.js";
import type { EndpointCall } from "./endpoint.js";
import { createOperations } from "./operations.js";
import type { EmulatedResource } from "./resource.js";
import { assertSecretExists } from "./secrets.js";
import { text } from "./shape.js";

/** A language model for sessions, documented only by its id (§4.5). */
export interface LlmConfiguration extends TimestampedRow {
  display_name: string;
  model_name: string;
  secret_id: string;
  base_url: string | null;
}

const named = text({ min: 1, max: 255 });
const body = z.object({
  display_name: named,
  model_name: named,
  secret_id: text({ min: 1, max: 36 }),
  base_url: text({ min: 1 }).exactOptional(),
});

const { listAll, read, create, update, remove } = createOperations<LlmConfiguration>(
  "llm-configurations",
  "LLM configuration",
  { getRows: createRowGetter("llmConfigurations") },
);

/** LLM configurations, which only deployments with a profile manage. */
export const llmConfigurations: EmulatedResource<LlmConfiguration> = {
  endpoints: [],
  profiles: {
    liveavatar: [
      listAll(({ id, display_name, model_name, secret_id }) => ({ id, display_name, model_name, secret_id })),
      read(),
      create(body, (sent, call) => ({ base_url: null, ...checkSecret(sent, call) })),
      update(body.exactPartial(), (row, sent, call) => Object.assign(row, checkSecret(sent, call))),
      remove(),
    ],
  },
};

/** Returns the request after checking that its secret belongs to the account. */
function checkSecret<Sent extends { secret_id?: string }>(sent: Sent, call: EndpointCall): Sent {
  if (sent.secret_id !== undefined) assertSecretExists(call, sent.secret_id);
  return sent;
}
