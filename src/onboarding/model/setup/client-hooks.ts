import { type ClientHookEvent, type ClientHooks, SETUP_CLIENTS } from "./client-catalog.ts";

/** The text that identifies our hooks among others. */
export const formatHookMark = ({ event }: ClientHookEvent): string => `tenon hook ${event}`;

export const isHookMark = (mark: string): boolean => /^tenon hook [a-z-]+$/.test(mark);

const getHookFields = ({ isAtEnd = false }: ClientHookEvent, { more }: ClientHooks): ClientHooks["more"] =>
  isAtEnd ? {} : more;

const getHookMatcher = ({ matcher }: ClientHookEvent): Pick<ClientHookEvent, "matcher"> =>
  matcher === undefined ? {} : { matcher };

export function createHookEntry(event: ClientHookEvent, hooks: ClientHooks): unknown {
  const command = [formatHookMark(event), ...(hooks.dialect === undefined ? [] : [hooks.dialect])].join(" ");
  const [matcher, more] = [getHookMatcher(event), getHookFields(event, hooks)];
  if (hooks.shape === "groups") return { ...matcher, hooks: [{ type: "command", command, ...more }] };
  if (hooks.shape === "flat") return { command, ...matcher, ...more };
  // Copilot treats a missing program as a rejection, and not everyone who clones a repository has Tenon.
  return { type: "command", bash: `${command} || true`, powershell: `${command}; exit 0`, ...more };
}

export function formatHookFile(hooks: ClientHooks): string {
  const events = Object.fromEntries(hooks.events.map((event) => [event.name, [createHookEntry(event, hooks)]]));
  return `${JSON.stringify({ ...hooks.head, hooks: events }, undefined, 2)}\n`;
}

/** The plugin has every hook of Claude Code: a program with arguments, without a shell. */
export function createPluginHooks(): Readonly<Record<string, readonly unknown[]>> {
  const { hooks } = SETUP_CLIENTS.claude;
  return Object.fromEntries(
    (hooks?.events ?? []).map((event) => {
      const fields = hooks && getHookFields(event, hooks);
      const hook = { type: "command", command: "tenon", args: ["hook", event.event], ...fields };
      return [event.name, [{ ...getHookMatcher(event), hooks: [hook] }]];
    }),
  );
}
