/** Takes the pictures of `tenon ui` for the guide, in three sizes, from a repository made for it. Needs Chromium. */
import fs from "node:fs";
import { join } from "node:path";
import { openChromium, servePage } from "../test/ui/serve-page.ts";

const FEATURES = [
  { name: "accounts", description: "Members have an account", dependencies: [] },
  { name: "mail", description: "Mails reach their readers", dependencies: [] },
  { name: "sign-in", description: "Members sign in with a code", dependencies: ["accounts", "mail"] },
  { name: "sessions", description: "A session ends after a day", dependencies: ["sign-in"] },
  { name: "audit-log", description: "Each sign-in is recorded", dependencies: ["sign-in"] },
  { name: "export", description: "A member exports their data", dependencies: ["accounts"] },
];

const PICTURES = [
  ["board", "board", 1280, 800],
  ["roadmap", "roadmap", 1280, 800],
  ["gates", "gates/AUTH-001", 1280, 800],
  ["board-narrow", "board", 360, 740],
  ["roadmap-wide", "roadmap", 1920, 1080],
] as const;

const served = await servePage();
const roadmap = join(served.root, "roadmap.json");
fs.writeFileSync(roadmap, JSON.stringify({ features: FEATURES }));
await served.run("roadmap", "create", "--input", roadmap);
fs.rmSync(roadmap);
await served.run("bugfix", "The code in the mail is cut off", "--id", "BUG-001");
await served.run("research", "Which mail service should we use?", "--id", "RES-001");
await served.run("approve", "AUTH-001");
await served.run("workflow", "advance", "AUTH-001");
const browser = await openChromium();
const tab = await served.openTab(browser);
fs.mkdirSync("docs/images", { recursive: true });
for (const [name, view, width, height] of PICTURES) {
  await tab.setViewportSize({ width, height });
  await tab.goto(`${served.origin}/#/${view}`);
  await tab.getByRole("heading", { level: 1 }).waitFor();
  while ((await tab.getByText("Reading…").count()) > 0)
    await tab.getByText("Reading…").first().waitFor({ state: "detached" });
  await tab.screenshot({ path: `docs/images/${name}.png` });
  console.log(`docs/images/${name}.png`);
}
await browser.close();
await served[Symbol.asyncDispose]();
