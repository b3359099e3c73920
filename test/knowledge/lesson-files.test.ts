import { expect, test } from "vitest";
import { BUFFER } from "../kit/knowledge.ts";
import { knowledgeStand } from "./stand.ts";

const RENEW = "[PATTERN] Sessions are renewed at login.";
const CLOCK = "[INCIDENT] Tests failed at midnight because the clock was read twice";

test("continues a session with an unreadable buffer or file", async () => {
  using stand = await knowledgeStand();
  for (const path of [BUFFER, "sdd/knowledge/pattern-api-broken.md"]) stand.put(path, Buffer.from([0xff, 0xfe, 0x00]));
  await stand.learn("user-login", RENEW);
  await stand.finishWave();
  expect(stand.known()).toEqual(["index.md", "pattern-api-broken.md", "pattern-security-sessions-renewed-login.md"]);
});

test("saves each file to memory once, under its own topic", async () => {
  using stand = await knowledgeStand();
  await stand.learn("user-login", RENEW, CLOCK);
  await stand.finishWave();
  await stand.learn("mail", RENEW);
  await stand.finishWave();
  const { out } = await stand.tenon.run("memory", "search", "sessions renewed login", "--type", "pattern", "--json");
  const { observations = [] } = JSON.parse(out) as {
    observations?: { topic_key: string; type: string; revision: number; text: string }[];
  };
  expect(
    observations.map(({ topic_key, type, revision }) => [topic_key.replace(/\/.*\//, "/…/"), type, revision]),
  ).toEqual([["knowledge/…/pattern-security-sessions-renewed-login", "pattern", 2]]);
});
