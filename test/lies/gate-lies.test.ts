import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { LOGIN, tinyStand, type TinyStand } from "../gate/tiny.ts";
import { git } from "../kit/folder.ts";
import { GATE_LIES, HONEST_GATES, LOGIN_TEST, OLD_FILES } from "./gate-lies.ts";

let at: TinyStand;
const build = (): void => {
  at.write("src/login.mjs", LOGIN);
  at.write("tests/login.mjs", LOGIN_TEST);
};

beforeAll(async () => {
  at = await tinyStand({ files: OLD_FILES });
  build();
});
afterEach(() => {
  git(at.root, "reset", "-q", "--hard");
  git(at.root, "clean", "-qffd", "-e", "sdd", "-e", ".sdd");
  at.write(".git/info/exclude", ".sdd/\n");
  build();
});
afterAll(() => at[Symbol.dispose]());

describe("D at the gate after the code of a feature", () => {
  test("passes the honest work that each lie starts from", async () => {
    expect((await at.gate()).open).toEqual([]);
  });

  test.each(GATE_LIES)("rejects: $lie", async ({ tell, message }) => {
    await tell(at);
    const { passed, open } = await at.gate();
    expect([passed, open.join("\n")]).toEqual([false, expect.stringContaining(message)]);
  });

  test.each(HONEST_GATES)("passes: $honest", async ({ tell }) => {
    await tell(at);
    expect((await at.gate()).open).toEqual([]);
  });
});
