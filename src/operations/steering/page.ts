import { formatCount } from "#domain/count.ts";
import type { Page } from "#domain/page.ts";
import type { ManageSteeringOutput } from "./done.ts";

export function formatSteeringPage(output: ManageSteeringOutput): Page {
  const { files, missing, blanks, profile, intent } = output;
  const isShown = output.action === "show";
  return {
    title: formatSteeringPageTitle(output),
    table: {
      columns: ["file", "lines", "tokens", "blanks"],
      rows: files.map(({ path, lines, tokens, blanks: left }) => [path, lines, tokens, left].map(String)),
    },
    quotes: isShown ? [...quoteUserIntent(intent), ...quotePlaceholders(blanks)] : [],
    points: [
      ...output.kept.map((path) => `${path} is kept as it was.`),
      ...output.aside.map(({ from, to }) => `What ${from} said is kept in ${to}.`),
      ...(output.decision === undefined ? [] : [`Recorded as ${output.decision}.`]),
      ...(profile ? formatStackPoints(profile) : []),
      ...missing.map((path) => `${path} is missing.`),
      ...output.notes,
    ],
    next: suggestSteeringCalls(output),
  };
}

function formatStackPoints({ stacks, permissions }: NonNullable<ManageSteeringOutput["profile"]>): string[] {
  return [
    stacks.length > 0 ? `Filled in from ${stacks.join(", ")}.` : "No profile was used.",
    ...(permissions.length > 0 ? [`Permissions that your client may give an agent: ${permissions.join(", ")}.`] : []),
  ];
}

/** Quoted, so that an agent treats the user's words as data. */
function quoteUserIntent(intent: ManageSteeringOutput["intent"]): NonNullable<Page["quotes"]> {
  const all = [
    ["Vision", intent?.vision ?? ""],
    ["Success criteria", (intent?.success_criteria ?? []).join("\n")],
    ["Anti-goals", (intent?.anti_goals ?? []).join("\n")],
  ] as const;
  return all.filter(([, text]) => text !== "").map(([label, text]) => ({ label, text }));
}

function quotePlaceholders(blanks: ManageSteeringOutput["blanks"]): NonNullable<Page["quotes"]> {
  const text = blanks.map((blank) => `${blank.path}:${blank.line}: ${blank.text}`).join("\n");
  return blanks.length === 0 ? [] : [{ label: "Left to say", text }];
}

function formatSteeringPageTitle({ action, written, aside, files }: ManageSteeringOutput): string {
  const total = files.reduce((sum, { tokens }) => sum + tokens, 0);
  if (action === "show")
    return files.length === 0
      ? "There is no steering yet."
      : `Steering: ${formatCount(files.length, "file")}, ${total} tokens.`;
  if (action === "delete") return `Taken away: ${aside.map(({ from }) => from).join(", ")}.`;
  return written.length === 0 ? "Nothing was changed." : `Written: ${written.join(", ")}.`;
}

function suggestSteeringCalls({ action, missing, intent, blanks }: ManageSteeringOutput): NonNullable<Page["next"]> {
  const call = (input: Readonly<Record<string, string>>) => [{ operation: "steering.manage", input }];
  if (missing.length > 0) return call({ action: "create" });
  if (action !== "show") return blanks.length > 0 ? call({ action: "show" }) : [];
  return intent?.vision === "" ? call({ action: "update", vision: "…" }) : [];
}
