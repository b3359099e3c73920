import { CLAUDE_HOOKS, getHookMatcher, getHookFields } from "../setup/hooks.ts";

/** The hooks of the plugin: a program with arguments, without a shell. */
export const PLUGIN_HOOKS: Readonly<Record<string, readonly unknown[]>> = Object.fromEntries(
  CLAUDE_HOOKS.events.map((event) => {
    const hook = {
      type: "command",
      command: "tenon",
      args: ["hook", event.event],
      ...getHookFields(event, CLAUDE_HOOKS),
    };
    return [event.name, [{ ...getHookMatcher(event), hooks: [hook] }]];
  }),
);
