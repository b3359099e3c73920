/** Measures how soon the page of `tenon ui` shows 10,000 workflows and 1,000 features after the server answered. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { loadCatalogueOperation } from "#doors/catalogue.ts";
import { openChromium } from "../test/ui/serve-page.ts";
import { fillWorkspace } from "./growth.ts";
import { createBenchHouse } from "./house.ts";

const WORKFLOWS = 10_000;
const FEATURES = 1_000;
const FEATURES_PER_WAVE = 100;
const PAINT_BUDGET_MS = 1000;
const PAGE_ROUNDS = 5;

const VIEWS = [
  ["board", "workflow.status", ".card"],
  ["roadmap", "roadmap.graph", "tbody tr"],
] as const;

/** Runs in the page: notes when the first element of a view was painted. */
const createPaintNote = (selector: string): string => `new MutationObserver((_, observer) => {
  if (!document.querySelector(${JSON.stringify(selector)})) return;
  observer.disconnect();
  requestAnimationFrame(() => setTimeout(() => (document.documentElement.dataset.painted = performance.now())));
}).observe(document, { childList: true, subtree: true });`;

const createPaintDelay = (operation: string): string =>
  `Number(document.documentElement.dataset.painted) - performance.getEntriesByName(location.origin + "/api/${operation}")[0].responseEnd`;

const root = fs.realpathSync(fs.mkdtempSync(join(os.tmpdir(), "tenon-bench-")));
execFileSync("git", ["init", "--quiet"], { cwd: root });
const filling = createBenchHouse(root);
const engine = await filling.open({ argument: root });
await fillWorkspace(engine, "finished workflows", WORKFLOWS);
const features = Array.from({ length: FEATURES }, (_, i) => ({
  name: `feature-${i}`,
  description: `Feature ${i} of many`,
  dependencies: i < FEATURES_PER_WAVE ? [] : [`feature-${i - FEATURES_PER_WAVE}`],
}));
const manage = await loadCatalogueOperation("roadmap.manage");
const planned = (await manage.run(engine, { action: "create", features })) as { token?: string };
if (planned.token !== undefined) await manage.run(engine, { action: "create", features, confirm: planned.token });
filling.close();

const house = createBenchHouse(root);
const browser = await openChromium();
const rows: string[][] = [];
for (const [view, operation, selector] of VIEWS) {
  const served = await house.serveUi({
    address: "127.0.0.1",
    port: 0,
    tls: undefined,
    workspace: root,
    password: undefined,
  });
  const context = await browser.newContext();
  const tab = await context.newPage();
  await tab.goto(served.link);
  await tab.getByText("live", { exact: true }).waitFor();
  await tab.goto(`${new URL(served.link).origin}/#/${view}`);
  await tab.addInitScript(createPaintNote(selector));
  const times: number[] = [];
  for (let round = 0; round < PAGE_ROUNDS; round++) {
    await tab.reload();
    await tab.locator("html[data-painted]").waitFor();
    times.push(await tab.evaluate<number>(createPaintDelay(operation)));
  }
  const median = times.toSorted((a, b) => a - b)[times.length >> 1] ?? Number.NaN;
  rows.push([view, `${Math.round(median)} ms`, `${PAINT_BUDGET_MS} ms`, median <= PAINT_BUDGET_MS ? "kept" : "MISSED"]);
  await context.close();
  await served.close();
}
await browser.close();
house.close();
fs.rmSync(root, { recursive: true });

const runDate = new Date().toISOString().slice(0, 10);
const report = [
  `# The page, measured on ${runDate}`,
  "",
  `${WORKFLOWS} workflows and ${FEATURES} features. From the last byte of the server's answer to the first paint; medians of ${PAGE_ROUNDS}.`,
  "",
  "| view | first paint | budget | |",
  "|---|---|---|---|",
  ...rows.map((row) => `| ${row.join(" | ")} |`),
  "",
].join("\n");
console.log(report);
fs.writeFileSync(`bench/results/${runDate}-page.md`, report);
