import { expect, test } from "vitest";
import { renderMcpPage } from "#doors/mcp/mcp-render.ts";
import { MCP_TOOLS } from "#doors/mcp/tool-table.ts";
import { countTokens } from "#kernel/adapters/token-count.ts";
import { loadCatalogueOperation, type OperationId } from "#doors/catalogue.ts";
import { temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";

/** The longest titles, names and summaries there may be, in letters that cost most. */
const LONG = "認".repeat(200);
const NAME = "証".repeat(100);

const CALLS: readonly (readonly [OperationId, Record<string, unknown>, lowest: number])[] = [
  ["memory.search", { query: `${LONG} clock zzzz yyyy xxxxx wwwww vvvvv uuuuu ttttt` }, 50],
  ["memory.search", { query: "clokc of the cahce hots", detail_level: "full" }, 50],
  ["memory.context", {}, 50],
  ["memory.context", { detail_level: "full" }, 50],
  ["memory.timeline", { observation_id: 2 }, 250],
  ["memory.timeline", { observation_id: 2, detail_level: "full" }, 250],
  ["memory.history", { id: 2 }, 250],
];

test.each(CALLS)("%s %j keeps its ceiling, as text and as data", async (id, input, lowest) => {
  using repository = temporaryRepository();
  using tenon = testHouse(repository.path);
  const engine = await tenon.house.open({});
  const run = async (operation: OperationId, said: Record<string, unknown>) => {
    const loaded = await loadCatalogueOperation(operation);
    const output = await loaded.run(engine, said);
    return [JSON.stringify(output), renderMcpPage(loaded.page(output), MCP_TOOLS)];
  };
  await run("memory.session", { action: "start", id: NAME, directory: LONG });
  for (let i = 0; i < 12; i++) {
    const content = `${LONG} the clock of the cache host ${i} ${"x".repeat(i * 400)}`;
    const topic = i === 1 ? { topic_key: "t" } : {};
    await run("memory.save", { title: LONG, content, session_id: NAME, source: LONG, ...topic });
  }
  await run("memory.save", { title: LONG, content: "another clock", session_id: NAME, topic_key: "t" });
  await run("memory.session", { action: "end", id: NAME, summary: LONG.repeat(20) });
  for (const ceiling of [lowest, lowest + 60, 400, 1_000, 4_000]) {
    const costs = (await run(id, { ...input, max_tokens: ceiling })).map(countTokens);
    expect({ ceiling, over: costs.filter((cost) => cost > ceiling) }).toEqual({ ceiling, over: [] });
  }
});

test("compares the last fifty revisions of a long history and counts the others", async () => {
  using repository = temporaryRepository();
  using tenon = testHouse(repository.path);
  for (let i = 1; i <= 60; i++)
    await tenon.run("memory", "save", "Topic", "--content", `Text ${i}`, "--topic-key", "t");
  const { out } = await tenon.run("memory", "history", "t", "--max-tokens", "100000", "--json");
  const { revisions, omitted } = JSON.parse(out) as {
    revisions: { revision: number; diff: string }[];
    omitted: number;
  };
  expect([revisions.length, omitted]).toEqual([50, 10]);
  expect([revisions[0]?.revision, revisions.at(-1)]).toEqual([
    60,
    expect.objectContaining({ revision: 11, diff: "- Text 10\n+ Text 11" }),
  ]);
});
