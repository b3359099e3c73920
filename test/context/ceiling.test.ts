import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { renderMcpPage } from "#doors/mcp/mcp-render.ts";
import { MCP_TOOLS } from "#doors/mcp/tool-table.ts";
import { countTokens } from "#kernel/adapters/token-count.ts";
import { loadCatalogueOperation, type OperationId } from "#doors/catalogue.ts";
import { isFull } from "../kit/chance.ts";
import { temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";
import { archiveMany, specify } from "../kit/history.ts";
import { breakGround, type Ground } from "./ground.ts";

/** Letters that cost most, and the longest id a change can have. */
const LONG = "認".repeat(300);
const DESCRIPTION = `qzxj vwkp 7f3k qqqx zzvw xkcd jjqw FR-042 FR-043 BR-099 refund form of the Premium Customer ${LONG}`;

let ground: Ground;
beforeAll(async () => {
  ground = breakGround();
  specify(ground.root, 60);
  archiveMany(ground.root, 40);
  ground.write(
    "sdd/design.md",
    `## Components\n\n${Array.from({ length: 30 }, (_, i) => `- **Thing ${i}**: refund form`).join("\n")}\n`,
  );
  ground.write("src/a.ts", Array.from({ length: 60 }, (_, i) => `// FR-${i + 1}00 refund`).join("\n"));
  for (let i = 0; i < 12; i++)
    await ground.run("explore.record", {
      title: `${LONG.slice(0, 150)} refund ${i}`,
      goals: `The refund form ${LONG}`,
    });
  await ground.start("Another refund form of FR-007");
  await ground.start(DESCRIPTION);
});
afterAll(() => ground[Symbol.dispose]());

const CALLS: readonly (readonly [OperationId, () => Promise<Record<string, unknown>>])[] = [
  ["context.check", async () => ({ change_id: await idOfLongest() })],
  ["context.suggest", async () => ({ task_description: DESCRIPTION })],
  ["context.audit", async () => ({})],
];

async function idOfLongest(): Promise<string> {
  const { changes } = await ground.run<{ changes: { id: string }[] }>("change.list", { status: "active" });
  return changes.map(({ id }) => id).find((id) => id.startsWith("qzxj")) ?? "";
}

test.each(CALLS)("%s stays within every ceiling, as text and as data", async (id, input) => {
  const said = await input();
  const levels = fc.constantFrom("summary", "standard", "full");
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.integer({ min: 50, max: 400 }), fc.integer({ min: 50, max: 9_000 })),
      levels,
      async (max_tokens, detail_level) => {
        const answer = await ground.run<{ omitted: number }>(id, { ...said, max_tokens, detail_level });
        const text = await ground.shown(id, { ...said, max_tokens, detail_level });
        const costs = [JSON.stringify(answer), text].map(countTokens);
        expect({ max_tokens, detail_level, over: costs.filter((cost) => cost > max_tokens) }).toEqual({
          max_tokens,
          detail_level,
          over: [],
        });
      },
    ),
    {
      numRuns: isFull ? 40 : 12,
      examples: [
        [50, "full"],
        [51, "standard"],
        [100, "summary"],
        [8_000, "full"],
      ],
    },
  );
});

test("uses the common ceiling when none is given", async () => {
  using repository = temporaryRepository();
  specify(repository.path, 400);
  using tenon = testHouse(repository.path);
  const engine = await tenon.house.open({});
  for (const [id, input] of [
    ["context.suggest", { task_description: "the refund form", detail_level: "full" }],
    ["context.audit", { detail_level: "full" }],
  ] as const) {
    const operation = await loadCatalogueOperation(id);
    const output = await operation.run(engine, input);
    const costs = [JSON.stringify(output), renderMcpPage(operation.page(output), MCP_TOOLS)].map(countTokens);
    expect([id, costs.filter((cost) => cost > 8_000)]).toEqual([id, []]);
  }
});
