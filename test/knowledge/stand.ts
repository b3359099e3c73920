import fs from "node:fs";
import { dirname, join } from "node:path";
import { temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";
import { createKnowledgeActions } from "../kit/knowledge.ts";

/** A repository on disk in which agents learn. */
export async function knowledgeStand() {
  const repository = temporaryRepository();
  const root = repository.path;
  fs.mkdirSync(join(root, "sdd"));
  const tenon = testHouse(root, { newId: () => crypto.randomUUID() });
  return {
    ...createKnowledgeActions(await tenon.house.open({ argument: root })),
    root,
    tenon,
    read: (path: string) => fs.readFileSync(join(root, path), "utf8"),
    put(path: string, text: string | Uint8Array) {
      fs.mkdirSync(dirname(join(root, path)), { recursive: true });
      fs.writeFileSync(join(root, path), text);
    },
    /** The names in `sdd/knowledge`. */
    known: () =>
      fs.existsSync(join(root, "sdd/knowledge")) ? fs.readdirSync(join(root, "sdd/knowledge")).toSorted() : [],
    [Symbol.dispose]() {
      tenon[Symbol.dispose]();
      repository[Symbol.dispose]();
    },
  };
}
