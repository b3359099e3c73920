import { expect, test } from "vitest";
import { LOGIN, tinyStand, WITH_VAR } from "./tiny.ts";

const readFlags = (text: string): string[] => text.match(/^(?:can_advance|dirty): .*$/gm) ?? [];

test("marks a passed gate in state.yaml as stale once the code changed", async () => {
  using it = await tinyStand();
  it.write("src/login.mjs", LOGIN);
  expect((await it.gate()).passed).toBe(true);
  expect(readFlags(it.read(".sdd/state.yaml"))).toEqual(["can_advance: true", "dirty: false"]);
  it.write("src/login.mjs", LOGIN.replace("===", "!=="));
  await it.run("workflow.prioritize", { id: "AUTH-001", priority: 2 });
  expect(readFlags(it.read(".sdd/state.yaml"))).toEqual(["can_advance: false", "dirty: true"]);
});

test("does not report a gate as passed because its commands passed on a retry", async () => {
  using it = await tinyStand();
  it.write("tests/login.mjs", 'test("passes before", () => same(1, 1));\n');
  it.write("src/login.mjs", WITH_VAR);
  const gate = await it.gate();
  expect([gate.passed, gate["attempts"]]).toMatchObject([false, [{ n: 1 }, { n: 2, failed: [] }]]);
  const retried = it.read(".sdd/logs/retry.log");
  expect(retried).not.toContain("Gate passed");
  expect(retried).toContain("Commands passed on attempt 2");
});
