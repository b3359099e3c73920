import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CLIENT_IDS } from "#onboarding/model/setup/client-catalog.ts";
import { scriptedModel } from "../plugin/model.ts";
import { findClientProblem, machineWithSetup, REAL_CLIENTS, runSession } from "./real-client.ts";

/** Most clients go on after a hook that failed, and report it in a warning, a transcript or a log. */
const FAILED_HOOK = /.{0,60}(?:\btenon: (?:command )?not found|spawn\w* tenon ENOENT|hook: \w+ Failed)/;

/** The lines about a failing hook in what a client printed and kept. */
function listHookFailures(printed: string, home: string): string[] {
  const files = fs.readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const texts = files.map(({ parentPath, name }) => fs.readFileSync(join(parentPath, name), "latin1"));
  return [printed, ...texts].flatMap((text) => FAILED_HOOK.exec(text)?.[0] ?? []);
}

describe.each(REAL_CLIENTS)("the real $id of a colleague without Tenon", (client) => {
  const problem = findClientProblem(client);

  test.skipIf(problem)(
    `writes a file, with every client set up, and meets no failing hook${problem ? ` (${problem})` : ""}`,
    // Clients are large programs of others, with timers of their own.
    { timeout: 180_000, retry: 2 },
    async () => {
      using own = machineWithSetup(...CLIENT_IDS);
      fs.rmSync(join(own.repository, "../bin/tenon"));
      const path = join(own.repository, "notes.txt");
      await using model = await scriptedModel(({ tools, results }) => {
        if (tools.length === 0) return { text: "A title" };
        return results.length === 0 ? client.edit(path) : { text: "Written." };
      });
      client.prepare(own, model.url);
      const { code, out, err } = await runSession(client, own, "Go.");
      expect({ code, err: code === 0 ? "" : err }).toEqual({ code: 0, err: "" });
      expect(out).toContain("Written.");
      expect(fs.existsSync(path)).toBe(true);
      expect(listHookFailures(`${out}${err}`, own.home)).toEqual([]);
    },
  );
});
