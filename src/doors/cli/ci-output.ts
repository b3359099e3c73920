import { Fault } from "#kernel/model/fault.ts";
import { formatVerificationAnnotations, formatVerificationJunit } from "#checking/model/gate/verification-reports.ts";
import type { ReceiptVerification } from "#checking/model/gate/receipt-verification.ts";
import { sanitizeText, quote } from "#kernel/model/text-format.ts";
import type { CommandFollowUp } from "./command-types.ts";
import { formatCiAnnotations, type CiFinding } from "#checking/model/ci/ci-findings.ts";

export const writeVerificationReports: CommandFollowUp = async (output, flags, { io, environment }, isJson) => {
  const verification = output as ReceiptVerification;
  if (flags["annotations"] ?? environment["GITHUB_ACTIONS"] === "true") {
    const lines = formatVerificationAnnotations(verification)
      .map((line) => `${line}\n`)
      .join("");
    // GitHub reads both streams; a caller that wants JSON reads only standard output.
    if (isJson) io.err(lines);
    else io.out(lines);
  }
  const place = flags["junit"];
  if (typeof place !== "string") return;
  try {
    await io.save(place, formatVerificationJunit(verification));
  } catch (error) {
    throw new Fault("usage.no-place", {
      what: `${quote(place)} was not written.`,
      why: sanitizeText(error instanceof Error ? error.message : String(error), 200),
      fix: "Name a file in a folder that is there: tenon verify --junit verify.xml",
    });
  }
};

export const printCiAnnotations: CommandFollowUp = async (output, flags, { io, environment }, isJson) => {
  const wanted = flags["annotations"] ?? (environment["GITHUB_ACTIONS"] === "true" ? "github" : "none");
  if (wanted !== "github") return;
  const lines = formatCiAnnotations((output as { findings: readonly CiFinding[] }).findings)
    .map((line) => `${line}\n`)
    .join("");
  // GitHub reads both streams; a caller that wants JSON reads only standard output.
  if (isJson) io.err(lines);
  else io.out(lines);
};
