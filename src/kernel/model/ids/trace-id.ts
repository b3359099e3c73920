import { Fault } from "../fault.ts";
import { quote } from "../text-format.ts";

declare const traceIdBrand: unique symbol;
/** Id of a requirement, rule, spec or criterion: `AUTH-001`, `AUTH-001.AC-2`, `FR-003`, `user-login.S1.AC2`. */
export type TraceId = string & { readonly [traceIdBrand]: "TraceId" };

const TRACED_SPEC_PATTERN = "[A-Z][A-Z0-9]{0,31}-[0-9]{3,6}";
const TRACED_FEATURE_PATTERN = "[a-z0-9]{1,60}(?:-[a-z0-9]{1,60}){0,29}";
const TRACE_ID_PATTERN = new RegExp(
  String.raw`^(?:(${TRACED_SPEC_PATTERN})(?:\.(AC-[0-9]{1,4}))?|(${TRACED_FEATURE_PATTERN})\.(S[0-9]{1,4}\.AC[0-9]{1,4}))$`,
);
const MAX_TRACE_ID = 100;

export const isTraceId = (text: string): text is TraceId => text.length <= MAX_TRACE_ID && TRACE_ID_PATTERN.test(text);

export function requireTraceId(text: string): TraceId {
  if (isTraceId(text)) return text;
  throw new Fault("trace.bad-id", {
    what: `${quote(text, 60)} is not a requirement.`,
    why: "Name a spec, a requirement or a criterion: AUTH-001, FR-003, AUTH-001.AC-2, user-login.S1.AC2.",
    fix: { operation: "trace.drift" },
  });
}

/** `AUTH-001.AC-2` is a criterion of `AUTH-001`. */
export function splitTraceId(id: TraceId): { readonly spec: string; readonly criterion?: string } {
  const [, spec, criterion, feature, story] = TRACE_ID_PATTERN.exec(id) ?? [];
  const part = criterion ?? story;
  return { spec: spec ?? feature ?? "", ...(part === undefined ? {} : { criterion: part }) };
}
