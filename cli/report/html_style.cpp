#include "stiefel/cli/report/html_style.hpp"

namespace stiefel::cli {

const char* const html_style = R"(
:root { color-scheme: light; --ink: #1c2024; --faint: #5b6472; --line: #d9dde3; --paper: #fff; --panel: #f6f7f9;
        --accent: #2563eb; --good: #15803d; --bad: #b91c1c; --limit: #b45309; --bound: #7c3aed; }
@media screen and (prefers-color-scheme: dark) {
  :root { color-scheme: dark; --ink: #e6e8eb; --faint: #a3acb8; --line: #353b44; --paper: #14171a; --panel: #1c2025;
          --accent: #60a5fa; --good: #4ade80; --bad: #f87171; --limit: #fbbf24; --bound: #c4b5fd; } }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 51rem;
       margin: 2.5rem auto 4rem; padding: 0 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.3; margin: 0; }
h2 { font-size: 1.15rem; margin: 2.6rem 0 .7rem; }
p { margin: .5rem 0; }  p.faint, figcaption { color: var(--faint); font-size: .875rem; }
.verdict { border-left: 5px solid; background: var(--panel); border-radius: 0 6px 6px 0; padding: .8rem 1.1rem;
           margin: 1.1rem 0 1.6rem; }
.verdict p, .verdict ul { margin: .25rem 0; color: var(--ink); }  .verdict ul { padding-left: 1.2rem; }
.verdict .outcome { font-size: 1.2rem; line-height: 1.35; font-weight: 600; color: inherit; }
.number { white-space: nowrap; }  .outcome::first-letter { text-transform: uppercase; }
.good { color: var(--good); }  .bad { color: var(--bad); }
dl { display: grid; grid-template-columns: minmax(9rem, max-content) 1fr; margin: 0; }
dt, dd { margin: 0; padding: .3rem 0; border-bottom: 1px solid var(--line); }
dt { color: var(--faint); padding-right: 1.5rem; }
.scroll { overflow: auto; max-height: 32rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; white-space: nowrap; padding: .3rem 0 .3rem 1.2rem; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { padding-left: 0; }
th { font-weight: 500; color: var(--faint); position: sticky; top: 0; background: var(--paper); }
.figures { text-align: right; }
td.wide { width: 50%; }  div.bar { background: var(--accent); height: .6rem; border-radius: 2px; min-width: 1px; }
pre { background: var(--panel); border-radius: 6px; padding: .7rem .9rem; margin: .6rem 0; white-space: pre-wrap;
      font: .875rem/1.5 ui-monospace, monospace; user-select: all; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem 1.5rem; align-items: start; margin-bottom: 1.2rem; }
.pair figure:only-child { grid-column: 1 / -1; display: grid; grid-template-columns: inherit; gap: inherit; }
figure { margin: 0; min-width: 0; }  figcaption { margin-top: .35rem; }
svg { display: block; width: 100%; height: auto; font: 12px system-ui, sans-serif; fill: var(--faint); }
svg path { fill: none; }  svg .name { fill: var(--ink); }
.axis, .outline { stroke: var(--faint); fill: none; }  .grid { stroke: var(--line); }  .paper { fill: none; }
.halo { paint-order: stroke; stroke: var(--paper); stroke-width: 4px; stroke-linejoin: round; }
.curve, .bound { stroke: var(--accent); stroke-width: 1.6; stroke-linejoin: round; stroke-linecap: round; }
.bound { stroke: var(--bound); stroke-dasharray: 1 4; }  .point { stroke-width: 7; stroke-dasharray: none; }
.target { stroke: var(--good); stroke-dasharray: 6 4; }  .limit { stroke: var(--limit); stroke-dasharray: 2 3; }
.change { stroke: var(--faint); stroke-dasharray: 1 3; }
.roof-name { fill: var(--limit); }  .roof { stroke: var(--limit); stroke-width: 1.6; }  .leader { stroke: var(--line); }
.kernel { fill: var(--accent); stroke: var(--paper); stroke-width: 1.5; }
rect.bar { fill: var(--accent); }
.cells { stroke: var(--accent); shape-rendering: crispEdges; }
.shade0 { stroke-opacity: .25; }  .shade1 { stroke-opacity: .4; }  .shade2 { stroke-opacity: .55; }
.shade3 { stroke-opacity: .7; }  .shade4 { stroke-opacity: .85; }
svg.stack { height: 1.9rem; border-radius: 4px; overflow: hidden; }
.swatch { display: inline-block; width: .75rem; height: .75rem; border-radius: 2px; margin-right: .6rem; }
.swatch, div.bar { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.times { max-width: 30rem; margin-top: .6rem; }  .times td { padding-top: .15rem; padding-bottom: .15rem; }
.read { --c: #0d9488; }  .start { --c: #a16207; }  .convert { --c: #65a30d; }  .examine { --c: #d4a72c; }
.prepare { --c: #f59e0b; }  .precondition { --c: #ea580c; }  .choose { --c: #a3c644; }  .upload { --c: #be185d; }
.kernel0 { --c: #1e40af; }  .kernel1 { --c: #2563eb; }  .kernel2 { --c: #4b8bf5; }  .kernel3 { --c: #7aaef9; }
.kernel4 { --c: #a5c8fb; }  .kernel5 { --c: #c3d9fc; }  .rest-of-solve { --c: #8193b8; }  .download { --c: #ec4899; }
.sample { --c: #64748b; }  .compare { --c: #7c3aed; }  .write { --c: #14b8a6; }  .probe { --c: #a8a29e; }  .rest { --c: #9ca3af; }
.part { fill: var(--c); }  .swatch { background: var(--c); }
@media (max-width: 40rem) {
  body { margin-top: 1.2rem; }
  .pair, .pair figure:only-child { grid-template-columns: 1fr; gap: 1rem; }
  dl { display: block; }  dt { border: 0; padding: .5rem 0 0; font-size: .9rem; }  dd { padding-top: 0; }
  table { font-size: .9rem; }  th, td { padding-left: .8rem; } }
@media print {
  @page { margin: 16mm 14mm; }
  body { font-size: 10.5pt; margin: 0; padding: 0; max-width: none; }
  .scroll { overflow: visible; max-height: none; }  th { position: static; }
  h2 { break-after: avoid; }  figure, .pair, .verdict, tr, dt, dd, pre { break-inside: avoid; }
  .verdict { border: 1px solid; border-left-width: 5px; } })";

}  // namespace stiefel::cli
