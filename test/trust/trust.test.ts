import { overridePort } from "../kit/override-port.ts";
import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { TerminalIo } from "#doors/cli/command-table.ts";
import type { StackCheck } from "#checking/model/stack/stack-check.ts";
import type { CheckDefinitions } from "#checking/model/stack/trusted-surface.ts";
import { DEFAULT_CONFIG } from "#kernel/model/workspace-config.ts";
import { git, temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";

const TEST: StackCheck = {
  kind: "test",
  tool: "npm",
  run: { argv: ["npm", "test", "--", "--reporter=json"] },
  expect: "exit-zero",
  timeout_s: 600,
  silence_s: 120,
};

const found = (argv: readonly string[], change: Partial<CheckDefinitions> = {}): CheckDefinitions => ({
  stacks: [
    {
      directory: ".",
      profile: "own",
      checks: [{ ...TEST, run: { argv } }],
      test_files: [],
      source_files: [],
      borrowed: [],
      instead: {},
      missing: [],
    },
  ],
  gates: DEFAULT_CONFIG.gates,
  control: [
    { path: "package.json", part: "scripts", hash: "a".repeat(64), shown: ["test: rm -rf / \u202e#"] },
    { path: "vitest.config.ts", hash: "b".repeat(64) },
  ],
  problems: [],
  ...change,
});

/** A house whose repository would run what is said here; its trust is kept in a folder outside. */
function stand(root: string, dataFolder: string, io?: TerminalIo) {
  const tenon = testHouse(root, { dataFolder, newId: () => crypto.randomUUID(), ...(io ? { io } : {}) });
  const open = tenon.house.open.bind(tenon.house);
  const state = { definitions: found(["npm", "test"]) };
  tenon.house.open = async (where) => {
    const engine = await open(where);
    return { ...engine, stacks: overridePort(engine.stacks, { definitions: async () => state.definitions }) };
  };
  const json = async (...words: string[]): Promise<Record<string, unknown>> => {
    const { out, err } = await tenon.run("trust", ...words, "--json");
    return JSON.parse(out || err) as Record<string, unknown>;
  };
  return { ...tenon, state, json };
}

test("shows every command in full, the files, the hash and the next command without an answer", async () => {
  using repository = temporaryRepository();
  using data = temporaryFolder();
  using house = stand(repository.path, data.path);
  house.state.definitions = found(["npm", "test", "--", "a b", "$(x)"], {
    gates: { ...DEFAULT_CONFIG.gates, waived: { lint: "No linter yet" } },
    problems: ["sdd/stacks/own.yaml cannot be used."],
  });
  const { code, out, err } = await house.run("trust");
  expect([code, err, fs.readdirSync(data.path)]).toEqual([0, "", []]);
  expect(out.replaceAll(/[0-9a-f]{64}/g, "<hash>")).toMatchInlineSnapshot(`
    "Gates run these commands only after you trust them.

    environment passed to checks: defaults only
    hash: <hash>

    commands
      .: test npm
          [expect=exit-zero silence_s=120 timeout_s=600]
          $ npm test -- "a b" "\\$(x)"

    changed gate settings
      gates.waived lint: "No linter yet"

    files that configure the commands
      package.json (scripts) aaaaaaaaaaaa
          "test: rm -rf / \\u202e#"
      vitest.config.ts bbbbbbbbbbbb

    - sdd/stacks/own.yaml cannot be used.

    next: tenon trust --confirm <hash>
    "
  `);
});

test("trusts exactly what its hash confirms", async () => {
  using repository = temporaryRepository();
  using data = temporaryFolder();
  using house = stand(repository.path, data.path);
  const { token, state } = await house.json();
  expect(state).toBe("untrusted");
  expect(await house.json("--confirm", "0".repeat(64))).toMatchObject({ error: { code: "trust.changed" } });
  expect(await house.json()).toMatchObject({ state: "untrusted" });
  expect(await house.json("--confirm", String(token))).toMatchObject({
    state: "recorded",
    since: expect.any(String) as string,
  });
  const trusted = await house.json();
  expect(trusted).toMatchObject({ state: "trusted", hash: token });
  expect(trusted).not.toHaveProperty("token");
});

test("asks again for a changed command and shows the difference", async () => {
  using repository = temporaryRepository();
  using data = temporaryFolder();
  using house = stand(repository.path, data.path);
  const { token } = await house.json();
  await house.json("--confirm", String(token));
  house.state.definitions = found(["npm", "run", "evil"], {
    control: [
      { path: "vitest.config.ts", hash: "c".repeat(64) },
      { path: "Makefile", hash: "d".repeat(64) },
    ],
  });
  expect(await house.json("--confirm", String(token))).toMatchObject({ error: { code: "trust.changed" } });
  const { out } = await house.run("trust");
  expect(out.replaceAll(/[0-9a-f]{64}/g, "<hash>")).toMatchInlineSnapshot(`
    "The commands changed since you trusted them (2026-01-31T12:00:01Z). Gates run none of them until you trust them again.

    environment passed to checks: defaults only
    hash: <hash>

    commands
      + .: test npm
          [expect=exit-zero silence_s=120 timeout_s=600]
          $ npm run evil
      - .: test npm
          [expect=exit-zero silence_s=120 timeout_s=600]
          $ npm test

    files that configure the commands
      + Makefile dddddddddddd
      ~ vitest.config.ts cccccccccccc
      - package.json (scripts) aaaaaaaaaaaa

    next: tenon trust --confirm <hash>
    "
  `);
});

test("revokes trust", async () => {
  using repository = temporaryRepository();
  using data = temporaryFolder();
  using house = stand(repository.path, data.path);
  await house.json("--confirm", String((await house.json())["token"]));
  const { code, out } = await house.run("trust", "--revoke");
  expect([code, out]).toEqual([
    0,
    "Trust removed. Gates run no command of this repository, here or in its worktrees.\n",
  ]);
  expect(await house.json()).toMatchObject({ state: "untrusted", commands: [{ state: "unknown" }] });
  expect(await house.json("--revoke", "--confirm", "0".repeat(64))).toMatchObject({ error: { code: "input.invalid" } });
});

test("adds variables by name after approval", async () => {
  using repository = temporaryRepository();
  using data = temporaryFolder();
  using house = stand(repository.path, data.path);
  const shown = await house.run("trust", "--pass", "DATABASE_URL");
  expect(shown.out).toMatch(/\nnext: tenon trust --pass DATABASE_URL --confirm [0-9a-f]{64}\n$/);
  const { token } = await house.json();
  await house.json("--pass", "DATABASE_URL", "--confirm", String(token));
  expect(await house.json()).toMatchObject({ state: "trusted", passes: ["DATABASE_URL"] });
  expect(await house.json("--pass", "TOKEN")).toMatchObject({
    state: "trusted",
    token,
    passes: ["DATABASE_URL", "TOKEN"],
  });
  expect(await house.json()).toMatchObject({ passes: ["DATABASE_URL"] });
  await house.json("--pass", "TOKEN", "--confirm", String(token));
  expect(await house.json()).toMatchObject({ passes: ["DATABASE_URL", "TOKEN"] });
  expect(await house.json("--pass", "NODE_OPTIONS", "--confirm", String(token))).toMatchObject({
    error: { code: "trust.bad-variable" },
  });
  expect(
    JSON.stringify(
      fs.readdirSync(join(data.path, "trust")).map((name) => fs.readFileSync(join(data.path, "trust", name), "utf8")),
    ),
  ).not.toContain("NODE_OPTIONS");
});

test("reports that there are no commands to trust", async () => {
  using repository = temporaryRepository();
  using data = temporaryFolder();
  using house = stand(repository.path, data.path);
  house.state.definitions = found([], { stacks: [], control: [] });
  expect((await house.run("trust")).out).toBe("No commands found, so there is nothing to trust.\n");
});

test.each([
  [true, "trusted", /\nTrusted. Gates may run these commands until they or their files change\.\n/],
  [false, "untrusted", /\nNothing was changed\.\n$/],
])("asks on a terminal, where the user answers %s", async (answer, state, said) => {
  using repository = temporaryRepository();
  using data = temporaryFolder();
  const asked: string[] = [];
  let out = "";
  const io: TerminalIo = {
    isTerminal: true,
    hasColour: false,
    hasErrorColour: false,
    width: 1000,
    errorWidth: undefined,
    askKey: async () => false,
    onInterrupt: () => () => undefined,
    save: async () => undefined,
    canAsk: true,
    out: (text) => void (out += text),
    err: (text) => void (out += text),
    ask: async (question) => {
      // Nobody is asked before everything was shown.
      asked.push(out.includes("$ npm test") ? question : "too early");
      return answer;
    },
    stdin: async () => "",
    file: async () => "",
  };
  using person = stand(repository.path, data.path, io);
  expect((await person.run("trust")).code).toBe(0);
  expect([asked, said.test(out)]).toEqual([["Trust these commands?"], true]);
  using house = stand(repository.path, data.path);
  expect(await house.json()).toMatchObject({ state });
});

test("shares the trust of a repository with its worktrees, and not with a folder that imitates one", async () => {
  using repository = temporaryRepository();
  using data = temporaryFolder();
  using elsewhere = temporaryFolder();
  git(repository.path, "commit", "--quiet", "--allow-empty", "--message=First");
  const worktree = join(elsewhere.path, "one");
  git(repository.path, "worktree", "add", "--quiet", worktree);
  using main = stand(repository.path, data.path);
  await main.json("--confirm", String((await main.json())["token"]));
  using shared = stand(worktree, data.path);
  expect(await shared.json()).toMatchObject({ state: "trusted" });
  const crafted = join(elsewhere.path, "crafted");
  fs.mkdirSync(crafted);
  fs.copyFileSync(join(worktree, ".git"), join(crafted, ".git"));
  using liar = stand(crafted, data.path);
  expect(await liar.json()).toMatchObject({ error: { code: "workspace.unreadable-git" } });
});

test("rejects a data folder in the repository", async () => {
  using repository = temporaryRepository();
  using house = stand(repository.path, join(repository.path, "home"));
  const { err } = await house.run("trust");
  expect(err).toContain("is inside the repository, so its commands could change it.");
  const { code, err: refused } = await house.run("trust", "--confirm", "0".repeat(64));
  expect([code, refused.includes("trust.changed")]).toEqual([1, true]);
  const { hash } = JSON.parse((await house.run("trust", "--json")).out) as { hash: string };
  expect((await house.run("trust", "--confirm", hash)).err).toContain("error[trust.place]");
});

test("accepts a trust hash for one call from a command line, never from a client", async () => {
  using repository = temporaryRepository();
  using tenon = testHouse(repository.path);
  const hash = "a".repeat(64);
  expect((await tenon.house.open({ trust: hash })).trust.given).toBe(hash);
  const said = { trust: hash, mayBegin: false };
  expect((await tenon.house.mcpHouse().open(said)).trust.given).toBeUndefined();
});
