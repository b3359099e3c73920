import { expect, test } from "vitest";
import { type MemoryWorkspace, openMemoryWorkspace } from "../../../../test/kit/memory-engine.ts";
import { type LoggedDecision, parseDecisionLog } from "../../model/handover/decision-log.ts";
import { parseSessionDocument } from "../../model/handover/session-document.ts";
import { DECISION_TYPES } from "../../model/lead/lead-state.ts";

const PRODUCT = "sdd/steering/product.md";
const SAID = { summary: "Keep state in SQLite", reason: "Two stores drift" };

const listDecisions = ({ read }: Pick<MemoryWorkspace, "read">): LoggedDecision[] =>
  parseDecisionLog(read("sdd/handover/decisions.md"));

test.each(DECISION_TYPES)("records %s under the next number", async (type) => {
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

test("does not create product.md for a decision, so that steering can create it later", async () => {
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
  ["an exception without a steering line", { ...SAID, type: "STEERING_EXCEPTION" }],
  ["a steering line without an exception", { ...SAID, steering_ref: "tech.md" }],
])("rejects %s and writes nothing", async (_, input) => {
  const workspace = openMemoryWorkspace();
  await expect(workspace.run("handover.decide", input)).rejects.toMatchObject({ code: "input.missing" });
  expect([...workspace.files]).toEqual([]);
});

test("records a session's start without a reason", async () => {
  const workspace = openMemoryWorkspace();
  await workspace.run("handover.decide", { type: "SESSION_START", summary: "Monday" });
  expect(listDecisions(workspace)).toEqual([
    expect.objectContaining({ type: "SESSION_START", reason: "", decision: "" }),
  ]);
});

test("lists an exception from steering in the handover", async () => {
  const workspace = openMemoryWorkspace();
  await workspace.run("handover.decide", { ...SAID, type: "STEERING_EXCEPTION", steering_ref: "tech.md: no SQL" });
  expect(parseSessionDocument(workspace.read("sdd/handover/session.md")).exceptions).toBe(
    "- tech.md: no SQL: Keep state in SQLite: Two stores drift (D1)",
  );
});
