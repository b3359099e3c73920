import { listDefinedIds } from "#kernel/model/document/id-references.ts";
import type { ChangeStage } from "#kernel/model/stages/change-stages.ts";
import type { ChangeRecord } from "#planning/model/change/change-record.ts";
import { parseSpecDeltas, type WrittenDelta } from "#planning/model/living-spec/item-outline.ts";
import {
  findMarkdownChapter,
  formatMarkdownChapter,
  formatNameAsTitle,
  type MarkdownChapter,
  parseCriterionSentence,
  parseMarkdownChapters,
} from "../import/imported-markdown.ts";
import { createSafeFileName } from "../import/imported-output.ts";
import {
  formatOpenspecDeltas,
  formatOpenspecPurpose,
  formatOpenspecSpec,
  type OpenspecDelta,
} from "../import/openspec-documents.ts";
import { listLivingRequirements, type LivingRequirement, parseCapabilityPurposes } from "../import/requirement-book.ts";
import {
  deriveRequirementName,
  type LabelledRequirement,
  parseRequirementText,
  restoreForeignIds,
} from "../import/requirement-text.ts";

interface ExportedFile {
  readonly path: string;
  readonly text: string;
}

interface ExportedChange {
  readonly record: ChangeRecord;
  readonly artifacts: Readonly<Partial<Record<ChangeStage, string>>>;
}

export interface ExportedWorkspace {
  readonly requirements: string;
  readonly rules: string;
  readonly project: string | undefined;
  readonly changes: readonly ExportedChange[];
}

/** For requirements without a capability of their own. */
const OWN_CAPABILITY = "general";
const RULE_CAPABILITY = "business-rules";

export function createOpenspecFiles({ requirements, rules, project, changes }: ExportedWorkspace): {
  files: readonly ExportedFile[];
  notes: readonly string[];
} {
  const purposes = parseCapabilityPurposes(requirements);
  const names = new RequirementNames([...listLivingRequirements(requirements), ...listLivingRequirements(rules)]);
  const specs = Map.groupBy(names.all, ({ capability }) => createSpecFolder(capability));
  const described = (capability: string): string | undefined => {
    const purpose = purposes.get(capability);
    return purpose === undefined ? undefined : restoreForeignIds(purpose, `openspec/${capability}`);
  };
  const invented = names.all.filter(({ isInvented }) => isInvented).map(({ id }) => id);
  return {
    files: [
      { path: "config.yaml", text: "schema: spec-driven\n" },
      ...(project === undefined ? [] : [{ path: "project.md", text: project }]),
      ...[...specs].map(([folder, own]) => {
        const [first] = own;
        const purpose = formatPurpose(folder, described(first?.capability ?? ""));
        return { path: `specs/${folder}/spec.md`, text: formatOpenspecSpec(folder, purpose, own) };
      }),
      ...changes.flatMap((change) => createChangeFiles(change, names, described)),
    ],
    notes:
      invented.length === 0
        ? []
        : [`${invented.join(", ")}: no scenario here, so the scenario in OpenSpec repeats the requirement.`],
  };
}

const formatPurpose = (capability: string, purpose: string | undefined): string =>
  formatOpenspecPurpose(formatNameAsTitle(capability.replaceAll("/", ": ")), purpose);

/** Every part of it is a safe folder name. */
const createSpecFolder = (capability: string): string =>
  capability
    .split("/")
    .filter((part) => part.trim() !== "")
    .map((part) => createSafeFileName(part.trim().replaceAll(" ", "-")))
    .join("/") || OWN_CAPABILITY;

interface ExportedRequirement extends LabelledRequirement {
  readonly id: string;
  readonly isInvented: boolean;
}

/** OpenSpec knows requirements by their names, which are unique within a capability. */
class RequirementNames {
  readonly all: readonly ExportedRequirement[];
  readonly #taken = new Set<string>();

  constructor(living: readonly LivingRequirement[]) {
    this.all = living.map(({ id, item }) => this.convert(id, item));
  }

  find(id: string): ExportedRequirement | undefined {
    return this.all.find((each) => each.id === id);
  }

  /** A name that a change takes from a requirement is free for another requirement of that change. */
  releaseRenamed(deltas: readonly WrittenDelta[]): void {
    for (const { op, id, text } of deltas) {
      const present = op === "modified" ? this.find(id) : undefined;
      const name = parseRequirementText(text)?.name;
      if (present && name !== undefined && name !== present.name)
        this.#taken.delete(`${present.capability}\n${present.name}`);
    }
  }

  /** A text without a label gets the name and the scenarios that the requirement has already. */
  convert(id: string, item: string, present?: ExportedRequirement): ExportedRequirement {
    const labelled = parseRequirementText(item);
    const capability =
      labelled?.capability ?? present?.capability ?? (id.startsWith("BR-") ? RULE_CAPABILITY : OWN_CAPABILITY);
    const restored = restoreForeignIds(item, `openspec/${capability}`);
    const { text, name, scenarios } = parseRequirementText(restored) ?? {
      text: restored,
      name: present?.name ?? (deriveRequirementName(restored) || id),
      scenarios: present?.scenarios ?? [],
    };
    const title = name === present?.name ? name : this.#makeUnique(capability, name);
    return {
      id,
      capability,
      name: title,
      text,
      scenarios: scenarios.length > 0 ? scenarios : [{ name: title, steps: inventSteps(text) }],
      isInvented: scenarios.length === 0,
    };
  }

  #makeUnique(capability: string, name: string): string {
    let unique = name;
    for (let n = 2; this.#taken.has(`${capability}\n${unique}`); n++) unique = `${name} (${n})`;
    this.#taken.add(`${capability}\n${unique}`);
    return unique;
  }
}

/** OpenSpec requires a scenario. This one only splits the sentence. */
function inventSteps(text: string): string {
  const [first = ""] = text.split("\n", 1);
  const { given, when, outcome = first } = parseCriterionSentence(first);
  const steps = [given && `- **GIVEN** ${given}`, `- **WHEN** ${when ?? "this applies"}`, `- **THEN** ${outcome}`];
  return steps.filter(Boolean).join("\n");
}

function createChangeFiles(
  { record, artifacts }: ExportedChange,
  names: RequirementNames,
  described: (capability: string) => string | undefined,
): ExportedFile[] {
  const folder = `changes/${record.id}`;
  const scope = `openspec/changes/${record.id}`;
  const deltas = listChangeDeltas(artifacts.spec ?? "", names, scope);
  const groups = Map.groupBy(deltas, ({ capability }) => createSpecFolder(capability));
  const opening = artifacts.propose ?? artifacts.describe ?? artifacts.scope ?? "";
  const living = new Set(names.all.map(({ capability }) => capability));
  const settings = ["schema: spec-driven", `created: ${record.created_at.slice(0, 10)}`];
  return [
    {
      path: `${folder}/.openspec.yaml`,
      text: `${[...settings, ...(deltas.length > 0 ? [] : ["skip_specs: true"])].join("\n")}\n`,
    },
    { path: `${folder}/proposal.md`, text: restoreForeignIds(formatProposal(record, opening), scope) },
    ...(artifacts.design === undefined
      ? []
      : [{ path: `${folder}/design.md`, text: restoreForeignIds(artifacts.design, scope) }]),
    ...(artifacts.tasks === undefined
      ? []
      : [{ path: `${folder}/tasks.md`, text: restoreForeignIds(formatOpenspecTasks(artifacts.tasks), scope) }]),
    ...[...groups].map(([capability, own]) => {
      const label = own[0]?.capability ?? "";
      const purpose = living.has(label) ? "" : formatPurpose(capability, described(label));
      return { path: `${folder}/specs/${capability}/spec.md`, text: formatOpenspecDeltas(own, purpose) };
    }),
  ];
}

type LabelledDelta = OpenspecDelta & { readonly capability: string };

function listChangeDeltas(spec: string, names: RequirementNames, scope: string): LabelledDelta[] {
  const { deltas, loose } = parseSpecDeltas(spec);
  const isNew = ({ id, text }: { id: string; text: string }): boolean => text !== "" && names.find(id) === undefined;
  const added = loose.filter(isNew).map(({ id, text }): WrittenDelta => ({ op: "added", id, text }));
  names.releaseRenamed(deltas);
  return [...deltas, ...added].flatMap((delta): LabelledDelta[] => {
    const { op, id, text } = delta;
    const present = names.find(id);
    // Only the id changes, which OpenSpec does not know.
    if (op === "renamed") return [];
    if (op === "removed") {
      if (!present) return [];
      const { capability, name } = present;
      return [
        { op, capability, requirement: { name, text: formatReason(restoreForeignIds(text, scope)), scenarios: [] } },
      ];
    }
    const requirement = names.convert(id, text, present);
    const { capability } = requirement;
    if (!present || present.capability !== capability)
      return [
        ...(present
          ? [
              {
                op: "removed" as const,
                capability: present.capability,
                requirement: { ...present, text: "", scenarios: [] },
              },
            ]
          : []),
        { op: "added", capability, requirement },
      ];
    const renamed = {
      op: "renamed" as const,
      capability,
      from: present.name,
      requirement: { name: requirement.name, text: "", scenarios: [] },
    };
    const isSame =
      requirement.text === present.text && JSON.stringify(requirement.scenarios) === JSON.stringify(present.scenarios);
    return [
      ...(requirement.name === present.name ? [] : [renamed]),
      ...(isSame && requirement.name !== present.name ? [] : [{ op: "modified" as const, capability, requirement }]),
    ];
  });
}

const formatReason = (text: string): string => (/^\*\*\w+\*\*:/.test(text) ? text : `**Reason**: ${text}`);

const PROPOSAL_HEADINGS: readonly (readonly [ours: RegExp, theirs: string])[] = [
  [/^(?:Problem|Why)\b/i, "Why"],
  [/^(?:Solution|In scope|What Changes)\b/i, "What Changes"],
  [/^Out of scope\b/i, "Non-Goals"],
  [/^Success criteria\b/i, "Success Criteria"],
];

/** Our sections under OpenSpec's headings, the others as they are. */
function formatProposal({ description }: ChangeRecord, opening: string): string {
  const root = parseMarkdownChapters(opening);
  const parts = root.parts.flatMap((part) => (part.level === 1 ? part.parts : [part]));
  const found = PROPOSAL_HEADINGS.map(([ours]) => findMarkdownChapter(root, ours));
  const intro = [root.own, ...root.parts.filter(({ level }) => level === 1).map(({ own }) => own)].join("\n").trim();
  const inside = (part: MarkdownChapter | undefined): string =>
    part ? [part.own, ...part.parts.map(formatMarkdownChapter)].join("\n").trim() : "";
  const sections = PROPOSAL_HEADINGS.map(([, theirs], i): [string, string] => [theirs, inside(found[i])]);
  const [why = ["", ""], what = ["", ""], ...others] = sections;
  const said = [intro, why[1]].filter((text) => text !== "").join("\n\n");
  const rest = parts.filter((part) => !found.includes(part)).map((part) => formatMarkdownChapter(part).trim());
  return `${[
    "# Proposal",
    "## Why",
    said || description,
    "## What Changes",
    what[1] || `- ${description}`,
    ...others.flatMap(([heading, text]) =>
      text === "" || text.startsWith("Not stated in ") ? [] : [`## ${heading}`, text],
    ),
    ...rest,
  ].join("\n\n")}\n`;
}

const TASK_LINE =
  /^(\s*)(?:[-*+]|\d{1,4}[.)])\s+(?:\[([ xX])\]\s+)?[*_`]{0,3}(TASK-\d{3,5})[*_`]{0,3}\s*[:.–—-]?\s*(.*)$/;
const TASK_NUMBER = /^\d+(?:\.\d+)+\s/;

/** Checkboxes with numbers. An imported task has its number already. */
function formatOpenspecTasks(tasks: string): string {
  const ids = [...new Set(listDefinedIds(tasks, "task"))];
  const numbers = new Map(ids.map((id, i) => [id, `1.${i + 1}`]));
  const lines = tasks.split(/\r\n|\r|\n/);
  const hasNumbers = lines.some((line) => TASK_NUMBER.test(TASK_LINE.exec(line)?.[4] ?? ""));
  const written = lines.map((line) => {
    const [whole, indent = "", mark = " ", id = "", text = ""] = TASK_LINE.exec(line) ?? [];
    const named = (whole === undefined ? line : text).replace(/TASK-\d{3,5}/g, (each) => numbers.get(each) ?? each);
    if (whole === undefined) return hasNumbers ? line : named;
    return `${indent}- [${mark}] ${hasNumbers ? text : `${numbers.get(id) ?? ""} ${named}`}`;
  });
  const body = written.join("\n").trim();
  return hasNumbers ? `${body}\n` : `## 1. Tasks\n\n${body.replace(/^# .*\n+/, "")}\n`;
}
