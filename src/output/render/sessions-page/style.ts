/** The style of the page. No colour is the only sign of anything; letters have a contrast of 4.5 to what is behind them. */
export const style = `
:root {
  color-scheme: light dark;
  --page: #f4f6f8; --card: #ffffff; --line: #d9dfe6; --text: #1a2129; --soft: #55606d;
  --sessions: #2058c7; --credits: #b45309; --track: #e6eaef; --hover: #eef2f7;
  --warn: #7a4b00; --warn-card: #fff6e0; --warn-line: #e8c77a; --bad: #b3261e;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --page: #0f141a; --card: #171d25; --line: #2c3540; --text: #e7ecf2; --soft: #a0acb9;
    --sessions: #79a9ff; --credits: #e6ae55; --track: #28313c; --hover: #202833;
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
.card, .chart { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 16px 18px; min-width: 0; }
.tiles { display: grid; grid-template-columns: repeat(5, minmax(0, 1fr)); gap: 12px; margin-top: 24px; }
.tiles > div { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 14px 16px; min-width: 0; }
.tiles dt { color: var(--soft); font-size: 13px; }
.tiles .amount { font-size: 25px; font-weight: 650; line-height: 1.3; letter-spacing: -.01em; }
.tiles .change { color: var(--soft); font-size: 13px; }
.tiles .change b { color: var(--text); font-weight: 600; }
.apart { margin-top: 12px; padding: 10px 16px; border: 1px dashed var(--line); border-radius: 10px; color: var(--soft); font-size: 14px; }
.apart b { color: var(--text); font-weight: 600; }
.budget { margin-top: 12px; }
.budget h2 { margin: 0; font-size: 15px; }
.budget p { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 2px 16px; }
.budget .exceeded { color: var(--bad); font-weight: 650; }
.budget svg { margin-top: 8px; }
.budget .over { fill: var(--bad); }
.two { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 12px; }
.three { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 12px; }
figcaption { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: baseline; gap: 0 16px; margin-bottom: 10px; }
.readout { color: var(--soft); font-size: 13px; min-height: 1.5em; }
.plot { display: flex; }
svg { display: block; }
svg.axis { flex: none; }
svg.bars, svg.cells { flex: 1 1 auto; width: 100%; min-width: 0; overflow: visible; }
svg.share { width: 100%; }
svg text { font-size: 12px; fill: var(--soft); }
svg.axis text { text-anchor: end; }
.grid { stroke: var(--line); stroke-width: 1; }
.zero { stroke: var(--soft); stroke-width: 1; }
.column { fill: transparent; }
.bar:hover .column { fill: var(--hover); }
.none, .track { fill: var(--track); }
.sessions .value { fill: var(--sessions); }
.credits .value { fill: var(--credits); }
.cells .bar:hover rect { stroke: var(--text); stroke-width: 1.5; }
.shares { list-style: none; padding: 0; margin-top: 10px; }
.shares li { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 12px; align-items: baseline; font-size: 14px; }
.shares li + li { margin-top: 8px; }
.shares svg { grid-column: 1 / -1; margin-top: 3px; }
.shares .stated { white-space: nowrap; }
.table { background: var(--card); border: 1px solid var(--line); border-radius: 10px; min-width: 0; }
.table > p { color: var(--soft); font-size: 13px; padding: 10px 14px 4px; }
.scroll { overflow: auto; max-height: 75vh; border-radius: 10px; }
.scroll:focus-visible, summary:focus-visible { outline: 2px solid var(--sessions); outline-offset: 2px; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th, td { padding: 8px 14px; text-align: end; white-space: nowrap; border-top: 1px solid var(--line); }
thead > tr > * { border-top: 0; color: var(--soft); font-weight: 600; font-size: 13px; vertical-align: bottom; }
tbody th { font-weight: 500; }
thead th { position: sticky; top: 0; z-index: 1; background: var(--card); }
th:first-child { text-align: start; position: sticky; inset-inline-start: 0; z-index: 1; background: var(--card); max-width: 22em; min-width: 7em; white-space: normal; }
thead th:first-child { z-index: 2; }
td bdi { overflow-wrap: normal; }
tbody tr:hover > * { background: var(--hover); }
th[aria-sort="ascending"] button::after { content: "\\2191"; }
th[aria-sort="descending"] button::after { content: "\\2193"; }
details { margin-top: 10px; }
summary { color: var(--soft); font-size: 13px; cursor: pointer; width: fit-content; border-radius: 6px; }
details .table { margin-top: 8px; }
details .scroll { max-height: 320px; }
.empty { color: var(--soft); }
footer p { margin-top: 8px; }
body > footer { margin-top: 36px; }
@media (max-width: 900px) {
  .tiles { grid-template-columns: repeat(6, minmax(0, 1fr)); }
  .tiles > div { grid-column: span 2; }
  .tiles > div:nth-child(-n+2) { grid-column: span 3; }
  .two, .three { grid-template-columns: minmax(0, 1fr); }
}
@media (max-width: 600px) {
  .tiles { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 8px; }
  .tiles > div, .tiles > div:nth-child(2) { grid-column: span 1; }
  .tiles > div:first-child { grid-column: 1 / -1; }
  .tiles .amount { font-size: 22px; }
  .card, .chart { padding: 14px; }
  .plot { margin-left: -10px; }
  .wide { display: none; }
  th, td { padding: 8px 10px; }
  th:first-child { max-width: 11em; min-width: 6em; }
}
@media (forced-colors: active) {
  .value { forced-color-adjust: none; }
}
@media print {
  :root { color-scheme: light; --page: #ffffff; --hover: transparent; }
  body { font-size: 11pt; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  main, body > header, body > footer { max-width: none; padding: 0; }
  .card, .chart, .tiles > div, .shares li, tr { break-inside: avoid; }
  h2 { break-after: avoid; }
  .three { grid-template-columns: repeat(3, minmax(0, 1fr)); }
  .scroll { overflow: visible; max-height: none; }
  table { font-size: 8.5pt; }
  th, td { padding: 4px 6px; }
  thead th { font-size: inherit; white-space: normal; }
  details { display: none; }
}
`;
