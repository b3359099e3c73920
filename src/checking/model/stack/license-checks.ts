/** A tool that wants a license header in every file. Tenon's files in sdd/ have none, so the project must exclude them. */
export interface LicenseCheck {
  readonly tool: string;
  readonly file: string;
  readonly named: RegExp;
  readonly exclusion: string;
}

const MAVEN_EXCLUSION = "<exclude>sdd/**</exclude>";

export const LICENSE_CHECKS: readonly LicenseCheck[] = [
  { tool: "apache-rat-plugin", file: "pom.xml", named: /apache-rat-plugin/, exclusion: MAVEN_EXCLUSION },
  { tool: "license-maven-plugin", file: "pom.xml", named: /license-maven-plugin/, exclusion: MAVEN_EXCLUSION },
  { tool: "Apache RAT", file: ".rat-excludes", named: /\S/, exclusion: "sdd/.*" },
  { tool: "SkyWalking Eyes", file: ".licenserc.yaml", named: /\bpaths-ignore\b/, exclusion: "- 'sdd/**'" },
  { tool: "REUSE", file: "REUSE.toml", named: /\[\[annotations\]\]/, exclusion: 'path = "sdd/**"' },
];

/** Undefined if the file does not configure the tool, or excludes Tenon's files already. */
export const describeLicenseCheck = ({ tool, file, named, exclusion }: LicenseCheck, text: string) =>
  named.test(text) && !/\bsdd\//.test(text)
    ? {
        found: `${tool} in ${file} wants a license header in every file, and Tenon's files in sdd/ have none`,
        fix: `Exclude them in ${file}: ${exclusion}`,
      }
    : undefined;

const STOPPED_BUILD =
  /Too many files with unapproved license: (\d+)|Some files do not have the expected license header/;

/** A build that checks licenses first ends before any test runs. */
export function describeLicenseStop(output: string): string | undefined {
  const stop = STOPPED_BUILD.exec(output);
  if (!stop) return undefined;
  const count = stop[1] === undefined ? "some files have" : `${stop[1]} ${stop[1] === "1" ? "file has" : "files have"}`;
  return (
    `The license check of the build stopped it before any test: ${count} no license header. ` +
    `Add the header to new code and tests, and exclude Tenon's files in pom.xml: ${MAVEN_EXCLUSION}`
  );
}
