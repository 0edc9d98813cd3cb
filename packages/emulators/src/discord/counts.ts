/** The requests that the emulator received and its responses, for tests and benchmarks. */
export interface Counts {
  requests: number;
  /** By label, such as `PATCH /guilds/:guild/members/:user`. */
  byRoute: Record<string, number>;
  byStatus: Record<number, number>;
  /** Responses of 429. */
  rateLimited: number;
  /** Responses that count towards the ban: 401, 403, and 429 unless its scope is shared. */
  invalid: number;
  /** Writes that changed nothing. */
  noOpWrites: number;
  /** Writes that were acknowledged but not done. */
  lostWrites: number;
}

export function createCounts(): Counts {
  return { requests: 0, byRoute: {}, byStatus: {}, rateLimited: 0, invalid: 0, noOpWrites: 0, lostWrites: 0 };
}

export function countRequest(counts: Counts, label: string, status: number): void {
  counts.requests += 1;
  counts.byRoute[label] = (counts.byRoute[label] ?? 0) + 1;
  counts.byStatus[status] = (counts.byStatus[status] ?? 0) + 1;
  if (status === 429) counts.rateLimited += 1;
}
