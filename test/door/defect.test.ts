import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { brokenPackage } from "./broken-package.ts";
import { call, initialize, modern, openWire, request } from "./wire.ts";

const SMALL_FIX = { type: "fix", size: "small", description: "Fix login" };

/** The id that a defect was given, and the text with the id and the folders left out. */
function withoutId(text: string, ...folders: readonly string[]): [id: string | undefined, text: string] {
  const id = /\b[0-9a-f]{8}\b/.exec(text)?.[0];
  const bare = folders.reduce((rest, folder) => rest.replaceAll(folder, "…"), text);
  return [id, id ? bare.replaceAll(id, "<id>") : bare];
}

test.each([
  ["an older client", request],
  ["a newer client", modern],
])("shows %s only the id of a defect", async (_, ask) => {
  using repository = temporaryRepository();
  using home = temporaryFolder();
  using broken = brokenPackage("assets/guides");
  const wire = openWire({ cwd: repository.path, home: broken.path, env: { TENON_HOME: home.path } });
  if (ask === request) wire.send(initialize());
  wire.send(ask(1, "tools/call", { name: "sdd_change", arguments: SMALL_FIX }));
  const { result = {} } = await wire.answer(1);
  const [content] = result["content"] as { type: string; text: string }[];
  const [id, said] = withoutId(content?.text ?? "");
  const { isError, structuredContent, _meta } = result;
  expect({ said, isError, structuredContent, fault: _meta && Reflect.get(_meta, "tenon/fault") }).toEqual({
    said: "Defect <id> in Tenon. The details are in its log.",
    isError: true,
  });
  wire.send(ask(2, "tools/call", { name: "sdd_status" }));
  expect((await wire.answer(2)).result).toMatchObject({ structuredContent: { counts: { active: 0 } } });
  expect(await wire.hangUp()).toEqual({ code: 0, signal: null });
  const log = join(home.path, "defects.log");
  expect(wire.stderr()).toBe(`defect ${id}: the details are in ${log}\n`);
  expect(fs.readFileSync(log, "utf8")).toMatch(new RegExp(`^\\S+Z ${id} Error: ENOENT: .*\\n +at `));
  expect(fs.statSync(log).mode & 0o777).toBe(0o600);
});

test.each([
  ["resources/read", { uri: "sdd://guides/change/describe" }, "assets/guides"],
  ["tools/list", {}, "assets/surface"],
])("answers a defect in %s with a protocol error and an id", async (method, params, missing) => {
  using repository = temporaryRepository();
  using home = temporaryFolder();
  using broken = brokenPackage(missing);
  const wire = openWire({ cwd: repository.path, home: broken.path, env: { TENON_HOME: home.path } });
  wire.send(initialize(), call(0, "sdd_change", SMALL_FIX));
  await wire.answer(0);
  wire.send(request(1, method, params));
  const { error } = await wire.answer(1);
  const [id, said] = withoutId(error?.message ?? "");
  expect([error?.code, said]).toEqual([-32603, "Defect <id> in Tenon. The details are in its log."]);
  await wire.hangUp();
  expect(
    wire
      .stderr()
      .split("\n")
      .filter((line) => line.includes(id ?? "none")),
  ).toHaveLength(1);
});

test("reports a server that cannot start", async () => {
  using repository = temporaryRepository();
  using home = temporaryFolder();
  using broken = brokenPackage("assets/instructions.md");
  const wire = openWire({ cwd: repository.path, home: broken.path, env: { TENON_HOME: home.path } });
  wire.send(initialize());
  expect((await wire.answer("init")).error).toEqual({ code: -32603, message: "Internal server error" });
  await wire.hangUp();
  expect(wire.stderr()).toMatch(/^ENOENT: .*instructions\.md'\n$/);
});

test("prints the details to standard error if it cannot write a log", async () => {
  using repository = temporaryRepository();
  using broken = brokenPackage("assets/guides");
  const wire = openWire({ cwd: repository.path, home: broken.path, env: { TENON_HOME: "/dev/null/no" } });
  wire.send(initialize(), call(1, "sdd_change", SMALL_FIX));
  expect(JSON.stringify(await wire.answer(1))).not.toMatch(/ENOENT|\bat /);
  await wire.hangUp();
  expect(wire.stderr()).toMatch(/^defect \S+: the details are in no log: .* cannot be written: Error: ENOENT.*\n +at /);
});

test("reports a defect and exits with 70", () => {
  using repository = temporaryRepository();
  using home = temporaryFolder();
  using broken = brokenPackage("assets/guides/change/describe.md");
  const run = (...flags: string[]) => {
    const words = ["change", "start", "Fix login", "--type", "fix", "--size", "small", "--concurrent", ...flags];
    const env = { ...process.env, TENON_HOME: home.path };
    const program = join(broken.path, "bin", "tenon.js");
    const done = spawnSync(process.execPath, [program, ...words], { cwd: repository.path, encoding: "utf8", env });
    const [id, said] = withoutId(done.stderr, home.path, broken.path);
    expect([done.status, done.stdout]).toEqual([70, ""]);
    expect(fs.readFileSync(join(home.path, "defects.log"), "utf8")).toMatch(new RegExp(` ${id} Error: ENOENT`));
    return said;
  };
  expect(run()).toMatchInlineSnapshot(`
    "defect <id>: ENOENT: no such file or directory, open '…/assets/guides/change/describe.md'
    This is a mistake in Tenon. The details are in …/defects.log; please report it.
    "
  `);
  expect(JSON.parse(run("--json"))).toMatchInlineSnapshot(`
    {
      "error": {
        "code": "defect",
        "fix": [
          "Report it with …/defects.log",
        ],
        "what": "ENOENT: no such file or directory, open '…/assets/guides/change/describe.md'",
        "why": "defect <id>",
      },
    }
  `);
});
