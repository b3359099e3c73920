import fs from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { tenon } from "../kit/process.ts";

/** Reports every script that the program reads, on standard error. */
const REPORT_READS = `data:text/javascript,${encodeURIComponent(`
  import fs from "node:fs";
  const read = fs.readFileSync;
  fs.readFileSync = (file, ...rest) => {
    if (/\\.cjs$/.test(file)) fs.writeSync(2, "read " + file + "\\n");
    return read(file, ...rest);
  };
`)}`;

const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
});
const EDIT = JSON.stringify({ session_id: "s", tool_name: "Edit", tool_input: { file_path: "src/new.ts" } });

/**
 * A start costs by the file and by the byte: code that is always read together is one file. The limits are a few
 * percent above today's sizes; `npm run bench` measures the time.
 */
test.each([
  [["--version"], ["main.cjs", "core.cjs"], 94_000],
  [["status", "--json"], ["main.cjs", "core.cjs", "everyday.cjs"], 239_000],
  [
    ["validate", "--json"],
    ["main.cjs", "core.cjs", "validate.cjs", "records.cjs", "everyday.cjs", "chunk.cjs"],
    384_000,
  ],
  [["mcp"], ["main.cjs", "core.cjs", "mcp.cjs"], 376_000],
  [["hook", "pre-tool-use"], ["hook.cjs"], 118_000],
  [["hook", "session-start"], ["hook.cjs"], 118_000],
])("%j reads at most %j", (words, files, most) => {
  using repository = temporaryRepository();
  tenon(["change", "start", "Fix it", "--type", "fix", "--size", "small"], { cwd: repository.path });
  const { code, err } = tenon(words, {
    cwd: repository.path,
    env: { NODE_OPTIONS: `--import=${REPORT_READS}` },
    input: words[0] === "mcp" ? INITIALIZE : EDIT,
  });
  const read = err.split("\n").flatMap((line) => /^read (.+)$/.exec(line)?.[1] ?? []);
  expect({ code, read: read.map((file) => basename(file).replace(/^chunk-\w+/, "chunk")) }).toEqual({
    code: 0,
    read: files,
  });
  const bytes = read.map((file) => fs.statSync(file).size).reduce((sum, size) => sum + size, 0);
  expect(bytes).toBeLessThan(most);
});

test.each([
  [["status", "--json"], 3],
  [["mcp"], 3],
  [["hook", "pre-tool-use"], 1],
])("%j reuses all compiled functions of an earlier run", (words, scripts) => {
  using repository = temporaryRepository();
  using home = temporaryFolder();
  const settings = { cwd: repository.path, env: { TENON_HOME: home.path }, input: EDIT };
  const folder = join(home.path, "tenon/code", `${process.version}-${process.platform}-${process.arch}`);
  const stamp = (): string[] =>
    fs
      .readdirSync(folder)
      .map((name) => `${name} ${fs.statSync(join(folder, name)).ino}`)
      .toSorted();
  const first = tenon(words, settings);
  const compiled = stamp();
  const second = tenon(words, settings);
  expect({ second, compiled: stamp(), count: compiled.length }).toEqual({ second: first, compiled, count: scripts });
});

test("replaces compiled code that this Node does not accept", () => {
  using repository = temporaryRepository();
  using home = temporaryFolder();
  const settings = { cwd: repository.path, env: { TENON_HOME: home.path } };
  const folder = join(home.path, "tenon/code", `${process.version}-${process.platform}-${process.arch}`);
  const first = tenon(["--version"], settings);
  const sizes = (): number[] => fs.readdirSync(folder).map((name) => fs.statSync(join(folder, name)).size);
  const whole = sizes();
  for (const name of fs.readdirSync(folder)) fs.truncateSync(join(folder, name), 100);
  expect([tenon(["--version"], settings), tenon(["--version"], settings)]).toEqual([first, first]);
  // Code with all functions is more than twice as large as code without them.
  expect(sizes().map((size, i) => Math.round(size / (whole[i] ?? 0)))).toEqual(whole.map(() => 1));
});

test("runs without a folder for compiled code", () => {
  using home = temporaryFolder();
  fs.writeFileSync(join(home.path, "tenon"), "a file where the folder would be");
  const { code, out, err } = tenon(["--version"], { cwd: home.path, env: { TENON_HOME: home.path } });
  expect({ code, out, err }).toEqual({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), err: "" });
});

/** Packages that are bundled may declare a `require` of their own, which hides the loader's. */
test("reads code with the bundled parser in its own thread", () => {
  using repository = temporaryRepository();
  fs.writeFileSync(join(repository.path, "add.ts"), "export const add = (a: number): number => a + 1;\n");
  const { code, out, err } = tenon(["index", "--json"], { cwd: repository.path });
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(JSON.parse(out)).toMatchObject({ files: 1, components: 1 });
});
