import fs from "node:fs";
import * as prettier from "prettier";
import { expect, test } from "vitest";
import type { OperationId } from "#doors/catalogue.ts";
import { addMarkedBlock } from "#onboarding/model/setup/text-insertion.ts";
import { openMemoryWorkspace } from "../kit/memory-engine.ts";
import { temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";
import { PROJECT_LIFE } from "../kit/project.ts";
import { filesIn } from "./source.ts";

type Call = readonly [operation: OperationId, input: Readonly<Record<string, unknown>>];

/** Lines that Prettier would change, so that a failure shows the fault. */
async function listFormatFaults(path: string, text: string): Promise<string[]> {
  const formatted = (await prettier.format(text, { filepath: path })).split("\n");
  const lines = text.split("\n");
  const at = lines.findIndex((line, i) => line !== formatted[i]);
  if (formatted.length === lines.length && at === -1) return [];
  return [`${path}:${at + 1}: ${lines[at]} → ${formatted[at]}`];
}

const TOPICS = filesIn("assets/templates/steering")
  .map((file) => file.replace(".md", ""))
  .filter((name) => !["product", "tech", "structure", "topic"].includes(name));

const STEERING: readonly Call[] = [
  ["steering.manage", { action: "create", purpose: "Tides for skippers.", users: "Skippers.", vision: "Every port." }],
  ...[...TOPICS, "naming-of-ports"].map((name): Call => ["steering.manage", { action: "custom", name }]),
  ["steering.manage", { action: "update", name: "tech", section: "Key Libraries", text: "- zod: schemas" }],
];

const KNOWLEDGE: readonly Call[] = ["incident", "pattern", "reference"].map((type) => [
  "knowledge.manage",
  { action: "add", type, category: "data", text: "Times are kept in UTC and shown in local time", why: "Two offsets." },
]);

const HANDOVER: readonly Call[] = [
  ["handover.decide", { summary: "Ports have time zones", reason: "Two coasts", impact: "Every table" }],
  ["handover.write", { goal: "Show tides", accomplished: "- Tables", next: "Review them", warnings: "- Slow port" }],
];

const WORKFLOWS: readonly Call[] = [
  ["workflow.feature", { description: "Skippers see the next tides" }],
  ["workflow.bugfix", { description: "The table is empty at midnight" }],
  ["workflow.research", { description: "Which source of tides", timebox: "2h" }],
];

const ROADMAP: readonly Call[] = [
  [
    "roadmap.manage",
    {
      action: "create",
      features: [
        { name: "ports", description: "Ports have names", dependencies: [] },
        { name: "tides", description: "Skippers see tides", dependencies: ["ports"] },
      ],
    },
  ],
];

const DECISIONS: readonly Call[] = [
  ["workspace.init", {}],
  ["adr.record", { title: "Keep one store", context: "Two drift.", decision: "One file.", rationale: "One truth." }],
  [
    "adr.record",
    {
      title: "Keep two stores",
      context: "One is slow.",
      decision: "Two files.",
      rationale: "Speed.",
      alternatives_rejected: "- One store\n- None",
      supersedes: "ADR-0001",
    },
  ],
];

test.each<[string, readonly Call[]]>([
  ["a guided project", PROJECT_LIFE],
  [
    "an expert project",
    PROJECT_LIFE.map(([id, input]): Call => [id, id === "project.init" ? { ...input, mode: "expert" } : input]),
  ],
  ["steering", STEERING],
  ["knowledge", KNOWLEDGE],
  ["a handover", HANDOVER],
  ["workflows", WORKFLOWS],
  ["a roadmap", ROADMAP],
  ["decisions and settings", DECISIONS],
])("Prettier changes nothing in the documents of %s", async (_, calls) => {
  const workspace = openMemoryWorkspace();
  for (const [id, input] of calls) await workspace.run(id, input);
  const documents = workspace.list("sdd").filter((path) => /\.(?:md|ya?ml)$/.test(path));
  const faults = await Promise.all(documents.map((path) => listFormatFaults(path, workspace.read(path))));
  expect(documents.length).toBeGreaterThan(0);
  expect(faults.flat()).toEqual([]);
});

test("Prettier changes nothing in the forms of a design, its research and its tasks", async () => {
  const forms = filesIn("assets/templates/feature").map((file) => `assets/templates/feature/${file}`);
  const faults = await Promise.all(forms.map((path) => listFormatFaults(path, fs.readFileSync(path, "utf8"))));
  expect(faults.flat()).toEqual([]);
});

test("Prettier changes nothing in drafts from existing code", async () => {
  const drafts = filesIn("test/adopt/drafts").map((file) => `test/adopt/drafts/${file}`);
  const faults = await Promise.all(drafts.map((path) => listFormatFaults(path, fs.readFileSync(path, "utf8"))));
  expect(faults.flat()).toEqual([]);
});

test("Prettier changes nothing in the files that setup writes for every client", async () => {
  using repository = temporaryRepository();
  using house = testHouse(repository.path);
  await house.run("setup", "--all");
  await house.run("setup", "claude");
  const files = fs
    .readdirSync(repository.path, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.(?:json|js|md|ya?ml)$/.test(path) && !path.startsWith(".git/"));
  const faults = await Promise.all(
    files.map((path) => listFormatFaults(path, fs.readFileSync(`${repository.path}/${path}`, "utf8"))),
  );
  expect(files.length).toBeGreaterThan(50);
  expect(faults.flat()).toEqual([]);
});

test("Prettier changes nothing in the rules that setup adds to a client's file", async () => {
  const { text } = addMarkedBlock("# Rules\n", fs.readFileSync("assets/setup/rules.md", "utf8"));
  expect(await listFormatFaults("AGENTS.md", text)).toEqual([]);
});
