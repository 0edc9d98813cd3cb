import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Actor } from '@latchkey/kernel';
import { decodeJwt, decodeProtectedHeader, importJWK, type JWK, jwtVerify } from 'jose';
import { addMembers, newCommunity, newUser } from '../../communities/community/testing.ts';
import { newApp } from '../../identity/client-apps/testing.ts';
import { replaceSecret } from '../../services/secrets/index.ts';
import { contextFor } from '../../shared/context.ts';
import { mallory, nobody, operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { giveKudos } from './give.ts';
import { checkUserReceivedOrSentKudos, didDocument, issuerDid } from './index.ts';

const refused = (code: string) => (error: unknown) => (error as { code?: string }).code === code;

interface Document {
  id: string;
  verificationMethod: { id: string; controller: string; publicKeyJwk: JWK }[];
  assertionMethod: string[];
}

/** Verifies as a third party, which only has the credential and what the issuer publishes. */
async function verifyOutside(jwt: string, published: Record<string, unknown>, now: Date) {
  const document = published as unknown as Document;
  const { kid = '' } = decodeProtectedHeader(jwt);
  const method = document.verificationMethod.find(({ id }) => id === kid);
  assert.ok(method && document.assertionMethod.includes(kid) && method.controller === document.id, 'an unknown key');
  const key = await importJWK(method.publicKeyJwk, 'EdDSA');
  const { payload } = await jwtVerify(jwt, key, { issuer: document.id, algorithms: ['EdDSA'], currentDate: now });
  const vc = Object(payload.vc);
  assert.equal(vc['@context'][0], 'https://www.w3.org/2018/credentials/v1');
  assert.ok(vc.type.includes('VerifiableCredential') && vc.type.includes('KudosCredential'));
  assert.equal(vc.credentialSubject.id, payload.sub);
  for (const uri of [payload.sub, payload.jti, payload.iss]) assert.ok(URL.canParse(uri ?? ''), uri);
  return { payload, subject: vc.credentialSubject };
}

describe('kudos', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('kudos');
  });
  after(() => t.close());

  async function open() {
    const { owner, id, community } = await newCommunity(t);
    const [ada, bob] = [newUser(), newUser()];
    await addMembers(t, id, [ada, bob]);
    const give = (from: Actor, to: { userId: string }, words = 'Thank you for the fish.', kind = 'helpful') =>
      giveKudos(t.as(from), { communityId: id, toUserId: to.userId, kind, words });
    return { owner, id, ada, bob, give, guildId: community.communityId ?? '' };
  }
  const list = async (actor: Actor, userId: string, type: string) =>
    (await checkUserReceivedOrSentKudos(t.as(actor), { userId, type })) as { count: number; kudos: { id: string }[] };

  test('are credentials that a third party can verify with the published keys', async () => {
    const { ada, bob, give, id } = await open();
    const { jwt } = await give(ada, bob, '  Thank you.  ');
    const { payload, subject } = await verifyOutside(jwt, await didDocument(t.services), t.services.clock());
    assert.equal(payload.iss, 'did:web:latchkey.test');
    assert.equal(subject.userId, bob.userId);
    assert.deepEqual(subject.kudos, {
      kind: 'helpful',
      words: 'Thank you.',
      from: { id: `http://latchkey.test/kudos/users/${encodeURIComponent(ada.userId)}`, userId: ada.userId },
      community: { communityId: id, name: 'Cats' },
    });
    assert.equal(payload.nbf, Math.floor(t.services.clock().getTime() / 1000));
  });

  test('that were altered, or signed by another issuer, are not accepted', async () => {
    const { ada, bob, give } = await open();
    const { jwt } = await give(ada, bob);
    const published = await didDocument(t.services);
    const [header, body, signature] = jwt.split('.');
    const claims = { ...decodeJwt(jwt), sub: 'http://latchkey.test/kudos/users/eve' };
    const forged = [header, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.');
    const unsigned = [Buffer.from('{"alg":"none"}').toString('base64url'), body, ''].join('.');
    const early = new Date(t.services.clock().getTime() - 60_000);
    await assert.rejects(verifyOutside(forged, published, t.services.clock()));
    await assert.rejects(verifyOutside(unsigned, published, t.services.clock()));
    await assert.rejects(verifyOutside(jwt, published, early));
    await using other = await testPlatform('another server');
    await assert.rejects(verifyOutside(jwt, await didDocument(other.services), t.services.clock()));
  });

  test('stay valid when the key is replaced, and new ones are signed with the new key', async () => {
    const { ada, bob, give } = await open();
    const { jwt: before } = await give(ada, bob);
    await replaceSecret(t.services, 'kudos.issuer');
    const { jwt: after } = await give(ada, bob);
    const published = await didDocument(t.services);
    assert.notEqual(decodeProtectedHeader(before).kid, decodeProtectedHeader(after).kid);
    for (const jwt of [before, after]) await verifyOutside(jwt, published, t.services.clock());
    assert.doesNotMatch(JSON.stringify(published), /"d":/);
  });

  test('the server’s DID is derived from its URL', () => {
    assert.equal(issuerDid({ baseUrl: 'https://api.example.org' }), 'did:web:api.example.org');
    assert.equal(issuerDid({ baseUrl: 'http://127.0.0.1:3000' }), 'did:web:127.0.0.1%3A3000');
    assert.equal(issuerDid({ baseUrl: 'https://example.org/a/b' }), 'did:web:example.org:a:b');
  });

  test('cannot be given to oneself, to bots, to or by non-members, or without a message', async () => {
    const { ada, bob, give, id, guildId } = await open();
    const bot = newUser();
    await addMembers(t, id, [{ ...bot, isBot: true }]);
    await assert.rejects(give(ada, ada), refused('VALIDATION_FAILED'));
    await assert.rejects(give(ada, bot), refused('VALIDATION_FAILED'));
    await assert.rejects(give(ada, newUser()), refused('ENTITY_NOT_FOUND'));
    await assert.rejects(give(ada, { userId: 'bob' }), refused('ENTITY_NOT_FOUND'));
    await assert.rejects(give(mallory, bob), refused('ENTITY_NOT_FOUND'));
    await assert.rejects(give(nobody, bob), refused('ENTITY_NOT_FOUND'));
    for (const [words, kind] of [
      ['   ', 'helpful'],
      ['x'.repeat(201), 'helpful'],
      ['x', 'sent'],
      ['x', 'Not A Word'],
    ])
      await assert.rejects(give(ada, bob, words, kind), refused('VALIDATION_FAILED'));
    assert.equal((await list(ada, ada.userId, 'sent')).count, 0);
    const late = newUser();
    t.host.addMember(guildId, late.nativeId);
    assert.equal((await give(ada, late)).to_user_id, late.userId, 'a user who has only ever been seen on the platform');
  });

  test('can be given five times a day, also when all are given at once', async () => {
    const { ada, bob, give } = await open();
    const results = await Promise.allSettled(Array.from({ length: 12 }, () => give(ada, bob)));
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 5);
    await assert.rejects(give(ada, bob), (error) => {
      const { code, retryAfterSeconds } = error as { code?: string; retryAfterSeconds?: number };
      return code === 'RATE_LIMITED' && retryAfterSeconds === 86_400;
    });
    await give(bob, ada);
    t.advanceSeconds(86_400);
    await give(ada, bob);
    assert.equal((await list(ada, ada.userId, 'sent')).count, 6);
  });

  test('are listed by direction and by kind, the newest first', async () => {
    const { ada, bob, give } = await open();
    const first = await give(ada, bob, 'one', 'thanks');
    t.advanceSeconds(1);
    const second = await give(bob, ada, 'two', 'thanks');
    t.advanceSeconds(1);
    const third = await give(ada, bob, 'three', 'creative');
    const ids = async (type: string, userId = ada.userId) => (await list(ada, userId, type)).kudos.map(({ id }) => id);
    assert.deepEqual(await ids('sent'), [third.id, first.id]);
    assert.deepEqual(await ids('received'), [second.id]);
    assert.deepEqual(await ids('thanks'), [second.id, first.id]);
    assert.deepEqual(await ids('sent', ada.nativeId), [third.id, first.id]);
    assert.deepEqual(await ids('teamwork'), []);
  });

  test('are shown to sender and recipient, to the community’s admins and to the operator, and to no one else', async () => {
    const { ada, bob, give, owner } = await open();
    await give(ada, bob);
    const client = (id: string): Actor => ({
      kind: 'client',
      credential: 'api-key',
      client: { id, name: id, allowedScopes: null, disallowedScopes: [] },
    });
    const { id: appId } = await newApp(t, owner);
    for (const actor of [ada, bob, owner, operator, client(appId)])
      assert.equal((await list(actor, bob.userId, 'received')).count, 1);
    for (const actor of [mallory, newUser(), nobody, client('unknown-app')])
      assert.deepEqual((await list(actor, bob.userId, 'received')).kudos, []);
    const internal = contextFor(t.services, {
      kind: 'client',
      credential: 'api-key',
      client: { id: 'own', name: 'own', allowedScopes: ['$internal'], disallowedScopes: [] },
    });
    assert.equal((await checkUserReceivedOrSentKudos(internal, { userId: bob.userId, type: 'received' })).count, 1);
  });

  test('that fail half-way leave nothing, and the keys are stored encrypted', async () => {
    const { ada, bob, id } = await open();
    const ctx = t.as(ada);
    const dying = {
      ...ctx,
      tx: <Result>(work: Parameters<typeof ctx.tx<Result>>[0]) =>
        ctx.tx<Result>(async (tx) => {
          await work(tx);
          throw new Error('killed');
        }),
    };
    const kudos = { communityId: id, toUserId: bob.userId, kind: 'thanks', words: 'x' };
    await assert.rejects(giveKudos(dying, kudos), /killed/);
    assert.equal((await list(bob, bob.userId, 'received')).count, 0);
    const secrets = await t.services.db.system.selectFrom('kept_secrets').selectAll().execute();
    assert.ok(secrets.length > 0 && secrets.every(({ secret }) => /^v1\./.test(secret)));
  });
});
