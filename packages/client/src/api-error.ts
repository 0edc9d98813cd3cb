/** What the server says of a refusal: the `error` of its response. */
export interface ApiErrorBody {
  message?: string;
  code?: string;
  details?: unknown;
}

/** The server refused a call or failed to answer it. */
export class ApiError extends Error {
  /** The HTTP status. */
  readonly status: number;
  /** The code for programs, from the API's closed list, for example `RATE_LIMITED`. */
  readonly code: string | undefined;
  /** The location and cause of each problem, if available. */
  readonly details: unknown;
  /** How many seconds to wait before the next attempt, if the server said so. */
  readonly retryAfterSeconds: number | undefined;
  /** Quote it when you ask the operator what happened. */
  readonly requestId: string | undefined;

  constructor(status: number, error: ApiErrorBody, retryAfter: string | null, requestId: string | null = null) {
    super(error.message ?? `The server answered ${status}.`);
    this.name = 'ApiError';
    this.status = status;
    this.code = error.code;
    this.details = error.details;
    this.retryAfterSeconds = readSeconds(retryAfter);
    this.requestId = requestId ?? undefined;
  }
}

/** Servers send seconds; a proxy in between may send a date, which is not worth trusting its clock for. */
function readSeconds(retryAfter: string | null): number | undefined {
  return retryAfter !== null && /^\d{1,9}$/.test(retryAfter.trim()) ? Number(retryAfter) : undefined;
}
