import type { ErrorCode } from '@latchkey/kernel';
import type { OperationModel, Refusal } from './model.ts';

/** What a server refuses with a status for, if an operation names no code of its own. */
const commonCodes = [
  'INVALID_PARAMETER_VALUE',
  'INVALID_BODY',
  'AUTHENTICATION_REQUIRED',
  'INVALID_CREDENTIAL',
  'SCOPE_NOT_ALLOWED',
  'ENTITY_NOT_FOUND',
  'IDEMPOTENCY_KEY_REUSED',
  'VALIDATION_FAILED',
  'RATE_LIMITED',
  'UNAVAILABLE',
] as const satisfies readonly ErrorCode[];

/** For these, the operation's own recording shows enough: another code of the status may not even be possible. */
const ownSuffices: ReadonlySet<number> = new Set([400, 403]);

/** Returns a refusal for every code that an operation declares, and for each other status of it. Its own recordings go first. */
export function refusalsOf(operation: OperationModel, byCode: Readonly<Record<string, Refusal>>): Refusal[] {
  const declared = (operation.facts?.errors ?? []).map(({ code }) => code);
  const covered = new Set(declared.map((code) => byCode[code]?.status));
  const recorded = new Map((operation.example?.refusals ?? []).map(({ body }) => [codeOf(body), body]));
  const own = new Set([...recorded.keys()].map((code) => byCode[code]?.status));
  const common = commonCodes.filter((code) => {
    const status = byCode[code]?.status;
    if (status === undefined || covered.has(status) || (ownSuffices.has(status) && own.has(status))) return false;
    return operation.errors.includes(String(status)) && isPossible(code, operation);
  });
  const line = `${operation.method} ${operation.path}`;
  return [...new Set([...declared, ...recorded.keys(), ...common])]
    .flatMap((code) => {
      const known = byCode[code];
      if (known === undefined) return [];
      const { route, ...refusal } = known;
      const own = recorded.get(code);
      if (own !== undefined) return [{ ...refusal, body: own }];
      return [route === line ? refusal : known];
    })
    .sort((one, other) => one.status - other.status);
}

function isPossible(code: (typeof commonCodes)[number], { parameters, body, isRepeatable }: OperationModel): boolean {
  if (code === 'INVALID_PARAMETER_VALUE') return parameters.length > 0;
  if (code === 'INVALID_BODY' || code === 'VALIDATION_FAILED') return body !== undefined;
  if (code === 'IDEMPOTENCY_KEY_REUSED') return isRepeatable;
  return true;
}

function codeOf(body: unknown): string {
  return String(Object(Object(body).error).code ?? '');
}
