import { type Context, type Dataset, generateDataset } from "../../src/emulator/index.js";

const names = [
  ...["Twin", "Twin", "Support", "support", "SUPPORT", "no", "1.0", "- a: b # c", "CON", "../.."],
  ...["🦊", "🐻‍❄️", "👩‍🔧", "客服", "Поддержка", "الدعم الفني", "constructor", "__proto__", "class"],
  ...["\"'`${name}\\", '*/ "); process.exit(9); //', "a\u2028b\u2029c\uFEFF\u0007"],
];
const prompts = [
  ...["", "\n", "\n\n", "\r", "a\r\n", "one\r\ntwo\rthree\n", "---\nname: other\n---\n\nx", "🦊"],
  ...["Grüße. ".repeat(8572), "a\uD800b", "\uFEFFx", "Call ${name}", "</script>"],
];
const openings = ["", "!env HOME", "  a\n\n b \n", "#\t\u0007", "`${x}`\n'\"\\u0041", "\uD83D"];
const urls = ["https://example.com/a?b=c#d", "https://example.com/?a='b'", "http://e.org"];
const links = urls.map((url, at) => ({ id: `${at}`, url, faq: ["", "é", "`é`"][at] ?? "" }));

/** Builds an account with contexts whose fields need escaping in YAML, Markdown or TypeScript. */
export function createOddWorld(): Dataset {
  const odd: readonly Partial<Context>[] = [
    ...names.map((name) => ({ name })),
    ...prompts.map((prompt) => ({ prompt })),
    ...openings.map((opening_text) => ({ opening_text })),
    { links },
  ];
  const world = generateDataset({ contexts: odd.length });
  return { ...world, contexts: world.contexts.map((context, at) => ({ ...context, ...odd[at] })) };
}
