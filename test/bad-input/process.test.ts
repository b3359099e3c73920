/** A sample of the corpus through real processes, where arguments, pipes and exit codes are the system's own. */
import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, initialize, openWire } from "../door/wire.ts";
import { temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { type Finished, tenon } from "../kit/process.ts";
import { NAMES } from "./corpus.ts";
import { canary, fingerprint } from "./doors.ts";

const chirps = canary();

const START = ["change", "start", "Fix login", "--type", "fix", "--size", "small"];

/** The system takes no NUL in an argument, nor a million characters. */
const TYPEABLE = NAMES.filter(({ text }) => !text.includes("\0") && text.length < 10_000).map(({ text }) => text);

test("a real command line rejects bad ids, paths and texts", () => {
  using repository = temporaryRepository();
  using home = temporaryFolder();
  const at = { cwd: repository.path, env: { TENON_HOME: home.path } };
  expect(tenon(START, at).code).toBe(0);
  const before = fingerprint(repository.path);
  const sample = TYPEABLE.filter((_, i) => i % 5 === 0).map((text) => chirps.in(text));
  for (const text of sample) {
    const runs: readonly (readonly [said: string, done: Finished])[] = [
      ["id", tenon(["change", "status", "--", text], at)],
      ["place", tenon(["status", `--workspace=${text === "." || text === ".." ? "/nowhere" : text}`], at)],
    ];
    for (const [said, { code, signal, out, err }] of runs) {
      expect([text, said, code === 1 || code === 2, signal, out]).toEqual([text, said, true, null, ""]);
      expect(err).toMatch(/^error\[[a-z]+\.[a-z-]+\]: /);
      expect(err).not.toMatch(/\n +at /);
    }
  }
  expect(fingerprint(repository.path)).toEqual(before);
  expect(fs.existsSync(join(home.path, "defects.log"))).toBe(false);
});

test("a real server rejects every bad id, path and text in a message", async () => {
  using repository = temporaryRepository();
  using home = temporaryFolder();
  // To abandon is not among the default tools.
  const words = ["mcp", "--toolsets", "all"];
  const wire = openWire({ cwd: repository.path, words, env: { TENON_HOME: home.path } });
  wire.send(initialize(), call("first", "sdd_change", { type: "fix", size: "small", description: "Fix login" }));
  await wire.answer("first");
  const before = fingerprint(repository.path);
  const calls = NAMES.flatMap(({ name, text, asText }) => {
    const said = chirps.in(text);
    return [
      call(`${name}, id`, "sdd_change_abandon", { change_id: said, reason: "Solved" }),
      ...(text === "." || text === ".." ? [] : [call(`${name}, place`, "sdd_status", { workspace: said })]),
      ...(asText !== "invalid" ? [] : [call(`${name}, text`, "sdd_change_abandon", { reason: said })]),
    ];
  });
  wire.send(...calls);
  const answers = await Promise.all(calls.map((sent) => wire.answer((sent as { id: string }).id)));
  const strange = answers.filter(({ result }) => !Object.hasOwn(result?.["_meta"] ?? {}, "tenon/fault"));
  expect(strange).toEqual([]);
  expect(fingerprint(repository.path)).toEqual(before);
  expect(await wire.hangUp()).toEqual({ code: 0, signal: null });
  expect([wire.stderr(), fs.existsSync(join(home.path, "defects.log"))]).toEqual(["", false]);
});

test.each([
  ["an endless file", ["--file", "/dev/zero"], undefined, "input.invalid"],
  ["an empty file", ["--file", "/dev/null"], undefined, "input.invalid"],
  ["a folder", ["--file", "."], undefined, "usage.no-file"],
  ["a missing file", ["--file", "no\u001b[2J/such"], undefined, "usage.no-file"],
  ["a file below a file", ["--file", "/dev/null/x"], undefined, "usage.no-file"],
  ["a missing path", ["--file", ""], undefined, "usage.bad-flag"],
  ["bytes that are not text", ["--file", "latin-1.md"], undefined, "usage.no-file"],
  ["standard input of 20 MB", ["--file", "-"], "x".repeat(20_000_000), "input.invalid"],
  ["standard input with NUL", ["--file", "-"], "a\0b", "input.invalid"],
  ["empty standard input", ["--file", "-"], "", "input.invalid"],
] as const)("rejects %s as an artifact", (_, flags, input, code) => {
  using repository = temporaryRepository();
  const at = { cwd: repository.path };
  expect(tenon(START, at).code).toBe(0);
  fs.writeFileSync(join(repository.path, "latin-1.md"), Buffer.from("Caf\u00e9", "latin1"));
  const before = fingerprint(repository.path);
  const done = tenon(["change", "advance", ...flags, "--json"], { ...at, ...(input === undefined ? {} : { input }) });
  expect([done.code, done.out]).toEqual([2, ""]);
  expect((JSON.parse(done.err) as { error: { code: string } }).error.code).toBe(code);
  expect(fingerprint(repository.path)).toEqual(before);
});

test("runs no command from the bad input", () => {
  expect(chirps.isAlive()).toBe(true);
});
