import { beforeAll, afterAll, expect, test } from "vitest";
import { renderMcpPage } from "#doors/mcp/mcp-render.ts";
import { MCP_TOOLS } from "#doors/mcp/tool-table.ts";
import { countTokens } from "#kernel/adapters/token-count.ts";
import { PROJECT_DOCUMENT_STAGES } from "#kernel/model/stages/project-stages.ts";
import { loadCatalogueOperation } from "#doors/catalogue.ts";
import { MIN_NAMED_ANSWER_TOKENS } from "#kernel/operations/answer-budget.ts";
import { isFull } from "../kit/chance.ts";
import { TIDES } from "../kit/project.ts";
import { stand, type Stand } from "./stand.ts";

/** The longest there may be, in letters that cost most. */
const LONG = "認証𠮷".repeat(500);
const NAME = "𠮷".repeat(100);

/** At its least, around where one more part fits, and far above. */
const CEILINGS = [
  ...Array.from({ length: isFull ? 40 : 10 }, (_, i) => MIN_NAMED_ANSWER_TOKENS + i * (isFull ? 7 : 29)),
  ...Array.from({ length: isFull ? 12 : 4 }, (_, i) => (isFull ? 600 : 1_900) * (i + 1)),
  20_000,
];

let crowded: Stand;

beforeAll(async () => {
  crowded = await stand();
  await crowded.run("project.init", { name: NAME, description: LONG });
  const wordy = (text: string): string => `${text}\n\n${LONG.repeat(3)}`;
  await crowded.run("project.propose", { ...TIDES.propose, problem_statement: wordy("It hurts.") });
  await crowded.run("project.specify", TIDES.specify);
  await crowded.run("project.business-rules", {
    ...TIDES["business-rules"],
    facts: wordy("A Harbour has one or more Gates."),
  });
  await crowded.run("project.clarify", { ...TIDES.clarify, answers: wordy("Who? Nobody may change a table") });
  await crowded.run("project.design", TIDES.design);
  await crowded.run("project.tasks", TIDES.tasks);
  await crowded.run("project.validate", TIDES.validate);
  for (const stage of ["tasks", "design", "propose"])
    await crowded.run("project.reopen", { stage, reason: `${stage} ${LONG}`.slice(0, 2_000) });
  for (let i = 0; i < 10; i++)
    await crowded.run("change.start", {
      type: "fix",
      size: "small",
      description: `Fix ${i} ${LONG}`.slice(0, 2_000),
      concurrent: true,
    });
}, 120_000);

afterAll(() => crowded[Symbol.dispose]());

const QUERIES: readonly Record<string, unknown>[] = [
  {},
  { detail_level: "standard" },
  { detail_level: "full" },
  ...PROJECT_DOCUMENT_STAGES.map((stage) => ({ stage })),
  { stage: "requirements", detail_level: "full" },
];

async function over(project: Stand, query: Record<string, unknown>): Promise<unknown[]> {
  const operation = await loadCatalogueOperation("project.context");
  const found: unknown[] = [];
  for (const ceiling of CEILINGS) {
    const output = await operation.run(project.engine, { ...query, max_tokens: ceiling });
    const costs = [JSON.stringify(output), renderMcpPage(operation.page(output), MCP_TOOLS)].map(countTokens);
    if (costs.some((cost) => cost > ceiling)) found.push({ ceiling, costs });
  }
  return found;
}

test.each(QUERIES)("keeps every ceiling for %j, as text and as data", { timeout: 120_000 }, async (query) => {
  expect(await over(crowded, query)).toEqual([]);
});

test("shows no less with a higher ceiling", async () => {
  const shown: number[] = [];
  for (const ceiling of CEILINGS) {
    const { omitted } = await crowded.run("project.context", { detail_level: "standard", max_tokens: ceiling });
    shown.push(-Number(omitted));
  }
  expect(shown).toEqual(shown.toSorted((a, b) => a - b));
  expect(shown.at(-1)).toBe(-0);
});

test("shows a document completely by its stage's name and its own", async () => {
  using project = await stand();
  await project.upTo("completed");
  for (const [stage, name] of [
    ["propose", "proposal"],
    ["specify", "requirements"],
    ["validate", "validation"],
  ] as const) {
    const text = project.read(`sdd/${name}.md`);
    for (const asked of [stage, name])
      expect((await project.run("project.context", { stage: asked }))["documents"]).toMatchObject([{ stage, text }]);
  }
  expect((await project.run("project.context"))["documents"]).toHaveLength(7);
});

test("shows existing documents without a project", async () => {
  using project = await stand();
  expect(await project.run("project.context")).toEqual({ stages: [], documents: [], changes: [], omitted: 0 });
  await project.run("workspace.init");
  project.write("sdd/design.md", "# Design\n\nx\n");
  project.write("sdd/tasks.md", "");
  expect(await project.run("project.context", { detail_level: "full" })).toEqual({
    stages: [],
    documents: [
      { stage: "design", path: "sdd/design.md", bytes: 12, lines: 3, text: "# Design\n\nx\n" },
      { stage: "tasks", path: "sdd/tasks.md", bytes: 0, lines: 1, text: "" },
    ],
    changes: [],
    omitted: 0,
  });
  expect(await over(project, { detail_level: "full" })).toEqual([]);
});

test("suggests to confirm a reopened stage", async () => {
  using project = await stand();
  await project.upTo("completed");
  await project.run("project.reopen", { stage: "design", reason: "Another look" });
  const operation = await loadCatalogueOperation("project.context");
  const { next } = operation.page(await operation.run(project.engine, {}));
  expect(next?.map((each) => (typeof each === "string" ? each : each.operation))).toEqual([
    "project.design",
    "project.confirm",
  ]);
});
