import fs from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { renderMcpPage } from "#doors/mcp/mcp-render.ts";
import { MCP_TOOLS } from "#doors/mcp/tool-table.ts";
import { countTokens } from "#kernel/adapters/token-count.ts";
import { loadCatalogueOperation, OPERATION_IDS, type OperationId, type ToolJsonSchema } from "#doors/catalogue.ts";
import { createSurfaceFiles } from "../../scripts/surface-files.ts";
import { GOOD } from "../bad-input/trial.ts";
import { temporaryRepository } from "../kit/folder.ts";
import { archiveMany, specify } from "../kit/history.ts";
import { testHouse } from "../kit/house.ts";

const surfaces = await createSurfaceFiles();
const listFields = (id: OperationId): Readonly<Record<string, ToolJsonSchema>> =>
  (JSON.parse(surfaces[`assets/surface/${id}.json`] ?? "{}") as { inputSchema?: ToolJsonSchema }).inputSchema
    ?.properties ?? {};
const CAPPED = OPERATION_IDS.filter((id) => listFields(id)["max_tokens"]);

/** What a client is shown leaves the bounds out, so they are tried. */
async function takes(id: OperationId, max_tokens: number): Promise<boolean> {
  const schema = await (await loadCatalogueOperation(id)).input?.();
  return schema?.safeParse({ ...GOOD[id], max_tokens }).success ?? false;
}

async function findLowestLimit(id: OperationId): Promise<number> {
  let lowest = 1;
  while (!(await takes(id, lowest))) lowest++;
  return lowest;
}

/** Letters that cost most. */
const LONG = "認".repeat(200);

const repository = temporaryRepository();
const tenon = testHouse(repository.path);

async function call(id: OperationId, input: Readonly<Record<string, unknown>>): Promise<[data: unknown, text: string]> {
  const operation = await loadCatalogueOperation(id);
  const output = await operation.run(await tenon.house.open({}), (await operation.input?.())?.parse(input) ?? {});
  return [output, renderMcpPage(operation.page(output), MCP_TOOLS)];
}

beforeAll(async () => {
  await call("project.init", { ...GOOD["project.init"], description: LONG });
  specify(repository.path, 40);
  archiveMany(repository.path, 10);
  fs.mkdirSync(join(repository.path, "src"));
  for (let i = 0; i < 20; i++)
    fs.writeFileSync(join(repository.path, `src/login-${i}.ts`), `// FR-0${i + 10}, FR-9${i + 10}: log in ${LONG}\n`);
  fs.writeFileSync(join(repository.path, "src/login.ts"), "export const login = 1;\n");
  for (let i = 0; i < 40; i++)
    fs.writeFileSync(join(repository.path, `src/user-${i}.ts`), 'import { login } from "./login.ts";\n\nlogin;\n');
  await call("change.start", { type: "fix", size: "small", description: `Log in as FR-001, FR-777 and ${LONG}` });
  for (let i = 0; i < 12; i++)
    await call("memory.save", { title: `Login ${i} ${LONG.slice(0, 150)}`, content: `Passkeys log in ${i} ${LONG}` });
  for (let i = 0; i < 5; i++) await call("memory.update", { id: 1, content: `Revision ${i} ${LONG}` });
});
afterAll(() => {
  tenon[Symbol.dispose]();
  repository[Symbol.dispose]();
});

test("a ceiling and a level of detail are the same argument everywhere", async () => {
  const bounds = CAPPED.map(async (id) => [id, await takes(id, 100_000), await takes(id, 100_001)]);
  expect(await Promise.all(bounds)).toEqual(CAPPED.map((id) => [id, true, false]));
  const levels = OPERATION_IDS.flatMap((id) => listFields(id)["detail_level"] ?? []);
  // A default other than standard is described.
  const isUsual = ({ enum: words, description = "Default summary" }: ToolJsonSchema): boolean =>
    words?.join() === "summary,standard,full" && /^Default (?:summary|full)$/.test(description);
  expect(levels.filter((field) => !isUsual(field))).toEqual([]);
});

test.each(CAPPED)("%s keeps every ceiling, as text and as data", async (id) => {
  const { detail_level } = listFields(id);
  const lowest = await findLowestLimit(id);
  for (const ceiling of [lowest, lowest + 1, lowest + 60, 400, 1_000, 4_000]) {
    for (const level of detail_level?.enum ?? [undefined]) {
      const said = { ...GOOD[id], max_tokens: ceiling, ...(level === undefined ? {} : { detail_level: level }) };
      const [data, text] = await call(id, said);
      const over = [JSON.stringify(data), text].map(countTokens).filter((cost) => cost > ceiling);
      expect({ ceiling, level, over }).toEqual({ ceiling, level, over: [] });
    }
  }
});
