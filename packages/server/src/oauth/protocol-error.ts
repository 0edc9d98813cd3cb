import { isUnavailable } from '@latchkey/db';
import type { AppError } from '@latchkey/kernel';
import { errors } from 'oidc-provider';

/** The error response of OAuth2 (RFC 6749 5.2). */
export interface ProtocolAnswer {
  status: number;
  error: string;
  error_description: string;
}

const foreignKeyViolation = '23503';

/** Maps database errors to errors of the protocol; all others are returned unchanged. */
export function asProtocolError(error: unknown): unknown {
  if (isUnavailable(error)) {
    const answer = new errors.TemporarilyUnavailable('the database is temporarily unavailable');
    return Object.assign(answer, { status: 503, statusCode: 503, cause: error });
  }
  // Its grant was deleted, with its account or application, while the token was being created.
  if (error instanceof Error && 'code' in error && error.code === foreignKeyViolation)
    return new errors.InvalidGrant('the authorization no longer exists');
  return error;
}

/** Converts one of our errors to an OAuth2 error. */
export function toProtocolAnswer(error: AppError): ProtocolAnswer {
  return { status: error.status, error: nameOf(error), error_description: error.message };
}

function nameOf({ code, status }: AppError): string {
  if (code === 'INVALID_CREDENTIAL') return 'invalid_client';
  if (status === 429 || status === 503) return 'temporarily_unavailable';
  return status >= 500 ? 'server_error' : 'invalid_request';
}
