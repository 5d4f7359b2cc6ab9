/** The style that all pages share. No colour is the only sign of anything; letters have a contrast of 4.5 to what is behind them. */
export const pageStyle = `
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
`;
