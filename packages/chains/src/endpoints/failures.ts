/**
 * An endpoint is down, slow, overloaded, on another chain or sends invalid data. It loses rank, and another one is tried. The message
 * contains no URL, because URLs can contain keys.
 */
export class EndpointFault extends Error {
  override readonly name = 'EndpointFault';
  /** It serves something other than configured, so it is not used again soon. */
  readonly isImpostor: boolean;

  constructor(message: string, { isImpostor = false } = {}) {
    super(message);
    this.isImpostor = isImpostor;
  }
}

/** An endpoint understood the request and refused it. That does not count against the endpoint. */
export class EndpointRefusal extends Error {
  override readonly name = 'EndpointRefusal';
  readonly code: number;
  /** The endpoint's own message and data, for interpretation only. Never show them. */
  readonly details: string;

  constructor(code: number, details: string) {
    super(`rejected the request (${code})`);
    this.code = code;
    this.details = details;
  }
}

/** Too few endpoints responded. */
export class EndpointsFailed extends Error {
  override readonly name = 'EndpointsFailed';
  /** The refusals. If every endpoint refused, a smaller request may succeed. */
  readonly refusals: readonly EndpointRefusal[];
  readonly isRefused: boolean;

  constructor(pool: string, failures: readonly Error[], problem?: string) {
    super(problem ?? describe(pool, failures));
    this.refusals = failures.filter((failure) => failure instanceof EndpointRefusal);
    this.isRefused = failures.length > 0 && this.refusals.length === failures.length;
  }
}

function describe(pool: string, failures: readonly Error[]): string {
  const counts = new Map<string, number>();
  for (const { message } of failures) counts.set(message, (counts.get(message) ?? 0) + 1);
  if (counts.size === 0) return `No ${pool} endpoint is available: all failed recently.`;
  const parts = [...counts].map(([message, count]) => (count === 1 ? message : `${message} (${count} times)`));
  return `No ${pool} endpoint responded: one ${parts.join(', one ')}.`;
}
