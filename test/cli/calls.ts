import { generateDataset } from "../../src/emulator/index.js";
import { type Project, startAndApply } from "./hosting.js";

const files = {
  "avatarops.yaml": [
    "contexts:",
    "  desk: { name: Desk, prompt: Be polite. }",
    "avatars:",
    "  host: { id: 10000000-0000-4000-8000-000000000000, name: Avatar 1 }",
    "sessions:",
    "  kiosk: { avatar: host }",
  ].join("\n"),
};

/** Sample call of each command that exits on its own. Run them in a project from `startCalledProject`. */
export const calls: Readonly<Record<string, readonly string[]>> = {
  init: ["init", "new"],
  validate: ["validate"],
  plan: ["plan", "--out", "plan.json"],
  apply: ["apply", "--auto-approve"],
  pull: ["pull"],
  render: ["render", "context.support"],
  export: ["export", "exported"],
  import: ["import", "--write", "--all"],
  "state list": ["state", "list"],
  status: ["status"],
  "state show": ["state", "show", "context.desk"],
  "state mv": ["state", "mv", "context.desk", "context.counter"],
  "state forget": ["state", "forget", "context.desk"],
  "state unlock": ["state", "unlock"],
  "state replace-project": ["state", "replace-project"],
  "state replace-service": ["state", "replace-service"],
  "state migrate": ["state", "migrate", "--to", ".avatarops/other.json"],
  history: ["history"],
  show: ["show", "context.desk"],
  blame: ["blame", "context.desk"],
  review: ["review", "--dry-run"],
  prune: ["prune"],
  rollback: ["rollback", "--to", "1"],
  drift: ["drift"],
  hold: ["hold", "--reason", "legal check"],
  release: ["release"],
  diff: ["diff", "staging", "production"],
  promote: ["promote", "context.desk", "--from", "staging", "--to", "production"],
  "sessions list": ["sessions", "list"],
  "sessions report": ["sessions", "report", "--since", "2026-01-01", "--until", "2026-02-01"],
  "sessions show": ["sessions", "show", "10000000-0000-4000-8000-000000000000"],
  "sessions stop": ["sessions", "stop", "-y", "10000000-0000-4000-8000-000000000000"],
  token: ["token", "kiosk"],
  smoke: ["smoke", "--timeout", "0s"],
  "generate types": ["generate", "types"],
  "generate presets": ["generate", "presets"],
  "generate schema": ["generate", "schema"],
  completion: ["completion", "bash"],
  "emulate edit": ["emulate", "edit", "context.desk", "--opening-text", "Hello."],
  "terraform install": ["terraform", "install", "--dir", "plugins"],
};

/** Commands that run until they are stopped. */
export const longRunning = ["emulate", "sync", "sessions watch", "sessions serve"];

/** Starts and applies a project that contains the files and objects named in `calls`. */
export const startCalledProject = (): Promise<Project> =>
  startAndApply({ files, world: generateDataset({ avatars: 1, voices: 1 }) });
