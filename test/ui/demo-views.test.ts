/** Every view with the data of `tenon demo`, and with a script in every text that a view reads. */
import axe from "axe-core";
import fs from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TemporaryFolder, temporaryFolder } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";
import { finished, startTenon } from "../kit/process.ts";
import { hasBrowser, openChromium, type ServedPage, serveHouse } from "./serve-page.ts";

/** Each view, and texts that the demo left for it. */
const VIEWS: readonly (readonly [view: string, texts: readonly string[]])[] = [
  ["board", ["BUG-001", "fares", "tickets"]],
  ["roadmap", ["wave 1, built", "wave 2, built", "Forecast of the remaining work, by wave"]],
  ["run", ["The run of the roadmap is on."]],
  ["gates", ["BUG-001", "fares"]],
  ["gates/BUG-001", ["regression-seen-to-fail", "Ada"]],
  ["trace", ["BUG-001", "fares"]],
  ["trace/BUG-001", ["src/clock.js"]],
  ["documents", ["features/fares/design.md", "handover/decisions.md"]],
  ["documents/sdd/features/tickets/reviews/B2.yaml", ["NO-GO"]],
  ["documents/sdd/handover/session.md", ["Ask the crew which printer they have"]],
  ["documents/sdd/roadmap.md", ["tickets"]],
  ["memory", ["Every printer takes it"]],
  ["approvals", ["Nothing waits for you."]],
  ["health", ["ledger"]],
];

describe.skipIf(!hasBrowser)("the page of the demo's repository", () => {
  let browser: Browser;
  let served: ServedPage;
  let tab: Page;
  let folder: TemporaryFolder;
  const show = async (view: string): Promise<void> => {
    await tab.goto(`${served.origin}/#/${view}`);
    await tab.getByRole("heading", { level: 1 }).waitFor();
    while ((await tab.getByText("Reading…").count()) > 0)
      await tab.getByText("Reading…").first().waitFor({ state: "detached" });
  };

  beforeAll(async () => {
    folder = temporaryFolder();
    const home = join(folder.path, "home");
    fs.mkdirSync(home);
    const env = { HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home, TENON_HOME: home, TMPDIR: folder.path };
    const { out } = await finished(startTenon(["demo", "--keep"], { env, cwd: folder.path }));
    const root = /The repository stays in (\S+)/.exec(out)?.[1] ?? "";
    browser = await openChromium();
    served = await serveHouse(testHouse(root, { dataFolder: join(root, "../home") }, { canAsk: true }), root);
    tab = await served.openTab(browser);
  });
  afterAll(async () => {
    await browser.close();
    await served[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  test.each(VIEWS)("shows what the demo left: %s", async (view, texts) => {
    await show(view);
    for (const text of texts) await tab.getByText(text).first().waitFor();
    expect(await tab.getByRole("alert").count()).toBe(0);
    // A table that is wider than the page hides its last columns.
    expect(
      await tab.evaluate(
        `[...document.querySelectorAll(".table")].filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.ariaLabel)`,
      ),
    ).toEqual([]);
    const { violations } = (await tab.evaluate(`${axe.source}; axe.run()`)) as axe.AxeResults;
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
  });

  test("finds in memory what the demo decided", async () => {
    await show("memory");
    await tab.getByLabel("Question").fill("Which text do printers take?");
    await tab.getByRole("button", { name: "Search" }).click();
    await tab.getByRole("link", { name: "Tickets are plain text" }).waitFor();
    expect(await tab.getByRole("alert").count()).toBe(0);
  });

  test("opens an address that cannot be decoded", async () => {
    await show("trace/%zz");
    await tab.getByRole("heading", { name: "%zz", level: 1 }).waitFor();
    expect(await tab.title()).toBe("%zz · Tenon");
  });

  /** Every text of every answer, whatever record or field it came from, so no field can be forgotten. */
  test.each([
    ["a tag after each text", (text: string) => `${text}${EVIL}`],
    ["a tag in place of each text", () => EVIL],
    ["an address that is a script", () => "javascript:window.taken=1"],
  ])("no text of any answer becomes code: %s", async (_, spoil) => {
    const spoiled = new Set<string>();
    await tab.route("**/api/*", async (route) => {
      const call = new URL(route.request().url()).pathname;
      if (call === "/api/events") return route.continue();
      const answer = await route.fetch();
      spoiled.add(call);
      return route.fulfill({ response: answer, json: spoilTexts(await answer.json(), spoil) });
    });
    const foreign: string[] = [];
    tab.on("request", (each) => void (each.url().startsWith(served.origin) || foreign.push(each.url())));
    for (const [view] of VIEWS) {
      await show(view);
      await tab.reload();
      await show(view);
      const taken = await tab.evaluate("window.taken ?? 0");
      const links = (await tab.evaluate(`[...document.querySelectorAll("a[href]")].map((a) => a.href)`)) as string[];
      const scripts = links.filter((link) => !/^https?:/.test(link));
      // The policy of the page blocks scripts too, so a tag that became an element must be found here.
      const elements = await tab.evaluate(`document.querySelectorAll("#page :is([onerror], [onload], script)").length`);
      expect({ view, taken, scripts, elements }).toEqual({ view, taken: 0, scripts: [], elements: 0 });
    }
    await tab.unrouteAll({ behavior: "wait" });
    expect(foreign.filter((url) => !url.startsWith("data:"))).toEqual([]);
    expect(spoiled.size).toBeGreaterThan(10);
  });
});

const EVIL = `<img src=x onerror="window.taken=1"><script>window.taken=1</script><svg onload="window.taken=1">[x](javascript:window.taken=1)`;

function spoilTexts(value: unknown, spoil: (text: string) => string): unknown {
  if (typeof value === "string") return spoil(value);
  if (Array.isArray(value)) return value.map((each) => spoilTexts(each, spoil));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, spoilTexts(each, spoil)]));
}
