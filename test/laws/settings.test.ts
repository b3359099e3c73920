import fs from "node:fs";
import { expect, test } from "vitest";
import { MCP_TOOLS } from "#doors/mcp/tool-table.ts";
import { findStageGate, WORKFLOW_KINDS, getWorkflowFlow } from "#planning/model/workflow/workflow-record.ts";
import { BUILT_IN_PROFILES } from "#checking/model/stack/stack-profile.ts";
import { COMMAND_CHECKS, DEFAULT_CONFIG } from "#kernel/model/workspace-config.ts";

const read = (path: string): string => fs.readFileSync(path, "utf8");
const guide = read("docs/guide/configuration.md");
const template = read("assets/templates/config.yaml");

const SETTINGS = Object.entries(DEFAULT_CONFIG).flatMap(([room, settings]) =>
  typeof settings === "object" ? Object.keys(settings as object).map((key): [string, string] => [room, key]) : [],
);
const SINGLE_SETTINGS = Object.keys(DEFAULT_CONFIG).filter((key) => SETTINGS.every(([room]) => room !== key));

test.each(SINGLE_SETTINGS)("%s is in the guide and in the file that init writes", (key) => {
  expect(guide).toMatch(new RegExp(`^\\| \`${key}\``, "m"));
  expect(template).toMatch(new RegExp(`^# ${key}:`, "m"));
});

test.each(SETTINGS)("%s.%s is in the guide and in the file that init writes", (room, key) => {
  expect(guide).toMatch(new RegExp(`^\\| \`${room}\\.${key}[\`.]`, "m"));
  expect(template).toMatch(new RegExp(`^# ${room}:\\n(?:#  .*\\n)*#   ${key}:`, "m"));
});

test("the file that init writes names every built-in profile", () => {
  const comment = template.replaceAll(/\n# +# /g, " ");
  expect(BUILT_IN_PROFILES.filter((profile) => !new RegExp(`[ ]${profile}[,;]`).test(comment))).toEqual([]);
});

test("the guide and the file that init writes name every check and toolset", () => {
  const row = guide.split("\n").find((line) => line.startsWith("| `gates.waived")) ?? "";
  expect(COMMAND_CHECKS.filter((check) => !row.includes(`\`${check}\``))).toEqual([]);
  const comment = template.replaceAll(/\n# +# /g, " ");
  expect(COMMAND_CHECKS.filter((check) => !new RegExp(`[ ]${check}[,.]`).test(comment))).toEqual([]);
  const sets = new Set(MCP_TOOLS.map(({ toolset }) => toolset));
  expect([...sets].filter((set) => !new RegExp(`[ ]${set}[,.]`).test(comment))).toEqual([]);
});

test("the guide of gates names the checks of each gate and the question of each check", () => {
  const gates = read("docs/guide/gates.md");
  const told = [...gates.matchAll(/^\| ([\w-]+) \| ([\w-]+) \|[^|]*\| ([^|]*)\|[^|]*\|$/gm)]
    .map(([, gate, stage, checks = ""]) => [gate, stage, checks.trim()])
    .filter(([gate]) => gate !== "gate");
  const known = WORKFLOW_KINDS.filter((kind) => kind !== "research").flatMap((kind) =>
    getWorkflowFlow(kind).stages.map(({ name }) => {
      const gate = findStageGate(kind, name);
      return [gate.name, name, gate.commands.join(", ")];
    }),
  );
  expect(told).toEqual(known);
  expect(COMMAND_CHECKS.filter((check) => !gates.includes(`**${check}**`))).toEqual([]);
});
