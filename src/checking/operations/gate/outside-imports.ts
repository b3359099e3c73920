import { readAllowanceReason } from "#code/model/scan/code-shortcuts.ts";
import { parseJsonc } from "#kernel/model/jsonc-parser.ts";
import { isPlainObject } from "#kernel/model/plain-object.ts";
import { getPathFolder, resolveFolderPath } from "#kernel/model/folder-path.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import type { GateCheckResult } from "#planning/model/workflow/workflow-record.ts";
import type { AttributedWork } from "#planning/operations/workflow/attributed-work.ts";
import { createProblemResult } from "../../model/gate/check-outcome.ts";
import type { CheckingEngine } from "../engine.ts";
import { type ChangedFile, splitAllowedFindings } from "./static-checks.ts";

const SCRIPT_FILE = /\.[cm]?[jt]sx?$/;
/** `from "./a"`, `import("./a")`, `require("../a")`, `import "./a"`. */
const RELATIVE_SPECIFIER = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*["'`](\.{1,2}\/[^"'`\n]+)["'`]/g;
/** A function of `createRequire` loads what it is given. */
const REQUIRED_SPECIFIER = /[\w)]\s*\(\s*["'`](\.{1,2}\/[^"'`\n]+)["'`]/g;
/** `from "#lib/a"`: `imports` in package.json says where that is. */
const MAPPED_SPECIFIER = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*["'`](#[^"'`\n]+)["'`]/g;
const PYTHON_IMPORT = /^\s*(?:from\s+(\.*[\w.]*)\s+import\s+([\w, ]+)|import\s+([\w.]+))/;
const SCRIPT_ENDINGS = [
  "",
  ...([".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json", ".node"] as const),
];

/** Where no receipt shows a later edit, or where other unfinished work holds a changed file, in `others`. */
export async function findOutsideImports(
  { source }: Pick<CheckingEngine, "source">,
  files: readonly ChangedFile[],
  others: AttributedWork["others"] = [],
): Promise<GateCheckResult[]> {
  const mapped = await loadImportMap(source, files);
  const named = files.flatMap(({ path, change, text = "" }) => {
    const lines = text.split("\n");
    const specifiers = [RELATIVE_SPECIFIER, ...(text.includes("createRequire") ? [REQUIRED_SPECIFIER] : [])];
    return change.added.flatMap(({ number, text: line }) =>
      [...listImportedPaths(path, line, specifiers), ...listMappedPaths(line, mapped)].map((candidates) => {
        const allowed = [lines[number - 1], lines[number - 2]].map((each) => readAllowanceReason(each ?? ""));
        return { path, number, candidates, allowed: allowed.find((each) => each !== undefined) };
      }),
    );
  });
  if (named.length === 0) return [];
  const known = new Set((await source.files()).map(({ path }) => path));
  const unknown = named.filter(({ candidates }) => !candidates.some((each) => known.has(each)));
  const found = named.flatMap(({ path, number, candidates, allowed }) => {
    const held = others.find((each) => candidates.includes(each.path));
    if (!held) return [];
    const { holder } = held;
    const problem = `${path}:${number}: imports ${sanitizeText(held.path, 160)}, which ${holder} holds, and no gate has judged it. Finish ${holder} first, or release the file there (sdd_lock) and claim it for this work.`;
    return [{ problem, allowed }];
  });
  for (const { path, number, candidates, allowed } of unknown) {
    const kinds = await Promise.all(candidates.map(async (each) => (await source.stamped(each)).kind));
    const there = candidates.find(
      (each, i) => /text|large|binary/.test(kinds[i] ?? "") || (kinds[i] === "link" && /\.\w+$/.test(each)),
    );
    if (there === undefined) continue;
    const problem = `${path}:${number}: imports ${sanitizeText(there, 160)}, which no receipt covers: git ignores it, it lies behind a link, in another repository or in sdd/. Move it into your code. If a tool generates it, add the comment "tenon-allow: <reason>".`;
    found.push({ problem, allowed });
  }
  if (found.length === 0) return [];
  const { problems, allowed } = splitAllowedFindings(found);
  return [createProblemResult("files-covered", problems, allowed)];
}

/** Names of `imports` in the package of the repository with what they stand for. */
async function loadImportMap(
  { text }: Pick<CheckingEngine["source"], "text">,
  files: readonly ChangedFile[],
): Promise<[name: string, target: string][]> {
  if (!files.some((each) => each.text?.match(MAPPED_SPECIFIER))) return [];
  const manifest = parseJsonc((await text("package.json")) ?? "");
  const { imports } = isPlainObject(manifest) ? manifest : {};
  const listTargets = (value: unknown): string[] =>
    typeof value === "string" ? [value] : isPlainObject(value) ? Object.values(value).flatMap(listTargets) : [];
  return Object.entries(isPlainObject(imports) ? imports : {}).flatMap(([name, value]) =>
    listTargets(value).map((target): [string, string] => [name, target]),
  );
}

function listMappedPaths(line: string, mapped: readonly (readonly [name: string, target: string])[]): string[][] {
  return [...line.matchAll(MAPPED_SPECIFIER)].map(([, specifier = ""]) =>
    mapped.flatMap(([name, target]) => {
      const [head = "", tail] = name.split("*");
      const isNamed = tail === undefined ? specifier === name : specifier.startsWith(head) && specifier.endsWith(tail);
      const inner = specifier.slice(head.length, tail === "" ? undefined : -(tail?.length ?? 0) || undefined);
      const found = isNamed ? resolveFolderPath(target.replace("*", () => inner)) : undefined;
      return found === undefined ? [] : [found];
    }),
  );
}

function listImportedPaths(path: string, line: string, specifiers: readonly RegExp[]): string[][] {
  const folder = getPathFolder(path);
  const join = (inner: string): string[] => {
    const found = resolveFolderPath(`${folder}/${inner}`);
    return found === undefined ? [] : [found];
  };
  if (SCRIPT_FILE.test(path))
    return specifiers
      .flatMap((pattern) => [...line.matchAll(pattern)])
      .map(([, specifier = ""]) => {
        const bare = specifier.replace(/\.[cm]?jsx?$/, "");
        return [...new Set([specifier, bare])].flatMap((each) => [
          ...SCRIPT_ENDINGS.flatMap((ending) => join(`${each}${ending}`)),
          ...SCRIPT_ENDINGS.slice(1).flatMap((ending) => join(`${each}/index${ending}`)),
        ]);
      });
  const [, from, names = "", whole] = path.endsWith(".py") ? (PYTHON_IMPORT.exec(line) ?? []) : [];
  const module = from ?? whole;
  if (module === undefined) return [];
  const [, dots = "", rest = ""] = /^(\.*)(.*)$/.exec(module) ?? [];
  const base = rest.replaceAll(".", "/");
  const up = dots === "" ? "" : "./" + "../".repeat(dots.length - 1);
  const roots =
    dots === ""
      ? ["", "src/", ...join(".").map((each) => `${each}/`)]
      : join(up === "" ? "." : up).map((each) => `${each}/`);
  const inner = names.split(",").map((each) => each.trim());
  return [
    roots.flatMap((root) =>
      [base, ...inner.map((each) => (base === "" ? each : `${base}/${each}`))].flatMap((each) => [
        `${root}${each}.py`.replace(/^\.\//, ""),
        `${root}${each}/__init__.py`.replace(/^\.\//, ""),
      ]),
    ),
  ];
}
