import * as z from "zod";
import { ignoreNotFound } from "./errors.js";
import { type ListOptions, type PagedListing, readList } from "./pages.js";
import { request, type SendRequest } from "./request.js";
import { createListShape, id, requestShape, text } from "./shape.js";

const contextEntry = z.object({
  id,
  name: text,
  /** Creation time (ISO 8601). */
  created_at: text,
  updated_at: text,
});

/** Context in a list (§2.5). Null or missing strings are "". */
export type ContextEntry = Readonly<z.output<typeof contextEntry>>;

const link = z.object({
  url: text,
  faq: text,
  /** Id from the service, or "" if the response has none. */
  id: text,
});

/** Page that the avatar can mention (§2.5). */
export type Link = Readonly<z.output<typeof link>>;

const context = contextEntry.extend({
  // Fails if the prompt is missing, as in a list entry. Reading it as an empty prompt would look like drift.
  prompt: z
    .string()
    .nullable()
    .transform((prompt) => prompt ?? ""),
  opening_text: text,
  links: createListShape(link),
});

/** Complete context (§2.5). */
export type Context = Readonly<z.output<typeof context>>;

/** Request body for a context (§4.3). Deployments require all fields in every PATCH. */
export interface ContextBody {
  readonly name: string;
  readonly prompt: string;
  readonly opening_text: string;
  readonly links: readonly { readonly url: string; readonly faq: string; readonly id?: string | undefined }[];
}

/** Context endpoints (§4.3). */
export interface Contexts {
  list(options?: ListOptions<ContextEntry>): Promise<PagedListing<ContextEntry>>;
  /** Reads a context. Returns undefined if no context has this id. */
  read(id: string): Promise<Context | undefined>;
  /** Creates a context. Never retried once it may have been sent (see `ServiceError.outcome`). */
  create(body: ContextBody): Promise<Context>;
  update(id: string, body: ContextBody): Promise<Context>;
  /** Deletes a context. Idempotent and undocumented. */
  remove(id: string): Promise<void>;
}

export function createContextsClient(send: SendRequest): Contexts {
  return {
    list: (options) => readList(send, "/v1/contexts", contextEntry, {}, options),
    read: (id) =>
      ignoreNotFound(requestShape(send, request("GET", "/v1/contexts/{}", { ids: [id] }), context)),
    create: (body) => requestShape(send, request("POST", "/v1/contexts", { body }), context),
    update: (id, body) =>
      requestShape(send, request("PATCH", "/v1/contexts/{}", { ids: [id], body }), context),
    async remove(id) {
      await send(request("DELETE", "/v1/contexts/{}", { ids: [id], isBeyondDocument: true }));
    },
  };
}
