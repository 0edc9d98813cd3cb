import type { Outcome } from './send.ts';

/** What an outcome means and what to do about it. */
export interface Explanation {
  text: string;
  checks?: string[];
  guide?: { path: string; title: string };
}

interface Sent {
  address: string;
  /** The origin of this site. */
  pageOrigin: string;
  scopes: readonly string[];
}

const guides = {
  authentication: { path: '/docs/downstream-integrations/api/authentication', title: 'Authentication' },
  limits: { path: '/docs/downstream-integrations/api/rate-limiting', title: 'Rate limits' },
  errors: { path: '/docs/downstream-integrations/', title: 'Using the Latchkey API' },
} as const;

export function explain(outcome: Outcome, sent: Sent): Explanation | undefined {
  if (outcome.kind === 'unreachable') return explainSilence(outcome.isLate, sent);
  if (outcome.kind === 'redirect')
    return { text: 'The server returned a redirect. A page cannot see its target; curl -i shows it.' };
  const { status } = outcome;
  if (status < 400) return undefined;
  if (status === 401) return { text: 'The credential is missing or invalid.', guide: guides.authentication };
  if (status === 403) return explainRefusal(outcome, sent);
  if (status === 429) return { text: tooMany(outcome.headers), guide: guides.limits };
  if (status === 400 || status === 422)
    return { text: 'The request is invalid; the response says which part.', guide: guides.errors };
  if (status === 404) return { text: 'Not found, or this credential has no access to it.', guide: guides.errors };
  if (status === 409) return { text: 'The request conflicts with the current state.', guide: guides.errors };
  if (status >= 500) return { text: 'The server failed. Look up the x-request-id of this response in its log.' };
  return { text: 'The server rejected the request; the response says why.', guide: guides.errors };
}

/** A browser does not tell a page why there was no response. */
function explainSilence(isLate: boolean, { address, pageOrigin }: Sent): Explanation {
  return {
    text: isLate
      ? `${address} timed out.`
      : `The browser got no response from ${address} that this page can read. Check:`,
    checks: [
      `that the server is running: ${address}/health/ready opens in a new tab;`,
      `that it allows this site: ${pageOrigin} is among the allowedOrigins of the client application of your key, or the server was started with LATCHKEY_PORTAL_URL=${pageOrigin};`,
      'that the address starts with https:// unless the server runs on this machine.',
    ],
  };
}

function explainRefusal({ body }: Extract<Outcome, { kind: 'answer' }>, { pageOrigin, scopes }: Sent): Explanation {
  if (body.kind === 'text' && body.text.includes('"CLIENT_NOT_ALLOWED"'))
    return {
      text: `This credential is not accepted from this site. Add ${pageOrigin} to the allowedOrigins of the client application, or use another credential.`,
      guide: guides.authentication,
    };
  if (body.kind === 'text' && body.text.includes('"PRESENCE_REQUIRED"'))
    return {
      text: 'This needs a sign-in of the last ten minutes. Sign in again with a wallet, a passkey or a chat account, and use the new token.',
      guide: guides.authentication,
    };
  const needed = scopes.length === 0 ? '' : ` This operation needs the scope ${scopes.join(' or ')}.`;
  return { text: `The credential is valid, but not for this operation.${needed}`, guide: guides.authentication };
}

function tooMany(headers: readonly [string, string][]): string {
  const seconds = headers.find(([name]) => name === 'retry-after')?.[1];
  return `Too many requests. Try again ${seconds === undefined ? 'later' : `in ${seconds} s`}.`;
}
