import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { countTokens } from "#kernel/adapters/token-count.ts";
import { renderPageMarkdown } from "#kernel/model/page.ts";
import type { RoadmapEngine } from "#roadmap/operations/engine.ts";
import { designFeature } from "#roadmap/operations/feature/feature-commands.ts";
import { formatHandoverPage, readHandoverBrief } from "#roadmap/operations/handover/write-handover.ts";
import { git } from "../kit/folder.ts";
import { DECISIONS, handoverStand, SESSION } from "./stand.ts";

const formatResumeBrief = async (engine: RoadmapEngine, most: number): Promise<string> =>
  renderPageMarkdown(formatHandoverPage(await readHandoverBrief(engine, "resume", most)), () => "");

const DESIGN = { feature: "tide-table", description: "Skippers see the tides" };
const ANSWERS = {
  goal: "Tides for all",
  accomplished: "The design is under way",
  next: "Wait for the Architect",
  decisions: "Tides come from the port",
  warnings: "The port is slow",
  tone: "Careful",
  exceptions: "tech.md: one file has SQL",
  goals: "- Tables: begun",
  steps: "1. Read this\n2. tenon next",
};

test("shows known facts and five questions without answers, and writes nothing", async () => {
  using stand = await handoverStand();
  await stand.run("feature.design", DESIGN);
  const before = stand.files();
  const asked = await stand.run("handover.write");
  expect([asked["mode"], asked["state"], (asked["questions"] as string[]).length]).toEqual(["asked", "draft", 5]);
  expect((asked["parts"] as { about: string }[]).map(({ about }) => about)).toEqual([
    "Immediate next action",
    "State of the roadmap",
    "Accomplished",
  ]);
  expect(stand.files()).toEqual(before);
});

test("writes the answers, keeps the draft by its day, and logs the end of the session", async () => {
  using stand = await handoverStand();
  git(stand.root, "checkout", "--quiet", "-b", "topic");
  await stand.run("feature.design", DESIGN);
  const drafted = stand.read(SESSION);
  const done = await stand.run("handover.write", ANSWERS);
  expect(done).toMatchObject({ mode: "written", decision: "D1", state: "polished" });
  expect(stand.read("sdd/handover/sessions/2026-01-31.md")).toBe(drafted);
  expect(stand.session()).toEqual({
    generated: "2026-01-31",
    branch: "topic",
    goal: "Tides for all",
    isDraft: false,
    next: "Wait for the Architect",
    goals: "- Tables: begun",
    continuing: [],
    added: ["1. Tides come from the port"],
    warnings: "- The port is slow",
    tone: "Careful",
    exceptions: "- tech.md: one file has SQL",
    accomplished: ["- The design is under way", "- 2026-01-31 Begun: tide-table"],
    files: [],
    resume: "1. Read this\n2. tenon next",
  });
  expect(stand.decisions()).toEqual([
    expect.objectContaining({
      number: 1,
      type: "SESSION_END",
      decision: "Handed over; the draft is kept in sdd/handover/sessions/2026-01-31.md",
    }),
  ]);
});

test("keeps earlier handovers of a day, and the answers in the next draft", async () => {
  using stand = await handoverStand();
  for (const accomplished of ["One", "Two", "Three"]) await stand.run("handover.write", { accomplished });
  expect(Object.keys(stand.files())).toEqual([
    DECISIONS,
    SESSION,
    "sdd/handover/sessions/2026-01-31-2.md",
    "sdd/handover/sessions/2026-01-31.md",
  ]);
  await stand.run("handover.write", { warnings: "Mind the tides", tone: "Calm" });
  await stand.run("steering.manage", { action: "create" });
  expect(stand.session()).toMatchObject({
    isDraft: true,
    warnings: "- Mind the tides",
    tone: "Calm",
    accomplished: ["- Three", "- 2026-01-31 Steering: Steering begins: product.md, tech.md, structure.md"],
  });
});

test("writes outside git, without features and without a page", async () => {
  using stand = await handoverStand({}, false);
  expect(await stand.run("handover.write", { next: "Begin" })).toMatchObject({ written: [SESSION, DECISIONS] });
  expect(stand.session()).toMatchObject({ branch: "", next: "Begin" });
});

test.each([
  ["## Direction\n\nElse", "handover.bad-text"],
  ["<!-- never closed", "handover.bad-text"],
])("rejects an answer that would end its section: %j", async (warnings, code) => {
  using stand = await handoverStand();
  await expect(stand.run("handover.write", { warnings })).rejects.toMatchObject({ code });
  expect(stand.files()).toEqual({});
});

test("rejects answers with a brief", async () => {
  using stand = await handoverStand();
  const input = { resume: true, next: "Begin" };
  await expect(stand.run("handover.write", input)).rejects.toMatchObject({ code: "input.invalid" });
});

test("does not overwrite an unreadable page, and blocks no other command", async () => {
  using stand = await handoverStand();
  const odd = Buffer.from([0xff, 0xfe, 0x00]);
  stand.put(SESSION, odd);
  await expect(stand.run("handover.write", { next: "Begin" })).rejects.toMatchObject({ code: "files.not-text" });
  await stand.run("feature.design", DESIGN);
  await stand.run("handover.decide", { summary: "SQLite", reason: "One truth" });
  expect(fs.readFileSync(join(stand.root, SESSION))).toEqual(odd);
  expect((await stand.run("handover.write"))["notes"]).toEqual([expect.stringContaining(SESSION)]);
});

test.each([
  ["a folder is in its place", (root: string) => fs.mkdirSync(join(root, SESSION), { recursive: true }), 0],
  ["a file is in its folder's place", (root: string) => fs.writeFileSync(join(root, "sdd/handover"), ""), 1],
])("completes the command without the page where %s", async (_, obstruct, notices) => {
  using stand = await handoverStand();
  const told: string[] = [];
  const engine = { ...stand.engine, notice: (text: string) => void told.push(text) };
  obstruct(stand.root);
  await designFeature.run(engine, DESIGN);
  expect(stand.has("sdd/features/tide-table/spec.yaml")).toBe(true);
  expect(told.filter((text) => text.includes(SESSION)).length).toBe(notices);
});

test("a handover starts a new page if headings are hidden, and keeps the old one", async () => {
  using stand = await handoverStand();
  const hidden = "# Ours\n\n<!-- never closed\n";
  stand.put(SESSION, hidden);
  await stand.run("feature.design", DESIGN);
  expect(stand.read(SESSION)).toBe(hidden);
  await stand.run("handover.write", { next: "Begin" });
  expect([stand.session().next, stand.read("sdd/handover/sessions/2026-01-31.md")]).toEqual(["Begin", hidden]);
});

test("keeps secrets and private text out of the page", async () => {
  using stand = await handoverStand();
  const key = ["AKIA", "QYLPMN5HFIQR7XYA"].join("");
  await stand.run("handover.write", { warnings: `The key is ${key}`, tone: "<private>cross</private> calm" });
  const all = Object.values(stand.files()).join("\n");
  expect([all.includes(key), all.includes("cross"), all.includes("calm")]).toEqual([false, false, true]);
});

test("writes a brief in the seed's order of importance, within any budget", async () => {
  using stand = await handoverStand();
  await stand.run("roadmap.manage", { action: "create", features: [{ name: "tide-table", description: "Tides" }] });
  await stand.run("handover.write", ANSWERS);
  await stand.run("handover.decide", { summary: "SQLite", reason: "One truth" });
  const page = await stand.page("handover.write", { resume: true });
  expect(page).toMatchInlineSnapshot(`
    "The state of the work.

    - branch: main

    Immediate next action
    > Wait for the Architect

    Warnings
    > - The port is slow

    Resume instructions
    > 1. Read this
    > 2. tenon next

    Steering exceptions
    > - tech.md: one file has SQL

    Session goal
    > Tides for all

    Active goals
    > - Tables: begun

    State of the roadmap
    > 0 of 1 feature implemented
    > initialized: tide-table
    > Nothing is running. Start with \`sdd_roadmap {"action":"run"}\`, \`sdd_design\` or \`sdd_impl\`.

    Key decisions
    > 1. Tides come from the port
    > 2. SQLite: One truth (D2)

    Tone and nuance
    > Careful

    Latest decisions
    > D2 USER_DECISION: SQLite (One truth)

    Accomplished
    > - The design is under way
    > - 2026-01-31 Planned 1 feature in 1 wave: tide-table"
  `);
  for (const most of [250, 400, 1_000])
    expect(countTokens(await formatResumeBrief(stand.engine, most))).toBeLessThanOrEqual(most);
  expect(await formatResumeBrief(stand.engine, 250)).toContain("Wait for the Architect");
});

test("reports in the brief that there is no handover", async () => {
  using stand = await handoverStand();
  expect((await stand.page("handover.write", { resume: true })).split("\n")[0]).toContain("No handover yet");
});
