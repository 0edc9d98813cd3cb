import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { type CommunityPicture, PlatformFailed } from '../../ports/index.ts';
import { listMemberships } from '../../surfaces/my-roles/operations.ts';
import { getCommunityProfile } from '../../surfaces/overview/operations.ts';
import { type TestPlatform, testPlatform } from '../../testing/index.ts';
import { removeOwnCommunity } from '../community/own-change-operations.ts';
import { addMembers, newCommunity, newUser } from '../community/testing.ts';
import { refreshPicture } from './jobs.ts';
import { claimDuePictures, findPicture, pictureAddresses, selectVersion } from './queries.ts';
import { jpeg, png } from './testing.ts';

describe('the pictures of communities', () => {
  let t: TestPlatform;
  let shown: CommunityPicture | PlatformFailed;
  let requested: (string | undefined)[];
  before(async () => {
    t = await testPlatform('pictures');
    t.host.readPicture = async (_id, version) => {
      requested.push(version);
      if (shown instanceof PlatformFailed) throw shown;
      return shown.kind === 'picture' && shown.version === version ? { kind: 'same' } : shown;
    };
  });
  beforeEach(() => {
    requested = [];
  });
  after(() => t.close());

  const system = () => t.services.db.system;
  const mayCheck = async () => undefined;
  const refresh = (id: string) => refreshPicture(t.as({ kind: 'system', job: 'test' }), id);
  const addressOf = async (id: string) => (await pictureAddresses(system(), [id])).get(id);
  const show = (version: string, bytes: Uint8Array) => {
    shown = { kind: 'picture', version, bytes };
  };

  test('is read once, stored, and shown to viewers of the community; a new one replaces it', async () => {
    const { id, owner } = await newCommunity(t);
    const member = newUser();
    await addMembers(t, id, [{ userId: member.userId }]);
    show('v1', png(64, 64));
    await refresh(id);
    const first = await addressOf(id);
    assert.match(first ?? '', /^\/pictures\/[0-9a-f]{64}$/);
    const kept = await findPicture(t.services, first?.split('/')[2] ?? '', mayCheck);
    assert.deepEqual([kept?.type, kept?.bytes], ['image/png', png(64, 64)]);
    assert.equal((await getCommunityProfile(t.as(owner), { communityId: id })).picture, first);
    assert.deepEqual((await listMemberships(t.as(member), {})).items, [
      { communityId: id, name: 'Cats', picture: first, platform: 'discord' },
    ]);
    assert.deepEqual((await listMemberships(t.as(newUser()), {})).items, [], 'a stranger is not in the community');
    await refresh(id);
    show('v2', jpeg(64, 64));
    await refresh(id);
    assert.deepEqual(requested, [undefined, 'v1', 'v1'], 'the known version is sent to the platform');
    assert.notEqual(await addressOf(id), first);
  });

  test('stays while the platform does not respond, and is removed when the platform has none', async () => {
    const { id } = await newCommunity(t);
    show('v1', png(32, 32));
    await refresh(id);
    const before = await addressOf(id);
    for (const kind of ['unavailable', 'forbidden', 'unknown-community'] as const) {
      shown = new PlatformFailed(kind, 'No answer.');
      await refresh(id);
      assert.equal(await addressOf(id), before);
    }
    shown = { kind: 'none' };
    await refresh(id);
    assert.equal(await addressOf(id), undefined);
  });

  test('is not stored if it is not an image, and the same one is not read again', async () => {
    const { id } = await newCommunity(t);
    show('evil', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'));
    await refresh(id);
    assert.equal(await addressOf(id), undefined);
    assert.equal(await selectVersion(system(), id), 'evil');
    await refresh(id);
    assert.deepEqual(requested, [undefined, 'evil']);
  });

  test('is due at once in a new community, then once a day, and soon again after an outage', async () => {
    const { id } = await newCommunity(t);
    const due = async () => {
      const now = t.services.clock();
      return (await claimDuePictures(system(), new Date(now.getTime() - 86_400_000), now, 1_000)).includes(id);
    };
    assert.deepEqual([await due(), await due()], [true, false]);
    shown = new PlatformFailed('unavailable', 'No answer.');
    await refresh(id);
    t.advanceSeconds(601);
    assert.equal(await due(), true, 'ten minutes after an outage');
    shown = { kind: 'none' };
    await refresh(id);
    t.advanceSeconds(86_000);
    assert.equal(await due(), false);
    t.advanceSeconds(500);
    assert.equal(await due(), true);
  });

  test('is deleted with its community, and an invalid path finds nothing', async () => {
    const { id, owner } = await newCommunity(t);
    show('v9', png(9, 9));
    await refresh(id);
    assert.ok(await addressOf(id));
    await removeOwnCommunity(t.as({ ...owner, presence: { how: 'chat-login', at: t.services.clock() } }), {
      communityId: id,
    });
    assert.equal(await addressOf(id), undefined);
    await refresh(id);
    const looked: string[] = [];
    for (const address of ['', '../etc', 'A'.repeat(64), '0'.repeat(64)])
      assert.equal(await findPicture(t.services, address, async () => void looked.push(address)), undefined);
    assert.deepEqual(looked, ['0'.repeat(64)], 'only valid paths are looked up');
  });
});
