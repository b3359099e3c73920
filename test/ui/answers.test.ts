/** What a person does on the page: reject with a reason, filter, search and read memory, print, come back after a cut. */
import fs from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasBrowser, openChromium, type ServedPage, servePage } from "./serve-page.ts";

describe.skipIf(!hasBrowser)("a person at the page", () => {
  let browser: Browser;
  let served: ServedPage;
  let tab: Page;
  const show = (view: string) => tab.goto(`${served.origin}/#/${view}`);

  beforeAll(async () => {
    [browser, served] = await Promise.all([openChromium(), servePage()]);
    tab = await served.openTab(browser);
  });
  afterAll(async () => {
    await browser.close();
    await served[Symbol.asyncDispose]();
  });

  test("rejects a question with a reason, which the next session reads", async () => {
    await show("approvals");
    await tab.getByLabel("Reason").fill("Codes must expire after 5 minutes");
    await tab.getByRole("button", { name: "Reject" }).click();
    await tab.getByRole("status").getByText("AUTH-001 is rejected.").waitFor();
    const { code, out } = await served.run("workflow", "advance", "AUTH-001");
    expect(code).toBe(3);
    expect(out).toContain("Codes must expire after 5 minutes");
  });

  test("filters requirements by what they lack", async () => {
    await show("trace");
    await tab.getByRole("link", { name: "AUTH-001" }).waitFor();
    await tab.getByLabel("Show").selectOption("without code");
    await tab.getByRole("link", { name: "AUTH-001" }).waitFor({ state: "detached" });
    await tab.getByLabel("Show").selectOption("without tests");
    await tab.getByRole("link", { name: "AUTH-001" }).waitFor();
    expect(await tab.locator("tbody tr").count()).toBe(1);
  });

  test("shows drift of accepted code", async () => {
    expect((await served.run("drift", "--accept", "AUTH-001", "--reason", "It is as agreed")).code).toBe(0);
    fs.writeFileSync(join(served.root, "login.js"), "// @spec AUTH-001\nexport const login = 2;\n");
    await show("trace");
    const drift = tab.getByRole("region", { name: "Drift: code that changed since it was accepted" });
    await drift.getByText("login.js").first().waitFor();
  });

  test("shows what was saved before and after a memory, and its earlier texts", async () => {
    await served.run(
      "memory",
      "save",
      "Mail leaves by the relay in Oslo",
      "--title",
      "Relay",
      "--topic-key",
      "mail/relay",
    );
    await served.run(
      "memory",
      "save",
      "Mail leaves by the relay in Bergen",
      "--title",
      "Relay",
      "--topic-key",
      "mail/relay",
    );
    await served.run("memory", "save", "The relay takes 90 mails a minute");
    await show("memory");
    await tab.getByLabel("Question").fill("Which relay does mail use?");
    await tab.getByRole("button", { name: "Search" }).click();
    await tab.getByRole("link", { name: "Relay", exact: true }).click();
    const timeline = tab.getByRole("region", { name: "Timeline" });
    await timeline.getByText("never by SMS").first().waitFor();
    await timeline.getByText("90 mails a minute").first().waitFor();
    await timeline.getByRole("listitem").filter({ hasText: "Relay," }).locator("summary").first().click();
    const difference = timeline.getByText("- Mail leaves by the relay in Oslo");
    await difference.waitFor();
    expect(await difference.textContent()).toContain("+ Mail leaves by the relay in Bergen");
  });

  test("draws how long finished work took", async () => {
    for (const id of ["AUTH-002", "AUTH-003"]) {
      await served.run("feature", `Log in without a code, ${id}`, "--id", id);
      expect((await served.run("workflow", "abandon", id, "--reason", "Not needed")).code).toBe(0);
    }
    await show("health");
    await tab.getByRole("img", { name: /^Hours from start to end of finished work: 2 values/ }).waitFor();
  });

  test("prints receipts without navigation and buttons", async () => {
    await served.run("approve", "AUTH-001");
    expect((await served.run("workflow", "advance", "AUTH-001")).code).toBe(0);
    await show("gates/AUTH-001");
    await tab.getByRole("article").first().waitFor();
    await tab.emulateMedia({ media: "print" });
    expect(await tab.getByRole("navigation").isVisible()).toBe(false);
    expect(await tab.getByRole("article").first().isVisible()).toBe(true);
    const pages = await tab.pdf();
    expect(pages.subarray(0, 5).toString()).toBe("%PDF-");
    await tab.emulateMedia({ media: "screen" });
  });

  test("reads what it missed when its connection was cut", async () => {
    await show("board");
    await tab.route("**/api/events", (route) => route.abort());
    await tab.reload();
    await tab.getByText("Log in with a code").waitFor();
    await tab.getByText("connecting").waitFor();
    await served.run("change", "start", "--type", "fix", "--size", "small", "--concurrent", "Repair the bell");
    await tab.unroute("**/api/events");
    await tab.getByText("Repair the bell").waitFor();
    await tab.getByText("live", { exact: true }).waitFor();
    expect(await tab.getByText("connecting").count()).toBe(0);
  });
});
