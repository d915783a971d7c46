/** Named, not inherited: ECharts measures text with it. */
export const FONT = 'system-ui, -apple-system, Segoe UI, Roboto, Noto Sans, sans-serif';

/** Style of the page: light or dark by the reader's setting, always light in print. */
export const STYLE = `
:root {
  color-scheme: light;
  --page: #fbfbfa; --surface: #ffffff; --text: #1d2125; --muted: #5d666f; --line: #e8eaec; --line-strong: #c9ced3; --accent: #2563a8;
  --pass: #1a7a45; --fail: #c0311e; --inconclusive: #8f6200;
  --pass-tint: #e4f3ea; --fail-tint: rgba(192, 49, 30, 0.09); --inconclusive-tint: #fbf0d6; --band: rgba(93, 102, 111, 0.09);
  --p50: #86b3dd; --p95: #3577b5; --p99: #143d66;
  --offered: #7a838c; --answered: #2f74b5; --completed: #0f8577; --waiting: #b35900;
  --series-1: #2f74b5; --series-2: #c76a15; --series-3: #0f8577; --series-4: #8a4fae;
  --series-5: #a3741a; --series-6: #c2487f; --series-7: #5b6b9a; --series-8: #5a7d2a;
  --flame-1: #f0a765; --flame-2: #9cc59a; --flame-3: #c9ccd1; --flame-4: #8fb8e0; --flame-text: #1d2125;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    color-scheme: dark;
    --page: #131619; --surface: #1a1e22; --text: #e4e7ea; --muted: #98a2ac; --line: #2a3036; --line-strong: #434b53; --accent: #7cb2e8;
    --pass: #57c98a; --fail: #ff8472; --inconclusive: #e5b54b;
    --pass-tint: #15301f; --fail-tint: rgba(255, 132, 114, 0.12); --inconclusive-tint: #332a12; --band: rgba(152, 162, 172, 0.1);
    --p50: #3f6f9c; --p95: #6aaae6; --p99: #c4dffa;
    --offered: #8b959f; --answered: #6aaae6; --completed: #45c4b2; --waiting: #f0a050;
    --series-1: #6aaae6; --series-2: #f0a050; --series-3: #45c4b2; --series-4: #c295e0;
    --series-5: #d9b45a; --series-6: #ee8fb8; --series-7: #9aa9dd; --series-8: #a2c76a;
    --flame-1: #b8682a; --flame-2: #3f7a4b; --flame-3: #565e67; --flame-4: #35689b; --flame-text: #f2f4f6;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.55 ${FONT}; }
main { max-width: 1160px; margin: 0 auto; padding: 48px 24px 96px; }
h1, h2, h3, h4 { line-height: 1.3; font-weight: 600; margin: 0; text-wrap: balance; }
p { margin: 0; }
a { color: inherit; text-decoration-color: var(--line-strong); text-underline-offset: 3px; }
a:hover { text-decoration-color: currentColor; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
section { margin-top: 72px; }
section > h2 { font-size: 22px; letter-spacing: -0.01em; margin-bottom: 16px; overflow-wrap: anywhere; }

.origin { color: var(--muted); font-size: 13px; }
h1 { display: flex; gap: 16px; align-items: flex-start; margin: 14px 0 18px; font-size: 20px; line-height: 1.45; font-weight: 450; letter-spacing: -0.006em; overflow-wrap: anywhere; text-wrap: pretty; }
.badge { flex: none; display: inline-block; padding: 0.12em 0.6em; border-radius: 5px; font-weight: 700; letter-spacing: 0.04em; font-size: 0.92em; color: var(--page); }
.badge.pass, .badge.capacity { background: var(--pass); color: var(--page); } .badge.fail { background: var(--fail); } .badge.inconclusive { background: var(--inconclusive); } .badge.running { background: var(--muted); }
td .badge { font-size: 11.5px; }
.provisional { max-width: 78ch; color: var(--muted); }
.provisional strong { color: var(--text); }

.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 420px), 1fr)); gap: 20px; margin-top: 32px; }
.card { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; padding: 20px 24px; min-width: 0; }
.card h2 { display: flex; justify-content: space-between; gap: 12px; align-items: center; font-size: 16px; overflow-wrap: anywhere; }
.card .badge { font-size: 11.5px; }
.figure { margin: 8px 0 4px; font-size: 20px; font-variant-numeric: tabular-nums; }
.figure strong { font-size: 44px; line-height: 1.15; font-weight: 600; letter-spacing: -0.03em; }
.figure span { color: var(--muted); font-size: 14px; margin-left: 4px; }
.card figure { margin: 4px 0 10px; } .card figure h3 { font-size: 13px; font-weight: 500; color: var(--muted); }
.conclusion { margin-top: 4px; overflow-wrap: anywhere; }
dl { margin: 16px 0 0; display: grid; gap: 8px; }
dl div { display: grid; grid-template-columns: 160px 1fr; gap: 12px; border-top: 1px solid var(--line); padding-top: 8px; font-size: 14px; }
dt { color: var(--muted); }
dd { margin: 0; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }

.recommendation { margin-top: 32px; border: 1px solid var(--line); border-left: 3px solid var(--accent); border-radius: 10px; background: var(--surface); padding: 20px 24px; }
.recommendation h2 { font-size: 18px; margin-bottom: 8px; }
.recommendation p { max-width: 78ch; white-space: pre-line; }
.recommendation .copy { display: flex; justify-content: space-between; align-items: end; max-width: none; margin: 16px 0 8px; color: var(--muted); font-size: 13px; }
pre { margin: 0; padding: 16px; border-radius: 6px; border: 1px solid var(--line); background: var(--page); overflow: auto; max-height: 480px; white-space: pre-wrap; overflow-wrap: anywhere; font: 13px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; }
button { font: inherit; color: inherit; cursor: pointer; }
.copy button { color: var(--text); padding: 3px 12px; border: 1px solid var(--line-strong); border-radius: 5px; background: var(--surface); }
.copy button:hover { border-color: var(--muted); }

.scroll { overflow-x: auto; margin: 0 0 28px; background:
  linear-gradient(to left, var(--page) 30%, transparent) right / 40px 100% no-repeat local,
  linear-gradient(to left, var(--line), transparent) right / 14px 100% no-repeat scroll; }
/* As wide as the table, at most as wide as the screen; does not widen the table. */
.scroll caption > div, .reasons ul { position: sticky; left: 0; width: 0; min-width: min(100%, 1112px, 100vw - 32px); }
table { border-collapse: collapse; width: 100%; font-size: 14px; font-variant-numeric: tabular-nums; }
caption { text-align: left; caption-side: bottom; padding-top: 10px; color: var(--muted); font-size: 13px; }
th, td { padding: 7px 14px 7px 0; text-align: right; vertical-align: baseline; white-space: nowrap; border-bottom: 1px solid var(--line); }
th:last-child, td:last-child { padding-right: 0; }
thead th { color: var(--muted); font-weight: 500; font-size: 13px; border-bottom-color: var(--line-strong); }
tbody th { font-weight: 600; }
.text, tbody th:first-child { text-align: left; }
td small { color: var(--muted); font-size: 12px; margin-left: 2px; }
.steps th, .steps td { padding-right: 9px; }
.steps td:first-child, .steps th:first-child { color: var(--muted); text-align: left; }
.steps tr:has(+ .reasons) > * { border-bottom: 0; }
.steps .reasons td { padding-top: 0; white-space: normal; }
.steps ul { margin: 0; padding: 0; list-style: none; font-size: 13px; line-height: 1.5; color: var(--muted); overflow-wrap: anywhere; }
.steps .reasons ul { min-width: min(100%, 100vw - 80px); }
.word { font-weight: 600; }
.word::before { content: '● '; font-size: 0.7em; vertical-align: 0.12em; }
.pass .word { color: var(--pass); }
.fail .word { color: var(--fail); } .fail .word::before { content: '✕ '; font-size: 0.9em; vertical-align: 0; }
.inconclusive .word { color: var(--inconclusive); } .inconclusive .word::before { content: '△ '; font-size: 0.9em; vertical-align: 0; }
.capacity { font-size: 12px; font-weight: 600; color: var(--pass); background: var(--pass-tint); border-radius: 4px; padding: 1px 7px; margin-left: 4px; }
.events .fail td:nth-child(4) { color: var(--fail); font-weight: 600; }
.events td:last-child, .drift td:last-child, .phases td:last-child, .tries td:last-child { white-space: normal; min-width: 240px; overflow-wrap: anywhere; }
.steps tbody th { text-align: right; }

.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 440px), 1fr)); gap: 32px 40px; }
.overload { margin-top: 28px; }
figure { margin: 0; min-width: 0; }
figure h3, figure h4 { font-size: 15px; overflow-wrap: anywhere; }
figcaption, .reading { color: var(--muted); font-size: 13px; margin-top: 6px; }
.reading:has(+ .scroll) { margin-bottom: 12px; }
.plot { height: 300px; }
h4 ~ .plot { height: 230px; }
.tooltip { font-size: 12px !important; line-height: 1.5 !important; }
.keys { display: flex; flex-wrap: wrap; gap: 2px 6px; list-style: none; margin: 4px 0 0 -6px; padding: 0; }
.keys button { border: 0; background: none; padding: 3px 6px; font-size: 13px; color: var(--muted); border-radius: 4px; }
.keys button:hover { color: var(--text); background: var(--band); }
.keys button[aria-pressed='false'] { opacity: 0.45; text-decoration: line-through; }
.keys i { display: inline-block; width: 18px; margin-right: 6px; vertical-align: 0.25em; border-top: 2px solid; }
.keys i.dashed { border-top-style: dashed; } .keys i.dotted { border-top-style: dotted; }
.shapes { display: flex; flex-wrap: wrap; gap: 4px 20px; color: var(--muted); font-size: 13px; margin-top: 12px; }
.shapes:has(+ .scroll) { margin-bottom: 24px; }
.shapes i { font-style: normal; margin-right: 6px; }
.shapes .circle { display: inline-block; width: 8px; height: 8px; border-radius: 50%; background: var(--answered); }
.shapes .cross { color: var(--fail); font-weight: 700; } .shapes .triangle { color: var(--inconclusive); }
.shapes .shade { display: inline-block; width: 16px; height: 10px; background: var(--fail-tint); border-left: 1px solid var(--fail); }
.component { font-size: 16px; margin: 36px 0 12px; padding-top: 16px; border-top: 1px solid var(--line); }
.tip { margin-top: 6px; } .tip > span { display: block; color: var(--muted); }
.tip > span + span, .tip-row { color: var(--text); }
.tip i, .tip-row i { display: inline-block; width: 8px; height: 8px; border-radius: 50%; margin-right: 6px; }
.tip b, .tip-row b { font-variant-numeric: tabular-nums; margin-left: 6px; }

.term { border: 0; background: none; padding: 0; font-weight: inherit; letter-spacing: inherit; text-align: inherit; text-decoration: underline dotted var(--line-strong); text-underline-offset: 3px; cursor: help; }
#explanation { max-width: min(320px, calc(100vw - 32px)); margin: 0; inset: auto; padding: 8px 12px; border: 1px solid var(--line-strong); border-radius: 6px; background: var(--surface); color: var(--text); font-size: 13px; line-height: 1.5; }
.terms { grid-template-columns: repeat(auto-fit, minmax(min(100%, 440px), 1fr)); gap: 8px 40px; }
.live { position: sticky; top: 0; z-index: 2; margin: -24px 0 24px; padding: 8px 0; background: var(--page); border-bottom: 1px solid var(--line); color: var(--muted); font-size: 13px; font-variant-numeric: tabular-nums; }
.live strong { color: var(--text); }

.facts { columns: 2 440px; column-gap: 40px; margin-bottom: 32px; }
.facts-table { break-inside: avoid; margin-bottom: 32px; }
.facts-table caption { caption-side: top; color: var(--text); font-weight: 600; font-size: 15px; padding: 0 0 6px; }
.facts-table th { color: var(--muted); font-weight: 400; width: 150px; white-space: normal; overflow-wrap: anywhere; }
.facts-table td { text-align: left; white-space: normal; overflow-wrap: anywhere; }
noscript p { margin-top: 32px; }

.estimates td small { display: block; margin-left: 0; }
.question { color: var(--muted); margin-bottom: 8px; max-width: 78ch; }
.warning { max-width: 78ch; margin: 0 0 28px; padding-left: 12px; border-left: 3px solid var(--inconclusive); }
th button { border: 0; background: none; padding: 0; color: inherit; }
th button:hover { color: var(--text); text-decoration: underline; text-underline-offset: 3px; }
th[aria-sort] button { color: var(--text); }
th[aria-sort='ascending'] button::after { content: ' ↑'; } th[aria-sort='descending'] button::after { content: ' ↓'; }
.steps .reasons li { white-space: pre-line; }
.choice { margin-bottom: 20px; font-size: 14px; color: var(--muted); }
.choice select { font: inherit; color: var(--text); margin-left: 8px; padding: 3px 8px; border: 1px solid var(--line-strong); border-radius: 5px; background: var(--surface); }
.pair[hidden], .choice[hidden] { display: none; }
figure .scroll { margin: 8px 0 16px; }
.heat { width: auto; border-collapse: separate; border-spacing: 2px; }
.heat caption { caption-side: top; padding: 0 0 2px; color: var(--text); }
.heat th, .heat td { padding: 5px 10px; border: 0; min-width: 68px; text-align: center; }
.heat thead th { padding-block: 2px; }
.heat tbody td { background: color-mix(in oklab, var(--accent) var(--shade, 0%), var(--surface)); border-radius: 4px; padding-block: 9px; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.heat td.blank { background: none; border: 1px dashed var(--line-strong); color: var(--muted); font-size: 12px; }
.heat thead th.text, .heat tbody th:first-child { text-align: left; padding-left: 0; }
.cross { color: var(--fail); font-weight: 700; }

@media (max-width: 640px) {
  main { padding: 24px 16px 64px; }
  h1 { display: block; font-size: 18px; }
  h1 .badge { margin: 0 6px 4px 0; }
  section { margin-top: 56px; }
  .card, .recommendation { padding: 16px; }
  dl div { grid-template-columns: 1fr; gap: 0; }
  .facts-table th { width: 120px; }
  .scroll th[scope='row'] { position: sticky; left: 0; background: var(--page); }
}
@media print {
  body { font-size: 12px; background: none; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  main { max-width: none; padding: 0; }
  section { margin-top: 32px; }
  section > h2 { font-size: 18px; }
  h1 { font-size: 16px; }
  .pair { display: block; }
  .pair > figure { margin-bottom: 16px; }
  figure, .card, tr { break-inside: avoid; }
  h2, h3, h4 { break-after: avoid; }
  .plot > div, .plot svg { width: 100% !important; height: 100% !important; }
  .keys button { padding: 0 6px; }
  .copy button { display: none; }
  pre { max-height: none; }
  .term { text-decoration: none; }
  .live { display: none; }
  .scroll { overflow: visible; }
  table, td small, .capacity, .steps ul { font-size: 9.5px; }
  thead th, caption { font-size: 9px; }
  th, td { padding: 4px 6px 4px 0; }
  thead th { white-space: normal; }
  .scroll { background: none; }
  .scroll caption > div, .reasons ul { width: auto; min-width: 0; }
}
`;
