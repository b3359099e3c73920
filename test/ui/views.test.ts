/** The page of `tenon ui` in a real browser: every view, live updates, answers, keyboard, sizes, accessibility. */
import axe from "axe-core";
import fs from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasBrowser, openChromium, type ServedPage, servePage } from "./serve-page.ts";

/** Each view, and a text of the repository that it must show. */
const VIEWS = [
  ["board", "Log in with a code"],
  ["roadmap", "There is no roadmap yet."],
  ["run", "Tenon has started no agents here."],
  ["gates", "No gate has left a receipt yet."],
  ["trace", "AUTH-001"],
  ["trace/AUTH-001", "login.js"],
  ["documents", "Codes expire"],
  ["documents/sdd/specs/AUTH-001.yaml", "acceptance_criteria"],
  ["memory", "never by SMS"],
  ["approvals", "Approve"],
  ["health", "ledger"],
] as const;

describe.skipIf(!hasBrowser)("the page in Chromium", () => {
  let browser: Browser;
  let served: ServedPage;
  let tab: Page;
  const show = async (view: string, page = tab): Promise<void> => {
    await page.goto(`${served.origin}/#/${view}`);
  };

  beforeAll(async () => {
    [browser, served] = await Promise.all([openChromium(), servePage()]);
    tab = await served.openTab(browser);
  });
  afterAll(async () => {
    await browser.close();
    await served[Symbol.asyncDispose]();
  });

  test.each(VIEWS)("shows what the repository has: %s", async (view, text) => {
    await show(view);
    await tab.getByText(text).first().waitFor();
    expect(await tab.getByRole("alert").count()).toBe(0);
  });

  test.each(["light", "dark"] as const)("has no accessibility violation in %s colours", async (colorScheme) => {
    await tab.emulateMedia({ colorScheme });
    for (const [view, text] of VIEWS) {
      await show(view);
      await tab.getByText(text).first().waitFor();
      // The policy of the page forbids foreign scripts, so the checker runs outside of the page's world.
      const { violations } = await tab.evaluate(`${axe.source}; axe.run()`).then((result) => result as axe.AxeResults);
      expect({ view, found: violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`) }).toEqual({
        view,
        found: [],
      });
    }
  });

  test.each([
    [360, 780],
    [3840, 2160],
  ])("needs no sideways scrolling at %s pixels", async (width, height) => {
    const sized = await served.openTabAgain(browser, tab, { width, height });
    for (const [view, text] of VIEWS) {
      await show(view, sized);
      await sized.getByText(text).first().waitFor();
      const widths = await sized.evaluate<[number, number]>("[document.documentElement.scrollWidth, innerWidth]");
      expect({ view, isFitting: widths[0] <= widths[1] }).toEqual({ view, isFitting: true });
    }
    await sized.close();
  });

  test("shows within a second of the ledger what another process writes", async () => {
    await show("board");
    await tab.getByText("Log in with a code").waitFor();
    const card = tab.getByText("Correct the footer");
    expect(await card.count()).toBe(0);
    await served.run("change", "start", "--type", "fix", "--size", "small", "--concurrent", "Correct the footer");
    await card.waitFor();
  });

  test("works by keyboard: views, priority", async () => {
    await show("health");
    await tab.getByRole("heading", { name: "Health", level: 1 }).waitFor();
    await tab.locator("body").press("Tab");
    await tab.getByRole("link", { name: "Board" }).focus();
    await tab.keyboard.press("Enter");
    await tab.getByRole("heading", { name: "Board", level: 1 }).waitFor();
    const lower = tab.getByRole("button", { name: "Lower the priority of AUTH-001" });
    await lower.focus();
    await tab.keyboard.press("Enter");
    await tab.getByRole("status").getByText("AUTH-001 has priority 4.").waitFor();
    expect((await served.run("workflow", "status", "--json")).out).toContain('"priority":4');
    // The first stop of each page leads past the navigation.
    await tab.reload();
    await tab.getByRole("heading", { name: "Board", level: 1 }).waitFor();
    await tab.locator("body").press("Tab");
    await tab.keyboard.press("Enter");
    expect(await tab.evaluate("document.activeElement.id")).toBe("view-title");
  });

  test("a card that is dropped on another one gets its priority", async () => {
    await show("board");
    const card = (text: string) => tab.locator(".card").filter({ hasText: text });
    await card("Correct the title of the page").dragTo(card("Log in with a code"));
    await tab.getByRole("status").getByText("correct-the-title-of-the-page has priority 4.").waitFor();
    const { queue } = JSON.parse((await served.run("workflow", "status", "--json")).out) as {
      queue: { id: string; priority: number }[];
    };
    expect(queue.find(({ id }) => id === "correct-the-title-of-the-page")?.priority).toBe(4);
  });

  test("an approval on the page lets the gate pass, with the proof that a person typed it", async () => {
    expect((await served.run("workflow", "advance", "AUTH-001")).code).toBe(3);
    await show("approvals");
    await tab.getByLabel("Reason").fill("The criteria are complete");
    await tab.getByRole("button", { name: "Approve" }).click();
    await tab.getByText("Nothing waits for you.").waitFor();
    const { code, err, out } = await served.run("workflow", "advance", "AUTH-001");
    expect({ code, err, out }).toMatchObject({ code: 0 });
    const receipts = fs.readFileSync(join(served.root, "sdd/receipts/AUTH-001.jsonl"), "utf8").trim().split("\n");
    expect(JSON.parse(receipts.at(-1) ?? "{}")).toMatchObject({
      passed: true,
      approvals: [{ by: "ada", proof: "typed", client: "page" }],
    });
  });

  test("draws only the cards and rows on the screen of 10,000", async () => {
    const many = Array.from({ length: 10_000 }, (_, i) => ({
      id: `AUTH-${i}`,
      kind: "feature",
      title: `Feature ${i}`,
      stage: "implement",
      priority: 3,
      started_at: "2026-01-31T12:00:00Z",
      updated_at: "2026-01-31T12:00:00Z",
      status: "paused",
      is_current: false,
      interrupted: false,
      age: "1 h",
    }));
    const features = Array.from({ length: 1_000 }, (_, i) => ({
      name: `feature-${i}`,
      description: "One of many",
      phase: "initialized",
      wave: 1 + Math.floor(i / 100),
      dependencies: i < 100 ? [] : [`feature-${i - 100}`],
      critical: false,
      fixes: 0,
      files: [],
    }));
    await tab.route("**/api/workflow.status", (route) =>
      route.fulfill({ json: { session: "default", queue: many, finished: [], notes: [] } }),
    );
    await tab.route("**/api/roadmap.graph", (route) =>
      route.fulfill({
        json: { run: "on", cap: null, spent: 0, features, forecast: [], spending: [], in_progress: [] },
      }),
    );
    await show("board");
    await tab.getByText("Feature 0", { exact: true }).waitFor();
    expect(await tab.locator(".card").count()).toBeLessThan(200);
    await tab.getByLabel("Build", { exact: true }).locator(".cards.long").focus();
    await tab.keyboard.press("End");
    await tab.getByText("Feature 9999", { exact: true }).waitFor();
    await show("roadmap");
    await tab.getByText("feature-0", { exact: true }).waitFor();
    expect(await tab.locator("tbody tr").count()).toBeLessThan(200);
    await tab.unrouteAll();
  });

  test("reports when the server has ended", async () => {
    const own = await servePage();
    const page = await own.openTab(browser);
    await page.getByText("Log in with a code").waitFor();
    await own[Symbol.asyncDispose]();
    await page.getByText("connecting").waitFor();
    // What it read before stays on the screen.
    expect(await page.getByText("Log in with a code").count()).toBe(1);
    await page.close();
  });

  test("a snapshot shows the views without a server, and without memory", async () => {
    const folder = join(served.root, "shared-snapshot");
    const { code, err } = await served.run("ui", "--export", folder);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(fs.readdirSync(folder).toSorted()).toEqual(["index.html", "page.css", "page.js"]);
    expect(fs.readFileSync(join(folder, "index.html"), "utf8")).not.toContain("never by SMS");
    const context = await browser.newContext({ offline: true });
    const page = await context.newPage();
    await page.goto(`file://${folder}/index.html`);
    await page.getByText("Correct the title of the page").waitFor();
    await page.goto(`file://${folder}/index.html#/documents/sdd/specs/AUTH-001.yaml`);
    await page.getByText("acceptance_criteria").waitFor();
    await context.close();
    expect((await served.run("ui", "--export", folder)).err).toContain("exists and is not empty");
  });
});
