import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { startEmulator } from "../../src/emulator/index.js";
import { createExampleDataset, editedPrompt, exampleManifest, examplePrompt } from "./example.js";

/*
 * Draws the README picture of a plan. Applies the example to an emulator, changes a prompt and a key, and draws the
 * output of the real command as in a terminal. The window has its own background, so the picture is readable on light
 * and dark pages.
 */

const root = path.resolve(import.meta.dirname, "../..");
/** Replaces the emulator's URL, whose port changes with each run. */
const address = "http://127.0.0.1:8080";

/** Returns the picture as SVG. The same sources result in the same bytes. */
export async function drawPlan(): Promise<string> {
  return drawTerminal(`$ \u001b[1mavatarops plan\u001b[22m\n\n${await printPlan()}`);
}

async function printPlan(): Promise<string> {
  let made = 0;
  const newId = () => {
    made += 1;
    return makeId(made);
  };
  const emulator = await startEmulator({ world: createExampleDataset(), newId });
  const folder = await mkdtemp(path.join(tmpdir(), "avatarops-picture-"));
  try {
    const avatarops = async (key: string, ...args: string[]) => {
      const command = [path.join(root, "src/entrypoints/cli/main.ts"), ...args];
      const { stdout } = await promisify(execFile)(process.execPath, [...process.execArgv, ...command], {
        cwd: folder,
        env: {
          PATH: process.env.PATH,
          FORCE_COLOR: "1",
          COLUMNS: String(columns),
          NODE_DISABLE_COMPILE_CACHE: "1",
          AVATAROPS_BASE_URL: emulator.url,
          AVATAROPS_API_KEY: "test-key",
          LLM_API_KEY: key,
        },
      });
      return stdout.replaceAll(emulator.url, address);
    };
    await mkdir(path.join(folder, "prompts"));
    await writeFile(path.join(folder, "avatarops.yaml"), exampleManifest);
    await writeFile(path.join(folder, "prompts/returns.md"), examplePrompt);
    await avatarops("a-key", "apply", "--auto-approve");
    await writeFile(path.join(folder, "prompts/returns.md"), editedPrompt);
    return await avatarops("a-new-key", "plan");
  } finally {
    await emulator.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns a version 4 UUID that depends only on the number. */
function makeId(number: number): string {
  const hex = createHash("sha256").update(`avatarops ${number}`).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

const cell = { width: 8.4, height: 20 };
const margin = { x: 24, top: 56, bottom: 20 };
const columns = 80;

/** Draws colored text in a terminal window. */
function drawTerminal(text: string): string {
  const lines = text.trimEnd().split("\n").map(parseSpans);
  const width = Math.ceil(columns * cell.width + 2 * margin.x);
  const height = margin.top + lines.length * cell.height + margin.bottom;
  const rows = lines.map((spans, row) => {
    const y = margin.top + row * cell.height + 14;
    return `<text y="${y}" xml:space="preserve">${spans.map(drawSpan).join("")}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>The output of avatarops plan</title>
<style>
text { font: 14px ui-monospace, SFMono-Regular, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #e6edf3; white-space: pre; }
.bold { font-weight: 600; fill: #ffffff; } .dim { fill: #9198a1; }
.red { fill: #ff8a80; } .green { fill: #7ee787; } .yellow { fill: #f2cc60; } .cyan { fill: #76e3ea; }
</style>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="10" fill="#161b22" stroke="#6e7681"/>
<circle cx="24" cy="24" r="6" fill="#ff5f57"/><circle cx="44" cy="24" r="6" fill="#febc2e"/><circle cx="64" cy="24" r="6" fill="#28c840"/>
${rows.join("\n")}
</svg>
`;
}

interface Span {
  readonly text: string;
  readonly column: number;
  readonly styles: readonly string[];
}

/** Draws a span whose columns have the same width in any font. */
function drawSpan({ text, column, styles }: Span): string {
  const x = Number((margin.x + column * cell.width).toFixed(1));
  const length = Number((text.length * cell.width).toFixed(1));
  const named = styles.length > 0 ? ` class="${styles.join(" ")}"` : "";
  return `<tspan x="${x}" textLength="${length}"${named}>${escapeXml(text)}</tspan>`;
}

const on: Readonly<Record<string, string>> = {
  "1": "bold",
  "2": "dim",
  "31": "red",
  "32": "green",
  "33": "yellow",
  "36": "cyan",
};
/** Styles that each ANSI code turns off. */
const off: Readonly<Record<string, readonly string[]>> = {
  "22": ["bold", "dim"],
  "39": ["red", "green", "yellow", "cyan"],
};

/** Splits a line into spans of one style each. Each line ends the styles that it starts. */
function parseSpans(line: string): Span[] {
  let styles: string[] = [];
  let column = 0;
  const spans: Span[] = [];
  for (const [, code, text = ""] of line.matchAll(/\u001b\[(\d+)m|([^\u001b]+)/g)) {
    if (code === undefined) {
      spans.push({ text, column, styles });
      column += text.length;
    } else if (on[code]) styles = [...styles, on[code]];
    else if (off[code]) styles = styles.filter((style) => !off[code]?.includes(style));
    else throw new Error(`The picture has no color for the style ${code}. Add one.`);
  }
  if (styles.length > 0) throw new Error(`The line ends within a style: ${JSON.stringify(line)}`);
  return spans;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
