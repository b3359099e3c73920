import fs from "node:fs";
import { dirname, join } from "node:path";
import { renderMcpPage } from "#doors/mcp/mcp-render.ts";
import { MCP_TOOLS } from "#doors/mcp/tool-table.ts";
import { type LoggedDecision, parseDecisionLog } from "#roadmap/model/handover/decision-log.ts";
import { parseSessionDocument, type SessionDocument } from "#roadmap/model/handover/session-document.ts";
import { loadCatalogueOperation, type OperationId } from "#doors/catalogue.ts";
import type { Engine } from "#doors/engine.ts";
import { foldJournalIntoLedger } from "#planning/operations/workflow/fold-journal.ts";
import { appendJournalLines } from "#planning/adapters/journal-files.ts";
import type { ProcessContext } from "#app/application-host.ts";
import { temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { PERSON, testHouse } from "../kit/house.ts";
import { writePapers } from "../kit/feature-life.ts";

export const SESSION = "sdd/handover/session.md";
export const DECISIONS = "sdd/handover/decisions.md";

type Input = Readonly<Record<string, unknown>>;

export interface HandoverStand extends Disposable {
  readonly root: string;
  readonly engine: Engine;
  run(id: OperationId, input?: Input): Promise<Record<string, unknown>>;
  /** What its page says to an agent. */
  page(id: OperationId, input?: Input): Promise<string>;
  /** As a hook would note it, and somebody folds it in. */
  begin(session: string): Promise<void>;
  read(path: string): string;
  put(path: string, text: string | Buffer): void;
  has(path: string): boolean;
  session(): SessionDocument;
  decisions(): LoggedDecision[];
  /** Every file of the handover, with what it says. */
  files(): Record<string, string>;
}

/** A workspace, in git or not, with what an Architect writes of one feature. */
export async function handoverStand(world: Partial<ProcessContext> = {}, isGit = true): Promise<HandoverStand> {
  const folder = isGit ? temporaryRepository() : temporaryFolder();
  const root = folder.path;
  fs.mkdirSync(join(root, "sdd"));
  writePapers(root);
  // What is known already would stand in every brief.
  fs.rmSync(join(root, "sdd/knowledge"), { recursive: true, force: true });
  const tenon = testHouse(root, { newId: () => crypto.randomUUID(), ...world }, PERSON);
  const engine = await tenon.house.open({ argument: root });
  const run = async (id: OperationId, input: Input = {}): Promise<Record<string, unknown>> => {
    const operation = await loadCatalogueOperation(id);
    const parsed = (await operation.input?.())?.parse(input) ?? {};
    const output = await operation.run(engine, parsed);
    (await operation.output()).parse(output);
    return output as Record<string, unknown>;
  };
  const read = (path: string): string => fs.readFileSync(join(root, path), "utf8");
  const has = (path: string): boolean => fs.existsSync(join(root, path));
  let notes = 0;
  return {
    root,
    engine,
    run,
    page: async (id, input) => renderMcpPage((await loadCatalogueOperation(id)).page(await run(id, input)), MCP_TOOLS),
    async begin(session) {
      appendJournalLines(root, {
        id: `note-${++notes}`,
        event: "SessionStart",
        session,
        at: tenon.clock.now(),
        steady: 0,
        boot: "test boot",
        paths: [],
        ms: 1,
      });
      await foldJournalIntoLedger(engine);
    },
    read,
    put(path, text) {
      fs.mkdirSync(dirname(join(root, path)), { recursive: true });
      fs.writeFileSync(join(root, path), text);
    },
    has,
    session: () => parseSessionDocument(read(SESSION)),
    decisions: () => (has(DECISIONS) ? parseDecisionLog(read(DECISIONS)) : []),
    files() {
      const all = has("sdd/handover")
        ? fs.readdirSync(join(root, "sdd/handover"), { recursive: true, withFileTypes: true })
        : [];
      const paths = all.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
      return Object.fromEntries(
        paths.toSorted().map((path) => [path.slice(root.length + 1), fs.readFileSync(path, "utf8")]),
      );
    },
    [Symbol.dispose]() {
      tenon[Symbol.dispose]();
      folder[Symbol.dispose]();
    },
  };
}
