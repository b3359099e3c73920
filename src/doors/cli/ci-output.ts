import { Fault } from "#kernel/model/fault.ts";
import { formatVerificationAnnotations, formatVerificationJunit } from "#checking/model/gate/verification-reports.ts";
import type { ReceiptVerification } from "#checking/model/gate/receipt-verification.ts";
import { sanitizeText, quote } from "#kernel/model/text-format.ts";
import type { CommandFollowUp, TerminalIo } from "./command-table.ts";
import { formatCiAnnotations, type CiFinding } from "#checking/model/ci/ci-findings.ts";

export const writeVerificationReports: CommandFollowUp = async (output, flags, { io, environment }, isJson) => {
  const verification = output as ReceiptVerification;
  if (flags["annotations"] ?? environment["GITHUB_ACTIONS"] === "true")
    printAnnotations(formatVerificationAnnotations(verification), io, isJson);
  const place = flags["junit"];
  if (typeof place !== "string") return;
  try {
    await io.save(place, formatVerificationJunit(verification));
  } catch (error) {
    throw new Fault("usage.no-place", {
      what: `${quote(place)} was not written.`,
      why: sanitizeText(error instanceof Error ? error.message : String(error), 200),
      fix: "Name a file in an existing folder: tenon verify --junit verify.xml",
    });
  }
};

export const printCiAnnotations: CommandFollowUp = async (output, flags, { io, environment }, isJson) => {
  const wanted = flags["annotations"] ?? (environment["GITHUB_ACTIONS"] === "true" ? "github" : "none");
  const { findings } = output as { findings: readonly CiFinding[] };
  if (wanted === "github") printAnnotations(formatCiAnnotations(findings), io, isJson);
};

/** GitHub reads both streams; a caller that wants JSON reads only standard output. */
function printAnnotations(lines: readonly string[], io: TerminalIo, isJson: boolean): void {
  const text = lines.map((line) => `${line}\n`).join("");
  if (isJson) io.err(text);
  else io.out(text);
}
