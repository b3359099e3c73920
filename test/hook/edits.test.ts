import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lock, session, STAGED_AT, workflow } from "../kit/at-work.ts";
import { git, temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { tenon } from "../kit/process.ts";
import { ask, fold, loadRecordedPayload, SESSION, SILENT, stageWorkspace, verdict } from "./hook-calls.ts";

const HOUR = 3_600_000;

/** What is said when the session of the payloads is about to edit a file. */
function tryEdit(root: string, path: string, cwd = root): string {
  const payload = loadRecordedPayload("pre-tool-use-edit", root, { tool_input: { file_path: path }, cwd });
  return verdict(ask("PreToolUse", payload, cwd));
}

function write(root: string, path: string, text = "x\n"): void {
  fs.mkdirSync(join(root, path, ".."), { recursive: true });
  fs.writeFileSync(join(root, path), text);
}

test("protects the engine's own files on every path to them", async () => {
  using repository = temporaryRepository();
  using elsewhere = temporaryFolder();
  const root = repository.path;
  tenon(["init"], { cwd: root });
  write(root, "sdd/sdd.json", "{}");
  write(root, "src/a.ts");
  fs.symlinkSync(join(root, "sdd"), join(elsewhere.path, "link"));
  fs.symlinkSync(join(root, "sdd/sdd.json"), join(root, "src/innocent.ts"));
  fs.symlinkSync(join(root, "sdd/roadmap.md"), join(root, "src/dangling.md"));
  const own = "must not be edited by hand.";
  const said = (path: string, cwd = root): string => tryEdit(root, path, cwd).slice(0, 200);
  expect([
    said(`${root}/sdd/sdd.json`).includes(own),
    said("sdd/sdd.json").includes(own),
    said("../sdd/sdd.json", `${root}/src`).includes(own),
    said(`${root}/src/../sdd/sdd.json`).includes(own),
    said(`${elsewhere.path}/link/sdd.json`).includes(own),
    said(`${root}/src/innocent.ts`).includes(own),
    said(`${root}/src/dangling.md`).includes(own),
    said(`${root}/.git/tenon/ledger.db`).includes(own),
    said(`${root}/.sdd/state.yaml`).includes(own),
    said(`${root}/sdd/changes/new/change.json`).includes(own),
  ]).toEqual(Array.from({ length: 10 }, () => true));
  expect([said(`${root}/src/a.ts`), said(`${root}/sdd/config.yaml`), said(`${elsewhere.path}/sdd.json`)]).toEqual([
    "allowed",
    "allowed",
    "allowed",
  ]);
  const patch = "*** Begin Patch\n*** Update File: src/a.ts\n*** Update File: sdd/sdd.json\n*** End Patch";
  const payload = loadRecordedPayload("pre-tool-use-edit", root, {
    tool_name: "apply_patch",
    tool_input: { input: patch },
  });
  expect(verdict(ask("pre-tool-use", payload, root))).toBe(
    "sdd/sdd.json must not be edited by hand. It is a sealed record that only Tenon writes. Call the tool of the project's open stage. sdd_status names it.",
  );
});

test.each([
  [undefined, "echo done > sdd/roadmap.md", /^sdd\/roadmap\.md must not be edited by hand\./],
  [undefined, "cd sdd && sed -i s/1/2/ sdd.json", /^sdd\/sdd\.json must not be edited by hand\./],
  [undefined, "bash -c 'rm -f .sdd/state.yaml'", /^\.sdd\/state\.yaml must not be edited by hand\./],
  [undefined, "cp sdd/roadmap.md /tmp/x && echo x > src/a.test.ts", /^allowed$/],
  [
    "sdd:impl-agent",
    "cat > src/a.test.ts <<'EOF'\nx\nEOF",
    /^Edit of src\/a\.test\.ts blocked: the impl-agent writes code only: no tests/,
  ],
  ["sdd:impl-agent", "sed -i s/1/2/ src/a.ts && rm -rf sdd", /^Edit of sdd blocked: the impl-agent/],
  ["sdd:impl-agent", "sed -i s/test/spec/ src/a.ts && npm test", /^allowed$/],
  ["sdd:architect", "echo x > src/a.ts", /^Edit of src\/a\.ts blocked: the architect/],
  ["sdd:lead", "echo x > src/a.ts", /^Edit of src\/a\.ts blocked: the lead assigns work/],
  ["sdd:lead", "git add -A && git commit -m 'Wave 1'", /^allowed$/],
  ["sdd:builder", "mkdir -p src/b && echo x > src/b/c.test.ts", /^allowed$/],
])("for %s, judges the line %j: %s", (agent_type, command, said) => {
  using repository = temporaryRepository();
  const root = repository.path;
  tenon(["init"], { cwd: root });
  const payload = loadRecordedPayload("pre-tool-use-edit", root, {
    tool_name: "Bash",
    tool_input: { command },
    agent_type,
  });
  expect(verdict(ask("pre-tool-use", payload, root))).toMatch(said);
});

test("a read writes nothing in a repository in a temporary folder", () => {
  using repository = temporaryRepository();
  const root = repository.path;
  tenon(["init"], { cwd: root });
  const tool_input = { command: `echo x > ${root}/src/a.ts` };
  const payload = loadRecordedPayload("pre-tool-use-edit", root, {
    tool_name: "Bash",
    tool_input,
    agent_type: "sdd:inspector-test",
  });
  expect(verdict(ask("pre-tool-use", payload, root))).toMatch(/^Command blocked: the inspector-test only reads/);
});

const OTHERS = {
  workflows: [
    workflow("AUTH-001", "feature", { current_stage: "implement" }),
    workflow("BUG-001", "bugfix"),
    workflow("OLD-001", "feature", { status: "completed" }),
  ],
  sessions: [session(SESSION, { current: "BUG-001", token: 1 })],
  locks: [
    lock("AUTH-001", "src/login.ts"),
    lock("AUTH-001", "docs/**", { how: "claim" }),
    lock("AUTH-001", "free.ts", { released_at: STAGED_AT }),
    lock("OLD-001", "old.ts"),
    lock("BUG-001", "own.ts"),
  ],
};

test("blocks an edit of a file that another workflow locked", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  await stageWorkspace(root, OTHERS);
  expect(tryEdit(root, `${root}/src/login.ts`)).toBe(
    'Edit of src/login.ts blocked: AUTH-001 has locked it. The feature AUTH-001, "What AUTH-001 is about", is at stage implement and has ' +
      'held the lock since 2026-01-31T10:00:00Z. Switch to it (sdd_workflow_switch {"id":"AUTH-001"}), or ask its owner to ' +
      "release the path.",
  );
  const verdicts = ["docs/a/b.md", "own.ts", "free.ts", "old.ts", "src/LOGIN.ts", "new.ts"].map((path) =>
    tryEdit(root, `${root}/${path}`).replace(/:.*/, ""),
  );
  expect(verdicts).toEqual(["Edit of docs/a/b.md blocked", "allowed", "allowed", "allowed", "allowed", "allowed"]);
  git(root, "config", "core.ignorecase", "true");
  expect(tryEdit(root, `${root}/src/LOGIN.ts`)).toContain("Edit of src/LOGIN.ts blocked: AUTH-001 has locked it.");
});

test("keeps the locks of an open change only", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  const start = (...words: string[]) =>
    tenon(["change", "start", ...words, "--type", "fix", "--size", "small"], { cwd: root });
  start("Fix it");
  start("Another", "--concurrent");
  await stageWorkspace(root, { locks: [lock("fix-it", "a.ts"), lock("gone", "b.ts")] });
  expect(tryEdit(root, `${root}/a.ts`)).toContain("The change fix-it is at stage describe and has held the lock since");
  expect(tryEdit(root, `${root}/b.ts`)).toBe("allowed");
});

test("counts an edit in the journal before it is folded", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  await stageWorkspace(root, {
    workflows: [workflow("AUTH-001", "feature"), workflow("BUG-001", "bugfix")],
    sessions: [session(SESSION, { current: "BUG-001" }), session("other", { current: "AUTH-001" })],
  });
  const edit = loadRecordedPayload("post-tool-use-edit", root, { session_id: "other" });
  expect(tryEdit(root, `${root}/src/login.ts`)).toBe("allowed");
  ask("post-tool-use", edit, root);
  const unfolded = tryEdit(root, `${root}/src/login.ts`);
  await fold(root);
  expect([unfolded, tryEdit(root, `${root}/src/login.ts`)]).toEqual([
    expect.stringContaining("Edit of src/login.ts blocked: AUTH-001 has locked it."),
    unfolded,
  ]);
});

test.each([
  ["another session took over and is alive", 1, "other", HOUR, true],
  ["another session took over and has ended", 1, "other", 0, true],
  ["the session holds the lease", 1, SESSION, HOUR, false],
  ["the session held the lease last", 1, SESSION, 0, false],
])("judges an edit by a session that lost its work: %s", async (_, token, holder, ttlMs, isFenced) => {
  using repository = temporaryRepository();
  const root = repository.path;
  await stageWorkspace(root, {
    workflows: [workflow("AUTH-001", "feature")],
    sessions: [session(SESSION, { current: "AUTH-001", token })],
    leases: [
      ["AUTH-001", SESSION, HOUR],
      ["AUTH-001", holder, ttlMs],
    ],
  });
  expect(tryEdit(root, `${root}/a.ts`)).toBe(
    isFenced
      ? "Edit of a.ts blocked: this session no longer holds AUTH-001. Session other took it over. Leave it to " +
          'that session, or take it back: sdd_workflow_resume {"id":"AUTH-001","take_over":true}'
      : "allowed",
  );
});

test("does not block other edits while another session works for the project", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  await stageWorkspace(root, {
    workflows: [workflow("AUTH-001", "feature")],
    sessions: [session("default", { current: "AUTH-001" }), session("other", { current: "AUTH-001", token: 1 })],
    locks: [lock("AUTH-001", "theirs.ts")],
    leases: [["AUTH-001", "other", HOUR]],
  });
  expect([tryEdit(root, `${root}/mine.ts`), tryEdit(root, `${root}/theirs.ts`).slice(0, 24)]).toEqual([
    "allowed",
    "Edit of theirs.ts blocke",
  ]);
});

test("keeps an agent in its own worktree", async () => {
  using repository = temporaryRepository();
  using elsewhere = temporaryFolder();
  const root = repository.path;
  git(root, "commit", "--quiet", "--allow-empty", "-m", "begin");
  await stageWorkspace(root, { workflows: [workflow("AUTH-001", "feature")] });
  for (const name of ["one", "two"]) git(root, "worktree", "add", "--quiet", `.sdd/worktrees/${name}`, "-b", name);
  const own = `${root}/.sdd/worktrees/one`;
  const from = (cwd: string, path: string, env = {}): string =>
    verdict(
      ask(
        "pre-tool-use",
        loadRecordedPayload("pre-tool-use-edit", cwd, { cwd, tool_input: { file_path: path } }),
        cwd,
        env,
      ),
    );
  const outside = `blocked: it is outside this session's worktree. This session works in ${own}. Other sessions use the main checkout and other worktrees. Edit the file of the same name in ${own}.`;
  expect([
    from(own, `${own}/src/a.ts`),
    from(own, "src/a.ts"),
    from(own, `${elsewhere.path}/a.ts`),
    from(root, `${root}/src/a.ts`),
    from(root, `${own}/src/a.ts`),
    from(own, `${root}/src/a.ts`),
    from(own, "../../../src/a.ts"),
    from(own, `${root}/.sdd/worktrees/two/a.ts`),
    from(root, `${root}/src/a.ts`, { CLAUDE_PROJECT_DIR: own }),
  ]).toEqual([
    "allowed",
    "allowed",
    "allowed",
    "allowed",
    "allowed",
    `Edit of ${root}/src/a.ts ${outside}`,
    `Edit of ${root}/src/a.ts ${outside}`,
    `Edit of ${root}/.sdd/worktrees/two/a.ts ${outside}`,
    `Edit of ${root}/src/a.ts ${outside}`,
  ]);
});

test.each([
  ["is used up", "explore", 60, "src/a.ts", true],
  ["is used up, but the findings are written", "explore", 60, "sdd/specs/RES-001.yaml", false],
  ["is used up, but it is past exploring", "synthesize", 60, "src/a.ts", false],
  ["is not used up", "explore", 1e9, "src/a.ts", false],
])("judges an edit in a research whose time %s", async (_, current_stage, limit_s, path, isRefused) => {
  using repository = temporaryRepository();
  const root = repository.path;
  const timebox = { limit_s, spent_s: 120, extensions: [] };
  await stageWorkspace(root, {
    workflows: [workflow("RES-001", "research", { current_stage, timebox })],
    sessions: [session("default", { current: "RES-001" })],
  });
  expect(tryEdit(root, `${root}/${path}`)).toBe(
    isRefused
      ? "Edit of src/a.ts blocked: the timebox of RES-001 is over. After the timebox only the research's spec may change. " +
          "Write your findings into sdd/specs/RES-001.yaml and call sdd_workflow_advance, or ask the user for more time."
      : "allowed",
  );
});

test("allows a read, and any edit with an unreadable ledger", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  await stageWorkspace(root, OTHERS);
  const reading = { tool_name: "Read", tool_input: { file_path: `${root}/src/login.ts` } };
  expect(verdict(ask("pre-tool-use", loadRecordedPayload("pre-tool-use-edit", root, reading), root))).toBe("allowed");
  expect(verdict(ask("pre-tool-use", loadRecordedPayload("pre-tool-use-bash", root), root))).toBe("allowed");
  for (const end of ["-wal", "-shm"]) fs.rmSync(join(root, `.git/tenon/ledger.db${end}`), { force: true });
  fs.writeFileSync(
    join(root, ".git/tenon/ledger.db"),
    "no database at all, but long enough to be taken for one".repeat(40),
  );
  expect(tryEdit(root, `${root}/src/login.ts`)).toBe("allowed");
});

test("an agent of a run edits in its worktree for its action, and no record", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  await stageWorkspace(root, OTHERS);
  write(root, "sdd/sdd.json", "{}");
  git(root, "add", "-A");
  git(root, "-c", "user.name=U", "-c", "user.email=u@example.org", "commit", "--quiet", "-m", "Begin");
  const own = `${root}/.sdd/worktrees/one`;
  git(root, "worktree", "add", "--quiet", own, "-b", "one");
  const act = (event: string, payload: string, change: Record<string, unknown>, env = { TENON_ACTION: "run-1/a/1" }) =>
    ask(event, loadRecordedPayload(payload, own, { cwd: own, ...change }), own, env);
  const edit = (path: string): Record<string, unknown> => ({ tool_input: { file_path: `${own}/${path}` } });
  expect(act("SessionStart", "session-start", {})).toEqual(SILENT);
  // Another session's lock does not concern it: its work is merged, not written over.
  expect(verdict(act("PreToolUse", "pre-tool-use-edit", edit("src/login.ts")))).toBe("allowed");
  expect(act("PostToolUse", "post-tool-use-edit", edit("src/login.ts"))).toEqual(SILENT);
  expect(verdict(act("PreToolUse", "pre-tool-use-edit", edit("sdd/sdd.json")))).toContain("must not be edited by hand");
  expect(fs.existsSync(join(own, ".sdd/journal"))).toBe(false);
  // A variable alone does not switch locks off elsewhere.
  expect(
    verdict(
      ask(
        "PreToolUse",
        loadRecordedPayload("pre-tool-use-edit", root, { tool_input: { file_path: `${root}/src/login.ts` } }),
        root,
        { TENON_ACTION: "run-1/a/1" },
      ),
    ),
  ).toContain("AUTH-001 has locked it");
});
