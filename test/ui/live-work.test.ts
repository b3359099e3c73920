/** The page beside a run of agents, a gate that fails, and a change with a conflict. */
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as changes from "../change/stand.ts";
import { testHouse } from "../kit/house.ts";
import { listProcessesBelow, runStand } from "../running/run-stand.ts";
import { hasBrowser, openChromium, serveHouse } from "./serve-page.ts";

/** The policy of the page forbids foreign scripts, so the checker runs outside of the page's world. */
async function listViolations(tab: Page): Promise<string[]> {
  const { violations } = (await tab.evaluate(`${axe.source}; axe.run()`)) as axe.AxeResults;
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

describe.skipIf(!hasBrowser)("the page beside work", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openChromium();
  });
  afterAll(() => browser.close());

  test("shows agents while they work, and their features when they landed", async () => {
    const acts = [1, 2].map((start) => ({ action: "tide-model/architect/1", start, act: "silence" }));
    using stand = await runStand({ groups: { "tide-model": ["A"] }, acts });
    const house = testHouse(stand.root, { dataFolder: stand.dataFolder });
    await using served = await serveHouse(house, stand.root);
    const tab = await served.openTab(browser);
    await tab.goto(`${served.origin}/#/run`);
    await tab.getByText("Tenon has started no agents here.").waitFor();
    const run = stand.start();
    await tab.getByRole("link", { name: "tide-model/architect/1" }).waitFor();
    await tab.getByRole("cell", { name: "claude" }).first().waitFor();
    await tab.goto(`${served.origin}/#/board`);
    await tab.getByLabel("Plan", { exact: true }).getByText("tenon-run").waitFor();
    await tab.goto(`${served.origin}/#/run`);
    // The first one never answers. Stopped, it waits; then it hangs again.
    await tab.getByRole("button", { name: "Stop tide-model/architect/1" }).click();
    await tab.getByRole("cell", { name: "stopped" }).waitFor();
    await expect.poll(() => listProcessesBelow(stand.root)).toEqual([]);
    await tab.getByRole("button", { name: "Resume tide-model/architect/1" }).click();
    await tab.getByRole("button", { name: "Start tide-model/architect/1 again" }).click();
    expect(await run).toMatchObject({ complete: true, failed: [] });
    await tab.getByText("Tenon has started no agents here.").waitFor();
    await tab.goto(`${served.origin}/#/roadmap`);
    await tab.getByText("wave 1, built").waitFor();
    const spent = tab.getByRole("region", { name: "Forecast and actual tokens, by role" });
    await spent.getByRole("cell", { name: "builder" }).waitFor();
    expect(await listViolations(tab)).toEqual([]);
    await tab.goto(`${served.origin}/#/board`);
    await tab.getByLabel("Done", { exact: true }).getByText("tide-model", { exact: true }).waitFor();
    await tab.goto(`${served.origin}/#/gates`);
    await tab.getByRole("link", { name: "tide-model" }).first().click();
    await tab
      .getByRole("heading", { name: /^tide-model/ })
      .first()
      .waitFor();
  });

  test("shows the edits of a change, and lets a person settle its conflict and archive it", async () => {
    using it = changes.openChangeStand({ "sdd/requirements.md": changes.REQUIREMENTS });
    await it.trust();
    const spec = changes.createSpec("### MODIFIED\n\n- FR-001: The sum shall add fast.");
    await it.begin("enhancement", "medium", [changes.PROPOSAL, changes.CONTEXT, spec, changes.TASKS]);
    it.write("src/add.mjs", "/** @spec FR-001 */\nexport const add = (a, b) => b + a;\n");
    it.write("tests/add.mjs", `// @spec FR-001\n${it.read("tests/add.mjs")}`);
    expect(await it.verify()).toMatchObject({ passed: true });
    // A colleague edited the requirement meanwhile.
    it.write("sdd/requirements.md", changes.REQUIREMENTS.replace("shall add", "shall add exactly"));
    it.commit("Edit");
    await using served = await serveHouse(testHouse(it.root), it.root);
    const tab = await served.openTab(browser);
    await tab.goto(`${served.origin}/#/documents/sdd/changes/add-right/spec.md`);
    const edits = tab.getByRole("region", { name: "Requirements that add-right edits" });
    await edits.locator("ins", { hasText: "fast" }).waitFor();
    await edits.getByRole("button", { name: "Archive add-right" }).click();
    const conflict = edits.getByRole("group", { name: /^FR-001:/ });
    await conflict.getByText("exactly").waitFor();
    expect(await edits.getByRole("button", { name: "Archive add-right" }).isDisabled()).toBe(true);
    expect(await listViolations(tab)).toEqual([]);
    await conflict.getByLabel("Keep the text of the change").check();
    await edits.getByRole("button", { name: "Archive add-right" }).click();
    await tab.getByRole("status").getByText("add-right is archived.").waitFor();
    expect(it.read("sdd/requirements.md")).toContain("- **FR-001**: The sum shall add fast.");
  });

  test("shows earlier versions of a document, and the line of code that a trace names", async () => {
    using it = changes.openChangeStand({ "sdd/requirements.md": changes.REQUIREMENTS });
    it.write("src/add.mjs", "/** @spec FR-001 */\nexport const add = (a, b) => a + b;\n");
    it.write("sdd/requirements.md", changes.REQUIREMENTS.replace("shall add", "shall add exactly"));
    it.commit("Edit");
    await using served = await serveHouse(testHouse(it.root), it.root);
    const tab = await served.openTab(browser);
    await tab.goto(`${served.origin}/#/documents/sdd/requirements.md`);
    await tab.getByRole("button", { name: "Show earlier versions" }).click();
    const past = tab.getByRole("region", { name: "Earlier versions of sdd/requirements.md" });
    await past.locator("summary").first().click();
    await past.locator("ins", { hasText: "exactly" }).waitFor();
    expect(await past.locator("summary").count()).toBe(2);
    await tab.goto(`${served.origin}/#/trace/FR-001`);
    await tab.getByRole("link", { name: "src/add.mjs:1" }).first().click();
    await tab.locator("mark", { hasText: "@spec FR-001" }).waitFor();
  });
});
