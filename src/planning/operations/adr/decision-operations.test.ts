import { expect, test } from "vitest";
import { openMemoryWorkspace } from "../../../../test/kit/memory-engine.ts";

const DECISION = { context: "c", decision: "d", rationale: "r" };

function openDecisions() {
  const { files, run, list } = openMemoryWorkspace();
  const read = new Set<string>();
  const get = files.get.bind(files);
  files.get = (path) => {
    read.add(path);
    return get(path);
  };
  const record = async (title: string, more: object = {}): Promise<string> => {
    const { adr } = await run("adr.record", { title, ...DECISION, ...more });
    return (adr as { ref: string }).ref;
  };
  const listDecisionsRead = async (work: () => Promise<unknown>): Promise<string[]> => {
    read.clear();
    await work();
    return [...read].filter((path) => path.includes("ADR-")).toSorted();
  };
  return { run, list, record, listDecisionsRead };
}

test("recording a decision reads no settled one", async () => {
  const { record, listDecisionsRead } = openDecisions();
  for (const title of ["One", "Two", "Three"]) await record(title);
  expect(await listDecisionsRead(() => record("Four"))).toEqual(["sdd/adrs/ADR-0004-four.md"]);
});

test("recording a decision reads no settled one of its change", async () => {
  const { run, record, listDecisionsRead } = openDecisions();
  await run("change.start", { type: "fix", size: "small", description: "Log in" });
  for (const title of ["One", "Two"]) await record(title);
  expect(await listDecisionsRead(() => record("Three"))).toEqual(["sdd/changes/log-in/adrs/ADR-003.md"]);
});

test("finds an older proposal, and a decision that became one again", async () => {
  const { run, list, record } = openDecisions();
  await record("Use rows");
  await record("Use columns", { status: "proposed" });
  for (const title of ["Other", "Third"]) await record(title);
  expect(await record("use  columns")).toBe("ADR-0002");
  await record("Fifth");
  await run("adr.status", { adr: "ADR-0001", status: "proposed" });
  expect(await record("Use rows")).toBe("ADR-0001");
  expect(list("sdd/adrs")).toHaveLength(5);
});
