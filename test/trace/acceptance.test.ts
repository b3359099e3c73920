import fs from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { parseSpecDeltas } from "#planning/model/living-spec/item-outline.ts";
import { git } from "../kit/folder.ts";
import { edit } from "./refactorings.ts";
import { FILES } from "./repository.ts";
import { filesOf, traceStand, type TraceStand } from "./stand.ts";

const LOGIN = "src/login.ts";
const RECORD = "sdd/trace/AUTH-001.json";

const change = (it: TraceStand, was = "tries < 1", is = "tries < 2"): void => edit(filesOf(it), LOGIN, was, is);

test("records what was accepted, when, by whom and why, for the commit", async () => {
  using it = await traceStand(FILES);
  const { accepted, passed } = await it.accept("AUTH-001.AC-2, FR-002");
  expect([accepted, passed]).toEqual([["AUTH-001.AC-2", "FR-002"], true]);
  const { checksum, spec_hash, symbols, ...rest } = JSON.parse(it.read("sdd/trace/AUTH-001.AC-2.json")) as Record<
    string,
    unknown
  >;
  expect(rest).toEqual({
    id: "AUTH-001.AC-2",
    commit: git(it.root, "rev-parse", "HEAD").trim(),
    at: "2026-01-31T12:00:01Z",
    by: "default",
    reason: "Read and found right",
    schema: 1,
    rev: 1,
  });
  expect([checksum, spec_hash].every((each) => typeof each === "string")).toBe(true);
  expect(symbols).toMatchObject([
    { ref: "Session.refresh", path: LOGIN, role: "code" },
    { ref: "lasts longer", path: "tests/login.test.ts", role: "test" },
    { ref: "lasts longer again", path: "tests/login.test.ts", role: "test" },
  ]);
  await it.accept("AUTH-001.AC-2");
  expect(JSON.parse(it.read("sdd/trace/AUTH-001.AC-2.json"))).toMatchObject({ rev: 2 });
});

test("rejects what cannot be accepted and writes nothing", async () => {
  using it = await traceStand(FILES);
  const codes = [
    [{ accept: "AUTH-001" }, "trace.no-reason"],
    [{ accept: "nothing at all", reason: "It is right" }, "trace.bad-id"],
    [{ accept: "AUTH-001,../../etc", reason: "It is right" }, "trace.bad-id"],
    [{ accept: "AUTH-001,AUTH-009", reason: "It is right" }, "trace.nothing-there"],
    [{ id: "login" }, "trace.bad-id"],
  ] as const;
  for (const [input, code] of codes) await expect(it.drift(input)).rejects.toMatchObject({ code });
  expect(it.has("sdd/trace")).toBe(false);
});

test("counts requirements that were never accepted", async () => {
  using it = await traceStand(FILES);
  change(it);
  expect(await it.drift()).toMatchObject({ passed: true, findings: [], requirements: 0, unaccepted: 12 });
  const { code, out } = await it.tenon.run("drift");
  expect([code, out]).toEqual([
    0,
    "Nothing was accepted yet, so there is no drift to show.\n\n- 12 requirements with a tag in the code were never accepted, so Tenon cannot see drift there.\n",
  ]);
});

test("fails for drift until it is accepted, at the requested level", async () => {
  using it = await traceStand(FILES);
  await it.accept("AUTH-001,SHIP-001");
  change(it);
  expect(await it.tenon.run("drift")).toMatchObject({ code: 3 });
  expect(await it.tenon.run("drift", "AUTH-001.AC-1")).toMatchObject({ code: 0 });
  expect(await it.tenon.run("drift", "--level", "high")).toMatchObject({ code: 3 });
  expect(await it.accept("AUTH-001")).toMatchObject({ passed: true, findings: [] });
  edit(filesOf(it), "shipping/dispatch.py", "per_kilo=2", "per_kilo=3");
  expect(await it.tenon.run("drift", "--level", "high")).toMatchObject({ code: 0 });
  expect(await it.tenon.run("drift", "--level", "low")).toMatchObject({ code: 3 });
});

/** Where the old version is found, and what the comparison is. */
async function showAcceptance(
  it: TraceStand,
): Promise<readonly [string | undefined, string | undefined, string | undefined]> {
  const { findings } = await it.drift({ id: "AUTH-001" });
  const { commit, diff, note } = findings.find(({ id }) => id === "AUTH-001") ?? {};
  return [commit && git(it.root, "log", "-1", "--format=%s", commit).trim(), diff, note];
}

const TWO_TO_FIVE = `  /** @spec AUTH-001 */
  export function login(code: string, tries = 3): boolean {
-   if (code.length !== limit || tries < 2) return false;
+   if (code.length !== limit || tries < 5) return false;
    return code !== "000 000";
  }`;

test("finds an accepted version in its later commit", async () => {
  using it = await traceStand(FILES);
  change(it);
  await it.accept("AUTH-001");
  it.commit("Count to two");
  change(it, "tries < 2", "tries < 5");
  it.commit("Count to five");
  expect(await showAcceptance(it)).toEqual(["Count to two", TWO_TO_FIVE, undefined]);
});

test("finds an accepted version after a squash or a rebase, and under its former name", async () => {
  using it = await traceStand(FILES);
  git(it.root, "checkout", "-q", "-b", "work");
  change(it);
  it.commit("Count to two, for now");
  await it.accept("AUTH-001");
  it.commit("Accept it");
  git(it.root, "checkout", "-q", "main");
  git(it.root, "merge", "-q", "--squash", "work");
  it.commit("All of it");
  git(it.root, "branch", "-qD", "work");
  git(it.root, "reflog", "expire", "--expire=now", "--all");
  git(it.root, "gc", "-q", "--prune=now");
  fs.mkdirSync(join(it.root, "src/auth"));
  git(it.root, "mv", LOGIN, "src/auth/door.ts");
  it.commit("Move it");
  edit(filesOf(it), "src/auth/door.ts", "tries < 2", "tries < 5");
  it.commit("Count to five");
  expect(await showAcceptance(it)).toEqual(["All of it", TWO_TO_FIVE, undefined]);
});

test("reports that no commit has the accepted version", async () => {
  using it = await traceStand(FILES);
  change(it);
  await it.accept("AUTH-001");
  change(it, "tries < 2", "tries < 5");
  expect(await showAcceptance(it)).toEqual([undefined, undefined, "No commit here has the accepted version."]);
});

test("shows only the new version outside git", async () => {
  using it = await traceStand(FILES);
  await it.accept("AUTH-001");
  fs.rmSync(join(it.root, ".git"), { recursive: true });
  change(it);
  expect((await it.drift({ id: "AUTH-001" })).findings).toMatchObject([
    { kind: "changed", symbol: "src/login.ts#login", note: "No commit here has the accepted version." },
  ]);
});

test("judges a tagged symbol inside a tagged one by itself", async () => {
  const CLASS = `/** @spec AUTH-001 */
export class Session {
  begin(): number {
    return 1;
  }

  /** @spec AUTH-002 */
  refresh(): number {
    return 2;
  }
}
`;
  using it = await traceStand({ "src/session.ts": CLASS });
  await it.accept("AUTH-001,AUTH-002");
  it.write("src/session.ts", CLASS.replace("return 2;", "return 3;"));
  expect(await it.spoken()).toEqual(["medium changed AUTH-002 src/session.ts#Session.refresh"]);
  it.write("src/session.ts", CLASS.replace("return 1;", "return 3;"));
  expect(await it.spoken()).toEqual(["medium changed AUTH-001 src/session.ts#Session"]);
});

test("counts a defined id in the name of a test", async () => {
  const TEST = 'test("AUTH-001 AC-1: lets in", () => expect(1).toBe(1));\ntest("UTF-008 is read", () => undefined);\n';
  using it = await traceStand({ ...FILES, "tests/named.test.ts": TEST });
  expect((await it.accept("AUTH-001.AC-1")).accepted).toEqual(["AUTH-001.AC-1"]);
  it.write("tests/named.test.ts", TEST.replace("toBe(1)", "toBe(2)"));
  expect(await it.spoken()).toEqual(["medium changed AUTH-001.AC-1 tests/named.test.ts#AUTH-001 AC-1: lets in"]);
});

test("drafts a requirement from its text and the code change", async () => {
  using it = await traceStand(FILES);
  await it.accept("AUTH-001,FR-002");
  edit(filesOf(it), "src/shop.ts", "step = 5", "step = 50 // --> not that");
  const { delta = "" } = await it.drift({ id: "FR-002" });
  expect(delta).toBe(`## Requirements

### MODIFIED
- **FR-002**: The shop shall round prices.

<!--
src/shop.ts#step changed since it was accepted:
- export const step = 5;
+ export const step = 50 // - -> not that;
-->
`);
  expect(parseSpecDeltas(delta)).toMatchObject({
    deltas: [{ op: "modified", id: "FR-002", text: "The shop shall round prices." }],
    problems: [],
  });
});

test("drafts a criterion in the form of its spec", async () => {
  using it = await traceStand(FILES);
  await it.accept("AUTH-001");
  change(it, "now + 1000", "now + 2000");
  const { delta = "" } = await it.drift({ id: "AUTH-001.AC-2" });
  expect(delta).toBe(`# sdd/specs/AUTH-001.yaml
acceptance_criteria:
  - id: AC-2
    given: a session that is about to end
    when: it is refreshed
    then: it lasts a second longer
    # src/login.ts#Session.refresh changed since it was accepted:
    #     /** @spec AUTH-001.AC-2 */
    #     refresh(now: number): number {
    # -     this.#ends = now + 1000;
    # +     this.#ends = now + 2000;
    #       return this.#ends;
    #     }
`);
  expect((await it.engine.yaml()).read(delta).problems).toEqual([]);
});

test("uses a forged index only to find files", async () => {
  using it = await traceStand(FILES);
  await it.accept("AUTH-001");
  change(it);
  await it.drift();
  const index = new DatabaseSync(join(it.root, ".sdd/index.db"));
  const { symbols } = JSON.parse(it.read(RECORD)) as { symbols: { hash: string }[] };
  index.exec(`UPDATE components SET hash = '${symbols[0]?.hash ?? ""}' WHERE name = 'login'`);
  index.exec("DELETE FROM tags");
  index.close();
  expect(await it.spoken()).toEqual(["high changed AUTH-001 src/login.ts#login"]);
});

test("reports a damaged record and still checks the others", async () => {
  using it = await traceStand(FILES);
  await it.accept("AUTH-001");
  it.write(RECORD, it.read(RECORD).replace("Read and found right", "Never read"));
  it.write("sdd/trace/notes.json", "{}");
  change(it, "now + 1000", "now + 2000");
  expect(await it.spoken()).toEqual([
    "high damaged AUTH-001 sdd/trace/AUTH-001.json",
    "high damaged sdd/trace/notes.json sdd/trace/notes.json",
    "high changed AUTH-001.AC-2 src/login.ts#Session.refresh",
  ]);
  const { problems } = (await it.run("workspace.validate")) as unknown as { problems: { path: string }[] };
  expect(problems.map(({ path }) => path)).toEqual([RECORD, "sdd/trace/notes.json"]);
  const { checks } = (await it.run("workspace.doctor")) as unknown as { checks: { check: string; ok: boolean }[] };
  expect(checks.filter(({ check }) => check === "acceptances").map(({ ok }) => ok)).toEqual([false, false]);
  await expect(it.accept("AUTH-001")).rejects.toMatchObject({ code: "record.corrupt" });
  fs.rmSync(join(it.root, "sdd/trace/notes.json"));
  await it.run("workspace.doctor", { reseal: RECORD });
  expect(JSON.parse(it.read(RECORD))).toMatchObject({ reason: "Never read", rev: 2 });
  expect(await it.spoken()).toEqual(["high changed AUTH-001.AC-2 src/login.ts#Session.refresh"]);
});
