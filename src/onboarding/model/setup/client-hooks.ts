import type { ClientHookEvent, ClientHooks } from "./client-catalog.ts";

/** The text that identifies our hooks among others. */
export const formatHookMark = ({ event }: ClientHookEvent): string => `tenon hook ${event}`;

export const splitHookFields = ({ isAtEnd = false, matcher }: ClientHookEvent, { more }: ClientHooks) => ({
  matcher: matcher === undefined ? {} : { matcher },
  more: isAtEnd ? {} : more,
});

/** Settings are committed, and a colleague without Tenon must notice nothing: some clients reject every call then. */
const MISSING_PROGRAM_GUARD = "command -v tenon >/dev/null 2>&1 || exit 0";

export function createHookEntry(event: ClientHookEvent, hooks: ClientHooks): unknown {
  const call = [formatHookMark(event), ...(hooks.dialect === undefined ? [] : [hooks.dialect])].join(" ");
  const command = `${MISSING_PROGRAM_GUARD}; ${call}`;
  const { matcher, more } = splitHookFields(event, hooks);
  if (hooks.shape === "groups") return { ...matcher, hooks: [{ type: "command", command, ...more }] };
  if (hooks.shape === "flat") return { command, ...matcher, ...more };
  if (hooks.shape === "own-list") {
    const name = `tenon-${event.event}`;
    return { name, trigger: event.name, ...matcher, action: { type: "command", command }, ...more };
  }
  const powershell = `if (Get-Command tenon -ErrorAction SilentlyContinue) { ${call} }; exit 0`;
  // Copilot rejects the call when a hook fails.
  return { type: "command", bash: `${command} || true`, powershell, ...more };
}
