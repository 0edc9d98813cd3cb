import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { principalId } from '@latchkey/kernel';
import { addMembers, newCommunity } from '../../communities/community/testing.ts';
import { issueAeToken } from '../../identity/credentials/index.ts';
import { createState } from '../../identity/states/index.ts';
import { listWallets } from '../../identity/wallets/index.ts';
import { unlinkWallet } from '../../linking/wallet-links/index.ts';
import type { TokenproofAnswer } from '../../ports/index.ts';
import { ensureSigningKeys } from '../../services/signing-keys/index.ts';
import { alice, mallory, nobody, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { getTokenproofResponse, tokenproofLogin } from './operations.ts';

const refusedWith = (code: string) => (error: unknown) => (error as { code?: string }).code === code;
const account = '0x00000000000000000000000000000000000000f1';

describe('tokenproof', () => {
  let t: TestPlatform;
  let answers: TokenproofAnswer[] = [];
  before(async () => {
    t = await testPlatform('tokenproof');
    await ensureSigningKeys(t.services);
  });
  after(() => t.close());

  const setUp = () =>
    Object.assign(t.services, {
      tokenproof: {
        appLink: ({ requestId, nonce }: { requestId: string; nonce: string }) =>
          `https://app.example/${requestId}/${nonce}`,
        readReply: async () => (answers.length > 1 ? answers.shift() : answers[0]),
      },
    });
  const linkOf = async (actor: typeof alice) => {
    const user = actor.kind === 'user' ? actor : undefined;
    const token = await issueAeToken(t.services, {
      userId: user?.userId ?? '',
      platform: 'discord',
      scopes: ['user:wallet:write'],
      credential: 'connect-link',
      ttlSeconds: 600,
    });
    return (await createState(t.as(actor), { body: { token } })).slug;
  };
  const start = async (actor = alice) => {
    const code = await tokenproofLogin(t.as(nobody), { state: await linkOf(actor) });
    return { ...code, requestId: code.request_id ?? '', nonce: code.app_link?.split('/').at(-1) ?? '' };
  };
  const read = (requestId: string, retries = '0') => getTokenproofResponse(t.as(nobody), { requestId, retries });
  const wallets = async (actor = alice) => (await listWallets(t.as(actor), {})).items.map((item) => item.address);
  const replied = (nonce: string, more: object = {}): TokenproofAnswer => ({
    kind: 'replied',
    reply: { nonce, status: 'authenticated', account, ...more },
  });

  it('returns an error while it is not set up', async () => {
    await assert.rejects(tokenproofLogin(t.as(nobody), { state: 'x' }), refusedWith('NOT_CONFIGURED'));
    await assert.rejects(read('x'), refusedWith('NOT_CONFIGURED'));
    setUp();
  });

  it('shows a QR code only to the user of a link', async () => {
    const code = await start();
    assert.match(code.qrcode_image ?? '', /^data:image\/png;base64,iVBORw0KGgo/);
    assert.deepEqual([code.ttl, code.version], [900, '1']);
    await assert.rejects(tokenproofLogin(t.as(nobody), { state: 'nobody' }), refusedWith('ENTITY_NOT_FOUND'));
    const { slug } = await createState(t.as(mallory), { body: { token: 'forged', userId: 'DIS#USER#100' } });
    await assert.rejects(tokenproofLogin(t.as(nobody), { state: slug }), refusedWith('INVALID_CREDENTIAL'));
  });

  it('waits for the phone, connects the account it proves, and does so once', async () => {
    const { requestId, nonce } = await start();
    answers = [{ kind: 'waiting' }];
    assert.deepEqual(await read(requestId), { nonce, status: 'waiting' });
    answers = [{ kind: 'waiting' }, replied(nonce)];
    assert.deepEqual(await read(requestId, '3'), { nonce, status: 'linked', account });
    assert.deepEqual(await wallets(), [account]);
    await unlinkWallet(t.as(alice), account, async () => undefined);
    await assert.rejects(read(requestId), refusedWith('ENTITY_NOT_FOUND'));
    assert.deepEqual(await wallets(), []);
  });

  it('lets one of fifty parallel polls connect', async () => {
    const { requestId, nonce } = await start();
    answers = [replied(nonce)];
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => read(requestId)));
    assert.equal(results.filter((result) => result.status === 'fulfilled').length, 1);
  });

  it('refuses a genuine response to another request, and leaves this one open', async () => {
    const first = await start();
    const second = await start(mallory);
    answers = [replied(first.nonce)];
    await assert.rejects(read(second.requestId), refusedWith('INVALID_CREDENTIAL'));
    answers = [{ kind: 'waiting' }];
    assert.equal((await read(second.requestId)).status, 'waiting');
    assert.deepEqual(await wallets(mallory), []);
  });

  it('reports when another account has the wallet, when the user declined, and when the result is unknown', async () => {
    const { id } = await newCommunity(t);
    await addMembers(t, id, [{ userId: principalId(alice) }, { userId: principalId(mallory) }]);
    const taken = await start(mallory);
    answers = [replied(taken.nonce)];
    assert.equal((await read(taken.requestId)).status, 'taken');
    const declined = await start();
    answers = [replied(declined.nonce, { status: 'rejected', reason: 'no' })];
    assert.deepEqual(await read(declined.requestId), {
      nonce: declined.nonce,
      status: 'rejected',
      account,
      reason: 'no',
    });
    const odd = await start();
    answers = [replied(odd.nonce, { account: 'alice' })];
    assert.equal((await read(odd.requestId)).status, 'failed');
    const down = await start();
    answers = [{ kind: 'unknown', reason: 'Tokenproof could not be asked.' }];
    await assert.rejects(read(down.requestId), refusedWith('UNAVAILABLE'));
    t.advanceSeconds(15 * 60 + 1);
    await assert.rejects(read(down.requestId), refusedWith('ENTITY_NOT_FOUND'));
  });
});
