/**
 * Signs in with third-party clients against a complete Latchkey: `npm run conformance`. With arguments, runs only the Basic OP modules
 * whose names contain one of them: `npm run conformance -- prompt max-age`.
 */

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { apacheVersion, missingApache, startApache } from './apache.ts';
import { modules } from './basic-op-modules.ts';
import { freePorts, type RunningLatchkey, startLatchkey } from './latchkey.ts';
import { Person } from './person.ts';
import { RelyingParty, type RelyingPartyOptions } from './relying-party.ts';

/** The example from its documentation: no PKCE, and a secret in the form. The first line of input configures the client. */
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

/** Returns what is missing to run it, as a sentence; undefined if nothing is. */
function missingRequestsOauthlib(): string | undefined {
  if (spawnSync('python3', ['-c', 'import requests_oauthlib']).status === 0) return undefined;
  return 'This needs Python with requests-oauthlib: pip install requests-oauthlib';
}

interface PythonClient {
  url: string;
  id: string;
  clientSecret: string;
  redirectUri: string;
}

/** Signs a user in with requests-oauthlib at its defaults, and returns the account that it received. */
async function logInWithPython(client: PythonClient, person: Person): Promise<string> {
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

const developerKey = `0x${'1'.repeat(64)}` as const;
const memberKey = `0x${'2'.repeat(64)}` as const;
const strangerKey = `0x${'3'.repeat(64)}` as const;

/** The prefixes of user ids on each platform. */
const prefixes = { discord: 'DIS#USER#', telegram: 'TEL#USER#', reddit: 'RED#USER#' };

let failures = 0;

async function check(what: string, look: () => Promise<boolean>): Promise<void> {
  const isRight = await look().catch((error: unknown) => {
    console.error(`  ${error instanceof Error ? error.message : String(error)}`);
    return false;
  });
  if (!isRight) failures += 1;
  console.log(`${isRight ? 'passed' : 'FAILED'}  ${what}`);
}

/** Creates a client application that the operator has approved. */
async function makeApp(latchkey: RunningLatchkey, redirectUris: string[]) {
  const developer = new Person(latchkey.url, developerKey);
  const allowedGrantTypes = ['authorization_code', 'refresh_token'];
  const app = await developer.createApp({
    ...{ name: 'Conformance', clientType: 'confidential', redirectUris, allowedGrantTypes },
  });
  await latchkey.command('apps', 'approve', app.id, '--scopes', 'user:read');
  return app;
}

async function checkApache(latchkey: RunningLatchkey): Promise<void> {
  const [port, wrongPort] = [await freePorts(1), await freePorts(1)];
  const app = await makeApp(latchkey, [`http://127.0.0.1:${port}/back`, `http://127.0.0.1:${wrongPort}/back`]);
  const options = { issuer: latchkey.url, clientId: app.id, clientSecret: app.clientSecret, scope: 'openid profile' };
  const apache = await startApache({ ...options, port });
  const wrong = await startApache({ ...options, port: wrongPort, clientSecret: 'not-the-secret' });
  console.log(`\n${apacheVersion()}, over ${latchkey.url}`);
  try {
    await check('sends a stranger to log in, with PKCE, state and nonce, and shows nothing', async () => {
      const { location, text } = await new Person(latchkey.url, memberKey).browser.get(`${apache.url}/`);
      const request = new URL(location).searchParams;
      const isRequested = ['state', 'nonce', 'code_challenge'].every((name) => request.get(name));
      const isThere = location.startsWith(`${latchkey.url}/oauth2/authorize`);
      return (
        isThere && isRequested && request.get('code_challenge_method') === 'S256' && !text.includes('members only')
      );
    });
    const member = new Person(latchkey.url, memberKey);
    await check('lets in who logs in with a wallet and agrees, and knows who it is', async () => {
      const { status, text, headers } = await member.go(`${apache.url}/`);
      const isKnown = headers.get('x-person') === member.userId;
      return status === 200 && text.includes('for members only') && isKnown && (headers.get('x-name') ?? '') !== '';
    });
    for (const [way, prefix] of Object.entries(prefixes)) {
      await check(`lets in who logs in with ${way}, as the account they have there`, async () => {
        const visitor = new Person(latchkey.url, strangerKey);
        const { status, headers } = await visitor.go(`${apache.url}/`, { way: way as keyof typeof prefixes });
        return status === 200 && (headers.get('x-person') ?? '').startsWith(prefix);
      });
    }
    await check('is told again who it is, without asking, when it forgot', async () => {
      member.browser.forget(apache.url);
      const { status } = await member.go(`${apache.url}/`);
      return status === 200 && member.requests.logins === 1 && member.requests.consents === 1;
    });
    await check('keeps out who logs in and does not agree', async () => {
      const stranger = new Person(latchkey.url, strangerKey);
      const { text, url } = await stranger.go(`${apache.url}/`, { decision: 'denied' });
      const isBack = url.startsWith(`${apache.url}/back?`) && url.includes('error=access_denied');
      return isBack && stranger.requests.consents === 1 && !text.includes('members only');
    });
    await check('rejects everyone with a wrong client secret', async () => {
      const unlucky = new Person(latchkey.url, memberKey);
      const { text, url } = await unlucky.go(`${wrong.url}/`);
      const isBack = url.startsWith(`${wrong.url}/back?`) && url.includes('code=');
      return isBack && text.includes('OpenID Connect Provider error') && !text.includes('members only');
    });
    if (failures > 0) console.error(await apache.log());
  } finally {
    await Promise.all([apache.stop(), wrong.stop()]);
  }
}

async function checkPython(options: Parameters<typeof logInWithPython>[0]): Promise<void> {
  const missing = missingRequestsOauthlib();
  if (missing !== undefined) return console.log(`Skipped: the client in Python. ${missing}`);
  console.log('\nrequests-oauthlib, at its defaults');
  await check('logs a person in and learns who it is', async () => {
    const person = new Person(options.url, memberKey);
    return (await logInWithPython(options, person)) === person.userId;
  });
}

async function run(wanted: readonly string[]): Promise<number> {
  const missing = missingApache();
  if (missing !== undefined && wanted.length === 0) console.log(`Skipped: the client in C. ${missing}`);
  console.log('Starting Latchkey with its emulators …');
  const latchkey = await startLatchkey();
  try {
    if (wanted.length === 0 && missing === undefined) await checkApache(latchkey);
    const redirectUri = 'http://localhost/back';
    const app = await makeApp(latchkey, [redirectUri]);
    const options = { url: latchkey.url, redirectUri, ...app };
    if (wanted.length === 0 || wanted.includes('requests-oauthlib')) await checkPython(options);
    failures += await checkBasicOp(options, new Person(latchkey.url, memberKey), wanted);
  } finally {
    await latchkey.stop();
  }
  return failures === 0 ? 0 : 1;
}

process.exitCode = await run(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  return 1;
});

/**
 * Runs the 38 modules of the OpenID Foundation's plan for Basic OPs, reimplemented by name and driven by openid-client. It is not a
 * certification. Every request uses PKCE, which the Foundation's own suite does in one module only.
 */
async function checkBasicOp(options: RelyingPartyOptions, person: Person, wanted: readonly string[]): Promise<number> {
  console.log('\nBasic OP, after the names of the plan, by openid-client');
  const rp = await RelyingParty.discover(options, person);
  const tally = { passed: 0, warnings: 0, failed: 0 };
  const chosen = Object.entries(modules).filter(
    ([name]) => wanted.length === 0 || wanted.some((word) => name.includes(word)),
  );
  for (const [name, module] of chosen) {
    try {
      const warning = await module(rp);
      if (typeof warning === 'string') tally.warnings += 1;
      else tally.passed += 1;
      console.log(typeof warning === 'string' ? `warning ${name}: ${warning}` : `passed  ${name}`);
    } catch (error) {
      tally.failed += 1;
      console.log(`FAILED  ${name}: ${sayFailure(error)}`);
    }
  }
  console.log(`\n${tally.passed}/${chosen.length} passed, ${tally.warnings} with warnings, ${tally.failed} failed`);
  return tally.failed;
}

/** openid-client keeps the server's response besides its own message. */
function sayFailure(failure: unknown): string {
  const { message, error, error_description: description } = Object(failure) as Record<string, unknown>;
  return [message ?? String(failure), error, description].filter((part) => part !== undefined).join(', ');
}
