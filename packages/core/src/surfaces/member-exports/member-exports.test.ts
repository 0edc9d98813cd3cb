import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AppError } from '@latchkey/kernel';
import { newCommunity, newUser, type TestUser } from '../../communities/community/testing.ts';
import { putMembers } from '../../communities/memberships/index.ts';
import { mallory, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { mostKept } from './export.ts';
import { memberExportsErasure } from './index.ts';
import { csvLine, removeOldExports, writeMembers } from './jobs.ts';
import {
  getMemberExportContent,
  listMemberExports,
  memberExportOperations,
  mostAtOnce,
  startMemberExport,
} from './operations.ts';

describe('exports of members', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('member-exports');
  });
  after(() => t.close());

  const running = () => new AbortController().signal;

  async function settle(names: readonly string[]): Promise<{ owner: TestUser; id: string; userIds: string[] }> {
    const { owner, id } = await newCommunity(t);
    const users = names.map((userName) => ({ userId: newUser().userId, userName, roleIds: ['gold'] }));
    await putMembers(t.services.db.system, id, users, t.services.clock());
    return { owner, id, userIds: users.map(({ userId }) => userId) };
  }

  async function contentOf(owner: TestUser, communityId: string, exportId: string, limit?: number): Promise<string> {
    let content = '';
    let paginationToken: string | undefined;
    do {
      const page = await getMemberExportContent(t.as(owner), { communityId, exportId, limit, paginationToken });
      content += page.items.map((part) => part.content).join('');
      paginationToken = page.paginationToken;
    } while (paginationToken !== undefined);
    return content;
  }

  it('hold the members that match the filter, with role names, once a worker wrote them', async () => {
    const { owner, id } = await settle(['anna', 'bert, the "second"', '=HYPERLINK("x")']);
    const started = await startMemberExport(t.as(owner), { communityId: id, body: { order: 'name' } });
    assert.deepEqual([started.status, started.filter, started.members], ['waiting', { order: 'name' }, 0]);
    await assert.rejects(contentOf(owner, id, started.id), { code: 'STATE_CONFLICT' });
    await writeMembers(t.services, started.id, running());
    const lines = (await contentOf(owner, id, started.id)).split('\r\n');
    assert.equal(lines[0], 'id,name,roles,wallets,guest pass,last active,last checked');
    assert.match(lines[1] ?? '', /^\d+,"'=HYPERLINK\(""x""\)",Gold,0,no,,$/);
    assert.match(lines[2] ?? '', /^\d+,anna,Gold,0,no,,$/);
    assert.match(lines[3] ?? '', /^\d+,"bert, the ""second""",Gold,0,no,,$/);
    assert.deepEqual(lines.slice(4), ['']);
    const [listed] = await listMemberExports(t.as(owner), { communityId: id });
    assert.deepEqual([listed?.status, listed?.members, listed?.createdBy], ['done', 3, owner.userId]);
    const some = await startMemberExport(t.as(owner), { communityId: id, body: { search: 'ANN' } });
    await writeMembers(t.services, some.id, running());
    assert.equal((await contentOf(owner, id, some.id)).trim().split('\r\n').length, 2);
  });

  it('are complete and without duplicates over several parts, even when the worker was stopped in between', async () => {
    const names = Array.from({ length: 2_001 }, (_, number) => `n${String(number).padStart(5, '0')}`);
    const { owner, id } = await settle(names);
    const { id: exportId } = await startMemberExport(t.as(owner), { communityId: id, body: undefined });
    const stop = new AbortController();
    let requested = 0;
    const { readRoles } = t.host;
    t.host.readRoles = (...wanted) => {
      requested += 1;
      if (requested === 2) stop.abort();
      return readRoles.apply(t.host, wanted);
    };
    await assert.rejects(writeMembers(t.services, exportId, stop.signal));
    t.host.readRoles = readRoles;
    const [half] = await listMemberExports(t.as(owner), { communityId: id });
    assert.deepEqual([half?.status, half?.problem?.endsWith('Start another export.')], ['failed', true]);
    await writeMembers(t.services, exportId, running());
    await writeMembers(t.services, exportId, running());
    const lines = (await contentOf(owner, id, exportId, 1)).trim().split('\r\n').slice(1);
    assert.deepEqual(
      lines.map((line) => line.split(',')[1]),
      names,
    );
  });

  it('are limited to ten at once and fifteen in total, and deleted after a week', async () => {
    const { owner, id } = await settle(['anna']);
    const start = () => startMemberExport(t.as(owner), { communityId: id, body: undefined });
    const first = await start();
    for (let made = 1; made < mostAtOnce; made += 1) await start();
    await assert.rejects(start(), { code: 'STATE_CONFLICT' });
    for (const { id: waiting } of await listMemberExports(t.as(owner), { communityId: id }))
      await writeMembers(t.services, waiting, running());
    for (let made = mostAtOnce; made <= mostKept; made += 1) {
      t.advanceSeconds(1);
      await writeMembers(t.services, (await start()).id, running());
    }
    const kept = await listMemberExports(t.as(owner), { communityId: id });
    assert.equal(kept.length, mostKept);
    t.advanceSeconds(7 * 24 * 60 * 60);
    assert.deepEqual(await listMemberExports(t.as(owner), { communityId: id }), []);
    const gone = { communityId: id, exportId: kept[0]?.id ?? first.id };
    await assert.rejects(getMemberExportContent(t.as(owner), gone), { code: 'ENTITY_NOT_FOUND' });
    await removeOldExports.run(t.services, {}, { id: '1', attempt: 1, signal: running() });
    const rows = t.services.db.system.selectFrom('member_exports').select('id').where('community_id', '=', id);
    assert.deepEqual(await rows.execute(), []);
  });

  it('of another community are not found, and are deleted when a member in them is erased', async () => {
    const mine = await settle(['anna']);
    const other = await settle(['bert']);
    const { id: exportId } = await startMemberExport(t.as(mine.owner), { communityId: mine.id, body: undefined });
    await writeMembers(t.services, exportId, running());
    const elsewhere = { communityId: other.id, exportId };
    await assert.rejects(getMemberExportContent(t.as(other.owner), elsewhere), { code: 'ENTITY_NOT_FOUND' });
    const strangers = { communityId: mine.id, exportId };
    await assert.rejects(getMemberExportContent(t.as(mallory), strangers), (error) => error instanceof AppError);
    for (const { route, contract } of memberExportOperations)
      assert.equal(await contract.access.object?.admits(t.as(mallory), mine.id), false, route);
    const forget = (userId: string) =>
      t.services.db.transaction('system', (tx) =>
        memberExportsErasure.forget(t.as(mine.owner), tx, {
          userId,
          pseudonym: 'ERASED#USER#1',
          wallets: [],
          coHolders: [],
          clientIds: [],
        }),
      );
    await forget(other.userIds[0] ?? '');
    assert.equal((await listMemberExports(t.as(mine.owner), { communityId: mine.id })).length, 1);
    await forget(mine.userIds[0] ?? '');
    assert.deepEqual(await listMemberExports(t.as(mine.owner), { communityId: mine.id }), []);
  });

  it('mark every cell as text that a spreadsheet would execute', () => {
    for (const danger of ['=1', '+1', '-1', '@x', '\t=1', '\u202e=1', ' =1', '＝1', '\r\n=1'])
      assert.equal(csvLine([danger]), `"'${danger}"\r\n`);
    assert.equal(csvLine(['a', '1', '', 'x=1']), 'a,1,,x=1\r\n');
  });
});
