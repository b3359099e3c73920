import { Fault } from "#kernel/model/fault.ts";
import { requireTraceId, splitTraceId, type TraceId } from "#kernel/model/ids/trace-id.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import type { CodeEngine } from "../engine.ts";
import type { StoreStep, StoreTree } from "#store/operations/ports/store.ts";
import { readTracedCode, locateTaggedFiles } from "./find-drift.ts";
import { type AcceptanceInput, createAcceptanceStep, loadAcceptances } from "./acceptance-records.ts";

/** Accepts the current code of these requirements. A spec includes all its criteria. */
export async function acceptRequirements(engine: CodeEngine, named: string, reason?: string): Promise<string[]> {
  const ids = named.split(",").map((each) => requireTraceId(each.trim()));
  if (reason === undefined)
    throw new Fault("trace.no-reason", {
      what: "Nothing was accepted.",
      why: "The record must explain why the code still meets the requirement.",
      fix: { operation: "trace.drift", input: { accept: named, reason: "…" } },
    });
  const found = await collectAcceptances(engine, ids);
  const missing = ids.find((id) => !found.some((each) => isIncludedId(each.id, id)));
  if (missing !== undefined) {
    const { spec, criterion } = splitTraceId(missing);
    const tag = /^[a-z]/.test(spec) || criterion !== undefined ? `AC: ${missing}` : `@spec ${missing}`;
    throw new Fault("trace.nothing-there", {
      what: `${missing} was not accepted.`,
      why: "No code or test is tagged with it.",
      fix: [
        `Write a comment above the code that implements it: ${tag}`,
        { operation: "trace.drift", input: { accept: missing, reason: "…" } },
      ],
    });
  }
  const said = { at: engine.clock.now(), by: engine.session, reason };
  return commitStoreWrite(engine, (tree) => ({
    steps: found.map((each) => createAcceptanceStep(tree, each, said)),
    occurrences: found.map(({ id, symbols }) => ({
      kind: "trace.accepted",
      subject: id,
      data: { symbols: symbols.length, reason },
    })),
    result: found.map(({ id }) => id),
  }));
}

const isIncludedId = (id: TraceId, asked: TraceId): boolean => id === asked || splitTraceId(id).spec === asked;

/** Covers ids that code names now, and ids accepted before. Finished work also covers the files that it changed. */
async function collectAcceptances(engine: CodeEngine, ids: readonly TraceId[], work?: { changed: readonly string[] }) {
  const { found: before } = await engine.store.read(loadAcceptances);
  const isAsked = (id: TraceId): boolean => ids.some((asked) => isIncludedId(id, asked));
  const where = await locateTaggedFiles(engine, before, work !== undefined);
  const paths = [...where.paths(isAsked), ...(work?.changed ?? [])];
  const { byId } = await readTracedCode(engine, paths, where.names);
  const all = new Set([...byId.keys(), ...before.keys()].filter(isAsked));
  const requirements = await engine.requirements.read(all);
  const commit = await engine.source.head();
  return [...all].toSorted().map((id): AcceptanceInput => {
    const spec_hash = requirements.get(id)?.spec_hash;
    return { id, spec_hash, symbols: byId.get(id) ?? [], commit };
  });
}

export async function collectWorkflowAcceptances(
  engine: CodeEngine,
  { id, base_commit: base }: { readonly id: string; readonly base_commit?: string | undefined },
): Promise<AcceptanceInput[]> {
  const changes = base === undefined ? undefined : await engine.source.changes(base);
  return collectAcceptances(engine, [requireTraceId(id)], { changed: changes?.map(({ path }) => path) ?? [] });
}

interface WorkDraft {
  readonly at: string;
  step(step: StoreStep): void;
  say(kind: string, subject: string, data: Readonly<Record<string, unknown>>): void;
}

/** Work with a receipt is approved, so its spec's code is accepted too. A failure does not undo the work. */
export function acceptFinishedWork(
  draft: WorkDraft,
  tree: StoreTree,
  carried: readonly AcceptanceInput[],
  { receipt, by }: { readonly receipt: string | undefined; readonly by: string },
): string[] {
  const reason = `Receipt ${receipt}`;
  return (receipt === undefined ? [] : carried).flatMap((each) => {
    try {
      draft.step(createAcceptanceStep(tree, each, { at: draft.at, by, reason }));
      draft.say("trace.accepted", each.id, { symbols: each.symbols.length, reason });
      return [];
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return [`${each.id} was not accepted with it: ${error.why}`];
    }
  });
}
