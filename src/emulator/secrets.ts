import { bodyOf, type Endpoint, timeOf } from "./endpoint.js";
import { oneOf, record, text } from "./shape.js";

/** §4.4: a secret is stored and never shown. Two secrets may have the same name, as seen in practice. */
export const secretEndpoints: readonly Endpoint[] = [
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
      call.account.world.secrets.push(secret);
      call.account.secretValues.set(secret.id, secret_value);
      call.account.changed();
      return { id: secret.id, secret_name: secret.secret_name };
    },
  },
];
