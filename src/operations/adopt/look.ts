import type { Finding } from "#domain/adopt/finding.ts";
import { isManifest, type Reading, recognise } from "#domain/adopt/recognise.ts";
import { folderOf, isMinified, languageOf, rankOf, type Reason, whyNot } from "#domain/adopt/select.ts";
import { type Survey, surveyOf } from "#domain/adopt/survey.ts";
import { Fault } from "#domain/fault.ts";
import { quote } from "#domain/quote.ts";
import type { Engine } from "../engine.ts";
import type { SourceFile } from "../ports/source.ts";

/** Bytes. A larger file was not written by hand. */
const LARGEST = 512 * 1024;
/** Limit for all files together, so that a huge repository still gets an answer. */
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_FILES = 10_000;
const MOST_FINDINGS = 20_000;

interface Where {
  readonly scan_path?: string | undefined;
  readonly max_depth?: number | undefined;
}

/** Reads the user's files, each at most once, and masks secrets in all quotations. */
export async function look(engine: Pick<Engine, "source" | "secrets">, where: Where): Promise<Survey> {
  const folder = (where.scan_path ?? "")
    .replace(/^(?:\.\/)+/, "")
    .replace(/\/+$/, "")
    .replace(/^\.$/, "");
  const all = await engine.source.files();
  const files = all.filter(({ path }) => folder === "" || path.startsWith(`${folder}/`));
  if (files.length === 0) throw nothingThere(folder);
  const skipped: { path: string; why: string }[] = [];
  const readings: Reading[] = [];
  const paths: string[] = [];
  let [bytes, found] = [0, 0];
  const top = folder === "" ? 0 : depth(folder);
  for (const file of files.toSorted(byRank)) {
    const isDeep = where.max_depth !== undefined && depth(file.path) - top > where.max_depth;
    const isOver = bytes + file.bytes > MOST_BYTES || readings.length >= MOST_FILES || found >= MOST_FINDINGS;
    const why: Reason | "" = isDeep
      ? "too deep"
      : (whyNot(file.path) ?? (file.bytes > LARGEST ? "too large" : isOver ? "over the cap" : ""));
    if (!/^(?:vendored|test data|lock|generated|too deep)/.test(why)) paths.push(file.path);
    const text = why === "" ? await engine.source.text(file.path, LARGEST) : undefined;
    if (text === undefined || (languageOf(file.path) !== undefined && isMinified(text))) {
      skipped.push({ path: file.path, why: why || (text === undefined ? "not text" : "generated") });
      continue;
    }
    bytes += file.bytes;
    const { problem, ...reading } = recognise(file.path, text);
    if (problem !== undefined) skipped.push({ path: file.path, why: problem });
    found += reading.findings.length;
    readings.push(reading);
  }
  const above = all.filter(({ path }) => isManifest(path) && isAbove(folderOf(path), folder));
  const around = await Promise.all(
    above.map(async ({ path }) => recognise(path, (await engine.source.text(path, LARGEST)) ?? "")),
  );
  return surveyOf(paths.toSorted(), await masked(engine, readings), skipped, around);
}

const depth = (path: string): number => path.split("/").length;

const byRank = ({ path: a }: SourceFile, { path: b }: SourceFile): number =>
  rankOf(a) - rankOf(b) || depth(a) - depth(b) || (a < b ? -1 : 1);

const isAbove = (place: string, folder: string): boolean =>
  place === "" ? folder !== "" : folder.startsWith(`${place}/`);

function nothingThere(folder: string): Fault {
  return new Fault("adopt.nothing-there", {
    what: "Nothing was scanned.",
    why:
      folder === ""
        ? "The repository has no file yet, but for what git ignores."
        : `${quote(folder)} holds no file that git sees.`,
    fix: folder === "" ? { operation: "workspace.init" } : { operation: "adopt.scan" },
  });
}

/** Shorter texts cannot be secrets. */
const SHORT = 8;
const QUOTED = ["name", "of", "says", "words"] as const;

async function masked(engine: Pick<Engine, "secrets">, readings: readonly Reading[]): Promise<Reading[]> {
  const texts = new Set(
    readings
      .flatMap(({ findings }) => findings.flatMap((finding) => QUOTED.flatMap((field) => finding[field] ?? [])))
      .filter((text) => text.length >= SHORT),
  );
  const safe = await maskedTexts(engine, [...texts]);
  const open = (text: string): string => safe.get(text) ?? text;
  const clean = (finding: Finding): Finding => ({
    ...finding,
    ...Object.fromEntries(
      QUOTED.flatMap((field) => (finding[field] === undefined ? [] : [[field, open(finding[field])]])),
    ),
  });
  return readings.map((reading) => ({ ...reading, findings: reading.findings.map(clean) }));
}

/** Masks all texts in one call, which is much faster; one by one where a secret spans lines. */
async function maskedTexts(
  { secrets }: Pick<Engine, "secrets">,
  texts: readonly string[],
): Promise<Map<string, string>> {
  const lines = texts.map((text) => text.replace(/\s+/g, " "));
  const all = (await secrets.mask(lines.join("\n"))).text.split("\n");
  if (all.length !== lines.length && lines.length > 0) {
    const each = await Promise.all(lines.map(async (line) => (await secrets.mask(line)).text));
    return new Map(texts.map((text, i) => [text, each[i] ?? ""]));
  }
  return new Map(texts.flatMap((text, i) => (all[i] === lines[i] ? [] : [[text, all[i] ?? ""]])));
}
