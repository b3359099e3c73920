import { writeCpf } from "./cpf.ts";
import { type Audit, REVIEW_VERDICTS, SEVERITIES } from "./finding.ts";
import { isRefused, type Refused, type ReportForm, type Told } from "./report-form.ts";
import { isSteeringFile } from "./stored-shape.ts";
import { readTold } from "./told.ts";

const STEERING_FILE = { holds: isSteeringFile, said: "the bare name of a file in sdd/steering, such as tech.md" };

export const AUDIT: ReportForm = {
  name: "an audit",
  metadata: [
    { keyword: "VERDICT", name: "verdict", oneOf: REVIEW_VERDICTS, missing: "refused" },
    { keyword: "REASON", name: "reason", missing: "absent" },
    { keyword: "SCOPE", name: "scope", missing: "empty" },
    // The engine already knows the wave.
    { keyword: "WAVE_SCOPE", name: "wave_scope", missing: "absent", isDropped: true },
    { keyword: "SPECS_IN_SCOPE", name: "specs_in_scope", missing: "absent", isDropped: true },
  ],
  sections: [
    {
      keyword: "VERIFIED",
      name: "verified",
      fields: [
        { name: "sources", isList: true },
        { name: "severity", oneOf: SEVERITIES },
        { name: "category" },
        { name: "location" },
        { name: "description" },
      ],
    },
    { keyword: "REMOVED", name: "removed", fields: [{ name: "agent" }, { name: "reason" }, { name: "finding" }] },
    {
      keyword: "RESOLVED",
      name: "resolved",
      fields: [{ name: "agents", isList: true }, { name: "resolution" }, { name: "conflict" }],
    },
    { keyword: "UNRESOLVED", name: "unresolved", fields: "free" },
    {
      keyword: "SPEC_FEEDBACK",
      name: "spec_feedback",
      fields: [{ name: "part", oneOf: ["specifications", "design"] }, { name: "spec" }, { name: "description" }],
    },
    {
      keyword: "STEERING",
      name: "steering",
      fields: [
        { name: "level", oneOf: ["CODIFY", "PROPOSE"] },
        { name: "file", like: STEERING_FILE },
        { name: "text" },
      ],
    },
    { keyword: "NOTES", name: "notes", fields: "free" },
    { keyword: "ROADMAP_ADVISORY", name: "roadmap_advisory", fields: "free" },
  ],
};

export function parseAudit(text: string): Audit | Refused {
  const told = readTold(text, AUDIT);
  return isRefused(told) ? told : (told as unknown as Audit);
}

export const writeAudit = (audit: Audit): string => writeCpf(audit as unknown as Told, AUDIT);
