import { afterAll, beforeAll, describe } from "vitest";
import { allDisturbances, describeStore, type Place } from "../state/compliance.js";
import { type FaultProxy, startFaultProxy } from "../state/fault-proxy.js";
import { credentials, gitlabPath, type HttpBackend, startHttpBackend } from "./http-backend.js";

describe.each(["gitlab", "terraform"] as const)("of the flavour %s", (flavour) => {
  let backend: HttpBackend;
  let faults: FaultProxy;
  let made = 0;
  beforeAll(async () => {
    backend = await startHttpBackend(flavour);
    faults = await startFaultProxy(backend.port);
  });
  afterAll(async () => {
    await faults.close();
    await backend.close();
  });

  async function newPlace(): Promise<Place> {
    const name = `${flavour === "gitlab" ? gitlabPath : "/states"}/production-${++made}`;
    const environment = { environment: credentials };
    return {
      location: `http://127.0.0.1:${faults.port}${name}`,
      direct: `http://127.0.0.1:${backend.port}${name}`,
      environment,
      faults,
      async removeLock() {
        delete backend.states.get(name)?.lock;
      },
      async overwriteState(text) {
        const stored = backend.states.get(name);
        if (!stored?.text) throw new Error("There is no state yet.");
        const document = JSON.parse(stored.text);
        stored.text = JSON.stringify({
          ...document,
          serial: document.serial + 1,
          write: "theirs",
          state: text,
        });
      },
      stranger: {
        environment: { environment: { ...credentials, TF_HTTP_PASSWORD: "wrong-horse" } },
        secret: "wrong-horse",
      },
    };
  }

  describeStore("on a server of Terraform's http backend", newPlace, {
    ...(flavour === "gitlab"
      ? { disturbances: allDisturbances.filter((name) => name !== "is refused"), passing: 5 }
      : { disturbances: [], missesRemovedLock: true }),
  });
});
