import fs from "node:fs";
import { dirname, join } from "node:path";
import type * as z from "zod";
import { renderMcpPage } from "#doors/mcp/mcp-render.ts";
import { MCP_TOOLS } from "#doors/mcp/tool-table.ts";
import { loadCatalogueOperation, type OperationId } from "#doors/catalogue.ts";
import type { ChangeAdvanced } from "#planning/operations/change/schema.ts";
import type { ContextAudited, ContextChecked, ContextSuggested } from "#planning/operations/context/schema.ts";
import { temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";

export type Checked = z.infer<typeof ContextChecked>;
export type Suggested = z.infer<typeof ContextSuggested>;
export type Audited = z.infer<typeof ContextAudited>;
type Advanced = z.infer<typeof ChangeAdvanced>;
type Input = Readonly<Record<string, unknown>>;

export interface Ground extends Disposable {
  readonly root: string;
  /** Writes a file of the user's. */
  readonly write: (path: string, text: string | Uint8Array) => void;
  readonly run: <T>(operation: OperationId, input?: Input) => Promise<T>;
  /** As a client of the tools reads it. */
  readonly shown: (operation: OperationId, input?: Input) => Promise<string>;
  readonly start: (description: string, size?: string) => Promise<void>;
  /** Ends the current stage, and tells what stands in the way. */
  readonly advance: (content: string, change_id?: string) => Promise<string[]>;
}

/** A repository with Tenon in it, all in this process. */
export function breakGround(environment: Record<string, string> = {}): Ground {
  const repository = temporaryRepository();
  const tenon = testHouse(repository.path, { environment });
  const call = async <T>(id: OperationId, input: Input): Promise<[output: T, text: string]> => {
    const operation = await loadCatalogueOperation(id);
    const schema = await operation.input?.();
    const output = await operation.run(await tenon.house.open({}), schema?.parse(input) ?? {});
    return [(await operation.output()).parse(output) as T, renderMcpPage(operation.page(output), MCP_TOOLS)];
  };
  return {
    root: repository.path,
    write(path, text) {
      const file = join(repository.path, path);
      fs.mkdirSync(dirname(file), { recursive: true });
      fs.writeFileSync(file, text);
    },
    run: async (operation, input = {}) => (await call<never>(operation, input))[0],
    shown: async (operation, input = {}) => (await call(operation, input))[1],
    start: async (description, size = "small") =>
      void (await call("change.start", { type: "fix", size, description, concurrent: true })),
    async advance(content, change_id) {
      const [{ problems }] = await call<Advanced>("change.advance", { content, ...(change_id ? { change_id } : {}) });
      return problems.map(({ problem }) => problem);
    },
    [Symbol.dispose]: () => {
      tenon[Symbol.dispose]();
      repository[Symbol.dispose]();
    },
  };
}

export const CLEAR = "## Findings\n\nNothing speaks against it.\n\n## Impact\n\nPatch.";
export const createContextAnswer = (...lines: string[]): string =>
  `## Findings\n\n${lines.map((line) => `- ${line}`).join("\n")}\n\n## Impact\n\nPatch.`;

export const REQUIREMENTS = [
  "# Requirements",
  "",
  "## Must have",
  "",
  "- **FR-001**: When a user searches for nothing, the API shall answer 200 with an empty list.",
  "- **FR-002**: The system shall refuse an upload over 10 MB.",
  "",
  "## Non-functional requirements",
  "",
  "- **NFR-001**: Search shall answer within 200 ms.",
  "",
].join("\n");
