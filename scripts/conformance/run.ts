/**
 * Logs in with clients that are none of ours, against a whole Latchkey: `npm run conformance`. With words behind it, only
 * the modules of Basic OP whose names contain one of them: `npm run conformance -- prompt max-age`.
 */
import { apacheVersion, missingApache, startApache } from './apache.ts';
import { checkBasicOp } from './basic-op.ts';
import { freePorts, type RunningLatchkey, startLatchkey } from './latchkey.ts';
import { Person } from './person.ts';
import { logInWithPython, missingRequestsOauthlib } from './requests-oauthlib.ts';

const developerKey = `0x${'1'.repeat(64)}` as const;
const memberKey = `0x${'2'.repeat(64)}` as const;
const strangerKey = `0x${'3'.repeat(64)}` as const;

/** What the ids of people of each platform begin with. */
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

/** A client application that the operator approved. */
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
      const asked = new URL(location).searchParams;
      const isAsked = ['state', 'nonce', 'code_challenge'].every((name) => asked.get(name));
      const isThere = location.startsWith(`${latchkey.url}/oauth2/authorize`);
      return isThere && isAsked && asked.get('code_challenge_method') === 'S256' && !text.includes('members only');
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
      return status === 200 && member.asked.logins === 1 && member.asked.consents === 1;
    });
    await check('keeps out who logs in and does not agree', async () => {
      const stranger = new Person(latchkey.url, strangerKey);
      const { text, url } = await stranger.go(`${apache.url}/`, { decision: 'denied' });
      const isBack = url.startsWith(`${apache.url}/back?`) && url.includes('error=access_denied');
      return isBack && stranger.asked.consents === 1 && !text.includes('members only');
    });
    await check('keeps everybody out with a wrong client secret', async () => {
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
