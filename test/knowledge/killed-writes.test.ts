import { expect, test } from "vitest";
import { temporaryFolder } from "../kit/folder.ts";
import { freezeTenon } from "../kit/frozen.ts";
import { tenon } from "../kit/process.ts";
import { BUFFER } from "../kit/knowledge.ts";
import { knowledgeStand } from "./stand.ts";

test.each([
  ["before the first file", "renameSync .*sessions-renewed-login.md$"],
  ["between the file and its index", "renameSync .*index.md$"],
  ["before the buffer", "renameSync .*buffer.md$"],
])("finishes a write of knowledge that was killed %s in the next call", async (_, call) => {
  using home = temporaryFolder();
  using stand = await knowledgeStand();
  await stand.learn("user-login", "[PATTERN] Sessions are renewed at login.", "[INCIDENT] The clock was read twice");
  const { waiting } = await stand.manage({ action: "review" });
  const id = waiting.find(({ type }) => type === "pattern")?.id ?? "";
  const settings = { cwd: stand.root, env: { TENON_HOME: home.path } };
  const frozen = await freezeTenon(["knowledge", "review", id, "--answer", "accept"], settings, call);
  frozen.process.kill("SIGKILL");
  expect((await frozen.ended).signal).toBe("SIGKILL");
  const words = ["knowledge", "add", "--type", "reference", "--text", "RFC 9110 says so", "--json"];
  expect(tenon(words, settings).code).toBe(0);
  expect((await stand.waiting()).tags.map(({ tag }) => tag)).toEqual(["[INCIDENT] The clock was read twice"]);
  expect(stand.known()).toEqual([
    "index.md",
    "pattern-security-sessions-renewed-login.md",
    "reference-integration-rfc-9110-says.md",
  ]);
  expect(stand.read("sdd/knowledge/index.md").match(/^\| \[/gm)).toHaveLength(2);
  expect(stand.read(BUFFER).match(/^- /gm)).toHaveLength(1);
});
