import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openBrowser, withoutBrowser } from '@latchkey/console/testing';
import { devChain } from '@latchkey/emulators/evm-chain';
import { outsideWorld } from '@latchkey/server/testing/outside-world';
import { freePorts } from '@latchkey/server/testing/processes';
import { until, volume } from '@latchkey/test-kit';
import { createWalletClient, type Hex, http, keccak256, publicActions, toFunctionSelector, toHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { programWith, readPrograms } from '../samples/programs.ts';
import { emulatorsOf, openWorkshop, typescriptOf, type Workshop, withoutPython } from './run-programs.ts';
import { type SampleServer, startSampleServer } from './settle-page.ts';

const api = 'docs/downstream-integrations/api/';
const tutorial = 'docs/tutorials/token-gating-tutorial.md';

/** TypeScript in every run; Python, which needs another toolchain, in the deep run only. */
const languages = (['ts', 'py'] as const).slice(0, volume(1, 2));
const programs = { ts: 'node', py: 'python3' } as const;

const { text: page } = programWith(readPrograms(['html']).programs, tutorial, '<!doctype html>');

/** How appended lines print their results for the test. */
const show = {
  ts: (value: string) => `\nprocess.stdout.write(JSON.stringify(${value}));\n`,
  py: (value: string) => `\nimport json\nprint(json.dumps(${value}), end="")\n`,
};

describe('the programs of guides do the same in TypeScript and in Python', { skip: withoutPython }, () => {
  let server: SampleServer;
  let workshop: Workshop;
  before(async () => {
    server = await startSampleServer(10);
    workshop = await openWorkshop();
  });
  after(async () => {
    await workshop?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  const settle = async () => Object.fromEntries(await server.settlePage());
  /** Runs a program with an appended expression in both languages, and compares the results. */
  async function runBoth(
    file: string,
    words: { ts: string; py: string },
    values: { ts: string; py: string },
    env: Record<string, string>,
    change = (text: string) => text,
  ): Promise<unknown[]> {
    const { ts, py } = emulatorsOf(file, words);
    await workshop.write({
      'program.ts': change(ts) + show.ts(values.ts),
      'program.py': change(py) + show.py(values.py),
    });
    const answers: unknown[] = [];
    for (const language of languages)
      answers.push(JSON.parse(await workshop.run(`${programs[language]} program.${language}`, env)));
    return answers;
  }

  test('the tutorial’s site refuses a stranger and admits a member, in either language', async () => {
    const env = await settle();
    const site = emulatorsOf(tutorial, { ts: 'createServer(', py: 'class Site(' });
    const visitor = emulatorsOf(tutorial, { ts: 'generatePrivateKey()', py: 'Account.create()' });
    for (const language of languages) {
      const port = String(await freePorts());
      const atPort = (text: string) => text.replaceAll('8080', port);
      await workshop.write({
        [`site.${language}`]: atPort(site[language]),
        'page.html': page,
        'visitor.ts': atPort(visitor.ts),
        'visitor.py': atPort(visitor.py),
      });
      await using _site = workshop.start(`${programs[language]} site.${language}`, env);
      const url = `http://127.0.0.1:${port}`;
      const send = (path: string, body?: object, cookie = '') =>
        fetch(url + path, { headers: { cookie }, ...(body && { method: 'POST', body: JSON.stringify(body) }) });
      await until(`site.${language} listens`, () => send('/').then(Boolean, () => false));
      for (const visit of languages.map((other) => `${programs[other]} visitor.${other}`)) {
        assert.equal(await workshop.run(visit), '{"member":"refused","patron":"unknown"}\n403 \n', visit);
        const member = await workshop.run(`${visit} member`);
        assert.equal(member, '{"member":"granted","patron":"unknown"}\n200 The page for members.\n', visit);
      }

      const wallet = privateKeyToAccount(generatePrivateKey());
      const thief = privateKeyToAccount(generatePrivateKey());
      const request = await send('/message', { address: wallet.address });
      const cookie = request.headers.get('set-cookie')?.split(';')[0] ?? '';
      const { message } = (await request.json()) as { message: string };
      const signIn = async (signature: Hex) => (await send('/sign-in', { signature }, cookie)).status;
      assert.equal(await signIn(await thief.signMessage({ message })), 401);
      assert.equal(await signIn(await wallet.signMessage({ message })), 401, 'a message is good for one try');
      assert.equal((await send('/access', undefined, cookie)).status, 401);
      assert.equal((await send('/members', undefined, cookie)).status, 403);
      assert.equal((await send('/message', { address: 'nobody' }, cookie)).status, 503);
      assert.equal((await send('/nowhere')).status, 404);
    }
  });

  test('the tutorial’s page opens for a member in a browser, and not for another wallet', {
    skip: withoutBrowser,
  }, async () => {
    const site = typescriptOf(tutorial, 'createServer(');
    const port = String(await freePorts());
    await workshop.write({ 'site.ts': site.replaceAll('8080', port), 'page.html': page });
    await using _site = workshop.start('node site.ts', await settle());
    const url = `http://localhost:${port}/`;
    await until('the site listens', () => fetch(url).then(Boolean, () => false));
    const browser = await openBrowser();
    try {
      for (const [key, words] of [
        [keccak256(toHex('sample wallet of member-01')), 'The page for members.'],
        [generatePrivateKey(), 'This wallet holds no key.'],
      ] as const) {
        const wallet = privateKeyToAccount(key);
        const context = await browser.newContext();
        const tab = await context.newPage();
        await tab.exposeFunction('signInWallet', (message: string) => wallet.signMessage({ message }));
        await tab.addInitScript(`window.ethereum = {
          request: async ({ method, params }) =>
            method === 'personal_sign' ? window.signInWallet(params[0]) : ['${wallet.address}'],
        };`);
        await tab.goto(url);
        await tab.getByRole('button', { name: 'Sign in with your wallet' }).click();
        await tab.getByText(words, { exact: true }).waitFor();
        await context.close();
      }
    } finally {
      await browser.close();
    }
  });

  test('the tutorial’s short check says who is a member', async () => {
    const env = await settle();
    const stranger = privateKeyToAccount(generatePrivateKey()).address;
    const words = { ts: 'export async function isMember', py: 'def is_member' };
    const values = {
      ts: `[await isMember('${env.WALLET}'), await isMember('${stranger}')]`,
      py: `[is_member("${env.WALLET}"), is_member("${stranger}")]`,
    };
    for (const answer of await runBoth(tutorial, words, values, env)) assert.deepEqual(answer, [true, false]);
  });

  test('the first call finds that the wallet holds the token', async () => {
    const env = await settle();
    const values = { ts: 'isMember', py: 'is_member' };
    for (const ts of ['AbortSignal.timeout', 'createClient'])
      for (const answer of await runBoth(`${api}index.md`, { ts, py: 'is_member' }, values, env))
        assert.equal(answer, true);
  });

  test('the wallet sign-in opens the account of that wallet', async () => {
    const WALLET_KEY = generatePrivateKey();
    const env = { ...(await settle()), WALLET_KEY };
    const words = { ts: '/ethereum-login/challenges', py: '/ethereum-login/challenges' };
    const answers = await runBoth(`${api}authentication.md`, words, { ts: 'me.id', py: 'me["id"]' }, env);
    const id = `ETH#USER#${privateKeyToAccount(WALLET_KEY).address}`.toLowerCase();
    for (const answer of answers) assert.equal(String(answer).toLowerCase(), id);
  });

  test('wallets are linked, and the program that reads all pages of a list finds each of them', async () => {
    const env = await settle();
    const { ts, py } = emulatorsOf(`${api}account.md`, { ts: 'wallet-address', py: 'wallet-address' });
    await workshop.write({ 'link.ts': ts, 'link.py': py });
    const keys: Hex[] = [];
    for (const language of languages) {
      const WALLET_KEY = generatePrivateKey();
      keys.push(WALLET_KEY);
      await workshop.run(`${programs[language]} link.${language}`, { ...env, WALLET_KEY });
    }

    const words = { ts: 'eachItem(call', py: 'def each_item' };
    const inPages = (text: string) => text.replaceAll('50', '1');
    const values = { ts: 'addresses', py: 'addresses' };
    const answers = await runBoth('docs/downstream-integrations/index.md', words, values, env, inPages);
    const linked = [env.WALLET, ...keys.map((key) => privateKeyToAccount(key).address)].map((one) =>
      one?.toLowerCase(),
    );
    for (const answer of answers)
      assert.deepEqual(new Set((answer as string[]).map((one) => one.toLowerCase())), new Set(linked));
  });

  test('the one that polls waits for the roles, and gives up at its deadline', async () => {
    const env = await settle();
    const rules = [{ type: 'ERC721', chainId: 31337, contractAddress: env.CONTRACT, roleId: 'member' }];
    const response = await fetch(`${env.LATCHKEY_URL}/access-control/check-roles`, {
      method: 'POST',
      headers: { 'x-api-key': env.API_KEY ?? '', 'content-type': 'application/json' },
      body: JSON.stringify({ async: true, account: env.WALLET, rules }),
    });
    const { requestId } = (await response.json()) as { requestId: string };
    const words = { ts: 'waitForRoles', py: 'wait_for_roles' };
    const values = {
      ts: `[(await waitForRoles('${requestId}')).roles, await waitForRoles('${requestId}', 0).catch(({ message }) => message)]`,
      py: `[wait_for_roles("${requestId}")["roles"], given_up("${requestId}")]`,
    };
    const page = `${api}token-gating.md`;
    const givenUp = `
def given_up(request_id):
    try:
        wait_for_roles(request_id, 0)
    except TimeoutError as error:
        return str(error)
`;
    const change = (text: string) => (text.includes('def wait_for_roles') ? `${text}\n${givenUp}` : text);
    for (const answer of await runBoth(page, words, values, env, change)) {
      const [roles, refusal] = answer as [unknown, string];
      assert.deepEqual(roles, [{ id: 'member', granted: true }]);
      assert.match(refusal, /^The check is not decided yet\./);
    }
  });

  test('the one that reads the event stream gets what happened, and resumes after it', async () => {
    const env = await settle();
    const words = { ts: 'readEvents', py: 'read_events' };
    const values = {
      ts: "await (async () => { for await (const { type, position } of readEvents('0')) return [type, position]; })()",
      py: '(lambda event: [event["type"], event["position"]])(next(read_events("0")))',
    };
    for (const answer of await runBoth(`${api}event-stream.md`, words, values, env))
      assert.deepEqual(answer, ['rule.created', '1']);
  });

  test('the ranking of communities is the same', async () => {
    const env = await settle();
    const { ts, py } = emulatorsOf('dao/token/top-100/overview.md', { ts: 'listCommunities', py: 'list_communities' });
    await workshop.write({ 'rank.ts': ts, 'rank.py': py });
    const ranked = await workshop.run('node rank.ts', env);
    assert.ok(ranked.includes(`\t${env.COMMUNITY_ID}\n`), ranked);
    for (const language of languages)
      assert.equal(await workshop.run(`${programs[language]} rank.${language}`, env), ranked);
  });

  test('the figures of a governor are read from the functions that have them', async () => {
    const { chain } = await outsideWorld();
    const client = createWalletClient({ chain: devChain(chain.url, chain.chainId), transport: http(chain.url) }).extend(
      publicActions,
    );
    const [account] = chain.accounts;
    assert.ok(account);
    // Answers each call with its four-byte selector.
    const runtime = '5f3560e01c5f5260205ff3';
    const data: Hex = `0x6a${runtime}5f52600b6015f3`;
    const hash = await client.sendTransaction({ account: account.address, data });
    const { contractAddress } = await client.waitForTransactionReceipt({ hash });
    const { ts, py } = emulatorsOf('dao/governance/contracts.md', { ts: 'votingDelay', py: 'votingDelay' });
    await workshop.write({ 'read.ts': ts, 'read.py': py });
    const env = { NODE_URL: chain.url, GOVERNOR: contractAddress ?? '' };
    const [delay, period, threshold] = ['votingDelay()', 'votingPeriod()', 'proposalThreshold()'].map((signature) =>
      BigInt(toFunctionSelector(signature)),
    );
    const figures = new RegExp(`^At block \\d+: delay ${delay}, period ${period}, threshold ${threshold}\n$`);
    for (const language of languages)
      assert.match(await workshop.run(`${programs[language]} read.${language}`, env), figures);
  });

  test('the examples of the SDK’s page, which has no Python, do what the page says', async () => {
    const env = await settle();
    const page = 'docs/downstream-integrations/sdk/index.md';
    const run = async (words: string, behind = '') => {
      await workshop.write({ 'example.ts': typescriptOf(page, words) + behind });
      return workshop.run('node example.ts', env);
    };
    assert.match(await run("'GET /account/me'"), /^DIS#USER#\d+ on discord has 1 wallets\.$/m);
    assert.equal(await run('const erc721'), 'member: true\n');
    assert.equal((await run('for await')).toLowerCase(), `${env.WALLET}\n`.toLowerCase());
    assert.equal(await run('idempotencyKey'), '');
    const forged = "const { status } = await POST(new Request('http://localhost/', { method: 'POST', body: '{}' }));";
    assert.equal(await run('verifyWebhook', `\n${forged}${show.ts('status')}`), '400');
  });

  test('the search in the marketplace finds the same apps in the same order', async () => {
    const apps = [
      { appId: 'a', name: 'Dice', price: 2, releasedDate: 1 },
      { appId: 'b', name: 'Games', description: 'Rolls DICE', releasedDate: 1 },
      { appId: 'c', name: 'Cards', description: 'Deals cards' },
      { appId: 'd', name: 'More dice', releasedDate: 5 },
    ];
    const words = { ts: 'findApps', py: 'find_apps' };
    const values = {
      ts: `findApps(${JSON.stringify(apps)}, 'Dice').map(({ appId }) => appId)`,
      py: `[app["appId"] for app in find_apps(json.loads(${JSON.stringify(JSON.stringify(apps))}), "Dice")]`,
    };
    const answers = await runBoth('help-docs/marketplace/getting-started.md', words, values, {});
    for (const answer of answers) assert.deepEqual(answer, ['d', 'b', 'a']);
  });
});
