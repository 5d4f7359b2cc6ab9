import { Marked } from "marked";

/** Renders a comment as a code host does: its Markdown as HTML, in a frame that names the author. */
export function renderPage(markdown: string): string {
  const html = new Marked({ gfm: true, renderer: { code: renderCode } }).parse(markdown, { async: false });
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>A review</title>
<style>${style}</style>
<article>
<header><b>avatarops</b> <span>bot</span> commented on this pull request</header>
<div>
${html}
</div>
</article>
</html>
`;
}

/** Colors the lines of a diff as code hosts do. */
function renderCode({ text, lang }: { readonly text: string; readonly lang?: string | undefined }): string {
  const lines = text.split("\n").map((line) => {
    const change = lang === "diff" ? /^[-+]/.exec(line)?.[0] : undefined;
    return change
      ? `<span class="${change === "+" ? "added" : "removed"}">${escapeHtml(line)}</span>`
      : escapeHtml(line);
  });
  return `<pre><code>${lines.join("\n")}</code></pre>\n`;
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

/** Styles of code hosts, reduced to those that affect readability. */
const style = `
body { margin: 16px; background: #fff; color: #1f2328; font: 14px/1.5 system-ui, "DejaVu Sans", sans-serif; }
article { max-width: 820px; margin: 0 auto; border: 1px solid #d1d9e0; border-radius: 6px; }
header { padding: 8px 16px; background: #f6f8fa; border-bottom: 1px solid #d1d9e0; border-radius: 6px 6px 0 0; }
header span { border: 1px solid #d1d9e0; border-radius: 1em; padding: 0 6px; font-size: 12px; color: #59636e; }
article > div { padding: 16px; overflow-wrap: break-word; }
article > div > :first-child { margin-top: 0; } article > div > :last-child { margin-bottom: 0; }
h1, h2 { padding-bottom: .3em; border-bottom: 1px solid #d1d9e0; } h1 { font-size: 1.6em; } h2 { font-size: 1.35em; } h3 { font-size: 1.15em; }
code { font: 85% "DejaVu Sans Mono", monospace; background: #818b981f; border-radius: 6px; padding: .2em .4em; white-space: break-spaces; }
pre { background: #f6f8fa; border-radius: 6px; padding: 12px; overflow: auto; } .added { background: #dafbe1; } .removed { background: #ffebe9; } pre code { background: none; padding: 0; white-space: pre; }
table { display: block; width: max-content; max-width: 100%; overflow: auto; border-collapse: collapse; }
th, td { border: 1px solid #d1d9e0; padding: 6px 13px; } tr:nth-child(2n) { background: #f6f8fa; }
blockquote { margin: 0 0 16px; padding: 0 1em; color: #59636e; border-left: .25em solid #d1d9e0; }
del { color: #b35900; background: #ffebe9; } a { color: #0969da; text-decoration: none; } hr { border: 0; border-top: 4px solid #d1d9e0; }
`;
