import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git, temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { type Connection, connect, getFault, VERSIONS } from "../kit/client.ts";

async function getRoot(connection: Connection, input: Record<string, unknown> = {}): Promise<unknown> {
  const { structuredContent } = await connection.call("sdd_status", input);
  return (structuredContent as { root?: unknown } | undefined)?.root;
}

test("prefers the workspace argument of a call to everything else", async () => {
  using here = temporaryRepository();
  using there = temporaryRepository();
  const env = { TENON_WORKSPACE: here.path };
  const roots = () => [here.path, there.path];
  await using connection = await connect("2026-07-28", {
    cwd: here.path,
    env,
    roots,
    words: ["--workspace", here.path],
  });
  expect(await getRoot(connection)).toBe(here.path);
  expect(await getRoot(connection, { workspace: there.path })).toBe(there.path);
  expect(await getRoot(connection, { workspace: join("..", there.path.split("/").at(-1) ?? "") })).toBe(there.path);
  expect(await getRoot(connection)).toBe(here.path);
});

test("an agent cannot open a workspace outside of the folders that the user opened", async () => {
  using here = temporaryRepository();
  using elsewhere = temporaryRepository();
  using beside = temporaryFolder();
  git(here.path, "commit", "-q", "--allow-empty", "-m", "Begin");
  const worktree = join(beside.path, "worktree");
  git(here.path, "worktree", "add", "-q", worktree);
  const inner = join(here.path, "packages", "shop");
  fs.mkdirSync(inner, { recursive: true });
  await using connection = await connect("2025-11-25", { cwd: here.path, roots: () => [inner] });
  const refused = await connection.call("sdd_status", { workspace: elsewhere.path });
  expect(refused.isError && getFault(refused)).toBe("workspace.outside-roots");
  expect(await getRoot(connection, { workspace: here.path })).toBe(here.path);
  expect(await getRoot(connection, { workspace: inner })).toBe(inner);
  expect(await getRoot(connection, { workspace: worktree })).toBe(worktree);
  await using plain = await connect("2025-11-25", { cwd: here.path });
  expect(await getRoot(plain, { workspace: elsewhere.path })).toBe(elsewhere.path);
});

const WRONG: readonly (readonly [workspace: unknown, code: string])[] = [
  ["/nowhere/at/all", "workspace.missing"],
  ["/dev/null", "workspace.missing"],
  ["a\0b", "workspace.missing"],
  ["", "input.invalid"],
  [" ", "input.invalid"],
  [7, "input.invalid"],
  [["/tmp"], "input.invalid"],
];

test("reports a fault for a workspace argument that is not a folder", async () => {
  using repository = temporaryRepository();
  await using connection = await connect("2025-11-25", { cwd: repository.path });
  const found = WRONG.map(async ([workspace]) => {
    const result = await connection.call("sdd_status", { workspace });
    return [workspace, result.isError && getFault(result)];
  });
  expect(await Promise.all(found)).toEqual(WRONG);
});

test.each(VERSIONS)("uses the folder that a %s client has open", async (version) => {
  using elsewhere = temporaryRepository();
  using plain = temporaryFolder();
  using repository = temporaryRepository();
  const inside = join(repository.path, "src", "a folder");
  fs.mkdirSync(inside, { recursive: true });
  await using connection = await connect(version, { cwd: elsewhere.path, roots: () => [plain.path, inside] });
  const started = await connection.call("sdd_change", { type: "fix", size: "small", description: "Fix login" });
  expect(started.structuredContent).toMatchObject({ change: { id: "fix-login" } });
  expect(fs.existsSync(join(repository.path, "sdd", "changes", "fix-login", "change.json"))).toBe(true);
  const { resources } = await connection.client.listResources();
  const own = resources.map((resource) => resource.uri).filter((uri) => !uri.startsWith("sdd://guides/"));
  expect(own).toEqual(["sdd://status", "sdd://changes/fix-login"]);
});

test.each(VERSIONS)("reads a resource as the first request of a %s client with open folders", async (version) => {
  using elsewhere = temporaryFolder();
  using repository = temporaryRepository();
  await using connection = await connect(version, { cwd: elsewhere.path, roots: () => [repository.path] });
  const { contents } = await connection.client.readResource({ uri: "sdd://status" });
  const [status] = contents;
  expect(JSON.parse(status && "text" in status ? status.text : "")).toMatchObject({ root: repository.path });
});

test.each(["2025-06-18", "2025-11-25"] as const)(
  "asks a %s client again that opens another folder",
  async (version) => {
    using elsewhere = temporaryFolder();
    using first = temporaryRepository();
    using second = temporaryRepository();
    let open = first.path;
    let asked = 0;
    const roots = () => {
      asked++;
      return [open];
    };
    await using connection = await connect(version, { cwd: elsewhere.path, roots });
    expect(await getRoot(connection)).toBe(first.path);
    open = second.path;
    expect(await getRoot(connection)).toBe(first.path);
    expect(asked).toBe(1);
    await connection.client.sendRootsListChanged();
    expect(await getRoot(connection)).toBe(second.path);
    expect(asked).toBe(2);
  },
);

test.each(VERSIONS)(
  "does not use the server's own folder for a %s client without an open workspace",
  async (version) => {
    using repository = temporaryRepository();
    using plain = temporaryFolder();
    await using connection = await connect(version, { cwd: repository.path, roots: () => [plain.path] });
    const { isError, _meta } = await connection.call("sdd_status");
    expect({ isError, fault: _meta?.["tenon/fault"] }).toMatchObject({
      isError: true,
      fault: { code: "workspace.not-found" },
    });
  },
);

test.each([
  ["TENON_WORKSPACE", (path: string) => ({ env: { TENON_WORKSPACE: path } })],
  ["--workspace", (path: string) => ({ words: ["--workspace", path] })],
])("uses %s without asking the client", async (_, settings) => {
  using given = temporaryRepository();
  using open = temporaryRepository();
  let asked = 0;
  const roots = () => {
    asked++;
    return [open.path];
  };
  await using connection = await connect("2025-11-25", { cwd: open.path, roots, ...settings(given.path) });
  expect(await getRoot(connection)).toBe(given.path);
  expect((await connection.client.readResource({ uri: "sdd://status" })).contents).toHaveLength(1);
  expect(asked).toBe(0);
});

test.each(VERSIONS)("tells a %s client that a home folder is never guessed", async (version) => {
  using home = temporaryFolder();
  git(home.path, "init", "--quiet");
  const folder = join(home.path, "notes");
  fs.mkdirSync(folder);
  const env = { HOME: home.path };
  await using connection = await connect(version, { cwd: folder, env, roots: () => [home.path] });
  expect(getFault(await connection.call("sdd_change", { type: "fix", size: "small", description: "Fix" }))).toBe(
    "workspace.is-home",
  );
  expect(fs.readdirSync(home.path).toSorted()).toEqual([".git", "notes"]);
  expect(await getRoot(connection, { workspace: home.path })).toBe(home.path);
});

test("reports that there is no workspace outside a repository", async () => {
  using plain = temporaryFolder();
  await using connection = await connect("2026-07-28", { cwd: plain.path });
  expect(getFault(await connection.call("sdd_status"))).toBe("workspace.not-found");
  const { resources } = await connection.client.listResources();
  expect(resources.filter(({ uri }) => !uri.startsWith("sdd://guides/"))).toEqual([]);
  await expect(connection.client.readResource({ uri: "sdd://status" })).rejects.toMatchObject({ code: -32602 });
  expect(fs.readdirSync(plain.path)).toEqual([]);
});
