/** Style sheet. Colour is never the only signal, and text has a contrast of at least 4.5. */
export const style = `
:root {
  color-scheme: light dark;
  --page: #f4f6f8; --card: #ffffff; --line: #d9dfe6; --text: #1a2129; --soft: #55606d;
  --sessions: #2058c7; --credits: #b45309; --hover: #eef2f7;
  --warn: #7a4b00; --warn-card: #fff6e0; --warn-line: #e8c77a; --bad: #b3261e;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --page: #0f141a; --card: #171d25; --line: #2c3540; --text: #e7ecf2; --soft: #a0acb9;
    --sessions: #79a9ff; --credits: #e6ae55; --hover: #202833;
    --warn: #f2cd85; --warn-card: #2a2213; --warn-line: #5f4a1b; --bad: #ff9a91;
  }
}
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif;
  font-variant-numeric: tabular-nums; overflow-wrap: break-word;
}
main, body > header, body > footer { max-width: 1160px; margin: 0 auto; padding: 0 24px; }
body > header { padding-top: 32px; }
body > footer { padding-bottom: 40px; color: var(--soft); font-size: 13px; }
h1, h2, h3, p, dl, dd, ul, figure { margin: 0; }
h1 { font-size: 28px; line-height: 1.25; letter-spacing: -.01em; }
h2 { font-size: 18px; line-height: 1.35; margin: 36px 0 12px; }
h3 { font-size: 15px; line-height: 1.4; }
bdi { overflow-wrap: anywhere; }
.soft { color: var(--soft); }
.where { display: flex; flex-wrap: wrap; gap: 4px 12px; margin-bottom: 4px; color: var(--soft); font-size: 13px; }
.notices { list-style: none; padding: 12px 18px; margin: 20px 0 0; background: var(--warn-card); color: var(--warn); border: 1px solid var(--warn-line); border-radius: 10px; }
.notices li + li { margin-top: 4px; }
@media (max-width: 600px) {
  main, body > header, body > footer { padding-left: 14px; padding-right: 14px; }
  body > header { padding-top: 20px; }
  h1 { font-size: 24px; }
}
.period { margin-top: 6px; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 16px 18px; min-width: 0; }
.overview { display: grid; gap: 12px; margin-top: 24px; }
.exceeded { color: var(--bad); font-weight: 650; }
.bar { width: clamp(40px, 24vw, 280px); height: 10px; margin-inline-end: 8px; vertical-align: middle; }
.bar + span { display: inline-block; min-width: 8ch; }
.bar.sessions { fill: var(--sessions); }
.bar.credits { fill: var(--credits); }
.table { background: var(--card); border: 1px solid var(--line); border-radius: 10px; min-width: 0; }
.table > p { color: var(--soft); font-size: 13px; padding: 10px 14px 4px; }
.scroll { overflow: auto; max-height: 75vh; border-radius: 10px; }
.scroll:focus-visible { outline: 2px solid var(--sessions); outline-offset: 2px; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th, td { padding: 8px 14px; text-align: end; white-space: nowrap; border-top: 1px solid var(--line); }
thead > tr > * { border-top: 0; color: var(--soft); font-weight: 600; font-size: 13px; vertical-align: bottom; }
tbody th { font-weight: 500; }
thead th { position: sticky; top: 0; z-index: 1; background: var(--card); }
th:first-child { text-align: start; position: sticky; inset-inline-start: 0; z-index: 1; background: var(--card); max-width: 22em; min-width: 7em; white-space: normal; }
thead th:first-child { z-index: 2; }
td bdi { overflow-wrap: normal; }
tbody tr:hover > * { background: var(--hover); }
.empty { color: var(--soft); }
footer p { margin-top: 8px; }
body > footer { margin-top: 36px; }
@media (max-width: 600px) {
  .card { padding: 14px; }
  th, td { padding: 8px 10px; }
  th:first-child { max-width: 11em; min-width: 6em; }
}
@media (forced-colors: active) {
  .bar { forced-color-adjust: none; }
}
@media print {
  :root { color-scheme: light; --page: #ffffff; --hover: transparent; }
  body { font-size: 11pt; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  main, body > header, body > footer { max-width: none; padding: 0; }
  .card, tr { break-inside: avoid; }
  h2 { break-after: avoid; }
  .scroll { overflow: visible; max-height: none; }
  table { font-size: 8.5pt; }
  th, td { padding: 4px 6px; }
  thead th { font-size: inherit; white-space: normal; }
}
`;
