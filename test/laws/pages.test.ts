import fs from "node:fs";
import { expect, test } from "vitest";
import type { ToolSurface } from "#doors/catalogue.ts";
import { MCP_TOOLS, selectTools } from "#doors/mcp/tool-table.ts";
import { AGENT_ROLES } from "#roadmap/model/agent/agent-roles.ts";
import { SETUP_CLIENTS } from "#onboarding/model/setup/client-catalog.ts";
import { COMMAND_PAGE_NAMES, parseCommandPage } from "#onboarding/model/setup/command-pages.ts";

const pages = COMMAND_PAGE_NAMES.map((name) => ({
  name,
  ...parseCommandPage(fs.readFileSync(`assets/pages/${name}.md`, "utf8")),
}));

const strangers = (pattern: RegExp, known: ReadonlySet<string>): string[] =>
  pages.flatMap(({ name, body }) =>
    Array.from(body.matchAll(pattern), ([, named = ""]) => named)
      .filter((named) => !known.has(named))
      .map((named) => `${name}: ${named}`),
  );

test("a page names only existing tools, commands and agents", () => {
  const tools = new Set(MCP_TOOLS.map((tool) => tool.name));
  expect(strangers(/(?<![/.\w-])((?:sdd|mem)_[a-z_]+)/g, tools)).toEqual([]);
  expect(strangers(/\/sdd:([a-z-]+)/g, new Set(COMMAND_PAGE_NAMES))).toEqual([]);
  expect(strangers(/(?<!\/)\bsdd:([a-z-]+)/g, new Set<string>(AGENT_ROLES))).toEqual([]);
});

test("a page uses the engine's tools and the user's arguments", () => {
  const idle = pages.filter(({ body }) => !/`(?:sdd|mem)_/.test(body) || !body.endsWith(": $ARGUMENTS\n"));
  expect(idle.map(({ name }) => name)).toEqual([]);
});

test("every page explains a rejection and the user's own steps in the same words", () => {
  const said = pages.map(({ body }) => body.trim().split("\n\n").at(-2) ?? "");
  expect(new Set(said).size).toBe(1);
  expect(said[0]).toMatch(/^When a call is rejected.*records by hand.*receipt.*Only the user may trust or waive/);
});

/** The pages on which a session runs agents. */
const LOOP_PAGES = ["roadmap", "design", "impl", "review"];

test("every page that runs agents gives the same step for each action, and names the call that reports it", () => {
  const loops = LOOP_PAGES.map((name) => {
    const lines = (pages.find((page) => page.name === name)?.body ?? "").split("\n");
    return lines.filter((line) => line.startsWith("   - "));
  });
  expect(loops[0]?.map((line) => /^   - (?:An? )?(action|gate|question|commit|agent)/.exec(line)?.[1])).toEqual([
    "action",
    "gate",
    "question",
    "commit",
    "agent",
  ]);
  for (const loop of loops) expect(loop).toEqual(loops[0]);
  expect(loops[0]?.filter((line) => !/`sdd_report \{action|Report their choice as `answer`/.test(line))).toEqual([]);
});

test("the hint of the roadmap's page names every action of its tool", () => {
  const surface = JSON.parse(fs.readFileSync("assets/surface/roadmap.manage.json", "utf8")) as ToolSurface;
  const actions = surface.inputSchema.properties?.["action"]?.enum ?? [];
  const [, hint = ""] = /^argument-hint: "\[([^\]]+)\]/m.exec(fs.readFileSync("assets/pages/roadmap.md", "utf8")) ?? [];
  expect(hint.split(" | ")).toEqual(actions.filter((action) => action !== "show"));
});

test("the Builder reports a missing dependency, and the Lead asks the user to install it", () => {
  const read = (role: string): string => fs.readFileSync(`assets/roles/${role}.md`, "utf8");
  expect(read("builder")).toContain("`missing dependency: name`); the user installs it");
  expect(read("lead")).toContain("a missing dependency, report it unchanged, and ask the user to install it");
});

test("a hook that blocks an edit names tools of every client, and leaves commands to the user", () => {
  const advice: string[] = [];
  JSON.parse(fs.readFileSync("src/doors/hook/model/hook-refusals.json", "utf8"), (key, value: unknown) => {
    if (key === "instead") advice.push(String(value));
    return value;
  });
  expect(advice.length).toBeGreaterThan(30);
  const named = advice.flatMap((text) => text.match(/\b(?:sdd|mem)_[a-z]+(?:_[a-z]+)*/g) ?? []);
  const clients = Object.values(SETUP_CLIENTS).filter(({ hooks }) => hooks);
  expect(clients.length).toBeGreaterThan(5);
  for (const { id, server } of clients) {
    const [, sets = ""] = /--toolsets","([\w,]+)"/.exec(JSON.stringify(server?.value)) ?? [];
    // A workflow and a project bring their tools along.
    const offered = new Set(selectTools([...sets.split(","), "workflow", "project"]).map(({ name }) => name));
    expect(named.filter((name) => !offered.has(name)).map((name) => `${id}: ${name}`)).toEqual([]);
  }
  expect(advice.filter((text) => /\btenon [a-z]/.test(text) && !text.startsWith("Ask the user to run: "))).toEqual([]);
});
