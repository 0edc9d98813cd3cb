import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createCommunity } from '../../communities/community/index.ts';
import { putMembers } from '../../communities/memberships/index.ts';
import { verifyAeToken } from '../../identity/credentials/index.ts';
import { createState, forgetSlugs } from '../../identity/states/index.ts';
import { ensureSigningKeys } from '../../services/signing-keys/index.ts';
import { contextFor } from '../../shared/context.ts';
import { alice, mallory, nobody, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { createConnectLink, openConnectLink } from './index.ts';

describe('links to connect a wallet', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('connect-links');
    await ensureSigningKeys(t.services);
  });
  after(() => t.close());

  const system = () => contextFor(t.services, { kind: 'system', job: 'test' });
  const open = (slug: string) => openConnectLink(t.as(nobody), slug);
  const person = { userId: 'DIS#USER#100', platform: 'discord', name: 'Alice' };

  test('tell the page whose account it is for and contain a token for wallets alone, for 15 minutes', async () => {
    const { url, slug, expiresAt } = await createConnectLink(system(), person, { withPasskeys: false });
    assert.equal(url, `http://latchkey.test/connect/${slug}`);
    assert.equal(expiresAt, t.services.clock().getTime() / 1000 + 900);
    const page = await open(slug);
    assert.deepEqual(page?.account, { platform: 'discord', name: 'Alice' });
    assert.ok(page?.namespaces.includes('evm') && !page.namespaces.includes('magic'));
    const actor = await verifyAeToken(t.services, page.token);
    assert.deepEqual(actor.kind === 'user' && actor.scopes, ['user:wallet:read', 'user:wallet:write']);
    t.advanceSeconds(900);
    assert.equal(await open(slug), undefined);
  });

  test('let the page register passkeys only if created for it, and name an account without a name by its id', async () => {
    const link = await createConnectLink(
      system(),
      { userId: 'TEL#USER#7', platform: 'telegram' },
      { withPasskeys: true },
    );
    const page = await open(link.slug);
    assert.deepEqual(page?.account, { platform: 'telegram', name: '7' });
    const actor = await verifyAeToken(t.services, page?.token ?? '');
    assert.ok(actor.kind === 'user' && actor.scopes.includes('user:webauthn-credential:write'));
  });

  test('name an account without a name as a community knows it', async () => {
    const userId = 'TEL#USER#8';
    const { id = '' } = await createCommunity(system(), {
      body: { platform: 'telegram', communityId: '-4712', name: 'Dog Club', ownerId: 'TEL#USER#9' },
    });
    await putMembers(t.services.db.system, id, [{ userId, userName: 'Zoë', roleIds: [] }], t.services.clock());
    const link = await createConnectLink(system(), { userId, platform: 'telegram' }, { withPasskeys: true });
    assert.deepEqual((await open(link.slug))?.account, { platform: 'telegram', name: 'Zoë' });
  });

  test('name the community only to users who can see it', async () => {
    assert.ok(alice.kind === 'user' && mallory.kind === 'user');
    const { id: communityId = '' } = await createCommunity(system(), {
      body: { platform: 'discord', communityId: '4711', name: 'Cat Club', ownerId: alice.userId },
    });
    const seenBy = async (userId: string) => {
      const link = await createConnectLink(system(), { ...person, userId }, { communityId, withPasskeys: false });
      return (await open(link.slug))?.community;
    };
    assert.deepEqual(await seenBy(alice.userId), {
      id: communityId,
      name: 'Cat Club',
      link: 'https://discord.com/channels/4711',
    });
    assert.equal(await seenBy(mallory.userId), undefined);
  });

  test('are distinct: a state of an application, a made-up token or slug opens no page', async () => {
    const keep = (body: Record<string, unknown>) => createState(t.as(alice), { body });
    const { slug } = await createConnectLink(system(), person, { withPasskeys: false });
    const { token } = (await open(slug)) ?? {};
    for (const body of [{ token }, { purpose: 'wallet-connection' }, { purpose: 'wallet-connection', token: 'x.y.z' }])
      assert.equal(await open((await keep(body)).slug), undefined);
    for (const made of ['', 'V1StGXR8Z5jdHi6BmyTaa', slug.toLowerCase()]) assert.equal(await open(made), undefined);
  });

  test('are deleted when the account is erased', async () => {
    const { slug } = await createConnectLink(system(), person, { withPasskeys: false });
    await forgetSlugs(t.services.db.system, person.userId);
    assert.equal(await open(slug), undefined);
  });
});
