import { bearer, getJson, propertyIn, textIn } from "../json-api.js";
import { malformed, notFound, notSet, refused } from "../source-error.js";
import type { FieldsIn, SourceFields, SourceKind } from "../source-kind.js";

const advice = "Check the network, the proxy and DOPPLER_API_HOST.";

const fields = {
  name: {
    type: "string",
    required: true,
    pattern: /^[A-Za-z_][A-Za-z0-9_]{0,199}$/,
    description: "Name of the secret.",
  },
  project: {
    type: "string",
    variable: "DOPPLER_PROJECT",
    description: "Name of the project. A service token has its own.",
  },
  config: {
    type: "string",
    variable: "DOPPLER_CONFIG",
    description: "Name of the config. A service token has its own.",
  },
  apiHost: {
    type: "url",
    variable: "DOPPLER_API_HOST",
    login: true,
    description: "Address of Doppler's interface. Default: https://api.doppler.com.",
  },
} as const satisfies SourceFields;

/** Fields of `!doppler`. */
export type DopplerFields = FieldsIn<typeof fields>;

/** A secret in Doppler, over its HTTP interface: https://docs.doppler.com/reference/secrets-get. */
export const doppler: SourceKind<DopplerFields> = {
  name: "doppler",
  title: "Doppler",
  fields,
  shorthand: {
    example: "!doppler LLM_API_KEY",
    meaning: "the name of a secret, or project/config/name",
    read: (written) => (typeof written === "string" ? fieldsIn(written) : undefined),
  },
  describe: ({ name, project, config }) =>
    `Doppler secret ${[project, config, name].filter((part) => part !== undefined).join("/")}`,
  rights: {
    value: "a service token with read access to the config, in DOPPLER_TOKEN",
  },
  async read({ name, project, config, apiHost = "https://api.doppler.com" }, context) {
    const token = context.environment.DOPPLER_TOKEN?.trim();
    if (!token)
      throw notSet(
        "cannot be read: there is no token. Set DOPPLER_TOKEN, for example from the secrets of your CI.",
      );
    if ((project === undefined) !== (config === undefined))
      throw notSet("cannot be read: name both project and config, or neither and use a service token.");
    const query = new URLSearchParams({ ...(project && config && { project, config }), name });
    const api = {
      title: "Doppler",
      address: apiHost.replace(/\/$/, ""),
      headers: bearer(token, "Doppler"),
      advice,
    };
    const { status, body } = await getJson(api, `/v3/configs/config/secret?${query}`, context);
    if (status === 401)
      throw refused(
        "cannot be read: Doppler does not accept the token in DOPPLER_TOKEN. It may be wrong, expired or revoked.",
      );
    if (status === 403)
      throw refused(
        "cannot be read: the token in DOPPLER_TOKEN has no right to it. It needs read access to the config.",
      );
    if (status === 404)
      throw notFound(
        "does not exist. Correct its name, its project or its config; a service token sees one config only.",
      );
    if (status !== 200)
      throw refused(
        `cannot be read: Doppler refuses the request (status ${status}). Name the project and the config unless the token is a service token.`,
      );
    const value = propertyIn(body, "value");
    const computed = textIn(value, "computed");
    if (computed !== undefined) return { value: computed };
    if (propertyIn(value, "computed") === null)
      throw refused(
        "cannot be read: its visibility is restricted, so that only service tokens see its value.",
      );
    throw malformed(`cannot be read: the response is not from Doppler. ${advice}`);
  },
};

function fieldsIn(written: string): Partial<DopplerFields> | undefined {
  const parts = written.split("/");
  const [project, config, name] = parts;
  if (parts.length === 1) return { name: written };
  return parts.length === 3 && project && config && name ? { project, config, name } : undefined;
}
