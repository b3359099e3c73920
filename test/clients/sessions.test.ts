import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { scriptedModel } from "../plugin/model.ts";
import {
  findClientProblem,
  listAgentQuestions,
  listJournalEvents,
  machineWithSetup,
  readVersion,
  REAL_CLIENTS,
  runSession,
} from "./real-client.ts";

const RECORD = "test/clients/tried.json";
const tried = JSON.parse(fs.readFileSync(RECORD, "utf8")) as Record<string, unknown>;

describe.each(REAL_CLIENTS)("the real $id", (client) => {
  const problem = findClientProblem(client);

  test.skipIf(problem)(
    `loads its setup and obeys Tenon in a session${problem ? ` (${problem})` : ""}`,
    // Clients are large programs of others, with timers of their own.
    { timeout: 180_000, retry: 2 },
    async () => {
      using own = machineWithSetup(client.id, ...(client.also ? [client.also] : []));
      const record = join(own.repository, "sdd/sdd.json");
      const acts = [
        { tool: client.nameTool("sdd_status"), input: {} },
        client.edit(record),
        // A writing tool needs no approval: it stays in the repository and destroys nothing.
        {
          tool: client.nameTool("sdd_change"),
          input: { description: "Rename the sum", type: "refactor", size: "small" },
        },
        // The change is now the session's work. Only a workflow's gate can contradict the claim below.
        { tool: client.nameTool("sdd_workflow_resume"), input: { id: "BUG-001" } },
      ];
      let claims = 0;
      await using model = await scriptedModel(({ tools, results }) => {
        if (tools.length === 0) return { text: "A title" };
        return acts[results.length] ?? { text: claims++ === 0 ? "All tests pass." : "The bug is still open." };
      });
      client.prepare(own, model.url);
      const listed = own.run(client.program, client.list.words);
      expect(`${listed.out}${listed.err}`).toMatch(client.list.connected);

      const { code, out, err } = await runSession(client, own, "Go.");
      expect({ code, err: code === 0 ? "" : err }).toEqual({ code: 0, err: "" });
      const questions = listAgentQuestions(model);
      const [answer = "", refusal = "", started = ""] = questions.at(-1)?.results ?? [];
      // The next call is in what the model receives.
      expect(answer).toContain("BUG-001");
      expect(answer).toContain("Next: sdd_workflow_status");
      expect(refusal).toContain("sdd/sdd.json must not be edited by hand");
      expect(fs.existsSync(record)).toBe(false);
      expect(started).toContain("Next: sdd_change_");
      expect(fs.readdirSync(join(own.repository, "sdd/changes"))).toHaveLength(1);
      const ends = listJournalEvents(own).filter((event) => event === "SessionEnd");
      expect(ends.length).toBeLessThanOrEqual(1);
      const seen = {
        version: readVersion(client, own),
        greeted: questions[0]?.text.includes("Tenon: this session is") === true,
        challenged: questions.at(-1)?.text.includes("the gate of that stage has not been tried") === true,
        ended: ends.length === 1,
      };
      expect(out).toContain(seen.challenged ? "The bug is still open." : "All tests pass.");
      // Copilot CLI may run the hook before it has written the agent's answer to its log.
      const facts = client.id === "copilot" ? { ...seen, challenged: "sometimes" } : seen;
      if (process.env["UPDATE"]) {
        const kept = JSON.parse(fs.readFileSync(RECORD, "utf8")) as Record<string, unknown>;
        fs.writeFileSync(RECORD, `${JSON.stringify({ ...kept, [client.id]: facts }, undefined, 2)}\n`);
        return;
      }
      expect(facts).toEqual(tried[client.id]);
    },
  );
});
