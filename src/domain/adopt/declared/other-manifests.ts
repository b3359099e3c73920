import type { CodeFinding, CodeFindingKind } from "../finding.ts";
import { getScannedFileName } from "../select.ts";
import type { ScannedFile } from "../sheet.ts";

/** A pattern for a manifest: group 1 is the name, group 2 the detail. */
type ManifestPattern = readonly [kind: CodeFindingKind, pattern: RegExp, name?: string];

const GRADLE_PATTERNS: readonly ManifestPattern[] = [
  ["dependency", /\b(?:implementation|api|runtimeOnly)\s*\(?\s*["'][\w.-]+:([\w.-]+)(?::([\w.-]+))?["']/dg],
  ["runtime", /\blanguageVersion\s*=\s*\w+\.of\((())(\d+)\)|\bJavaVersion\.VERSION_(\d+)/dg, "Java"],
];

const MANIFEST_PATTERNS: readonly (readonly [name: RegExp, rows: readonly ManifestPattern[]])[] = [
  [
    /^go\.mod$/,
    [
      ["project", /^module\s+(\S+)/dgm],
      ["runtime", /^(go)\s+([\d.]+)/dgm, "Go"],
      ["dependency", /^(?:require\s+|\t)([\w.-]+\.[\w.-]+\/\S+)\s+(v\S+)[ \t]*$/dgm],
    ],
  ],
  [
    /^requirements[\w.-]*\.txt$/,
    [["dependency", /^([A-Za-z][\w.-]*(?:\[[^\]\n]*\])?)[ \t]*((?:[=<>!~]=?[^;#\s]*)?)/dgm]],
  ],
  [
    /^setup\.cfg$/,
    [
      ["project", /^name\s*=\s*(\S+)/dgm],
      ["dependency", /^[ \t]+([A-Za-z][\w.-]*)((?:[=<>!~]=[^;#\s]*))/dgm],
    ],
  ],
  [
    /^Gemfile$/,
    [
      ["dependency", /^[ \t]*gem\s+["']([\w-]+)["'](?:\s*,\s*["']([^"']+)["'])?/dgm],
      ["runtime", /^(ruby)\s+["']([^"']+)["']/dgm, "Ruby"],
    ],
  ],
  [/\.gradle(?:\.kts)?$/, GRADLE_PATTERNS],
  [
    /^pom\.xml$/,
    [
      ["runtime", /<(java\.version|maven\.compiler\.release)>([\d.]+)</dg, "Java"],
      [
        "dependency",
        /<dependency>(?:(?!<\/dependency>)[\s\S]){0,400}?<artifactId>([\w.-]+)<\/artifactId>(?:\s*<version>([^<]+)<)?/dg,
      ],
    ],
  ],
  [
    /\.csproj$/,
    [
      ["dependency", /<PackageReference\s+Include="([^"]+)"(?:\s+Version="([^"]+)")?/dg],
      ["runtime", /<(TargetFramework)>([^<]+)</dg, ".NET"],
    ],
  ],
  [
    /^mix\.exs$/,
    [
      ["project", /\bapp:\s*:(\w+)/dg],
      ["dependency", /\{:(\w+),\s*"([^"]+)"/dg],
    ],
  ],
];

export function readPatternManifest(sheet: ScannedFile): CodeFinding[] | undefined {
  const by = getScannedFileName(sheet.path);
  const rows = MANIFEST_PATTERNS.find(([name]) => name.test(by))?.[1];
  if (!rows) return undefined;
  const found = rows.flatMap(([kind, pattern, name]) =>
    sheet.hits(pattern).map((hit) =>
      sheet.found(kind, name ?? hit.group(1), hit.lineOf(1), hit.group(1), {
        by,
        basis: "declared",
        says: hit.group(2) || hit.group(3) || hit.group(4),
      }),
    ),
  );
  return by === "pom.xml" ? [...readMavenProject(sheet), ...found] : found;
}

/** The first artifact outside a parent or a dependency. */
function readMavenProject(sheet: ScannedFile): CodeFinding[] {
  const blanked = sheet.text.replace(/<(parent|dependencies|build)>[\s\S]*?<\/\1>/g, (part) =>
    part.replace(/[^\n]/g, " "),
  );
  const told = { by: "pom.xml", basis: "declared" } as const;
  return (
    [
      ["project", /<artifactId>([^<\n]+)<\/artifactId>/d],
      ["purpose", /<description>([^<\n]+)</d],
    ] as const
  ).flatMap(([kind, pattern]) => {
    const match = pattern.exec(blanked);
    const line = sheet.lineAt(match?.indices?.[1]?.[0] ?? 0);
    return match?.[1] === undefined ? [] : [sheet.found(kind, match[1], line, match[1], told)];
  });
}
