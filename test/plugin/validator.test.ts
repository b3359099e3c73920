import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { AGENT_ROLES } from "#roadmap/model/agent/agent-roles.ts";
import { createPluginHooks } from "../../scripts/plugin-files.ts";
import { COMMAND_PAGE_NAMES } from "#onboarding/model/setup/command-pages.ts";
import { filesIn } from "../laws/source.ts";
import { clientProblem, machine, machineWithPlugin, PLUGIN } from "./client.ts";

describe.skipIf(clientProblem)(`the client itself${clientProblem ? ` (${clientProblem})` : ""}`, () => {
  test.each([".", ".claude-plugin/plugin.json", ".claude-plugin/marketplace.json"])(
    "its validator accepts %s",
    (path) => {
      using own = machine();
      const { code, out } = own.run("claude", ["plugin", "validate", "--strict", path], { cwd: PLUGIN });
      expect([code, out.includes("✔ Validation passed"), /✘|[1-9]\d* error/.test(out)]).toEqual([0, true, false]);
    },
  );

  test("its validator rejects a broken plugin", () => {
    using own = machine();
    const copy = join(own.home, "plugin");
    fs.cpSync(PLUGIN, copy, { recursive: true });
    fs.writeFileSync(join(copy, "hooks/hooks.json"), JSON.stringify({ hooks: { PreToolBeing: [] } }));
    expect(own.run("claude", ["plugin", "validate", "--strict", "."], { cwd: copy }).code).not.toBe(0);
  });

  test("installs the plugin as the README describes, and the server answers", () => {
    using own = machineWithPlugin();
    const [installed] = JSON.parse(own.run("claude", ["plugin", "list", "--json"]).out) as Record<string, unknown>[];
    expect([installed?.["id"], installed?.["enabled"]]).toEqual(["sdd@tenon", true]);
    const cache = String(installed?.["installPath"]);
    expect(filesIn(cache)).toEqual(filesIn(PLUGIN));
    const details = own.run("claude", ["plugin", "details", "sdd"]).out;
    const listed = (kind: string): string[] =>
      (new RegExp(`^ +${kind} \\(\\d+\\) +([\\w, -]+)`, "m").exec(details)?.[1] ?? "").trim().split(/, /).toSorted();
    expect(listed("Skills")).toEqual([...COMMAND_PAGE_NAMES, "specs"].toSorted());
    expect(listed("Agents")).toEqual(AGENT_ROLES.toSorted());
    expect(listed("Hooks").map((name) => name.trim())).toEqual(Object.keys(createPluginHooks()).toSorted());
    expect(own.run("claude", ["mcp", "list"]).out).toMatch(/plugin:sdd:tenon: tenon mcp .*✔ Connected/);
  });

  test("continues without tenon on the PATH and reports the failed server", () => {
    using own = machineWithPlugin({ hasTenon: false });
    const { code, out } = own.run("claude", ["mcp", "list"]);
    expect([code, /plugin:sdd:tenon: .*✘|plugin:sdd:tenon: .*[Ff]ailed/.test(out)]).toEqual([0, true]);
  });

  test("an independent validator accepts the skill", () => {
    using own = machine();
    expect(own.run("skills-ref", ["validate", join(PLUGIN, "skills/specs")])).toMatchObject({ code: 0 });
  });
});
