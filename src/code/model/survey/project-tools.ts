import type { CodeFinding, ScannedFile } from "./code-finding.ts";
import { getScannedFileName } from "./file-selection.ts";

const TOOL_FILES: readonly (readonly [path: RegExp, name: string, role: string])[] = [
  [/(?:^|\/)tsconfig\.json$/, "TypeScript", "types"],
  [/(?:^|\/)(?:\.eslintrc(?:\.\w+)?|eslint\.config\.[cm]?[jt]s)$/, "ESLint", "lint"],
  [/(?:^|\/)\.oxlintrc\.json$/, "oxlint", "lint"],
  [/(?:^|\/)biome\.jsonc?$/, "Biome", "lint"],
  [/(?:^|\/)(?:\.prettierrc(?:\.\w+)?|prettier\.config\.[cm]?js)$/, "Prettier", "format"],
  [/(?:^|\/)(?:\.?ruff\.toml)$/, "Ruff", "lint"],
  [/(?:^|\/)mypy\.ini$/, "mypy", "types"],
  [/(?:^|\/)\.golangci\.ya?ml$/, "golangci-lint", "lint"],
  [/(?:^|\/)\.?rustfmt\.toml$/, "rustfmt", "format"],
  [/(?:^|\/)\.?clippy\.toml$/, "Clippy", "lint"],
  [/(?:^|\/)\.pre-commit-config\.yaml$/, "pre-commit", "lint"],
  [/(?:^|\/)(?:vite|webpack|rollup|next)\.config\.[cm]?[jt]s$/, "bundler", "build"],
  [/(?:^|\/)Makefile$/, "make", "build"],
  [/(?:^|\/)(?:turbo|nx|lerna)\.json$|(?:^|\/)pnpm-workspace\.yaml$|(?:^|\/)go\.work$/, "monorepo", "build"],
  [/(?:^|\/)\.gitlab-ci\.yml$/, "GitLab CI", "ci"],
  [/(?:^|\/)Jenkinsfile$/, "Jenkins", "ci"],
  [/^\.circleci\/config\.yml$/, "CircleCI", "ci"],
  [/^azure-pipelines\.ya?ml$/, "Azure Pipelines", "ci"],
  [/^bitbucket-pipelines\.yml$/, "Bitbucket Pipelines", "ci"],
  [/^\.travis\.yml$/, "Travis CI", "ci"],
  [/^\.github\/workflows\/[^/]+\.ya?ml$/, "GitHub Actions", "ci"],
  [/(?:^|\/)Procfile$/, "Procfile", "deployment"],
  [/(?:^|\/)fly\.toml$/, "Fly.io", "deployment"],
  [/(?:^|\/)vercel\.json$/, "Vercel", "deployment"],
  [/(?:^|\/)netlify\.toml$/, "Netlify", "deployment"],
  [/(?:^|\/)serverless\.ya?ml$/, "Serverless", "deployment"],
  [/(?:^|\/)Chart\.yaml$/, "Helm", "deployment"],
  [/(?:^|\/)main\.tf$/, "Terraform", "deployment"],
];

const CI_STEP =
  /^[ \t]*(?:- )?run:[ \t]*([^|>\s][^\n]*)$|^[ \t]*-[ \t]+((?:npm|npx|pnpm|yarn|pytest|python|go|cargo|mvn|\.\/gradlew|make|ruff|mypy|docker|bundle|mix)\b[^\n]*)$|\bsh\s+['"]([^'"\n]+)['"]/dgm;

export function findProjectTools(sheet: ScannedFile): CodeFinding[] {
  const { path } = sheet;
  const named = TOOL_FILES.find(([pattern]) => pattern.test(path));
  const [, name = "", role = ""] = named ?? [];
  return [
    ...(named ? [sheet.by(role, "declared").whole("tool", name)] : []),
    ...(role === "ci" ? findCiSteps(sheet, name) : []),
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
