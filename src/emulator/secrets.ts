import * as z from "zod";
import { createRowGetter, type Row } from "./account.js";
import { type Endpoint, type EndpointCall, formatCallTime, readBody } from "./endpoint.js";
import { createOperations } from "./operations.js";
import { Refusal } from "./refusal.js";
import type { EmulatedResource } from "./resource.js";
import { text } from "./shape.js";

/** A secret (§2.6) without its value, because `/_emulator/world` shows the data. */
export interface Secret extends Row {
  secret_name: string;
  secret_type: string;
  created_at: string;
}

const rows = createRowGetter<Secret>("secrets");

const { listAll, remove } = createOperations<Secret>("secrets", "Secret");

const create: Endpoint = {
  method: "POST",
  path: "/v1/secrets",
  handle(call) {
    const body = z.object({
      secret_name: text({ min: 1, max: 255 }),
      secret_value: text({ min: 1 }),
      secret_type: z.enum(call.behavior.secretTypes),
    });
    const { secret_value, ...named } = readBody(call, body);
    const secret = { id: call.newId(), ...named, created_at: formatCallTime(call) };
    rows(call.account.world).push(secret);
    call.account.secretValues.set(secret.id, secret_value);
    call.account.changed();
    return { id: secret.id, secret_name: secret.secret_name };
  },
};

/** Throws a Refusal if the account has no secret with this id. */
export function assertSecretExists({ account }: EndpointCall, id: string): void {
  if (!rows(account.world).some((secret) => secret.id === id))
    throw new Refusal(400, `Secret with id '${id}' not found in your space`);
}

/** Reveals secret values to tests. The service itself never returns them. */
export interface SecretPage {
  /** Returns the value last sent for a secret, as long as the emulator runs. */
  secretValue(id: string): string | undefined;
}

/** Secrets (§4.4), whose values are never shown. Two secrets may have the same name, as in real deployments. */
export const secrets: EmulatedResource<Secret, SecretPage> = {
  endpoints: [create],
  profiles: { liveavatar: [listAll(), remove()] },
  openPage: (account) => ({ secretValue: (id) => account.secretValues.get(id) }),
};
