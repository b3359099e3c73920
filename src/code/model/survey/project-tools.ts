import type { CodeFinding, ScannedFile } from "./code-finding.ts";
import { getScannedFileName } from "./file-selection.ts";
import tables from "./survey-tables.json" with { type: "json" };

const TOOL_FILES = tables.tools.map(({ path, ...tool }) => ({ ...tool, pattern: new RegExp(path) }));

const CI_STEP =
  /^[ \t]*(?:- )?run:[ \t]*([^|>\s][^\n]*)$|^[ \t]*-[ \t]+((?:npm|npx|pnpm|yarn|pytest|python|go|cargo|mvn|\.\/gradlew|make|ruff|mypy|docker|bundle|mix)\b[^\n]*)$|\bsh\s+['"]([^'"\n]+)['"]/dgm;

export function findProjectTools(sheet: ScannedFile): CodeFinding[] {
  const { path } = sheet;
  const tool = TOOL_FILES.find(({ pattern }) => pattern.test(path));
  return [
    ...(tool ? [sheet.by(tool.role, "declared").whole("tool", tool.name)] : []),
    ...(tool?.role === "ci" ? findCiSteps(sheet, tool.name) : []),
    ...(/^(?:Dockerfile|Containerfile)/.test(getScannedFileName(path)) ? findContainerImages(sheet) : []),
    ...(/^(?:docker-)?compose[\w.-]*\.ya?ml$/.test(getScannedFileName(path)) ? findComposeServices(sheet) : []),
  ];
}

function findCiSteps(sheet: ScannedFile, of: string): CodeFinding[] {
  return sheet.hits(CI_STEP).map((hit) => {
    const n = [1, 2, 3].find((group) => hit.group(group) !== "") ?? 1;
    return sheet.by("ci step", "declared").find("tool", hit.group(n).trim(), hit.lineOf(n), { of });
  });
}

const findContainerImages = (sheet: ScannedFile): CodeFinding[] => [
  ...sheet
    .hits(/^FROM\s+(?:--\S+\s+)*(\S+)/dgim)
    .map((hit) => sheet.by("container image", "declared").hit("tool", hit)),
  ...sheet.hits(/^EXPOSE\s+(\d+)/dgim).map((hit) => sheet.by("port", "declared").hit("tool", hit)),
];

/** The keys one level below `services:`. */
function findComposeServices(sheet: ScannedFile): CodeFinding[] {
  const start = sheet.lines.findIndex((line) => /^services:\s*$/.test(line));
  if (start < 0) return [];
  const below = sheet.lines.slice(start + 1);
  const end = below.findIndex((line) => /^\S/.test(line));
  const own = end < 0 ? below : below.slice(0, end);
  const indent = /^ +/.exec(own.find((line) => /^ +\w/.test(line)) ?? "")?.[0] ?? "  ";
  const heads = own.flatMap((line, i) => {
    const name = line.startsWith(indent) ? /^([\w.-]+):\s*$/.exec(line.slice(indent.length))?.[1] : undefined;
    return name === undefined ? [] : [{ name, at: i }];
  });
  return heads.map(({ name, at }, i) => {
    const inside = own.slice(at, heads[i + 1]?.at ?? own.length);
    const says = /^\s*image:\s*["']?([^\s"']+)/.exec(inside.find((line) => /^\s*image:/.test(line)) ?? "")?.[1];
    return sheet.by("compose service", "declared").find("tool", name, start + at + 2, { says });
  });
}

export function findProjectPapers(sheet: ScannedFile): CodeFinding[] {
  const { path } = sheet;
  if (
    /^(?:AGENTS|CLAUDE|GEMINI|CONTRIBUTING|STYLEGUIDE|CONVENTIONS|ARCHITECTURE|SECURITY)\.md$|^\.(?:cursorrules|windsurfrules|editorconfig)$|^copilot-instructions\.md$|^CODEOWNERS$|\.mdc$/.test(
      getScannedFileName(path),
    )
  )
    return [sheet.by("file", "declared").whole("convention", path)];
  if (
    !/(?:^|\/)(?:adrs?|decisions|architecture-decisions)\/[^/]+\.(?:md|adoc)$/i.test(path) ||
    /readme|template/i.test(getScannedFileName(path))
  )
    return [];
  const at = sheet.lines.findIndex((line) => /^[#=]+\s+\S/.test(line));
  const title = (sheet.lines[at] ?? "").replace(/^[#=]+\s+/, "").trim();
  return title === "" ? [] : [sheet.by("file", "declared").find("decision", title, at + 1)];
}
