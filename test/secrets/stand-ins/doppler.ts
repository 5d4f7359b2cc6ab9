import { randomUUID } from "node:crypto";
import { type Answer, type Asked, type StandIn, startStandIn } from "./server.js";

/* Doppler's "Retrieve" of a secret, from its API reference. */

export interface DopplerStandIn extends StandIn {
  /** A service token of the config `prd` of the project `kiosk`. */
  readonly serviceToken: string;
  /** A token for all projects. */
  readonly personalToken: string;
  /** Secrets of that config, by name; null: one of restricted visibility, for other than service tokens. */
  readonly secrets: Map<string, string | null>;
}

export async function startDoppler(): Promise<DopplerStandIn> {
  function answer({ url, headers }: Asked): Answer {
    const isService = headers.authorization === `Bearer ${doppler.serviceToken}`;
    if (!isService && headers.authorization !== `Bearer ${doppler.personalToken}`)
      return problem(401, "Invalid Auth token");
    if (url.pathname !== "/v3/configs/config/secret") return problem(404, "Not found");
    const [project, config] = [url.searchParams.get("project"), url.searchParams.get("config")];
    if (!isService && (!project || !config)) return problem(400, "You must specify a project");
    if ((project ?? "kiosk") !== "kiosk")
      return isService
        ? problem(403, "This token does not have access to requested project")
        : problem(404, "Could not find requested project");
    if ((config ?? "prd") !== "prd") return problem(404, "Could not find requested config");
    const name = url.searchParams.get("name") ?? "";
    const value = doppler.secrets.get(name);
    if (value === undefined) return problem(404, `Could not find requested secret: ${name}`);
    const note = "";
    return { status: 200, body: { name, value: { raw: value, computed: value, note }, success: true } };
  }
  const server = await startStandIn(answer);
  const doppler: DopplerStandIn = Object.assign(server, {
    serviceToken: `dp.st.prd.${randomUUID()}`,
    personalToken: `dp.pt.${randomUUID()}`,
    secrets: new Map<string, string | null>(),
  });
  return doppler;
}

function problem(status: number, message: string): Answer {
  return { status, body: { messages: [message], success: false } };
}
