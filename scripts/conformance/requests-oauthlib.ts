import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Person } from './person.ts';

/** What its documentation shows: no PKCE, and a secret in the form. The first line it reads says for whom. */
const program = `
import json, os, sys
os.environ['OAUTHLIB_INSECURE_TRANSPORT'] = '1'
from requests_oauthlib import OAuth2Session
given = json.loads(sys.stdin.readline())
session = OAuth2Session(given['id'], redirect_uri=given['redirectUri'], scope=['openid', 'profile'])
address, _ = session.authorization_url(given['url'] + '/oauth2/authorize')
print(address, flush=True)
back = sys.stdin.readline().strip()
session.fetch_token(given['url'] + '/oauth2/token', client_secret=given['clientSecret'], authorization_response=back)
print(session.get(given['url'] + '/oauth2/userinfo').json()['sub'], flush=True)
`;

/** What is missing to run it, as a sentence; undefined when nothing is. */
export function missingRequestsOauthlib(): string | undefined {
  if (spawnSync('python3', ['-c', 'import requests_oauthlib']).status === 0) return undefined;
  return 'This needs Python with requests-oauthlib: pip install requests-oauthlib';
}

interface PythonClient {
  url: string;
  id: string;
  clientSecret: string;
  redirectUri: string;
}

/** Logs a person in with requests-oauthlib at its defaults, and answers with the account that it learned of. */
export async function logInWithPython(client: PythonClient, person: Person): Promise<string> {
  const python = spawn('python3', ['-c', program], { stdio: ['pipe', 'pipe', 'inherit'] });
  try {
    const lines = createInterface({ input: python.stdout })[Symbol.asyncIterator]();
    const next = async () => String((await lines.next()).value ?? '');
    python.stdin.write(`${JSON.stringify(client)}\n`);
    const { location } = await person.go(await next(), { until: client.redirectUri });
    python.stdin.write(`${location}\n`);
    return await next();
  } finally {
    python.stdin.end();
    if (python.exitCode === null) await once(python, 'exit');
  }
}
