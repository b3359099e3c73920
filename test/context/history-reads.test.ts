import { expect, test } from "vitest";
import { loadCatalogueOperation } from "#doors/catalogue.ts";
import type { Engine } from "#doors/engine.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { temporaryRepository } from "../kit/folder.ts";
import { archiveMany, specify } from "../kit/history.ts";
import { testHouse } from "../kit/house.ts";

/** The engine, with every look at a file counted. */
function counting(engine: Engine): { engine: Engine; looks: Map<string, number> } {
  const looks = new Map<string, number>();
  const count = (path: string): void => void looks.set(path, (looks.get(path) ?? 0) + 1);
  const counted = <T extends StoreTree>(tree: T): T => ({
    ...tree,
    text: (path) => (count(path), tree.text(path)),
    record: (path, shape) => (count(path), tree.record(path, shape)),
  });
  const { store } = engine;
  const watched: Engine["store"] = {
    leases: store.leases,
    read: (look) => store.read((tree) => look(counted(tree))),
    write: (decide) => store.write((tree) => decide(counted(tree))),
    exclusively: (name, work) => store.exclusively(name, work),
    isBusy: (name) => store.isBusy(name),
    events: (after, most) => store.events(after, most),
    eventsEverywhere: (after, most) => store.eventsEverywhere(after, most),
    position: () => store.position(),
    pending: () => store.pending(),
    health: () => store.health(),
    restore: () => store.restore(),
  };
  return { engine: { ...engine, store: watched, observers: [] }, looks };
}

test("reads only records of the history, each at most once, and none in the gate", async () => {
  using repository = temporaryRepository();
  specify(repository.path, 10);
  archiveMany(repository.path, 100);
  using tenon = testHouse(repository.path);
  const { engine, looks } = counting(await tenon.house.open({}));
  const run = async (id: Parameters<typeof loadCatalogueOperation>[0], input: object) =>
    (await loadCatalogueOperation(id)).run(engine, input);
  await run("change.start", { type: "fix", size: "small", description: "Mend the refund form" });
  await run("change.advance", { content: "It breaks." });
  looks.clear();
  await run("context.check", {});
  const inHistory = [...looks].filter(([path]) => path.startsWith("sdd/history/"));
  expect(inHistory).toHaveLength(100);
  expect(inHistory.filter(([path, n]) => !path.endsWith("/change.json") || n > 1)).toEqual([]);
  looks.clear();
  await run("change.advance", { content: "No." });
  expect([...looks.keys()].filter((path) => path.startsWith("sdd/history/"))).toEqual([]);
});
