/** The projects of the matrix and the scripted work on them, from projects.yaml. */
import fs from "node:fs";
import { parse } from "yaml";

interface ScriptedCheck {
  /** Lines that load the code under test. */
  readonly import?: string;
  readonly actual: string;
  readonly expected: string;
}

export interface RealProject {
  readonly name: string;
  readonly runner: string;
  /** One of these: a package of a registry that has the tests, or a source package of Debian. */
  readonly source: Readonly<Partial<Record<"npm" | "pypi" | "crate" | "go" | "debian", string>>>;
  /** Shell lines that install what the tests need. */
  readonly install?: string;
  /** The project's own test run, for comparison. */
  readonly suite: string;
  readonly template: string;
  /** Where the new tests are, and their package or namespace, if the template does not know. */
  readonly folder?: string;
  readonly package?: string;
  readonly import?: string;
  readonly code: string;
  /** A line of the code, and the recorded mutation of it. */
  readonly bug: ScriptedCheck & { readonly line: string; readonly becomes: string };
  /** A test that passes with the mutation too. */
  readonly lie: ScriptedCheck;
  readonly feature: ScriptedCheck & { readonly file: string; readonly text: string; readonly append?: boolean };
  /** A test file to delete for the second lie. */
  readonly deleted: string;
  readonly gitignore?: string;
  /** A license that the project wants at the top of every file. */
  readonly license?: string;
  /** Why some of its own tests fail here before any work. */
  readonly fails?: string;
  /** Kinds whose tool the project has, but that cannot be installed here. */
  readonly waive?: readonly string[];
}

interface TestTemplate {
  /** Of the new test, with a slug. */
  readonly file: string;
  readonly text: string;
  readonly comment: string;
}

export interface ProjectList {
  readonly templates: Readonly<Record<string, TestTemplate>>;
  readonly projects: readonly RealProject[];
  /** Projects that cannot be tested, each with the reason. */
  readonly unavailable: readonly { readonly name: string; readonly runner: string; readonly why: string }[];
}

export const loadProjectList = (): ProjectList =>
  parse(fs.readFileSync(new URL("projects.yaml", import.meta.url), "utf8")) as ProjectList;

/** A test file from a project's template. */
export function writeScriptedTest(
  { templates }: ProjectList,
  project: RealProject,
  check: ScriptedCheck,
  { id, slug }: { readonly id: string; readonly slug: string },
): { readonly file: string; readonly text: string } {
  const template = templates[project.template];
  if (!template) throw new Error(`There is no template ${project.template}.`);
  const capital = slug.replace(/^./, (letter) => letter.toUpperCase());
  const values: Readonly<Record<string, string>> = {
    id,
    slug,
    Slug: capital,
    folder: project.folder ?? "",
    package: project.package ?? "",
    import: check.import ?? project.import ?? "",
    actual: check.actual,
    expected: check.expected,
  };
  const fill = (text: string): string => text.replace(/\[\[(\w+)\]\]/g, (_, name: string) => values[name] ?? "");
  return { file: fill(template.file), text: addLicense(project, fill(template.text)) };
}

/** In the form of the project's own files, which its linter compares by line. */
export const addLicense = ({ license }: RealProject, text: string, [open, close] = ["/*", " */"]): string => {
  const lines = license?.trim().split("\n") ?? [];
  return license === undefined
    ? text
    : `${[open, ...lines.map((line) => ` * ${line}`.trimEnd()), close].join("\n")}\n${text}`;
};
