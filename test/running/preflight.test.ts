import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { refusal } from "../kit/fault.ts";
import { runStand } from "./run-stand.ts";

const PLAN = { groups: { "tide-model": ["A"] } };

test("a run that cannot start says why, and starts no agent", async () => {
  using stand = await runStand(PLAN);
  const refuse = async (input: Readonly<Record<string, unknown>> = {}) => {
    const { code, message } = await refusal(stand.start(input));
    return `${code}: ${message}`;
  };
  expect(await refuse({ agent: "claude=0" })).toMatch(/^run\.bad-agents: /);
  expect(await refuse({ agent: "nobody=1" })).toMatch(/^run\.not-ready: .*There is no agent "nobody"/s);
  fs.rmSync(join(stand.bin, "gemini"));
  expect(await refuse({ agent: "gemini=1" })).toMatch(/^run\.not-ready: .*Gemini CLI is not installed/s);
  expect(await refusal(stand.run("run.show", { action: "tide-model/build-A/1" }))).toMatchObject({
    code: "run.no-transcript",
  });
  expect(await stand.start({ plan: true })).toMatchObject({
    run: "",
    ended: expect.stringContaining("Nothing was started"),
  });
  await stand.engine.store.exclusively("run", async () => expect(await refuse()).toMatch(/^run\.active: /));
  expect(fs.existsSync(join(stand.home, "starts.log"))).toBe(false);
});
