import { whileSet } from "../environment.js";
import { failuresOf } from "../stand-ins/failures.js";
import { startGoogle } from "../stand-ins/google.js";
import { describeSource, type StartedSource, written } from "./compliance.js";

describeSource(
  "google-secret-manager",
  async (): Promise<StartedSource> => {
    const google = await startGoogle();
    const restore = whileSet(google.environment);
    const asked = (pattern: RegExp) => google.requests.filter((request) => pattern.test(request)).length;
    const named = (name: string) => `projects/kiosk/secrets/${name}`;
    return {
      environment: google.environment,
      written: (name, timeoutSeconds) =>
        written("google-secret-manager", { secret: named(name), endpoint: google.url, timeoutSeconds }),
      put: (name, value) => google.put(named(name), value),
      failures: {
        ...failuresOf(google),
        forbidden: () => void google.rights.clear(),
        missing: (name) => google.remove(named(name)),
        empty: (name) => google.put(named(name), " \n"),
      },
      reads: () => asked(/:access/),
      versions: {
        asked: () => asked(/versions\/\w+$/),
        refuseValues: () => void google.rights.delete("versions.access"),
        allowValues: () => void google.rights.add("versions.access"),
      },
      async stop() {
        restore();
        await google.close();
      },
    };
  },
  { package: "google-auth-library" },
);
