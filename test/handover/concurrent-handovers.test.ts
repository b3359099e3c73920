import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseDecisionLog } from "#roadmap/model/handover/decision-log.ts";
import { parseSessionDocument } from "#roadmap/model/handover/session-document.ts";
import { temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { freezeTenon } from "../kit/frozen.ts";
import { tenon } from "../kit/process.ts";
import { put } from "../kit/repository.ts";
import { startWorker } from "../kit/worker.ts";
import { answer, ask, loadRecordedPayload, SESSION as NAME } from "../hook/hook-calls.ts";
import { DECISIONS, SESSION } from "./stand.ts";

interface Told {
  readonly decision: string;
  readonly said: string;
}

const EACH = 8;
const reading = (root: string) => ({
  session: parseSessionDocument(fs.readFileSync(join(root, SESSION), "utf8")),
  decisions: parseDecisionLog(fs.readFileSync(join(root, DECISIONS), "utf8")),
});

test("keeps everything and every number of two sessions that draft and decide at once", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  put(root, "sdd/config.yaml", "");
  const workers = ["one", "two"].map((name) => startWorker<Told | "ready">("handover", [root, name, String(EACH)]));
  await Promise.all(workers.map((worker) => worker.hear(1)));
  for (const worker of workers) worker.tell("go");
  expect((await Promise.all(workers.map(({ ended }) => ended))).map(({ code, err }) => [code, err])).toEqual([
    [0, ""],
    [0, ""],
  ]);
  const told = workers.flatMap(({ said }) => said.filter((word) => word !== "ready"));
  const { session, decisions } = reading(root);
  expect(decisions.map(({ number, summary }) => [`D${number}`, summary])).toEqual(
    told
      .toSorted((a, b) => Number(a.decision.slice(1)) - Number(b.decision.slice(1)))
      .map((each) => [each.decision, each.said]),
  );
  expect(decisions.map(({ number }) => number)).toEqual(Array.from({ length: 2 * EACH }, (_, i) => i + 1));
  const said = told.map((each) => each.said).toSorted();
  expect(session.accomplished.map((line) => line.replace(/^- \S+ /, "")).toSorted()).toEqual(said);
  expect(session.added.map((line) => line.replace(/^\d+\. |: r \(D\d+\)$/g, "")).toSorted()).toEqual(said);
  expect(session.files.length).toBe(2 * EACH);
});

test("the next session finishes an interrupted handover", async () => {
  using repository = temporaryRepository();
  using home = temporaryFolder();
  const settings = { cwd: repository.path, env: { TENON_HOME: home.path, TENON_MEMORY: "off" } };
  expect(tenon(["steering", "create"], settings).code).toBe(0);
  const drafted = fs.readFileSync(join(repository.path, SESSION), "utf8");
  const words = ["handover", "--accomplished", "All of it", "--next", "Rest"];
  const frozen = await freezeTenon(words, settings, "renameSync .*session.md$");
  frozen.process.kill("SIGKILL");
  await frozen.ended;
  expect(tenon(["decide", "SQLite", "--reason", "One truth"], settings).code).toBe(0);
  const { session, decisions } = reading(repository.path);
  expect([session.next, session.accomplished[0]]).toEqual(["Rest", "- All of it"]);
  expect(decisions.map(({ type }) => type)).toEqual(["STEERING_UPDATE", "SESSION_END", "USER_DECISION"]);
  const kept = fs.readdirSync(join(repository.path, "sdd/handover/sessions"));
  expect(kept.map((name) => fs.readFileSync(join(repository.path, "sdd/handover/sessions", name), "utf8"))).toEqual([
    drafted,
  ]);
});

test("a session starts with the last handover, logged once", () => {
  using repository = temporaryRepository();
  using home = temporaryFolder();
  const root = repository.path;
  const settings = { cwd: root, env: { TENON_HOME: home.path, TENON_MEMORY: "off" } };
  const begun = (source: string): unknown =>
    answer(ask("session-start", loadRecordedPayload("session-start", root, { source }), root));
  expect(tenon(["steering", "create"], settings).code).toBe(0);
  expect(tenon(["handover", "--next", "Review the tides", "--warnings", "Port is slow"], settings).code).toBe(0);
  const log = fs.readFileSync(join(root, DECISIONS), "utf8");
  expect(begun("startup")).toEqual({
    hookSpecificOutput: {
      hookEventName: "SessionStart",
      additionalContext: [
        `Tenon: this session is ${NAME}. Pass it as \`session\` to every Tenon tool that takes one.`,
        'Next step from the last session: "Review the tides"',
        'Its warnings: "- Port is slow"',
        'Details: sdd_handover {"resume":true}',
      ].join("\n"),
    },
  });
  // The hook itself writes its line into the journal, and nothing else.
  expect(fs.readFileSync(join(root, DECISIONS), "utf8")).toBe(log);
  begun("compact");
  expect(tenon(["decide", "SQLite", "--reason", "One truth"], settings).code).toBe(0);
  expect(reading(root).decisions.map(({ type }) => type)).toEqual([
    "STEERING_UPDATE",
    "SESSION_END",
    "SESSION_START",
    "USER_DECISION",
  ]);
});
