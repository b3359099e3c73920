import { expect, test } from "vitest";
import { openSteering } from "../../../../test/kit/steering.ts";

const PRODUCT = "sdd/steering/product.md";
const TECH = "sdd/steering/tech.md";

test("creates missing files and keeps existing ones", async () => {
  const stand = openSteering();
  stand.put(TECH, "# Mine\n");
  const { written, kept, missing } = await stand.call({ action: "create", vision: "Tides" });
  expect([written, kept, missing]).toEqual([[PRODUCT, "sdd/steering/structure.md"], [TECH], []]);
  expect(stand.read(TECH)).toBe("# Mine\n");
});

const REFUSALS: readonly (readonly [what: string, input: Record<string, unknown>, code: string])[] = [
  ["all core files are there", { action: "create" }, "steering.exists"],
  ["words for a file that is there", { action: "create", vision: "Tides" }, "steering.exists"],
  ["an unknown profile", { action: "profile", profile: "cobol" }, "stack.unknown-profile"],
  ["a topic that is there", { action: "custom", name: "ui" }, "steering.exists"],
  ["a core file as a topic", { action: "custom", name: "tech.md" }, "steering.exists"],
  ["no topic", { action: "custom" }, "input.missing"],
  ["a file outside", { action: "custom", name: "../x" }, "steering.bad-name"],
  ["a text that breaks out", { action: "custom", name: "x", text: "# One\n\n# Two" }, "steering.bad-text"],
  ["a file that is not there", { action: "update", name: "x", section: "A", text: "b" }, "steering.missing"],
  ["no section", { action: "update", name: "tech", text: "b" }, "input.missing"],
  ["no text", { action: "update", name: "tech", section: "Architecture" }, "input.missing"],
  ["nothing at all", { action: "update" }, "input.missing"],
  ["a slip", { action: "update", name: "tech", section: "Architectur", text: "b" }, "steering.unknown-section"],
  [
    "a heading in a section",
    { action: "update", name: "ui", section: "Components", text: "## x" },
    "steering.bad-text",
  ],
  ["a heading in the vision", { action: "update", vision: "a\n\n## Decision Log\n" }, "steering.bad-text"],
  ["a fence that stays open", { action: "update", purpose: "```\nx" }, "steering.bad-text"],
  [
    "a heading that hides itself",
    { action: "update", name: "ui", section: "<!-- x", text: "b" },
    "steering.unreadable",
  ],
  ["everything, unconfirmed", { action: "delete" }, "steering.unconfirmed"],
  ["everything, in other words", { action: "delete", confirm: "yes" }, "input.invalid"],
  ["a file that is gone", { action: "delete", name: "x" }, "steering.missing"],
  ["a word that the action does not know", { action: "show", vision: "Tides" }, "input.invalid"],
  ["another action's word", { action: "delete", name: "ui", text: "b" }, "input.invalid"],
];

test("rejects impossible calls in both doors and writes nothing", async () => {
  const stand = openSteering();
  await stand.call({ action: "create" });
  await stand.call({ action: "custom", name: "ui" });
  const before = new Map(stand.files);
  const found = [];
  for (const [what, input] of REFUSALS) found.push([what, ...(await stand.refused(input))]);
  expect(found).toEqual(REFUSALS.map(([what, , code]) => [what, code, code]));
  expect(new Map(stand.files)).toEqual(before);
});

test("reports that there is nothing to delete", async () => {
  const stand = openSteering();
  expect(await stand.refused({ action: "delete", confirm: "RESET" })).toEqual(["steering.missing", "steering.missing"]);
});

const HAND =
  "# Tide tables\r\n\r\nMine.  \r\n\r\n## User intent\r\n\r\n### Vision (draft)\r\n\r\nOld words.\r\n\r\n## Own\r\n\r\n| a | b |\r\n";

test("keeps every other byte of a handwritten file", async () => {
  const stand = openSteering();
  stand.put(PRODUCT, HAND);
  await stand.call({ action: "update", vision: "New words.", anti_goals: "No ads\nNo tracking" });
  const log = /## Decision Log\r\n\r\n- 2026-01-31 D1: Changed vision: New words\.\r\n$/;
  const text = stand.read(PRODUCT);
  expect(text.replace(log, "")).toBe(
    `${HAND.replace("Old words.", "New words.").replace(
      "## Own",
      "### Anti-Goals\r\n\r\n- No ads\r\n- No tracking\r\n\r\n## Own",
    )}\r\n`,
  );
  expect([log.test(text), stand.read("sdd/superseded/steering-product-1.md")]).toEqual([true, HAND]);
});

test("adds to a list, or replaces it on request and keeps the old file", async () => {
  const stand = openSteering();
  await stand.call({ action: "create", success_criteria: "Fast" });
  expect((await stand.call({ action: "update", success_criteria: "- Right\n- fast" })).aside).toEqual([]);
  const { intent } = await stand.call({ action: "show" });
  expect(intent).toEqual({ vision: "", success_criteria: ["Fast", "Right"], anti_goals: [] });
  const before = stand.read(PRODUCT);
  const { aside } = await stand.call({ action: "update", success_criteria: "Cheap", replace: true });
  expect(aside).toEqual([{ from: PRODUCT, to: "sdd/superseded/steering-product-1.md" }]);
  expect(stand.read("sdd/superseded/steering-product-1.md")).toBe(before);
  expect((await stand.call({})).intent?.success_criteria).toEqual(["Cheap"]);
});

test("changes nothing and records no decision for a repeated text", async () => {
  const stand = openSteering();
  await stand.call({ action: "create" });
  const said = { action: "update", purpose: "Tides.", users: "- Pilots", vision: "All.", anti_goals: "Ads" };
  expect((await stand.call(said)).decision).toBe("D2");
  const before = new Map(stand.files);
  const again = await stand.call(said);
  expect([again.written, again.decision, again.notes]).toEqual([[], undefined, ["The file already has all of this."]]);
  expect(new Map(stand.files)).toEqual(before);
});

test("leaves out secrets and private passages, and reports it", async () => {
  const stand = openSteering();
  const key = `AKIA${"A".repeat(16)}`;
  const { notes } = await stand.call({
    action: "create",
    purpose: `Uses ${key}`,
    vision: "All <private>of Ann's</private> tides",
  });
  expect(notes).toEqual(["1 private passage left out.", "Masked what looks like a secret: aws-key."]);
  await stand.call({ action: "custom", name: "deploy", text: `Log in with ${key}`, reason: `It is ${key}` });
  await stand.lead({ kind: "steering", file: "tech.md", text: `The key is ${key}` });
  const all = [...stand.files.values()].join("\n");
  expect([all.includes(key), all.includes("Ann"), all.match(/\[MASKED aws-key\]/g)?.length]).toEqual([false, false, 4]);
});

test("reports a file of more than 200 lines", async () => {
  const stand = openSteering();
  stand.put(TECH, `# T\n${"x\n".repeat(200)}`);
  expect((await stand.call({})).notes).toEqual([
    "sdd/steering/tech.md has 201 lines; up to 200 are read carefully: move a part into its own topic.",
  ]);
});

const WEB = {
  "web/package.json": '{"devDependencies":{"react":"19.0.0","typescript":"5.9.0","vitest":"4.0.0"}}',
  "web/src/App.tsx": "x",
};
const API = { "api/go.mod": "module example.com/api\n\ngo 1.24\n", "api/main.go": "package main\n" };

test("fills empty sections from the profile of every folder, and nothing else", async () => {
  const stand = openSteering();
  await stand.call({ action: "create", profile: "none" });
  await stand.call({ action: "update", name: "tech", section: "Testing", text: "- By hand." });
  for (const [path, text] of Object.entries({ ...WEB, ...API })) stand.put(path, text);
  const { profile, written } = await stand.call({ action: "profile" });
  expect(profile?.stacks.toSorted()).toEqual(["go in api", "typescript-react in web"]);
  expect(profile?.permissions).toEqual([
    "Bash(go build:*)",
    "Bash(go test:*)",
    "Bash(go vet:*)",
    "Bash(gofmt:*)",
    "Bash(vitest run:*)",
  ]);
  expect(written).toEqual([TECH, "sdd/steering/structure.md"]);
  const text = stand.read(TECH);
  expect([text.includes("- By hand.\n\n##"), text.includes("# Test in api\ngo test ./...")]).toEqual([true, true]);
  expect(stand.read("sdd/steering/structure.md")).toContain("- hook: `web/src/hooks/**/*.ts`");
  expect((await stand.call({ action: "profile" })).notes).toEqual(["Nothing was left for a profile to fill in."]);
});

test("suggests no permissions from a profile that the repository wrote", async () => {
  const stand = openSteering();
  stand.put("sdd/stacks/ours.yaml", "extends: go\nchecks:\n  - { kind: test, tool: evil, argv: [curl, evil] }\n");
  stand.put("sdd/config.yaml", "stack:\n  directories:\n    api: ours\n");
  for (const [path, text] of Object.entries(API)) stand.put(path, text);
  const { profile, notes } = await stand.call({ action: "create" });
  expect(profile).toEqual({ stacks: ["ours in api"], permissions: [] });
  expect(notes).toEqual(["No permissions are suggested for ours: the project wrote that profile itself."]);
});

test("reads steering in a context check where there are no specs", async () => {
  const stand = openSteering();
  await stand.call({ action: "custom", name: "naming", text: "Ids are ULIDs." });
  const report = (await stand.run("context.check", { change_description: "Add a table" })) as {
    findings: { kind: string; ref: string; text: string }[];
  };
  expect(report.findings.filter(({ kind }) => kind === "convention")).toEqual([
    { bytes: 24, kind: "convention", ref: "sdd/steering/naming.md", text: "# Naming\n\nIds are ULIDs." },
  ]);
});
