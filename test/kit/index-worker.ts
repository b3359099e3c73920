/**
 * Brings the index of a folder up to date as the program does. With a number it dies at that write, by no hand but its
 * own: before the write, or in the middle of it where there are files to put.
 */
import { refreshCodeIndex } from "#code/operations/index/refresh-index.ts";
import type { CodeIndex } from "#code/operations/ports/code-index.ts";
import { ownHouse } from "./own-house.ts";
import { ready, say } from "./worker.ts";

const [root = "", dies = "", times = "1"] = process.argv.slice(2);
const WRITES = ["put", "restamp", "retarget", "putTexts", "keepNote"] as const;
let writes = 0;

const die = (): void => void process.kill(process.pid, "SIGKILL");

/** The files of a batch, the last of which kills whoever looks into it. */
function deadly(files: readonly object[]): readonly object[] {
  const last = Object.defineProperty({ ...files.at(-1) }, "path", { get: die });
  return [...files.slice(0, -1), last];
}

function mortal(index: CodeIndex): CodeIndex {
  return new Proxy(index, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      const bound = value.bind(target) as (...words: unknown[]) => unknown;
      if (!WRITES.some((write) => write === name)) return bound;
      return (...words: unknown[]) => {
        if (String(writes++) !== dies) return bound(...words);
        const [first] = words;
        if (!Array.isArray(first) || first.length === 0) return die();
        return bound(deadly(first as object[]), ...words.slice(1));
      };
    },
  });
}

await ready();
const engine = await ownHouse(root).open({});
for (let i = 0; i < Number(times); i++) {
  const { read, gone, index } = await refreshCodeIndex({
    ...engine,
    codeIndex: async () => mortal(await engine.codeIndex()),
  });
  await say({ read, gone, isKept: index.isKept, writes });
}
process.disconnect();
