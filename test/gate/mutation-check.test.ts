import { expect, test } from "vitest";
import { projectStand, typescriptStand } from "./project.ts";

const CODE = `/** @spec AUTH-001.AC-1 */
export const login = (code: string): boolean => code === "123456";

// @spec AUTH-001.AC-2
export function greet(isMember: boolean): string {
  return isMember ? "Welcome back" : "Hello";
}
`;
const TEST = `import { expect, test } from "vitest";
import { greet, login } from "../src/login.ts";
// @spec AUTH-001.AC-1
test("lets only the right code in", () => expect([login("123456"), login("0")]).toEqual([true, false]));
// @spec AUTH-001.AC-2
test("greets", () => expect(greet(true)).toBeTypeOf("string"));
`;

test("reports the mutations that real tests do not detect", async () => {
  using it = await typescriptStand({ "src/login.ts": CODE, "tests/login.test.ts": TEST });
  await it.trust();
  const answer = await it.run("gate.mutation-check", { id: "AUTH-001" });
  const { passed, ...rest } = answer as unknown as { passed: boolean; criteria: unknown };
  expect([passed, rest.criteria]).toEqual([
    false,
    [
      { name: "AUTH-001.AC-1", tried: 1, detected: 1, invalid: 0, left: 0, survivors: [] },
      {
        name: "AUTH-001.AC-2",
        tried: 2,
        detected: 1,
        invalid: 0,
        left: 0,
        survivors: [
          {
            file: "src/login.ts",
            line: 6,
            before: 'return isMember ? "Welcome back" : "Hello";',
            after: 'return !(isMember) ? "Welcome back" : "Hello";',
          },
        ],
      },
    ],
  ]);
  expect(it.read("src/login.ts")).toBe(CODE);
  const one = await it.run("gate.mutation-check", { id: "AUTH-001.AC-1", most: 5, minutes: 1 });
  expect(one.passed).toBe(true);
});

test("runs nothing untrusted", async () => {
  using it = await typescriptStand({ "src/login.ts": CODE, "tests/login.test.ts": TEST });
  await expect(it.run("gate.mutation-check", { id: "AUTH-001" })).rejects.toMatchObject({ code: "trust.needed" });
});

test("reports text that is not an id", async () => {
  using it = await projectStand({ "a.txt": "a\n" });
  for (const id of ["auth", "AUTH-001.AC", "AUTH-001.AC-1.AC-2", ".AC-1"]) {
    await expect(it.run("gate.mutation-check", { id })).rejects.toMatchObject({ code: "workflow.bad-id" });
  }
});

test("runs in a gate where the settings require it, and fails for surviving mutations", async () => {
  using it = await typescriptStand({
    "sdd/config.yaml": "gates:\n  mutation_check: true\n  waived:\n    coverage: No tool for it is installed here\n",
  });
  await it.trust();
  await it.begin();
  it.write("tests/login.test.ts", TEST);
  it.write("src/login.ts", CODE);
  const survivor =
    'mutation-check: src/login.ts: no test of AUTH-001.AC-2 fails when `return isMember ? "Welcome back" : "Hello";` is `return !(isMember) ? "Welcome back" : "Hello";`';
  expect((await it.gate()).open).toEqual([survivor]);
  // Advancing does not get past what the gate has just said.
  const moved = await it.run("workflow.advance", { id: "AUTH-001" });
  expect([moved.passed, moved.workflow?.stage]).toEqual([false, "implement"]);
}, 120_000);
