import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { refusal } from "../kit/fault.ts";
import { runStand } from "./run-stand.ts";

const PLAN = { groups: { "tide-model": ["A"] } };

test("reports why a run cannot start, and starts no agent", async () => {
  using stand = await runStand(PLAN);
  const refuse = (input: Readonly<Record<string, unknown>> = {}) => refusal(stand.start(input));
  expect(await refuse({ agent: "claude=0" })).toMatchObject({ code: "run.bad-agents" });
  const unknown = { code: "run.not-ready", message: expect.stringContaining('There is no agent "nobody"') };
  expect(await refuse({ agent: "nobody=1" })).toEqual(unknown);
  fs.rmSync(join(stand.bin, "gemini"));
  const missing = { code: "run.not-ready", message: expect.stringContaining("Gemini CLI is not installed") };
  expect(await refuse({ agent: "gemini=1" })).toEqual(missing);
  expect(await refusal(stand.run("run.show", { action: "tide-model/build-A/1" }))).toMatchObject({
    code: "run.no-transcript",
  });
  expect(await stand.start({ plan: true })).toMatchObject({
    run: "",
    ended: expect.stringContaining("Nothing was started"),
  });
  await stand.engine.store.exclusively("run", async () => expect(await refuse()).toMatchObject({ code: "run.active" }));
  expect(fs.existsSync(join(stand.home, "starts.log"))).toBe(false);
});
