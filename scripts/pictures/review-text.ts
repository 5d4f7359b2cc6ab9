import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { createEmptyDataset, type Emulator, startEmulator } from "../../src/emulator/index.js";

/**
 * Renders a pull request comment with the built command. The comment shows a reworded paragraph with a new
 * placeholder, and a dashboard edit to another context.
 */

const program = path.resolve(import.meta.dirname, "../../dist/cli/main.js");

const manifest = `contexts:
  returns:
    name: Returns desk
    prompt: !file prompts/returns.md
    opening_text: Hi, how can I help?
    links:
      - { url: https://example.com/returns, faq: Returns and refunds }
  hours:
    name: Opening hours
    prompt: !file prompts/hours.md
`;

const before = `You help visitors of a bicycle shop return what they bought. Be friendly and brief.

Ask for the order number first. If there is none, ask for the e-mail address of the order.

Never promise a refund. Say that a colleague decides within two days.

Speak with \${customer_name} politely, and end with a wish for the day.
`;

const after = `You help visitors of a bicycle shop return what they bought. Be friendly and brief.

Ask for the order number first. If there is none, ask for the e-mail address of the order.

Never promise a refund. Say that a colleague decides within two days.

Speak with \${customer_name} politely, in \${language}, and end with a wish for the weekend.
`;

/** Returns the Markdown of the comment. */
export async function renderReview(): Promise<string> {
  let now = Date.parse("2026-11-16T09:00:00Z");
  const emulator = await startEmulator({ world: createEmptyDataset(), now: () => now });
  const folder = await mkdtemp(path.join(tmpdir(), "avatarops-picture-"));
  try {
    const write = (file: string, text: string) => writeFile(path.join(folder, file), text);
    await mkdir(path.join(folder, "prompts"));
    await write("avatarops.yaml", manifest);
    await write("prompts/returns.md", before);
    await write("prompts/hours.md", "The shop is open from Monday to Saturday, 9 to 18.\n");
    await runAvatarops(emulator, folder, "apply", "--auto-approve");
    now += 86_400_000;
    editInDashboard(emulator);
    await write("prompts/returns.md", after);
    return await runAvatarops(emulator, folder, "review", "--dry-run");
  } finally {
    await emulator.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function editInDashboard(emulator: Emulator): void {
  const hours = emulator.world.contexts.find(({ name }) => name === "Opening hours");
  if (!hours) throw new Error("Bug: the apply did not create the context");
  emulator.editContext(hours.id, { prompt: "The shop is open from Monday to Friday, 9 to 19." });
}

async function runAvatarops(emulator: Emulator, folder: string, ...argv: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...argv], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      AVATAROPS_BASE_URL: emulator.url,
      AVATAROPS_API_KEY: "test-key",
    },
  });
  return stdout.replaceAll(emulator.url, "https://api.example.com");
}
