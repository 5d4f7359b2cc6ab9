import * as z from "zod";
import { absentIfUnknown } from "./absent.js";
import { type Listing, type ListOptions, readList } from "./pages.js";
import { request, type Send } from "./request.js";
import { ask, id, listOf, text } from "./shape.js";

/** A context in a list (§2.5). Texts that are null or absent are "". */
export interface ContextEntry {
  readonly id: string;
  readonly name: string;
  /** ISO 8601. */
  readonly created_at: string;
  readonly updated_at: string;
}

/** A page that the avatar may refer to (§2.5). */
export interface Link {
  readonly url: string;
  readonly faq: string;
  /** Assigned by the service; "" if it sent none. */
  readonly id: string;
}

/** A complete context (§2.5). */
export interface Context extends ContextEntry {
  readonly prompt: string;
  readonly opening_text: string;
  readonly links: readonly Link[];
}

/** A context as sent (§4.3). Deployments require all of it in every PATCH. */
export interface ContextBody {
  readonly name: string;
  readonly prompt: string;
  readonly opening_text: string;
  readonly links: readonly { readonly url: string; readonly faq: string; readonly id?: string | undefined }[];
}

const listed = { id, name: text, created_at: text, updated_at: text };

const contextEntry: z.ZodType<ContextEntry> = z.object(listed);

const context: z.ZodType<Context> = z.object({
  ...listed,
  // The only required text: without it the answer is a list entry, and an empty prompt would look like drift.
  prompt: z
    .string()
    .nullable()
    .transform((prompt) => prompt ?? ""),
  opening_text: text,
  links: listOf(z.object({ url: text, faq: text, id: text })),
});

/** The contexts of the account (§4.3). There is no delete. */
export interface Contexts {
  list(options?: ListOptions<ContextEntry>): Promise<Listing<ContextEntry>>;
  /** Undefined if there is none with this id. */
  read(id: string): Promise<Context | undefined>;
  /** Never repeated once it may have been sent; see `ServiceError.outcome`. */
  create(body: ContextBody): Promise<Context>;
  update(id: string, body: ContextBody): Promise<Context>;
}

export function contexts(send: Send): Contexts {
  return {
    list: (options) => readList(send, "/v1/contexts", contextEntry, {}, options),
    read: (id) => absentIfUnknown(ask(send, request("GET", "/v1/contexts/{}", { ids: [id] }), context)),
    create: (body) => ask(send, request("POST", "/v1/contexts", { body }), context),
    update: (id, body) => ask(send, request("PATCH", "/v1/contexts/{}", { ids: [id], body }), context),
  };
}
