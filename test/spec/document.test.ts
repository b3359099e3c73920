import fs from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { parseWorkflowId } from "#kernel/model/workflow-id.ts";
import { SPEC_FILE_FOLDER, getSpecPath } from "#kernel/model/workspace-paths.ts";
import type { Engine } from "#doors/engine.ts";
import { readSpecFile, updateSpecStatus } from "#planning/operations/spec/spec-files.ts";
import { validateSpecsOperation } from "#planning/operations/spec/validate-specs.ts";
import { inspectWorkspaceFiles } from "#onboarding/operations/workspace/inspect-workspace.ts";
import { DEFAULT_CONFIG } from "#kernel/model/workspace-config.ts";
import { temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";

const ID = parseWorkflowId("AUTH-001");
const SPEC = `# Written by hand.
schema_version: 2
id: AUTH-001
type: feature
title: Log in # soon
status: draft # for now
summary: Members log in with a passkey.
`;

async function within(files: Readonly<Record<string, string>>, look: (engine: Engine, root: string) => Promise<void>) {
  using repository = temporaryRepository();
  for (const [path, text] of Object.entries(files)) {
    fs.mkdirSync(dirname(join(repository.path, path)), { recursive: true });
    fs.writeFileSync(join(repository.path, path), text);
  }
  using house = testHouse(repository.path);
  await look(await house.house.open({}), repository.path);
}

const read = (engine: Engine) => engine.store.read((tree) => readSpecFile(engine, tree, ID));

test("reads a spec with its text and hash", async () => {
  await within({ [getSpecPath(ID)]: SPEC }, async (engine) => {
    const found = await read(engine);
    expect(found).toMatchObject({
      id: ID,
      path: "sdd/specs/AUTH-001.yaml",
      text: SPEC,
      hash: engine.digest(SPEC),
      kind: "feature",
      problems: [],
      document: { spec: { id: "AUTH-001", status: "draft", user_stories: [] } },
    });
  });
});

test("reads a missing spec as empty, and reports the line of invalid YAML", async () => {
  await within({}, async (engine) => expect(await read(engine)).toBeUndefined());
  await within({ [getSpecPath(ID)]: "id: AUTH-001\ntitle: [\n" }, async (engine) => {
    const found = await read(engine);
    expect([found?.document, found?.problems]).toEqual([
      undefined,
      [{ problem: expect.stringMatching(/^It is not YAML: /), line: 2, field: "" }],
    ]);
  });
});

test("updates a status in place, with its dates", async () => {
  await within({}, async (engine) => {
    const once = await updateSpecStatus(engine, SPEC, "specified", { updated: "2026-02-01" });
    const twice = await updateSpecStatus(engine, once, "done", { updated: "2026-02-02", resolved: "2026-02-02" });
    expect(twice).toBe(
      `${SPEC.replace("draft #", "done #")}metadata:\n  updated: 2026-02-02\n  resolved: 2026-02-02\n`,
    );
  });
});

test("does not load the YAML reader without spec documents", async () => {
  const unread: Engine["yaml"] = () => Promise.reject(new Error("YAML was loaded."));
  await within({ "sdd/config.yaml": "version: 1\n" }, async (engine) => {
    const found = await inspectWorkspaceFiles({ ...engine, yaml: unread }, DEFAULT_CONFIG);
    expect(found).toEqual({ items: 0, problems: [] });
  });
});

test("validate counts specs and reports their problems", async () => {
  await within({ [getSpecPath(ID)]: SPEC, [`${SPEC_FILE_FOLDER}/BUG-042.yaml`]: "id: BUG-042\n" }, async (engine) => {
    const { items, problems } = await inspectWorkspaceFiles(engine, DEFAULT_CONFIG);
    expect([items, problems]).toEqual([
      2,
      [
        { path: "sdd/specs/BUG-042.yaml", line: 1, problem: "title is missing." },
        { path: "sdd/specs/BUG-042.yaml", line: 1, problem: "symptom is missing." },
      ],
    ]);
  });
});

test("lists an entry that is not a file, and rejects a call for it", async () => {
  await within({ [getSpecPath(ID)]: SPEC, [`${SPEC_FILE_FOLDER}/BUG-042.yaml/x`]: "" }, async (engine) => {
    const { passed, specs, strays } = await validateSpecsOperation.run(engine, {});
    expect([passed, specs.map(({ id }) => id), strays.map(({ path }) => path)]).toEqual([
      false,
      ["AUTH-001"],
      ["sdd/specs/BUG-042.yaml"],
    ]);
    await expect(validateSpecsOperation.run(engine, { id: "BUG-042" })).rejects.toThrow(
      expect.objectContaining({ code: "files.not-a-file" }),
    );
    expect(await validateSpecsOperation.run(engine, { id: "AUTH-001" })).toMatchObject({ passed: true, strays: [] });
  });
});

test("does not overwrite a concurrent change", async () => {
  const old = SPEC.replace("id: AUTH-001", "spec_id: AUTH-001");
  await within({ [getSpecPath(ID)]: old }, async (engine, root) => {
    const file = join(root, getSpecPath(ID));
    const edited = old.replace("soon", "later");
    const store: Engine["store"] = {
      ...bound(engine.store),
      write: (decide) => {
        fs.writeFileSync(file, edited);
        return engine.store.write(decide);
      },
    };
    const { passed, specs } = await validateSpecsOperation.run({ ...engine, store }, { fix: true });
    expect([passed, specs[0]?.rewritten, fs.readFileSync(file, "utf8")]).toEqual([false, false, edited]);
  });
});

test("reports old forms that it cannot rewrite, and leaves them alone", async () => {
  const flow = "{spec_id: AUTH-001, title: Log in, summary: Members log in with a passkey., created: 2026-01-31}\n";
  await within({ [getSpecPath(ID)]: flow }, async (engine, root) => {
    const { specs } = await validateSpecsOperation.run(engine, { fix: true });
    expect(specs[0]?.problems.at(-1)?.problem).toBe("Its old forms could not be rewritten; change them by hand.");
    expect(fs.readFileSync(join(root, getSpecPath(ID)), "utf8")).toBe(flow);
  });
});

/** The methods of a store that is a class, so that some can be replaced. */
function bound(store: Engine["store"]): Engine["store"] {
  return {
    leases: store.leases,
    read: (look) => store.read(look),
    write: (decide) => store.write(decide),
    events: (...of) => store.events(...of),
    eventsEverywhere: (...of) => store.eventsEverywhere(...of),
    exclusively: (...of) => store.exclusively(...of),
    isBusy: (...of) => store.isBusy(...of),
    position: () => store.position(),
    pending: () => store.pending(),
    health: () => store.health(),
    restore: () => store.restore(),
  };
}
