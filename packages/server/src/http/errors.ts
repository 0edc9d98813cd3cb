import { STATUS_CODES } from 'node:http';
import { isUnavailable } from '@latchkey/db';
import { AppError, type ErrorCode, errorCodes } from '@latchkey/kernel';
import { wishFor } from './negotiate.ts';

/** The framework's errors, in our own codes and words. */
const frameworkCodes: Record<string, { code: ErrorCode; message: string }> = {
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'BODY_TOO_LARGE', message: 'The body is too large.' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { code: 'INVALID_BODY', message: 'The Content-Length does not match the body.' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { code: 'UNSUPPORTED_MEDIA_TYPE', message: 'Unsupported Content-Type.' },
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: { code: 'UNSUPPORTED_MEDIA_TYPE', message: 'The request has no Content-Type.' },
  FST_ERR_MAX_PARAM_LENGTH: { code: 'URI_TOO_LONG', message: 'A segment of the path is too long.' },
  FST_ERR_BAD_URL: { code: 'INVALID_PARAMETER_VALUE', message: 'The path contains invalid percent-encoding.' },
  FST_ERR_ASYNC_CONSTRAINT: { code: 'INVALID_PARAMETER_VALUE', message: 'The request could not be routed.' },
};

const wholeList = 'GET /openapi.json?all=true lists all operations.';

export function routeNotFound(): AppError {
  return new AppError('ROUTE_NOT_FOUND', `Path not found. ${wholeList}`);
}

/** The error for a method that a path does not support. The response must have an Allow header (RFC 9110, 15.5.6). */
export function methodNotAllowed(allowed: readonly string[]): AppError {
  return new AppError('METHOD_NOT_ALLOWED', `Use one of ${allowed.join(', ')} on this path. ${wholeList}`);
}

/** Maps any error to an AppError. Unexpected ones become INTERNAL_ERROR without their cause. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (isHungUp(error))
    return new AppError('INVALID_BODY', 'The connection was closed before the body was complete.', { cause: error });
  if (isUnavailable(error)) {
    return new AppError('UNAVAILABLE', 'The database is temporarily unavailable. Try again shortly.', {
      retryAfterSeconds: 2,
      cause: error,
    });
  }
  if (isRemovedMeanwhile(error)) {
    return new AppError(
      'STATE_CONFLICT',
      'A resource that this request needs was removed while it was running. Try again.',
      {
        cause: error,
      },
    );
  }
  const known =
    error instanceof Error && 'code' in error && typeof error.code === 'string'
      ? frameworkCodes[error.code]
      : undefined;
  if (known !== undefined) return new AppError(known.code, known.message, { cause: error });
  return new AppError(
    'INTERNAL_ERROR',
    'Something went wrong on our side. To find it in the log, use the x-request-id header.',
    { cause: error },
  );
}

/** True if a row referred to something that another request has just deleted. A retry responds with not found. */
function isRemovedMeanwhile(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23503' && /^insert or update/.test(error.message);
}

/** True if the caller disconnected in the middle of a body. It has the same code as a lost database connection. */
function isHungUp(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNRESET' && error.message === 'aborted';
}

/** An error response: in the API's own shape, or as problem details for clients that prefer those. */
export interface WrittenError {
  type: string;
  body: string;
}

const problemType = 'application/problem+json';
const charset = '; charset=utf-8';

/** Writes an error for the client that sent `accept`. Without a preference it gets the shape that existing clients read. */
export function writeError(
  error: AppError,
  { accept, requestId }: { accept?: string | undefined; requestId: string },
): WrittenError {
  const wantsProblem = accept !== undefined && wishFor(accept, problemType) > wishFor(accept, 'application/json');
  return wantsProblem
    ? { type: `${problemType}${charset}`, body: JSON.stringify(problemBody(error, requestId)) }
    : { type: `application/json${charset}`, body: JSON.stringify(errorBody(error)) };
}

/** Problem details (RFC 9457). `code` is what programs switch on. */
function problemBody({ status, code, message, details }: AppError, requestId: string) {
  return {
    type: 'about:blank',
    title: STATUS_CODES[status] ?? errorCodes[code].name,
    status,
    detail: message,
    code,
    requestId,
    ...(details !== undefined && { details }),
  };
}

/** The error shape of the API. */
export function errorBody(error: AppError) {
  return {
    error: {
      statusCode: error.status,
      name: errorCodes[error.code].name,
      message: error.message,
      code: error.code,
      ...(error.details !== undefined && { details: error.details }),
    },
  };
}
