import { expect, test } from "vitest";
import { describeLicenseCheck, describeLicenseStop, LICENSE_CHECKS } from "./license-checks.ts";

const POM = "<plugin><artifactId>apache-rat-plugin</artifactId><excludes><exclude>a.txt</exclude></excludes></plugin>";

test.each([
  ["pom.xml", POM, "Exclude them in pom.xml: <exclude>sdd/**</exclude>"],
  ["pom.xml", POM.replace("a.txt", "sdd/**"), undefined],
  ["pom.xml", "<plugin><artifactId>maven-compiler-plugin</artifactId></plugin>", undefined],
  [".licenserc.yaml", "header:\n  paths-ignore:\n    - 'dist'\n", "Exclude them in .licenserc.yaml: - 'sdd/**'"],
  ["REUSE.toml", '[[annotations]]\npath = "docs/**"\n', 'Exclude them in REUSE.toml: path = "sdd/**"'],
  ["REUSE.toml", '[[annotations]]\npath = ["docs/**", "sdd/**"]\n', undefined],
])("%s with %j asks for %j", (file, text, expected) => {
  const found = LICENSE_CHECKS.filter((check) => check.file === file).flatMap(
    (check) => describeLicenseCheck(check, text) ?? [],
  );
  expect(found.map(({ fix }) => fix)).toEqual(expected === undefined ? [] : [expected]);
});

test.each([
  ["[ERROR] Too many files with unapproved license: 1 See RAT report in: target/rat.txt", /: 1 file has no license/],
  ["[ERROR] Too many files with unapproved license: 12 See RAT report", /: 12 files have no license/],
  ["[ERROR] Some files do not have the expected license header", /: some files have no license/],
])("explains %s with the exclusion", (output, expected) => {
  expect(describeLicenseStop(output)).toMatch(expected);
  expect(describeLicenseStop(output)).toContain("exclude Tenon's files in pom.xml: <exclude>sdd/**</exclude>");
});

test("does not blame licenses for a different build failure", () => {
  expect(describeLicenseStop("[ERROR] COMPILATION ERROR")).toBeUndefined();
});
