import { posix } from "node:path";
import { build, type BuildOptions, type BuildResult, type Plugin } from "esbuild";
import { builtinsPlugin } from "./hook-bundle.ts";

type FirstBuildResult = BuildResult<{ metafile: true; write: false }>;

/** A group contains everything its sources import, except the contents of earlier groups. */
export type ChunkGroups = Readonly<Record<string, readonly string[]>>;

/**
 * Merges chunks that are always loaded together. esbuild creates a chunk for every set of entries that share a module,
 * and opening a file costs more at start than the code inside.
 */
export async function mergeChunks(first: FirstBuildResult, groups: ChunkGroups, options: BuildOptions): Promise<void> {
  const { outputs } = first.metafile;
  const texts = new Map(first.outputFiles.map((file) => [posix.relative(process.cwd(), file.path), file.text]));
  const grouped = groupChunks(outputs, groups);
  const namesOf = (chunk: string): string[] =>
    (outputs[chunk]?.exports ?? []).map((name) =>
      // Entry points keep their export names, because dynamic imports use them.
      outputs[chunk]?.entryPoint ? name : `${createChunkId(chunk)}_${name} as ${name}`,
    );
  const door = (chunk: string, from: string): string =>
    `export {${namesOf(chunk).join()}} from ${JSON.stringify(from)};`;

  const merge: Plugin = {
    name: "merge",
    setup(work) {
      work.onResolve({ filter: /^(?:group|chunk):/ }, ({ path }) => {
        const [namespace = "", name = ""] = path.split(":");
        return { namespace, path: name };
      });
      work.onResolve({ filter: /^\.{1,2}\// }, ({ path, importer, namespace, kind }) => {
        if (namespace === "door") return { path, external: true };
        const target = namespace === "group" ? path.slice(2) : posix.join(posix.dirname(importer), path);
        const group = grouped.get(target);
        if (group === undefined) return { path: `./${posix.basename(target, ".js")}.cjs`, external: true };
        if (group === (namespace === "group" ? importer : grouped.get(importer)))
          return { namespace: "chunk", path: target };
        return kind === "dynamic-import"
          ? { path: `./${group}.cjs`, external: true }
          : { namespace: "door", path: target };
      });
      work.onLoad({ filter: /.*/, namespace: "chunk" }, ({ path }) => ({ contents: texts.get(path) ?? "" }));
      work.onLoad({ filter: /.*/, namespace: "door" }, ({ path }) => ({
        contents: door(path, `./${grouped.get(path)}.cjs`),
      }));
      work.onLoad({ filter: /.*/, namespace: "group" }, ({ path }) => ({
        contents: [...grouped]
          .filter(([, group]) => group === path)
          .map(([chunk]) => `export {${namesOf(chunk).map(reverseExportAlias).join()}} from "./${chunk}";`)
          .join("\n"),
      }));
    },
  };
  await build({
    ...options,
    entryPoints: [
      ...Object.keys(groups).map((group) => ({ in: `group:${group}`, out: group })),
      ...[...texts.keys()]
        .filter((chunk) => !grouped.has(chunk))
        .map((chunk) => ({ in: `chunk:${chunk}`, out: posix.basename(chunk, ".js") })),
    ],
    plugins: [merge, builtinsPlugin],
    // A parser compiled to JavaScript contains an unused eval.
    logOverride: { "direct-eval": "silent" },
  });
}

const reverseExportAlias = (name: string): string => name.split(" as ").toReversed().join(" as ");

const createChunkId = (chunk: string): string => posix.basename(chunk, ".js").replace(/\W/g, "_");

/** Entries of the bundle stay separate files. */
function groupChunks(outputs: FirstBuildResult["metafile"]["outputs"], groups: ChunkGroups): Map<string, string> {
  const grouped = new Map<string, string>();
  const entries = new Set<string>();
  const take = (chunk: string, group: string): void => {
    if (grouped.has(chunk) || entries.has(chunk)) return;
    if (/\/chunk-[^/]*$/.test(chunk)) grouped.set(chunk, group);
    else entries.add(chunk);
    for (const { path, kind } of outputs[chunk]?.imports ?? []) {
      if (kind === "import-statement" && path in outputs) take(path, group);
    }
  };
  for (const [group, sources] of Object.entries(groups)) {
    for (const source of sources) {
      const [found] = Object.entries(outputs).find(([, output]) => output.entryPoint === source) ?? [];
      if (!found) throw new Error(`${source} has no chunk of its own to be merged into ${group}`);
      take(found, group);
    }
  }
  return grouped;
}
