import { Fault } from "#domain/fault.ts";
import { formatVerificationAnnotations } from "#domain/gate/annotations.ts";
import { formatVerificationJunit } from "#domain/gate/junit.ts";
import type { ReceiptVerification } from "#domain/gate/verification.ts";
import { sanitizeText, quote } from "#domain/quote.ts";
import type { CommandFollowUp } from "./command.ts";

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
