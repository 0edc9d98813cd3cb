/** The meaning of a code: its HTTP status, the error's name in responses, and when it is returned. */
export interface ErrorCodeInfo {
  status: number;
  name: string;
  meaning: string;
}

/** The closed list of error codes. Programs switch on the code, people read the message. */
export const errorCodes = {
  MISSING_REQUIRED_PARAMETER: {
    status: 400,
    name: 'BadRequestError',
    meaning: 'A required path, query or header parameter is absent.',
  },
  INVALID_PARAMETER_VALUE: {
    status: 400,
    name: 'BadRequestError',
    meaning: 'A path, query or header parameter has an invalid value.',
  },
  INVALID_PAGINATION_TOKEN: {
    status: 400,
    name: 'BadRequestError',
    meaning: 'The pagination token was altered, is too old, or belongs to another list or caller.',
  },
  INVALID_BODY: {
    status: 400,
    name: 'BadRequestError',
    meaning: 'The body could not be read: broken JSON, a repeated key, or nesting that is too deep.',
  },
  INVALID_IDEMPOTENCY_KEY: {
    status: 400,
    name: 'BadRequestError',
    meaning: 'The Idempotency-Key header is empty, too long, or has unprintable characters.',
  },
  INVALID_OTP: { status: 400, name: 'BadRequestError', meaning: 'The one-time password is wrong, used or expired.' },
  AUTHENTICATION_REQUIRED: {
    status: 401,
    name: 'UnauthorizedError',
    meaning: 'The operation needs a credential and none was sent.',
  },
  INVALID_CREDENTIAL: {
    status: 401,
    name: 'UnauthorizedError',
    meaning: 'The credential is malformed, unknown, expired or revoked.',
  },
  ROLE_NOT_ALLOWED: {
    status: 403,
    name: 'ForbiddenError',
    meaning: 'The caller is known, but this kind of caller may not use the operation.',
  },
  SCOPE_NOT_ALLOWED: {
    status: 403,
    name: 'ForbiddenError',
    meaning: 'The token or client application has none of the scopes that allow the operation.',
  },
  PRESENCE_REQUIRED: {
    status: 403,
    name: 'ForbiddenError',
    meaning:
      'The operation adds a sign-in method, removes a second factor or moves money, and the user has not signed in within the last few minutes.',
  },
  CLIENT_NOT_ALLOWED: {
    status: 403,
    name: 'ForbiddenError',
    meaning:
      'The credential is not accepted from this origin, referrer or address, or is not allowed to request this signature.',
  },
  PLAN_LIMIT_REACHED: {
    status: 403,
    name: 'ForbiddenError',
    meaning: 'The plan’s limit for objects of this kind is reached, or the plan does not include the feature.',
  },
  ORGANIZATION_NOT_VERIFIED: {
    status: 403,
    name: 'ForbiddenError',
    meaning: 'The organization must confirm its e-mail address first.',
  },
  ENTITY_NOT_FOUND: {
    status: 404,
    name: 'NotFoundError',
    meaning: 'Not found, or not visible to the caller.',
  },
  ROUTE_NOT_FOUND: { status: 404, name: 'NotFoundError', meaning: 'Path not found.' },
  METHOD_NOT_ALLOWED: {
    status: 405,
    name: 'MethodNotAllowedError',
    meaning: 'The path does not support this method; the Allow header lists those it does.',
  },
  NOT_ACCEPTABLE: {
    status: 406,
    name: 'NotAcceptableError',
    meaning: 'The operation has no response in a type that the Accept header allows.',
  },
  REQUEST_TIMEOUT: { status: 408, name: 'RequestTimeoutError', meaning: 'The request took too long to arrive.' },
  IDEMPOTENCY_IN_PROGRESS: {
    status: 409,
    name: 'ConflictError',
    meaning: 'The first request with this Idempotency-Key is still in progress.',
  },
  STATE_CONFLICT: {
    status: 409,
    name: 'ConflictError',
    meaning: 'The object is in a state that does not allow this change.',
  },
  PRECONDITION_FAILED: {
    status: 412,
    name: 'PreconditionFailedError',
    meaning: 'The object has changed since the version that If-Match names. Read it again.',
  },
  BODY_TOO_LARGE: {
    status: 413,
    name: 'PayloadTooLargeError',
    meaning: 'The body is larger than the operation accepts.',
  },
  URI_TOO_LONG: {
    status: 414,
    name: 'UriTooLongError',
    meaning: 'The path and query are longer than the server accepts.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    name: 'UnsupportedMediaTypeError',
    meaning: 'The operation does not accept this Content-Type or Content-Encoding.',
  },
  VALIDATION_FAILED: {
    status: 422,
    name: 'UnprocessableEntityError',
    meaning: 'The body does not match its schema; details list each invalid field.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    name: 'UnprocessableEntityError',
    meaning: 'The Idempotency-Key was used before with a different request.',
  },
  RATE_LIMITED: {
    status: 429,
    name: 'TooManyRequestsError',
    meaning: 'The caller is rate-limited; retry after the time in Retry-After.',
  },
  TOO_MANY_TRIES: {
    status: 429,
    name: 'TooManyRequestsError',
    meaning: 'Too many wrong one-time passwords; request a new one.',
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    name: 'RequestHeaderFieldsTooLargeError',
    meaning: 'The request headers are larger than the server accepts.',
  },
  INTERNAL_ERROR: {
    status: 500,
    name: 'InternalServerError',
    meaning: 'Internal server error; use the x-request-id header to find it in the logs.',
  },
  UNAVAILABLE: {
    status: 503,
    name: 'ServiceUnavailableError',
    meaning: 'A service the server depends on is temporarily down; try again after Retry-After.',
  },
  NOT_CONFIGURED: {
    status: 503,
    name: 'ServiceUnavailableError',
    meaning: 'The operator has not configured what the operation needs; retrying does not help until they do.',
  },
} as const satisfies Record<string, ErrorCodeInfo>;

export type ErrorCode = keyof typeof errorCodes;

export type ErrorStatuses = { [Code in ErrorCode]: (typeof errorCodes)[Code]['status'] };

/** One invalid place in a body, in the form that existing clients read. */
export interface ErrorDetail {
  path: string;
  code: string;
  message: string;
  info?: Record<string, unknown>;
}

/** The only error that features throw on purpose. Anything else is a bug and becomes INTERNAL_ERROR. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: unknown;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: { details?: unknown; retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get status(): number {
    return errorCodes[this.code].status;
  }
}

const setUpSeconds = 60 * 60;

/** Creates the error for missing configuration: the message says what is missing, and how to set it. */
export function notSetUp(message: string): AppError {
  return new AppError('NOT_CONFIGURED', message, { retryAfterSeconds: setUpSeconds });
}

/** Creates the error for a missing object, and for one that the caller may not see, so that ids cannot be probed. */
export function notFound(what: string): AppError {
  const [name = ''] = what.split(/[;:]/, 1);
  const subject = name.charAt(0).toUpperCase() + name.slice(1);
  return new AppError('ENTITY_NOT_FOUND', `${subject} not found${what.slice(name.length)}.`);
}
