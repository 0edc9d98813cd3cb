import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Actor } from '@latchkey/kernel';
import { type TestSigner, testSigner } from '../../services/signer/testing.ts';
import { operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { newApp } from '../client-apps/testing.ts';
import { newPerson } from '../webauthn/testing.ts';
import {
  allowSigningDomain,
  claimUserPkp,
  domainNameOf,
  listSigningDomains,
  readDomainName,
  removeSigningDomain,
  signMessage,
} from './operations.ts';
import { memoryRegistry, startRegistrations } from './testing.ts';

const contract = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';

test('a domain is known by its contract and chain, or by its name', () => {
  const nameOf = (domain: Record<string, unknown>) => domainNameOf({ domain });
  const upper = `0x${contract.slice(2).toUpperCase()}`;
  for (const chainId of [1, '1', '0x1', '001']) {
    const named = nameOf({ name: 'USD Coin', verifyingContract: upper, chainId });
    assert.equal(named, `${contract}@1`, String(chainId));
  }
  assert.equal(nameOf({ verifyingContract: contract, salt: '0x1' }), `${contract}@any`);
  assert.equal(nameOf({ name: 'Snapshot', version: '1' }), 'name:Snapshot');
  for (const domain of [
    {},
    { name: '' },
    { name: 'a\nb' },
    { name: 5 },
    { verifyingContract: 'latchkey' },
    { verifyingContract: contract, chainId: 'x' },
    { verifyingContract: null, name: 'Snapshot' },
  ])
    assert.equal(nameOf(domain), undefined, JSON.stringify(domain));
});

test('an operator’s input is a valid domain or refused', () => {
  assert.equal(readDomainName(`0x${contract.slice(2).toUpperCase()}@01`), `${contract}@1`);
  assert.equal(readDomainName(`${contract}@any`), `${contract}@any`);
  assert.equal(readDomainName('name:My Club'), 'name:My Club');
  for (const text of [
    '',
    'name:',
    'My Club',
    contract,
    `${contract}@`,
    `${contract}@1x`,
    'name:a\u202eb',
    'latchkey@1',
  ])
    assert.equal(readDomainName(text), undefined, text);
});

describe('the domains an application may request signatures for', () => {
  let t: TestPlatform;
  let signer: TestSigner;
  let stop: () => Promise<void>;

  before(async () => {
    t = await testPlatform('signing-domains');
    t.services.walletRegistry = memoryRegistry();
    t.services.settings = {
      ...t.services.settings,
      hostedWallets: { signerPatienceMs: 30_000, chainPatienceMs: 30_000 },
    };
    signer = await testSigner(t);
    signer.start();
    const worker = startRegistrations(t);
    stop = () => worker.stop(1000);
  });
  after(async () => {
    await stop();
    await signer.close();
    await t.close();
  });

  const domainTypes: Readonly<Record<string, string>> = { chainId: 'uint256', verifyingContract: 'address' };
  const typedData = (domain: Record<string, unknown>) =>
    JSON.stringify({
      types: {
        EIP712Domain: Object.keys(domain).map((name) => ({ name, type: domainTypes[name] ?? 'string' })),
        Vote: [{ name: 'choice', type: 'uint8' }],
      },
      primaryType: 'Vote',
      domain,
      message: { choice: 1 },
    });
  const usdCoin = typedData({ name: 'USD Coin', chainId: 1, verifyingContract: contract });
  const club = typedData({ name: 'Club' });
  const needsPerson = { code: 'INVALID_OTP' };
  const isRefused = { code: 'CLIENT_NOT_ALLOWED' };

  async function settle() {
    const person = newPerson();
    const address = (await claimUserPkp(t.as(person))).pkp?.ethAddress ?? '';
    const { id } = await newApp(t, person);
    const client = { id, name: 'An app', allowedScopes: ['$all'], disallowedScopes: [] };
    const app: Actor = { ...person, client, credential: 'access-token', scopes: ['user:pkp:sign'] };
    const ask = (actor: Actor, message: string) => signMessage(t.as(actor), { body: { address, message } });
    return { person, id, app, ask };
  }

  test('without a list an application gets no typed data signed, and is told how to get access', async () => {
    const { person, id, app, ask } = await settle();
    await assert.rejects(ask(app, usdCoin), {
      ...isRefused,
      message: new RegExp(`signing-domains allow ${id} "${contract}@1"`),
      details: { domain: `${contract}@1`, clientId: id },
    });
    await assert.rejects(ask(app, club), { ...isRefused, message: /name:Club/ });
    assert.ok((await ask(app, 'hello')).signature, 'texts need no list');
    await assert.rejects(ask(person, usdCoin), needsPerson, 'a person’s own session needs no list, but the person');
    await assert.rejects(
      ask({ ...person, scopes: ['user:pkp:sign'] }, usdCoin),
      isRefused,
      'this one belongs to a user',
    );
  });

  test('a listed domain is signed for that application, and only with the user’s consent', async () => {
    const [{ id, app, ask }, other] = [await settle(), await settle()];
    const ctx = t.as(operator);
    assert.equal(await allowSigningDomain(ctx, { clientId: id, domain: `${contract}@01` }), `${contract}@1`);
    await allowSigningDomain(ctx, { clientId: id, domain: `${contract}@1`, notes: 'twice is once' });
    await allowSigningDomain(ctx, { clientId: id, domain: 'name:Club', notes: 'votes' });
    for (const message of [usdCoin, club]) await assert.rejects(ask(app, message), needsPerson);
    await assert.rejects(ask(app, typedData({ chainId: 5, verifyingContract: contract })), isRefused);
    await assert.rejects(ask(app, typedData({ name: 'club' })), isRefused);
    await assert.rejects(ask(app, typedData({ version: '1' })), isRefused);
    await assert.rejects(other.ask(other.app, club), isRefused);
    assert.deepEqual(
      (await listSigningDomains(ctx, id)).map(({ domain, notes }) => [domain, notes]),
      [
        [`${contract}@1`, null],
        ['name:Club', 'votes'],
      ],
    );
    await removeSigningDomain(ctx, { clientId: id, domain: 'name:Club' });
    await assert.rejects(ask(app, club), isRefused);
  });

  test('an invalid domain, an unknown application and an unlisted domain are reported', async () => {
    const { id } = await settle();
    const ctx = t.as(operator);
    const wrong = { code: 'INVALID_PARAMETER_VALUE', message: /Write a domain as/ };
    await assert.rejects(allowSigningDomain(ctx, { clientId: id, domain: 'Club' }), wrong);
    await assert.rejects(allowSigningDomain(ctx, { clientId: 'nobody', domain: 'name:Club' }), {
      code: 'ENTITY_NOT_FOUND',
    });
    await assert.rejects(removeSigningDomain(ctx, { clientId: id, domain: 'name:Club' }), { code: 'ENTITY_NOT_FOUND' });
  });

  test('incomplete typed data is refused as such, for every caller', async () => {
    const { person, app, ask } = await settle();
    const broken = usdCoin.replace('"choice":1', '"choice":1,"more":2');
    for (const actor of [person, app]) await assert.rejects(ask(actor, broken), { code: 'VALIDATION_FAILED' });
  });
});
