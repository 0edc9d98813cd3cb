import type { Operation } from '@latchkey/kernel';
import type { OperationAnswer } from './call-operation.ts';
import { metadataPath } from './resource-metadata.ts';

/**
 * What a client has to do before an operation answers it, as RFC 6750 and RFC 9728 write it: sign its user in, or ask
 * them for one more scope. Undefined where signing in would not help.
 */
export function challengeFor(
  operation: Operation,
  { status, body }: OperationAnswer,
  caller: { isBearer: boolean; baseUrl: string; path: string },
): string | undefined {
  const [scope] = grantableScopes(operation);
  const asked = scope === undefined ? '' : `, scope="${scope}"`;
  const where = `, resource_metadata="${caller.baseUrl}${metadataPath}${caller.path}"`;
  if (status === 401) return `Bearer realm="latchkey"${asked}${where}`;
  const isScopeMissing = status === 403 && caller.isBearer && codeOf(body) === 'SCOPE_NOT_ALLOWED';
  return isScopeMissing && asked !== '' ? `Bearer error="insufficient_scope"${asked}${where}` : undefined;
}

/** The scopes that a person can grant for it. One is enough. */
function grantableScopes({ contract: { access } }: Operation): readonly string[] {
  const { limited } = access;
  const scopes =
    access.scopes.length === 0 && limited !== undefined && 'scopes' in limited ? limited.scopes : access.scopes;
  return scopes.filter((scope) => !scope.startsWith('$'));
}

function codeOf(body: Buffer): unknown {
  return JSON.parse(body.toString('utf8')).error?.code;
}
