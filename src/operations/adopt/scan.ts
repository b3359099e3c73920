import type * as z from "zod";
import { cite, SECTION_NAMES, SECTIONS, showLink } from "#domain/adopt/finding.ts";
import type { Known, Survey } from "#domain/adopt/survey.ts";
import { formatCount } from "#domain/count.ts";
import type { Page } from "#domain/page.ts";
import { DEFAULT_ANSWER_TOKENS, fitAnswer } from "../fit.ts";
import { defineOperation } from "../operation.ts";
import type { DetailLevel } from "../text.ts";
import { look } from "./look.ts";
import type { Scan, Scanned } from "./schema.ts";

type Output = z.infer<typeof Scanned>;
type Item = Output["findings"][number];

const MOST: Readonly<Record<DetailLevel, number>> = { summary: 5, standard: 40, full: Number.POSITIVE_INFINITY };
const FINE = new Set(["field", "symbol"]);

export const scan = defineOperation<z.infer<typeof Scan>, Output>({
  id: "adopt.scan",
  effect: "read",
  input: async () => (await import("./schema.ts")).Scan,
  output: async () => (await import("./schema.ts")).Scanned,
  async run(engine, { detail_level = "standard", max_tokens = DEFAULT_ANSWER_TOKENS, ...where }) {
    const survey = await look(engine, where);
    const all = itemsOf(survey, detail_level);
    const total = overview(survey).length + survey.folders.length + survey.findings.length + survey.skipped.length;
    // An item costs several tokens, so more items cannot fit.
    const items = all.slice(0, max_tokens);
    const files = survey.paths.length;
    return fitAnswer(engine, max_tokens, {
      items,
      build: (shown, omitted): Output => ({
        files,
        read: survey.read,
        findings: [...shown],
        omitted: omitted + total - items.length,
      }),
      page,
      shorten: () => undefined,
    });
  },
  page: (output) => page(output),
});

/** An overview first, then findings of all sections in turn, so that a small budget shows some of each. */
function itemsOf(survey: Survey, detail: DetailLevel): Item[] {
  const shown = survey.findings.filter(({ kind }) => detail === "full" || !FINE.has(kind));
  const bySection = Map.groupBy(shown, ({ kind }) => SECTIONS[kind]);
  const lists = [
    survey.folders.map((folder): Item => ({
      section: "structure",
      text: `${cite(folder.name)}/: ${formatCount(folder.files, "file")}${folder.languages.length > 0 ? ` (${folder.languages.join(", ")})` : ""}`,
    })),
    ...SECTION_NAMES.map((section) => (bySection.get(section) ?? []).slice(0, MOST[detail]).map(itemOf)),
    survey.skipped.map(({ why, files, path }): Item => ({
      section: "skipped",
      text: `${formatCount(files, "file")}: ${why}, first ${cite(path)}`,
    })),
  ];
  const longest = Math.max(...lists.map((list) => list.length));
  const inTurn = Array.from({ length: longest }).flatMap((_, i) => lists.flatMap((list) => list[i] ?? []));
  return [...overview(survey), ...inTurn];
}

function overview(survey: Survey): Item[] {
  const counts = SECTION_NAMES.map(
    (section) => [section, survey.findings.filter(({ kind }) => SECTIONS[kind] === section).length] as const,
  );
  const none = counts.filter(([, n]) => n === 0).map(([section]) => section);
  const languages = survey.languages.map(([language, files]) => `${language} ${files}`).join(", ");
  return [
    ...(languages === "" ? [] : [{ section: "overview", text: `files by language: ${languages}` }]),
    {
      section: "overview",
      text: `found: ${
        counts
          .filter(([, n]) => n > 0)
          .map(([section, n]) => `${section} ${n}`)
          .join(", ") || "nothing"
      }`,
    },
    ...(none.length > 0 ? [{ section: "overview", text: `nothing found of: ${none.join(", ")}` }] : []),
  ];
}

function itemOf(finding: Known): Item {
  const { kind, name, of, says, by, confidence } = finding;
  const owner = of === undefined ? "" : `${cite(of)}: `;
  const more = says === undefined ? "" : ` = ${cite(says)}`;
  return {
    section: SECTIONS[kind],
    text: `${kind} ${owner}${cite(name)}${more} [${by}]`,
    evidence: showLink(finding),
    confidence,
  };
}

function page({ files, read, findings, omitted }: Output): Page {
  const groups = [...Map.groupBy(findings, ({ section }) => section)];
  return {
    title: `${formatCount(files, "file")}, ${read} read.`,
    quotes: groups.map(([label, items]) => ({
      label,
      text: items
        .map(({ text, evidence, confidence }) =>
          evidence === undefined ? text : `${text} (${evidence}; ${confidence})`,
        )
        .join("\n"),
    })),
    points: omitted > 0 ? [`${omitted} more left out.`] : [],
    next: [{ operation: "adopt.bootstrap" }],
  };
}
