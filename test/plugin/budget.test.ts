import fs from "node:fs";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";
import { COMMAND_PAGE_NAMES } from "#onboarding/model/setup/command-pages.ts";
import { AGENT_ROLES } from "#roadmap/model/agent/agent-roles.ts";
import { MAX_RESIDENT_TOKENS } from "../../scripts/plugin-files.ts";
import { filesIn } from "../laws/source.ts";

const tokens = (text: string): number => encode(text).length;
const prompts = filesIn("plugin").filter((path) => path.endsWith(".md") && path !== "README.md");
const read = (path: string): string => fs.readFileSync(`plugin/${path}`, "utf8");

/** What a client puts in front of every session: how each is called, and what it is for. */
function readResidentText(path: string): string {
  const name = path.replace(/^skills\/|^\w+\/|\/SKILL\.md$|\.md$/g, "");
  const [, description = ""] = /^description: (.+)$/m.exec(read(path)) ?? [];
  if (description === "") throw new Error(`${path} says nothing of itself.`);
  return `- sdd:${name}: ${description}\n`;
}

test("names and descriptions of commands, agents and skills cost at most 600 tokens", () => {
  const agents = AGENT_ROLES.map((role) => `agents/${role}.md`);
  const commands = COMMAND_PAGE_NAMES.map((name) => `commands/${name}.md`);
  expect(prompts.toSorted()).toEqual([...agents, ...commands, "skills/specs/SKILL.md"].toSorted());
  expect(tokens(prompts.map(readResidentText).join(""))).toBeLessThanOrEqual(MAX_RESIDENT_TOKENS);
});

test("all texts of the plugin cost at most 40,000 tokens", () => {
  const texts = [...prompts, ...filesIn("plugin").filter((path) => path.endsWith(".json"))].map(read);
  const roles = filesIn("assets/roles").map((path) => fs.readFileSync(`assets/roles/${path}`, "utf8"));
  expect(tokens([...texts, ...roles].join("\n"))).toBeLessThanOrEqual(40_000);
});

test("the plugin is smaller than 128 KiB", () => {
  const bytes = filesIn("plugin").reduce((sum, path) => sum + fs.statSync(`plugin/${path}`).size, 0);
  expect(bytes).toBeLessThan(128 * 1024);
});
