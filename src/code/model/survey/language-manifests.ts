import { type CodeFinding, findBlockEnd, type ScannedFile } from "./code-finding.ts";
import { getScannedFileName } from "./file-selection.ts";

/** A manifest that lists its dependencies by code, so that no pattern can read all of them. */
export const COMPUTED_DEPENDENCIES = "computes its dependencies";

/** `of` for versions that other manifests refer to: Cargo's workspace, Maven's management, NuGet's central list. */
export const SHARED_VERSIONS = "shared versions";

const PYTHON_REQUIREMENT = /^([A-Za-z][\w.-]*(?:\[[^\]]*\])?)\s*([^;#]*)/;

const findPythonRequirement = (sheet: ScannedFile, text: string, line: number, of?: string): CodeFinding[] => {
  const [, name, says = ""] = PYTHON_REQUIREMENT.exec(text.trim()) ?? [];
  const source = sheet.by(getScannedFileName(sheet.path), "declared");
  return name === undefined ? [] : [source.find("dependency", name, line, { says: says.trim(), of })];
};

/** `requirements-dev.txt` pins tools; `requirements.txt` pins needed packages. */
export function readRequirementsFile(sheet: ScannedFile): CodeFinding[] {
  const of = /dev|test|doc|lint|ci\b|build|typing|style|example/i.test(getScannedFileName(sheet.path))
    ? "development"
    : undefined;
  return sheet.lines.flatMap((line, i) =>
    /^[A-Za-z]/.test(line) ? findPythonRequirement(sheet, line, i + 1, of) : [],
  );
}

export function readSetupConfig(sheet: ScannedFile): CodeFinding[] {
  let [section, key] = ["", ""];
  return sheet.lines.flatMap((line, i): CodeFinding[] => {
    const head = /^\[([^\]]+)\]/.exec(line)?.[1];
    if (head !== undefined) [section, key] = [head, ""];
    const [, name, value = ""] = /^([\w.-]+)\s*[=:]\s*(.*)$/.exec(line) ?? [];
    if (name !== undefined) key = name;
    const item = name === undefined ? line.trim() : value.trim();
    const source = sheet.by("setup.cfg", "declared");
    if (item === "" || head !== undefined) return [];
    if (section === "metadata" && name === "name") return [source.find("project", item, i + 1)];
    if (section === "options" && name === "python_requires")
      return [source.find("runtime", "Python", i + 1, { says: item, words: "python_requires" })];
    if (section === "options" && key === "install_requires") return findPythonRequirement(sheet, item, i + 1);
    if (section === "options.entry_points" && key === "console_scripts") return findConsoleScript(sheet, item, i + 1);
    return [];
  });
}

function findConsoleScript(sheet: ScannedFile, item: string, line: number): CodeFinding[] {
  const [, name, says] = /^([\w.-]+)\s*=\s*([\w.:]+)/.exec(item) ?? [];
  return name === undefined ? [] : [sheet.by("script", "declared").find("command", name, line, { says })];
}

/** Reads the literal arguments of `setup()`. */
export function readSetupScript(sheet: ScannedFile): { findings: CodeFinding[]; problem?: string } {
  const source = sheet.by("setup.py", "declared");
  const readText = (kind: "project" | "purpose" | "runtime", pattern: RegExp, name?: string): CodeFinding[] =>
    sheet
      .hits(pattern)
      .slice(0, 1)
      .map((hit) =>
        name === undefined
          ? source.hit(kind, hit)
          : source.find(kind, name, hit.lineOf(1), { says: hit.group(1), words: hit.group(1) }),
      );
  const [required] = sheet.hits(/\binstall_requires\s*=\s*(\[|\w+)/dg);
  const named = /^\w/.test(required?.group(1) ?? "") ? required?.group(1) : undefined;
  const [list] = named === undefined ? [required] : sheet.hits(new RegExp(`^${named}\\s*=\\s*(\\[)`, "dgm"));
  const isRead = required === undefined || (list !== undefined && sheet.text.slice(list.from, list.to).endsWith("["));
  return {
    findings: [
      ...readText("project", /\bname\s*=\s*["']([\w.-]+)["']/dg),
      ...readText("purpose", /\bdescription\s*=\s*["']([^"'\n]+)["']/dg),
      ...readText("runtime", /\bpython_requires\s*=\s*["']([^"'\n]+)["']/dg, "Python"),
      ...(isRead && list ? listStringsFrom(sheet, list.to - 1) : []).flatMap(({ text, line }) =>
        findPythonRequirement(sheet, text, line),
      ),
      ...sheet
        .hits(/["']console_scripts["']\s*:\s*\[/dg)
        .flatMap((hit) => listStringsFrom(sheet, hit.to - 1))
        .flatMap(({ text, line }) => findConsoleScript(sheet, text, line)),
      ...sheet.hits(/\bconsole_scripts\]\s*\n((?:[ \t]*[\w.-]+\s*=\s*[\w.:]+[ \t]*\n)+)/dg).flatMap((hit) =>
        hit
          .group(1)
          .split("\n")
          .flatMap((line, i) => findConsoleScript(sheet, line.trim(), hit.lineOf(1) + i)),
      ),
    ],
    ...(isRead ? {} : { problem: COMPUTED_DEPENDENCIES }),
  };
}

/** The string literals of the list that opens at an offset. */
function listStringsFrom(sheet: ScannedFile, open: number): { text: string; line: number }[] {
  const body = sheet.text.slice(open, findBlockEnd(sheet.text, open));
  return [...body.matchAll(/(["'])((?:(?!\1).)+)\1/g)].map((match) => ({
    text: match[2] ?? "",
    line: sheet.lineAt(open + match.index),
  }));
}

/** A gemspec lists the needs of the gem; a Gemfile beside it only those of its developers. */
export function readGemspec(sheet: ScannedFile): CodeFinding[] {
  const source = sheet.by("gemspec", "declared");
  return [
    ...sheet
      .hits(/\.name\s*=\s*["']([\w-]+)["']/dg)
      .slice(0, 1)
      .map((hit) => source.hit("project", hit)),
    ...sheet
      .hits(/\.(?:summary|description)\s*=\s*["']([^"'\n]+)["']/dg)
      .slice(0, 1)
      .map((hit) => source.hit("purpose", hit)),
    ...sheet
      .hits(/\.required_ruby_version\s*=\s*\[?\s*["']([^"'\n]+)["']/dg)
      .map((hit) => source.find("runtime", "Ruby", hit.lineOf(1), { says: hit.group(1), words: hit.group(1) })),
    ...sheet
      .hits(/\.add_(runtime_|development_)?dependency\s*\(?\s*["']([\w-]+)["'](?:\s*,\s*["']([^"']+)["'])?/dg)
      .map((hit) =>
        source.hit("dependency", hit, 2, {
          says: hit.group(3),
          of: hit.group(1) === "development_" ? "development" : undefined,
        }),
      ),
    ...sheet
      .hits(/\.executables\s*(?:=|<<)\s*\[?\s*["']([\w-]+)["']/dg)
      .map((hit) => sheet.by("bin", "declared").hit("command", hit)),
  ];
}

export function readGemfile(sheet: ScannedFile): CodeFinding[] {
  const source = sheet.by("Gemfile", "declared");
  const isOfGem = /^\s*gemspec\b/m.test(sheet.text);
  let isInGroup = false;
  return sheet.lines.flatMap((line, i): CodeFinding[] => {
    if (/^\s*group\b.*\bdo\b/.test(line)) isInGroup = /:(?:development|test|doc|lint|ci)\b/.test(line);
    if (/^end\b/.test(line)) isInGroup = false;
    const ruby = /^ruby\s+["']([^"']+)["']/.exec(line)?.[1];
    if (ruby !== undefined) return [source.find("runtime", "Ruby", i + 1, { says: ruby, words: ruby })];
    const [, name, says] = /^\s*gem\s+["']([\w-]+)["'](?:\s*,\s*["']([^"']+)["'])?/.exec(line) ?? [];
    const isDevelopment = isOfGem || isInGroup || /\bgroups?:.*:(?:development|test)\b/.test(line);
    return name === undefined
      ? []
      : [source.find("dependency", name, i + 1, { says, of: isDevelopment ? "development" : undefined })];
  });
}

const MAVEN_DEPENDENCY = /<dependency>((?:(?!<\/dependency>)[\s\S]){0,2000})<\/dependency>/dg;
const blankText = (part: string): string => part.replace(/[^\n]/g, " ");

/** Without the dependencies of plugins, profiles and reports. Tests need those of scope `test`. */
export function readMavenManifest(sheet: ScannedFile): CodeFinding[] {
  const source = sheet.by("pom.xml", "declared");
  const text = sheet.text
    .replace(/<!--[\s\S]*?-->/g, blankText)
    .replace(/<(build|profiles|reporting|exclusions)>[\s\S]*?<\/\1>/g, blankText);
  const managed = /<dependencyManagement>[\s\S]*?<\/dependencyManagement>/d.exec(text);
  const [from = -1, to = -1] = managed?.indices?.[0] ?? [];
  const blanked = text.replace(/<(parent|dependencies|dependencyManagement)>[\s\S]*?<\/\1>/g, blankText);
  const readTag = (kind: "project" | "purpose" | "runtime", pattern: RegExp, name?: string): CodeFinding[] => {
    const match = pattern.exec(blanked);
    const [value, line] = [match?.[1]?.trim(), sheet.lineAt(match?.indices?.[1]?.[0] ?? 0)];
    if (value === undefined) return [];
    return [source.find(kind, name ?? value, line, name === undefined ? {} : { says: value, words: value })];
  };
  const dependencies = [...text.matchAll(MAVEN_DEPENDENCY)].flatMap((match): CodeFinding[] => {
    const [body = "", start] = [match[1], match.indices?.[1]?.[0] ?? 0];
    const name = /<artifactId>\s*([\w.-]+)/d.exec(body);
    const scope = /<scope>\s*(\w+)/.exec(body)?.[1];
    const version = /<version>\s*([^<\s]+)/.exec(body)?.[1];
    const isShared = start > from && start < to;
    const of = isShared ? SHARED_VERSIONS : /^(?:test|provided|import)$/.test(scope ?? "") ? "development" : undefined;
    const line = sheet.lineAt(start + (name?.indices?.[1]?.[0] ?? 0));
    return name?.[1] === undefined ? [] : [source.find("dependency", name[1], line, { says: version, of })];
  });
  return [
    ...readTag("project", /<artifactId>([^<\n]+)<\/artifactId>/d),
    ...readTag("purpose", /<description>\s*([^<\n]+)/d),
    ...readTag("runtime", /<(?:java\.version|maven\.compiler\.(?:release|target|source))>([\d.]+)</d, "Java"),
    ...dependencies,
  ];
}

const PACKAGE_REFERENCE = /<(PackageReference|PackageVersion)\s+([^>]*?)(?:\/>|>([\s\S]{0,400}?)<\/\1>)/dg;

/** `PrivateAssets="All"` marks what only the build needs. */
export function readNugetManifest(sheet: ScannedFile): CodeFinding[] {
  const source = sheet.by(getScannedFileName(sheet.path), "declared");
  const packages = sheet.hits(PACKAGE_REFERENCE).flatMap((hit): CodeFinding[] => {
    const words = `${hit.group(2)} ${hit.group(3)}`;
    const name = /\bInclude\s*=\s*"([^"]+)"/.exec(words)?.[1];
    const says = /\bVersion\s*(?:=\s*"|>)([^"<]+)/.exec(words)?.[1];
    const isPrivate = /PrivateAssets\s*(?:=\s*"|>)\s*all/i.test(words);
    const of = hit.group(1) === "PackageVersion" ? SHARED_VERSIONS : isPrivate ? "development" : undefined;
    return name === undefined ? [] : [source.find("dependency", name, hit.lineOf(1), { says, of })];
  });
  const runtimes = sheet
    .hits(/<TargetFrameworks?>\s*([^<]+?)\s*</dg)
    .slice(0, 1)
    .map((hit) => source.find("runtime", ".NET", hit.lineOf(1), { says: hit.group(1), words: hit.group(1) }));
  return [...packages, ...runtimes];
}
