import { expect, test } from "vitest";
import { type MemoryWorkspace, openMemoryWorkspace } from "../../../../test/kit/memory-engine.ts";
import { type LoggedDecision, parseDecisionLog } from "../../model/handover/decision-log.ts";
import { parseSessionDocument } from "../../model/handover/session-document.ts";
import { DECISION_TYPES } from "../../model/lead/lead-state.ts";

const PRODUCT = "sdd/steering/product.md";
const SAID = { summary: "Keep state in SQLite", reason: "Two stores drift" };

const listDecisions = ({ read }: Pick<MemoryWorkspace, "read">): LoggedDecision[] =>
  parseDecisionLog(read("sdd/handover/decisions.md"));

test.each(DECISION_TYPES)("%s is recorded under the next number", async (type) => {
  const workspace = openMemoryWorkspace();
  workspace.files.set(PRODUCT, "# Product\n");
  await workspace.run("handover.decide", SAID);
  const more = type === "STEERING_EXCEPTION" ? { steering_ref: "tech.md: no SQL" } : {};
  expect(await workspace.run("handover.decide", { ...SAID, type, ...more })).toMatchObject({ decision: "D2", type });
  const [, second] = listDecisions(workspace);
  expect(second).toMatchObject({ number: 2, type, summary: SAID.summary, reason: SAID.reason });
  const isUsers = !["STEERING_UPDATE", "SESSION_START", "SESSION_END"].includes(type);
  expect(workspace.read(PRODUCT).includes("D2: ")).toBe(isUsers);
});

test("a decision begins no product.md, so that steering can be created after it", async () => {
  const workspace = openMemoryWorkspace();
  await workspace.run("handover.decide", SAID);
  expect(workspace.files.has(PRODUCT)).toBe(false);
  await workspace.run("steering.manage", { action: "create", vision: "Nobody waits" });
  expect(workspace.read(PRODUCT)).toContain("Nobody waits");
  await workspace.run("handover.decide", SAID);
  expect(workspace.read(PRODUCT)).toContain(`: ${SAID.summary}`);
});

test.each([
  ["no reason", { summary: "SQLite" }],
  ["an exception from nothing", { ...SAID, type: "STEERING_EXCEPTION" }],
  ["a line of steering without an exception", { ...SAID, steering_ref: "tech.md" }],
])("%s is refused, and nothing is written", async (_, input) => {
  const workspace = openMemoryWorkspace();
  await expect(workspace.run("handover.decide", input)).rejects.toMatchObject({ code: "input.missing" });
  expect([...workspace.files]).toEqual([]);
});

test("that a session came or went needs no reason", async () => {
  const workspace = openMemoryWorkspace();
  await workspace.run("handover.decide", { type: "SESSION_START", summary: "Monday" });
  expect(listDecisions(workspace)).toEqual([
    expect.objectContaining({ type: "SESSION_START", reason: "", decision: "" }),
  ]);
});

test("an exception from steering is told to who goes on, and to auditors", async () => {
  const workspace = openMemoryWorkspace();
  await workspace.run("handover.decide", { ...SAID, type: "STEERING_EXCEPTION", steering_ref: "tech.md: no SQL" });
  expect(parseSessionDocument(workspace.read("sdd/handover/session.md")).exceptions).toBe(
    "- tech.md: no SQL: Keep state in SQLite: Two stores drift (D1)",
  );
});
