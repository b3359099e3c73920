import fs from "node:fs";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { git, temporaryRepository } from "../kit/folder.ts";
import { type TestHouse, testHouse } from "../kit/house.ts";
import { featureSpec } from "../kit/specs.ts";

/** Debian's package; `scripts/install-debian-packages` installs it. */
const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) => fs.existsSync(path));
export const hasBrowser = CHROMIUM !== undefined;

export const openChromium = (): Promise<Browser> =>
  // A container's root has no sandbox. The page under test is our own.
  chromium.launch({ executablePath: CHROMIUM ?? "", args: ["--no-sandbox"] });

export interface ServedPage extends AsyncDisposable {
  readonly root: string;
  readonly link: string;
  readonly origin: string;
  run(...words: string[]): Promise<{ code: number; out: string; err: string }>;
  /** Another tab of a browser that is logged in, in another size. */
  openTabAgain(browser: Browser, tab: Page, viewport: { width: number; height: number }): Promise<Page>;
  /** A browser tab that is logged in. */
  openTab(browser: Browser, options?: Parameters<Browser["newContext"]>[0]): Promise<Page>;
}

/** A repository with a feature that waits for an approval, a change, a decision and documents; served to a person. */
export async function servePage(password?: string): Promise<ServedPage> {
  const folder = temporaryRepository();
  const root = folder.path;
  fs.writeFileSync(join(root, "login.js"), "// @spec AUTH-001\nexport const login = 1;\n");
  git(root, "add", "-A");
  git(root, "commit", "-qm", "Begin");
  const house = testHouse(root, { environment: { USER: "ada" } }, { canAsk: true });
  const run = async (...words: string[]) => house.run(...words);
  await run("init", "--yes");
  await run("feature", "Log in with a code", "--id", "AUTH-001");
  fs.writeFileSync(join(root, "sdd/specs/AUTH-001.yaml"), featureSpec("AUTH-001"));
  await run("change", "start", "--type", "fix", "--size", "small", "--concurrent", "Correct the title of the page");
  await run(
    "adr",
    "record",
    "--title",
    "Codes expire",
    "--context",
    "Mail is slow.",
    "--decision",
    "After ten minutes.",
    "--rationale",
    "Most arrive.",
    "--standalone",
  );
  await run("memory", "save", "Codes are sent by mail, never by SMS");
  await run("workflow", "advance", "AUTH-001");
  const page = await serveHouse(house, root, password);
  return {
    ...page,
    run,
    async [Symbol.asyncDispose]() {
      await page[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

/** The page of a repository that exists. Ends the house too. */
export async function serveHouse(house: TestHouse, root: string, password?: string): Promise<ServedPage> {
  const serving = { address: "127.0.0.1", port: 0, tls: undefined, workspace: root, password };
  const ui = await house.house.serveUi(serving);
  const origin = new URL(ui.link).origin;
  return {
    root,
    link: ui.link,
    origin,
    run: (...words) => house.run(...words),
    async openTab(browser, options) {
      const context = await browser.newContext(options);
      context.setDefaultTimeout(Number(process.env["TENON_PATIENCE"] ?? 240_000));
      const tab = await context.newPage();
      await tab.goto(ui.link);
      await tab.getByText("live", { exact: true }).waitFor();
      return tab;
    },
    async openTabAgain(inBrowser, tab, viewport) {
      const context = await inBrowser.newContext({ viewport, storageState: await tab.context().storageState() });
      return context.newPage();
    },
    async [Symbol.asyncDispose]() {
      await ui.close();
      house[Symbol.dispose]();
    },
  };
}
