import type { ClientApplication, Finding } from '@latchkey/core';
import { askServer } from './ask-server.ts';

/** Sends a CORS preflight for each allowed origin, as a browser would. */
export async function tryOrigins(serverUrl: string, { allowedOrigins = [] }: ClientApplication): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const origin of allowedOrigins) {
    const headers = { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'x-api-key' };
    const { allowedOrigin } = await askServer(serverUrl, '/communities', { method: 'OPTIONS', headers });
    const isOpen = allowedOrigin === origin || allowedOrigin === '*';
    findings.push({
      level: isOpen ? 'ok' : 'fail',
      about: `origin ${origin}`,
      says: isOpen
        ? 'Browsers allow calls from this origin.'
        : 'Browsers block calls from this origin: the response has no Access-Control-Allow-Origin. A proxy in front of the server may be removing it.',
    });
  }
  return findings;
}
