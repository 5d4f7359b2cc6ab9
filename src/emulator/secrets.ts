import type { Row } from "./account.js";
import { bodyOf, type Endpoint, timeOf } from "./endpoint.js";
import { complete, type Resource, rowsOf, time } from "./resource.js";
import { oneOf, record, text } from "./shape.js";

/** §2.6. The value is not part of the data, because it would end up in the data file. */
export interface Secret extends Row {
  secret_name: string;
  secret_type: string;
  created_at: string;
}

const rows = rowsOf<Secret>("secrets");

const endpoints: readonly Endpoint[] = [
  {
    method: "POST",
    path: "/v1/secrets",
    answer(call) {
      const shape = record(
        {
          secret_name: text({ min: 1, max: 255 }),
          secret_value: text({ min: 1 }),
          secret_type: oneOf(...call.behaviour.secretTypes),
        },
        "secret_name",
        "secret_value",
        "secret_type",
      );
      const { secret_value, ...named } = bodyOf(call, shape);
      const secret = { id: call.newId(), ...named, created_at: timeOf(call) };
      rows(call.account.world).push(secret);
      call.account.secretValues.set(secret.id, secret_value);
      call.account.changed();
      return { id: secret.id, secret_name: secret.secret_name };
    },
  },
];

/** Facts about secrets that the service does not show. */
export interface SecretPage {
  /** The value sent for a secret in this run; only in memory. */
  secretValue(id: string): string | undefined;
}

/** §4.4: a secret is stored and never shown. Two secrets may have the same name, as in practice. */
export const secrets: Resource<Secret, SecretPage> = {
  name: "secrets",
  endpoints,
  stored: complete({ id: text({ min: 1 }), secret_name: text(), secret_type: text(), created_at: time }),
  dashboard: (account) => ({ secretValue: (id) => account.secretValues.get(id) }),
};
