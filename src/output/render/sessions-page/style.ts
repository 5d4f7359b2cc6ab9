/**
 * Shows each row of a table as a header above a grid of titled values. Column headers stay available to screen readers,
 * so the visible titles have an empty alternative text.
 */
function stackRows(table: string): string {
  return `
  ${table} :is(table, tbody) { display: block; }
  ${table} thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  ${table} tbody tr { display: grid; grid-template-columns: repeat(auto-fill, minmax(7.5em, 1fr)); gap: 6px 12px; padding: 10px 14px; border-top: 1px solid var(--line); }
  ${table} tbody tr > * { padding: 0; border: 0; max-width: none; text-align: start; white-space: normal; background: none; }
  ${table} tbody th { grid-column: 1 / -1; position: static; font-weight: 650; }
  ${table} td::before { content: attr(data-col) / ""; display: block; color: var(--soft); font-size: 12px; }
  ${table} tbody tr:hover { background: var(--hover); }`;
}

/** Style sheet. Color is never the only signal, and text has a contrast ratio of at least 4.5:1. */
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
.charts { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 12px; }
.chart { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 14px 18px; min-width: 0; }
figcaption { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: baseline; gap: 0 16px; margin-bottom: 8px; font-size: 13px; }
.plot { display: flex; margin-left: -10px; }
svg { display: block; }
svg.axis { flex: none; }
svg.columns { flex: 1 1 auto; width: 100%; min-width: 0; overflow: visible; }
svg text { font-size: 12px; fill: var(--soft); }
svg.axis text { text-anchor: end; }
.grid { stroke: var(--line); }
.zero { stroke: var(--soft); }
.hover { fill: transparent; }
g:hover > .hover { fill: var(--hover); }
.sessions .column { fill: var(--sessions); }
.credits .column { fill: var(--credits); }
.column.part { opacity: .55; }
details { margin-top: 12px; }
summary { width: fit-content; color: var(--soft); font-size: 13px; cursor: pointer; border-radius: 6px; }
details .table { margin-top: 8px; }
.table { background: var(--card); border: 1px solid var(--line); border-radius: 10px; min-width: 0; }
@media screen {
  .table { container-type: inline-size; }
  @container (max-width: 560px) {${stackRows(".some")}
  }
  @container (max-width: 1040px) {${stackRows(".many")}
  }
}
.table > p { color: var(--soft); font-size: 13px; padding: 10px 14px 4px; }
.scroll { overflow-x: auto; border-radius: 10px; }
.scroll:focus-visible, summary:focus-visible { outline: 2px solid var(--sessions); outline-offset: 2px; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th, td { padding: 8px 14px; text-align: end; white-space: nowrap; border-top: 1px solid var(--line); }
thead > tr > * { border-top: 0; color: var(--soft); font-weight: 600; font-size: 13px; vertical-align: bottom; }
tbody th { font-weight: 500; }
th:first-child { text-align: start; position: sticky; inset-inline-start: 0; z-index: 1; background: var(--card); max-width: 22em; min-width: 7em; white-space: normal; }
td bdi { overflow-wrap: normal; }
tbody tr:hover > * { background: var(--hover); }
.empty { color: var(--soft); }
footer p { margin-top: 8px; }
body > footer { margin-top: 36px; }
@media (max-width: 900px) {
  .charts { grid-template-columns: minmax(0, 1fr); }
}
@media (max-width: 600px) {
  .card, .chart { padding: 14px; }
  .wide { display: none; }
  th, td { padding: 8px 10px; }
  th:first-child { max-width: 11em; min-width: 6em; }
}
@media (forced-colors: active) {
  .column { forced-color-adjust: none; }
}
@media print {
  :root { color-scheme: light; --page: #ffffff; --hover: transparent; }
  body { font-size: 11pt; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  main, body > header, body > footer { max-width: none; padding: 0; }
  .card, .chart, tr { break-inside: avoid; }
  h2 { break-after: avoid; }
  .scroll { overflow: visible; }
  summary { display: none; }
  details::details-content { content-visibility: visible; block-size: auto; }
  table { font-size: 8.5pt; }
  th, td { padding: 4px 6px; }
  thead th { font-size: inherit; white-space: normal; }
}
`;
