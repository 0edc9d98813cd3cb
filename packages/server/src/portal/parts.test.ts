import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InvalidConfig, readConfig } from '../config.ts';
import { withEmulators } from '../sandbox/with-emulators.ts';
import { foldMissing, type PortalPart, partsSetUp, portalParts } from './parts.ts';

/** The settings that configure a part, one at a time. */
const settings: Record<PortalPart, Record<string, string>> = {
  discord: { LATCHKEY_DISCORD_BOT_TOKEN: 'a.bot.token' },
  telegram: { LATCHKEY_TELEGRAM_BOT_TOKEN: '1:a-bot-token' },
  reddit: { LATCHKEY_REDDIT_CLIENT_ID: 'app', LATCHKEY_REDDIT_CLIENT_SECRET: 'a-secret' },
  matrix: {
    LATCHKEY_MATRIX_HOMESERVER_URL: 'https://matrix.example.org',
    LATCHKEY_MATRIX_ACCESS_TOKEN: 'a-bot-token',
  },
  walletconnect: { LATCHKEY_WALLETCONNECT_PROJECT_ID: 'project' },
  selling: { LATCHKEY_SELL_PLANS: 'true' },
  'hosted-wallets': {
    LATCHKEY_REGISTRY_ADDRESS: `0x${'11'.repeat(20)}`,
    LATCHKEY_REGISTRY_CHAIN_ID: '10',
    LATCHKEY_EVM_RPC_URLS: '10=https://node.example',
  },
  'waiting-list': { LATCHKEY_WAITING_LIST_CONTRACTS: `10=0x${'22'.repeat(20)}` },
  evm: { LATCHKEY_EVM_RPC_URLS: '10=https://node.example' },
  base: { LATCHKEY_EVM_RPC_URLS: '8453=https://node.example' },
  ronin: { LATCHKEY_EVM_RPC_URLS: '2020=https://node.example' },
  bitcoin: { LATCHKEY_CHAIN_URLS: 'ord:mainnet=https://node.example' },
  solana: { LATCHKEY_CHAIN_URLS: 'solana:mainnet-beta=https://node.example' },
  xrpl: { LATCHKEY_CHAIN_URLS: 'xrpl:mainnet=https://node.example' },
  loopring: { LATCHKEY_CHAIN_URLS: 'loopring:mainnet=https://node.example' },
  'immutable-x': { LATCHKEY_CHAIN_URLS: 'immutable_x:mainnet=https://node.example' },
  gitcoin: { LATCHKEY_CHAIN_URLS: 'gitcoin=https://node.example' },
  opensea: { LATCHKEY_CHAIN_URLS: 'opensea=https://node.example' },
  poap: { LATCHKEY_CHAIN_URLS: 'poap=https://node.example' },
  snapshot: { LATCHKEY_SERVICE_KEYS: 'snapshot-webhook=a-secret' },
  tokenproof: {
    LATCHKEY_CHAIN_URLS: 'tokenproof=https://node.example',
    LATCHKEY_SERVICE_KEYS: 'tokenproof=a-secret',
  },
};

const setUpBy = (environment: Record<string, string>) => {
  const answers = partsSetUp(readConfig(environment));
  return portalParts.filter((part) => answers[part]);
};

/** Half of some settings is refused, so that nothing is set up by it. */
function isSetUpBy(environment: Record<string, string>, part: PortalPart): boolean {
  try {
    return setUpBy(environment).includes(part);
  } catch (error) {
    assert.ok(error instanceof InvalidConfig);
    return false;
  }
}

test('nothing is set up on a new server', () => {
  assert.deepEqual(setUpBy({}), []);
});

for (const part of portalParts)
  test(`${part} is set up by its settings, and not by a part of them`, () => {
    const own = Object.entries(settings[part]);
    assert.ok(setUpBy(settings[part]).includes(part));
    for (const [name] of own) {
      const fewer = Object.fromEntries(own.filter(([other]) => other !== name));
      assert.ok(!isSetUpBy(fewer, part), `without ${name}`);
    }
  });

test('only yes or no is exposed for every part', () => {
  const answers = partsSetUp(readConfig(settings.tokenproof));
  assert.deepEqual(Object.keys(answers), portalParts);
  assert.deepEqual(new Set(Object.values(answers).map((answer) => typeof answer)), new Set(['boolean']));
});

test('the sample community counts: its simulators work', () => {
  const answers = partsSetUp(withEmulators(readConfig({})));
  for (const part of [
    'discord',
    'telegram',
    'reddit',
    'evm',
    'hosted-wallets',
    'waiting-list',
    'snapshot',
    'tokenproof',
    'opensea',
  ] as const)
    assert.ok(answers[part], part);
  for (const part of ['selling', 'solana', 'walletconnect'] as const) assert.ok(!answers[part], part);
});

const quoted = (part: string) =>
  `<aside class="a" hidden="" data-needs="${part}">No ${part}. <a href="/x">Set up</a></aside><details class="b" open=""><summary class="c" hidden=""><span>Show</span></summary><p>All of ${part}</p></details>`;
const bare = (part: string) =>
  `<aside class=a hidden data-needs=${part}>No ${part}.</aside><details class=b open><summary class=c hidden>Show</summary>All of ${part}</details>`;

test('sections that need a missing part are folded with their note visible, however their attributes are written', () => {
  for (const write of [quoted, bare]) {
    const folded = foldMissing(write('telegram'), { telegram: false });
    assert.doesNotMatch(folded, /hidden|open/);
    assert.match(folded, /data-needs="?telegram"?>No telegram/);
    assert.match(folded, /All of telegram/);
  }
});

test('each part of a page is evaluated separately, and unknown parts stay open', () => {
  const page = `<details open><summary>Mine</summary></details>${quoted('reddit')}${bare('telegram')}<p hidden>Else</p>`;
  assert.equal(foldMissing(page, {}), page);
  assert.equal(foldMissing(page, { reddit: true, telegram: true }), page);
  const folded = foldMissing(page, { reddit: true, telegram: false });
  assert.ok(folded.includes(quoted('reddit')));
  assert.ok(!folded.includes(bare('telegram')));
  assert.ok(folded.startsWith('<details open><summary>Mine'));
  assert.ok(folded.endsWith('<p hidden>Else</p>'));
});
