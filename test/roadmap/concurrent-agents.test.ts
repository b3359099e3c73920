import fs from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { parsePlainYaml } from "#kernel/model/plain-yaml.ts";
import { hook } from "../crash/hook.ts";
import { isFull, sample, seed } from "../crash/tier.ts";
import { git, temporaryFolder } from "../kit/folder.ts";
import { freezeTenon } from "../kit/frozen.ts";
import { tenon, tenonAsync } from "../kit/process.ts";
import { put } from "../kit/repository.ts";
import { TINY } from "../gate/tiny.ts";
import { architectSays } from "./agents.ts";
import { type Cut, designOf, researchOf } from "./feature-documents.ts";

const CUT: Cut = { feature: "user-login", groups: ["A"] };
const ACTION = "user-login/architect/1";
const REPORT = ["report", ACTION, "--file", "said.txt", "--json"];

interface Company extends Disposable {
  readonly root: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  /** Runs a command that must succeed, and gives its answer. */
  run(...words: readonly string[]): Record<string, unknown>;
  /** The same once more, in a folder of its own. */
  copy(): string;
}

/** A roadmap that runs, by the built program; its Architect is at work, and has written all it has to. */
function company(features: readonly string[] = ["user-login"]): Company {
  const folder = temporaryFolder();
  const [root, home] = [join(folder.path, "prepared"), join(folder.path, "home")];
  fs.mkdirSync(root);
  fs.mkdirSync(home);
  const env = { TENON_HOME: home, TENON_MEMORY: "off" };
  const run: Company["run"] = (...words) => {
    const { code, out, err } = tenon([...words, "--json"], { cwd: root, env });
    if (code !== 0) throw new Error(`tenon ${words.join(" ")}: ${code} ${out}${err}`);
    return JSON.parse(out) as Record<string, unknown>;
  };
  git(root, "init", "-q");
  for (const [path, text] of Object.entries(TINY)) put(root, path, text);
  put(root, ".gitignore", ".sdd/\nsaid.txt\n");
  git(root, "add", "-A");
  git(root, "commit", "-qm", "Begin");
  const wanted = features.map((name) => ({ name, description: `What ${name} is for`, dependencies: [] }));
  put(root, "said.txt", JSON.stringify({ features: wanted }));
  run("roadmap", "create", "--input", "said.txt");
  run("roadmap", "run");
  if (features.length === 1) run("next");
  put(root, "sdd/features/user-login/design.md", designOf(CUT));
  put(root, "sdd/features/user-login/research.md", researchOf(CUT));
  put(root, "said.txt", architectSays(CUT));
  let copies = 0;
  return {
    root,
    home,
    env,
    run,
    copy() {
      const to = join(folder.path, `copy-${++copies}`);
      fs.cpSync(root, to, { recursive: true, verbatimSymlinks: true });
      return to;
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

/** What the record and the ledger say, without when. */
function readStanding(root: string): unknown {
  const read = parsePlainYaml(fs.readFileSync(join(root, "sdd/features/user-login/spec.yaml"), "utf8"));
  if ("problem" in read) return read.problem;
  const { created_at: _, updated_at: __, checksum: ___, changelog, ...said } = read.value as Record<string, unknown>;
  using ledger = new DatabaseSync(join(root, ".git/tenon/ledger.db"));
  const all = (sql: string): unknown[] => ledger.prepare(sql).all();
  return {
    said,
    changes: (changelog as { action: string }[]).map(({ action }) => action),
    out: all("SELECT key FROM kept WHERE space = 'roadmap-out'").map((row) =>
      String((row as { key: string }).key).replace(/^\S+ /, ""),
    ),
    events: all("SELECT kind, subject FROM events WHERE subject = 'user-login/architect/1' ORDER BY seq"),
  };
}

const getOutcome = ({ code, out, err }: { code: number | null; out: string; err: string }): string => {
  if (code !== 0) return `${code} ${out}${err}`;
  return (JSON.parse(out) as { outcome: string }).outcome;
};

test("accepts one of several equal reports and rejects the others", { timeout: 120_000 }, async () => {
  using it = company();
  const settings = { cwd: it.root, env: it.env };
  const all = await Promise.all([1, 2, 3].map(() => tenonAsync(REPORT, settings)));
  expect(all.map(getOutcome).toSorted()).toEqual(["applied", "repeated", "repeated"]);
  expect(readStanding(it.root)).toEqual(
    expect.objectContaining({
      changes: ["design"],
      out: [],
      events: [
        { kind: "roadmap.handed-out", subject: ACTION },
        { kind: "roadmap.reported", subject: ACTION },
      ],
    }),
  );
});

test("changes nothing by a session that was frozen before its write and overtaken", { timeout: 120_000 }, async () => {
  using it = company();
  const settings = { cwd: it.root, env: it.env };
  const frozen = await freezeTenon(REPORT, settings, "exec BEGIN");
  expect(getOutcome(tenon(REPORT, settings))).toBe("applied");
  const before = readStanding(it.root);
  expect(getOutcome(await frozen.thaw())).toBe("repeated");
  expect(readStanding(it.root)).toEqual(before);
});

test("assigns no action to two concurrent sessions", { timeout: 120_000 }, async () => {
  const names = ["user-login", "cart", "search", "mail", "stock", "prices"];
  using it = company(names);
  const ask = (session: string) =>
    tenonAsync(["next", "--limit", "4", "--json"], { cwd: it.root, env: { ...it.env, TENON_SESSION: session } });
  const answers = await Promise.all(["one", "two", "three"].map(ask));
  const given = answers.map(({ code, out, err }) => {
    if (code !== 0) throw new Error(`${out}${err}`);
    return (JSON.parse(out) as { actions: { id: string }[] }).actions.map(({ id }) => id);
  });
  expect(given.flat().toSorted()).toEqual(names.map((name) => `${name}/architect/1`).toSorted());
  // Who asks again is given the same, and nobody else is.
  const again = JSON.parse((await ask("one")).out) as { actions: { id: string; again: boolean }[]; out: unknown[] };
  expect(again.actions.map(({ id }) => id)).toEqual(given[0]);
  expect([again.actions.every((action) => action.again), again.out.length]).toEqual([
    true,
    names.length - (given[0]?.length ?? 0),
  ]);
});

test("accepts a report once, completely or not at all, at every kill point", { timeout: 600_000 }, async () => {
  using it = company();
  const run = (root: string) => ({ words: REPORT, root, home: it.home });
  await hook.points(run(it.copy()));
  const undisturbed = it.copy();
  const points = await hook.points(run(undisturbed));
  const expected = readStanding(undisturbed);
  const todo = sample(points, Math.ceil(points.length / 6));
  process.stdout.write(`report: ${todo.length} of ${points.length} points${isFull ? "" : `, TENON_SEED=${seed}`}\n`);
  const wrong: unknown[] = [];
  for (const point of todo) {
    const root = it.copy();
    const { hit } = await hook.strike(run(root), point, "SIGKILL");
    if (hit === undefined) continue;
    const again = getOutcome(tenon(REPORT, { cwd: root, env: it.env }));
    const is = readStanding(root);
    const isRight = (again === "applied" || again === "repeated") && JSON.stringify(is) === JSON.stringify(expected);
    if (!isRight) wrong.push({ point: `${point.k} ${point.label}`, again, is });
    fs.rmSync(root, { recursive: true });
  }
  expect(wrong).toEqual([]);
});
