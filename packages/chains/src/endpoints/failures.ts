/**
 * An endpoint is down, slow, overloaded, of another chain or talks nonsense: it loses trust, and another one is asked.
 * The message names no address, for addresses hold keys.
 */
export class EndpointFault extends Error {
  override readonly name = 'EndpointFault';
  /** It serves something else than it should, so it is not asked again soon. */
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
  /** The endpoint's own words and data, to be understood and never to be shown. */
  readonly details: string;

  constructor(code: number, details: string) {
    super(`rejected the request (${code})`);
    this.code = code;
    this.details = details;
  }
}

/** Not enough endpoints gave an answer. */
export class EndpointsFailed extends Error {
  override readonly name = 'EndpointsFailed';
  /** What the endpoints said that refused. When all did, a smaller question may succeed. */
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
