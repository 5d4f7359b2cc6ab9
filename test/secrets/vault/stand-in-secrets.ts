import { type Answer, done, ok, type Question, refusal } from "./stand-in-answers.js";

/** A secrets engine; only KV has secrets. */
export interface Engine {
  readonly type: string;
  readonly version: 1 | 2;
  readonly secrets: Map<string, Secret>;
}

interface Version {
  /** Nothing in version 1 of KV. */
  data: unknown;
  readonly created_time: string;
  deletion_time: string;
  destroyed: boolean;
}

type Secret = Version[];

const absent = refusal(404);
let lastTime = 0;

/** https://developer.hashicorp.com/vault/api-docs/secret/kv/kv-v1 and …/kv-v2 */
export function answerSecrets(engine: Engine, question: Question): Answer {
  if (engine.version === 1) return answerPlain(engine, question);
  const [part, ...rest] = question.path.split("/");
  const path = rest.join("/");
  const secret = engine.secrets.get(path);
  switch (`${question.method} ${part}`) {
    case "POST data": {
      const made = { data: question.body.data, created_time: now(), deletion_time: "", destroyed: false };
      const versions = [...(secret ?? []), made];
      engine.secrets.set(path, versions);
      return ok({ ...shown(made), version: versions.length });
    }
    case "GET data":
      return readVersion(secret, Number(question.query.get("version") ?? 0));
    case "DELETE data":
      for (const version of secret?.slice(-1) ?? []) version.deletion_time = now();
      return done;
    case "GET metadata":
      if (!secret) return absent;
      return ok({
        current_version: secret.length,
        oldest_version: 0,
        versions: Object.fromEntries(secret.map((version, index) => [index + 1, shown(version)])),
      });
    case "DELETE metadata":
      engine.secrets.delete(path);
      return done;
    case "POST undelete":
      for (const number of question.body.versions as number[])
        for (const version of secret?.slice(number - 1, number) ?? []) version.deletion_time = "";
      return done;
    case "POST destroy":
      for (const number of question.body.versions as number[])
        for (const version of secret?.slice(number - 1, number) ?? []) version.destroyed = true;
      return done;
    default: {
      const warnings = ["Invalid path for a versioned K/V secrets engine."];
      return { status: 404, body: { data: null, warnings } };
    }
  }
}

function readVersion(secret: Secret | undefined, asked: number): Answer {
  const number = asked || (secret?.length ?? 0);
  const version = secret?.[number - 1];
  if (!version) return absent;
  const metadata = { ...shown(version), custom_metadata: null, version: number };
  const isGone = version.destroyed || version.deletion_time !== "";
  const answer = ok({ data: isGone ? null : version.data, metadata });
  return isGone ? { ...answer, status: 404 } : answer;
}

function shown({ created_time, deletion_time, destroyed }: Version): object {
  return { created_time, deletion_time, destroyed };
}

/** Each time another one, as the nanoseconds of the real one are. */
function now(): string {
  lastTime = Math.max(lastTime + 1, Date.now());
  return new Date(lastTime).toISOString().replace("Z", "123456Z");
}

function answerPlain({ secrets }: Engine, { method, path, body }: Question): Answer {
  switch (method) {
    case "POST":
      secrets.set(path, [{ data: body, created_time: "", deletion_time: "", destroyed: false }]);
      return done;
    case "DELETE":
      secrets.delete(path);
      return done;
    default: {
      const [secret] = secrets.get(path) ?? [];
      return secret ? ok(secret.data, { lease_duration: 2_764_800 }) : absent;
    }
  }
}
