import { createHash } from "node:crypto";
import fc from "fast-check";
import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import type { ClientId } from "./client-catalog.ts";
import {
  type SetupManifest,
  EMPTY_SETUP_MANIFEST,
  parseSetupManifest,
  settleSetupManifest,
  mergeSetupManifests,
  formatSetupManifest,
  type SetupPart,
} from "./owned-parts.ts";
import { planClientRemoval, planClientSetup, type SetupPlanInput, type SetupPlan } from "./setup-plan.ts";

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

/** A home that is only a map, with what setup knows of it. */
class Home {
  readonly files: Map<string, string>;
  manifest: SetupManifest = EMPTY_SETUP_MANIFEST;

  constructor(files: Readonly<Record<string, string>> = {}) {
    this.files = new Map(Object.entries(files));
  }

  scene(isForced = false): SetupPlanInput {
    return {
      manifest: this.manifest,
      text: (path) => this.files.get(path),
      hasFolder: (folder) => [...this.files.keys()].some((path) => path.startsWith(`${folder}/`)),
      digest,
      readToml: (text) => parse(text),
      isForced,
    };
  }

  setup(parts: readonly SetupPart[], client: ClientId = "cursor", isForced = false): Record<string, string> {
    return this.#apply(planClientSetup([[client, parts]], this.scene(isForced)));
  }

  remove(clients: readonly ClientId[] = ["cursor", "codex"], isForced = false): Record<string, string> {
    return this.#apply(planClientRemoval(clients, this.scene(isForced)));
  }

  /** Carries a plan out up to some file, and leaves what a killed process leaves. */
  breakOff(plan: SetupPlan, files: number): void {
    this.manifest = mergeSetupManifests(this.manifest, plan.manifest);
    for (const { path, after } of plan.changes.slice(0, files)) this.#put(path, after);
  }

  edit(path: string, change: (text: string) => string): void {
    this.files.set(path, change(this.files.get(path) ?? ""));
  }

  get texts(): Record<string, string> {
    return Object.fromEntries(this.files);
  }

  #apply(plan: SetupPlan): Record<string, string> {
    for (const { path, after } of plan.changes) this.#put(path, after);
    this.manifest = parseSetupManifest(formatSetupManifest(settleSetupManifest(plan.manifest))) as SetupManifest;
    return Object.fromEntries(
      plan.treated.map(({ spot, outcome }) => [
        `${spot.path} ${"way" in spot ? spot.way.join(".") : spot.kind}`,
        outcome,
      ]),
    );
  }

  #put(path: string, text: string | undefined): void {
    if (text === undefined) this.files.delete(path);
    else this.files.set(path, text);
  }
}

const server = (version: number): SetupPart => ({
  kind: "member",
  path: "mcp.json",
  way: ["mcpServers", "tenon"],
  value: { command: "tenon", args: ["mcp", `v${version}`] },
});
const hook = (version: number, name = "stop"): SetupPart => ({
  kind: "item",
  path: "hooks.json",
  way: ["hooks", name],
  mark: `tenon hook ${name}`,
  value: { command: `tenon hook ${name} v${version}` },
});
const table = (version: number): SetupPart => ({
  kind: "table",
  path: "config.toml",
  way: ["mcp_servers", "tenon"],
  text: `[mcp_servers.tenon]\ncommand = "tenon"\nargs = ["v${version}"]`,
});
const rules = (version: number): SetupPart => ({ kind: "block", path: "AGENTS.md", text: `Rules v${version}.\n` });
const command = (version: number): SetupPart => ({ kind: "file", path: "commands/a.md", text: `A v${version}.\n` });
const all = (version: number): SetupPart[] => [
  server(version),
  hook(version),
  hook(version, "start"),
  table(version),
  rules(version),
  command(version),
];

const OUTCOMES = (outcome: string): Record<string, string> => ({
  "mcp.json mcpServers.tenon": outcome,
  "hooks.json hooks.stop": outcome,
  "hooks.json hooks.start": outcome,
  "config.toml mcp_servers.tenon": outcome,
  "AGENTS.md block": outcome,
  "commands/a.md file": outcome,
});

describe("files that the user did not edit", () => {
  test("are added, kept, replaced by an upgrade and removed", () => {
    const home = new Home();
    expect(home.setup(all(1))).toEqual(OUTCOMES("added"));
    expect(home.setup(all(1))).toEqual(OUTCOMES("same"));
    expect(home.setup(all(2))).toEqual(OUTCOMES("updated"));
    expect(Object.values(home.texts).every((text) => text.includes("v2") && !text.includes("v1"))).toBe(true);
    expect(home.remove()).toEqual(OUTCOMES("removed"));
    expect(home.texts).toEqual({});
    expect(home.manifest).toEqual(EMPTY_SETUP_MANIFEST);
  });

  test("count as unedited after a formatter ran", () => {
    const home = new Home();
    home.setup([server(1), hook(1)]);
    for (const path of ["mcp.json", "hooks.json"])
      home.edit(path, (text) => JSON.stringify(JSON.parse(text), undefined, "\t"));
    home.edit("mcp.json", (text) => text.replaceAll("\n", "\r\n"));
    expect(Object.values(home.setup([server(2), hook(2)]))).toEqual(["updated", "updated"]);
    home.remove();
    expect(home.texts).toEqual({});
  });

  test("are removed by an upgrade that no longer needs them", () => {
    const home = new Home({ "AGENTS.md": "Mine.\n" });
    home.setup(all(1));
    home.setup([command(1)]);
    expect(home.texts).toEqual({ "AGENTS.md": "Mine.\n", "commands/a.md": "A v1.\n" });
  });

  test("stay for as long as another client needs them", () => {
    const home = new Home();
    home.setup([rules(1)], "cursor");
    expect(home.setup([rules(1)], "codex")).toEqual({ "AGENTS.md block": "same" });
    expect(home.remove(["cursor"])).toEqual({});
    expect(home.texts["AGENTS.md"]).toContain("Rules v1.");
    home.remove(["codex"]);
    expect(home.texts).toEqual({});
  });

  test.each(["{}", "{ }", "{\n}\n", '{ "own": [] }'])(
    "are removed to the byte from %j, though parts were added one after another",
    (text) => {
      const home = new Home({ "hooks.json": text });
      home.setup([{ kind: "member", path: "hooks.json", way: ["version"], value: 1 }, hook(1), hook(1, "start")]);
      home.remove();
      expect(home.texts).toEqual({ "hooks.json": text });
    },
  );

  test("are written again after they were deleted", () => {
    const home = new Home();
    home.setup(all(1));
    const before = home.texts;
    home.files.clear();
    expect(home.setup(all(1))).toEqual(OUTCOMES("added"));
    expect(home.texts).toEqual(before);
    home.remove();
    expect(home.texts).toEqual({});
  });
});

const EDITS: Readonly<Record<string, (text: string) => string>> = {
  "mcp.json": (text) => text.replace('"mcp"', '"mcp", "--toolsets", "all"'),
  "hooks.json": (text) => text.replaceAll(" v1", " v1 --mine"),
  "config.toml": (text) => text.replace("args", "env = { A = '1' }\nargs"),
  "AGENTS.md": (text) => text.replace("Rules", "Our rules"),
  "commands/a.md": (text) => `${text}Mine.\n`,
};

describe("files that the user edited", () => {
  test("stay through an upgrade and a removal, and are removed only by force", () => {
    const home = new Home();
    home.setup(all(1));
    for (const [path, change] of Object.entries(EDITS)) home.edit(path, change);
    const edited = home.texts;
    expect(home.setup(all(2))).toEqual(OUTCOMES("edited"));
    expect(home.remove()).toEqual(OUTCOMES("edited"));
    expect(home.texts).toEqual(edited);
    expect(home.setup(all(2), "cursor", true)).toEqual(OUTCOMES("updated"));
    for (const [path, change] of Object.entries(EDITS))
      home.edit(path, (text) => change(text).replaceAll(" v2", " v2 --mine"));
    expect(home.remove(undefined, true)).toEqual(OUTCOMES("removed"));
    expect(home.texts).toEqual({});
  });

  test.each([
    ["a comment in JSON", server(1), "mcp.json", (text: string) => text.replace('"command"', '// why\n"command"')],
    ["a table below", table(1), "config.toml", (text: string) => `${text}[mcp_servers.tenon.env]\nA = "1"\n`],
    ["a removed mark", rules(1), "AGENTS.md", (text: string) => text.replace("<!-- tenon:end -->", "")],
  ])("%s is an edit too", (_, part, path, change) => {
    const home = new Home();
    home.setup([part]);
    home.edit(path, change);
    const edited = home.texts;
    expect(Object.values(home.remove())).toEqual(["edited"]);
    expect(home.texts).toEqual(edited);
  });
});

test("an earlier text belongs to the user, and stays even if it equals ours", () => {
  const own = {
    "mcp.json": '{ "mcpServers": { "tenon": { "command": "other" } } }',
    "hooks.json": '{ "hooks": { "stop": [{ "command": "tenon hook stop --old" }] } }',
    "config.toml": 'mcp_servers.tenon.command = "other"\n',
    "AGENTS.md": "<!-- tenon:begin -->\nOld.\n<!-- tenon:end -->\n",
    "commands/a.md": "A v1.\n",
  };
  const home = new Home(own);
  expect(home.setup(all(1))).toEqual({
    ...OUTCOMES("theirs"),
    "hooks.json hooks.start": "added",
    "commands/a.md file": "same",
  });
  home.remove();
  expect(home.texts).toEqual(own);
});

test.each([
  ["JSON that ends early", server(1), "mcp.json", '{ "a": ', /^line 1, column 8: a value is missing$/],
  ["a list for an object", server(1), "mcp.json", '{ "mcpServers": [] }', /^mcpServers is not an object$/],
  ["a list for everything", server(1), "mcp.json", "[]", /^what it holds is not an object$/],
  ["an object for a list", hook(1), "hooks.json", '{ "hooks": { "stop": {} } }', /^hooks\.stop is not a list$/],
  ["TOML that is none", table(1), "config.toml", "a = = 1", /^Invalid TOML document/],
  ["a table in one line", table(1), "config.toml", "mcp_servers = {}", /^mcp_servers is not written as tables/],
])("reports %s with its file", (_, part, path, text, why) => {
  const home = new Home({ [path]: text });
  expect(() => home.setup([command(1), part])).toThrow(
    expect.objectContaining({ path, message: expect.stringMatching(why) }),
  );
});

const FILES = {
  "mcp.json": fc.constantFrom(
    undefined,
    "",
    "{}",
    '{"mcpServers":{}}',
    '{\n  // a\n  "mcpServers": {\n    "own": {},\n  },\n}\n',
    "\uFEFF{\r\n}\r\n",
    "// only\n",
    '{ "b": 1 }',
  ),
  "hooks.json": fc.constantFrom(
    undefined,
    "{}",
    '{"hooks":{"stop":[]}}',
    '{\n\t"hooks": {\n\t\t"stop": [\n\t\t\t{ "command": "x" } // y\n\t\t]\n\t}\n}',
    '{ "hooks": { "other": [1,] } }',
  ),
  "config.toml": fc.constantFrom(
    undefined,
    "",
    "a = 1",
    "[b]\nc = '''\n[mcp_servers.tenon]\n'''\n",
    "\r\n# c\r\n[mcp_servers.own]\r\nd = 1\r\n\r\n",
  ),
  "AGENTS.md": fc.constantFrom(undefined, "", "# A", "# A\n\n", "\uFEFF# A\r\n- b\r\n"),
};

const homes = fc
  .record(FILES)
  .map(
    (texts) =>
      new Home(
        Object.fromEntries(Object.entries(texts).flatMap(([path, text]) => (text === undefined ? [] : [[path, text]]))),
      ),
  );

test("leaves nothing behind after setups and upgrades in any order", () => {
  const step = fc.tuple(
    fc.constantFrom<ClientId>("cursor", "codex"),
    fc.constantFrom(1, 2, 3),
    fc.subarray([0, 1, 2, 3, 4, 5], { minLength: 1 }),
  );
  fc.assert(
    fc.property(homes, fc.array(step, { minLength: 1, maxLength: 3 }), (home, steps) => {
      const before = home.texts;
      for (const [client, version, chosen] of steps)
        home.setup(
          all(version).filter((_, i) => chosen.includes(i)),
          client,
        );
      home.remove();
      expect(home.manifest).toEqual(EMPTY_SETUP_MANIFEST);
      expect(home.texts).toEqual(before);
    }),
    { numRuns: 300 },
  );
});

test("the next run finishes setup or removal after a kill", () => {
  fc.assert(
    fc.property(homes, fc.constantFrom(0, 1), fc.nat(6), fc.boolean(), (home, version, files, isRemoval) => {
      const before = home.texts;
      if (version > 0) home.setup(all(version));
      home.breakOff(planClientSetup([["cursor", all(2)]], home.scene()), files);
      const again = isRemoval ? {} : home.setup(all(2));
      expect(Object.values(again).filter((outcome) => /edited|theirs/.test(outcome))).toEqual([]);
      expect(Object.values(home.remove()).filter((outcome) => outcome !== "removed")).toEqual([]);
      expect(home.texts).toEqual(before);
    }),
    { numRuns: 200 },
  );
});

test("the next run finishes a killed removal", () => {
  fc.assert(
    fc.property(homes, fc.nat(6), (home, files) => {
      const before = home.texts;
      home.setup(all(1));
      home.breakOff(planClientRemoval(["cursor"], home.scene()), files);
      home.remove();
      expect(home.texts).toEqual(before);
    }),
  );
});
