import type { Prepared } from './prepare.ts';
import { type AnswerBody, readBody } from './read-body.ts';

/** The outcome of a request. */
export type Outcome =
  | { kind: 'answer'; status: number; statusText: string; ms: number; headers: [string, string][]; body: AnswerBody }
  | { kind: 'redirect'; ms: number }
  | { kind: 'unreachable'; ms: number; isLate: boolean };

const patienceMs = 60_000;

/**
 * Sends a request without anything of this site: no cookie, no referrer. Redirects are not followed, because they would send the key
 * elsewhere.
 */
export async function send({ method, url, headers, body }: Prepared, ended: AbortSignal): Promise<Outcome> {
  const startedAt = performance.now();
  const elapsed = () => Math.round(performance.now() - startedAt);
  try {
    const answer = await fetch(url, {
      method,
      headers: headers.map(({ name, value }) => [name, value]),
      ...(body !== undefined && { body: body.kind === 'json' ? body.text : formOf(body.fields) }),
      credentials: 'omit',
      cache: 'no-store',
      redirect: 'manual',
      referrerPolicy: 'no-referrer',
      signal: AbortSignal.any([ended, AbortSignal.timeout(patienceMs)]),
    });
    if (answer.type === 'opaqueredirect') return { kind: 'redirect', ms: elapsed() };
    const ms = elapsed();
    const { status, statusText } = answer;
    return { kind: 'answer', status, statusText, ms, headers: [...answer.headers], body: await readBody(answer) };
  } catch (error) {
    const isLate = error instanceof DOMException && error.name === 'TimeoutError';
    return { kind: 'unreachable', ms: elapsed(), isLate };
  }
}

function formOf(fields: readonly { name: string; value: string }[]): string {
  return new URLSearchParams(fields.map(({ name, value }) => [name, value])).toString();
}
