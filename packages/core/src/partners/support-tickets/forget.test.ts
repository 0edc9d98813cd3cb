import assert from 'node:assert/strict';
import { test } from 'node:test';
import { giveKudos } from '../../billing/kudos/index.ts';
import { addMembers, newCommunity, newUser } from '../../communities/community/testing.ts';
import { createContractMetadata } from '../../gating/nft-metadata/describe.ts';
import { getContractMetadata } from '../../gating/nft-metadata/operations.ts';
import { eraseAccount } from '../../modules.ts';
import { contextFor } from '../../shared/context.ts';
import { dumpDatabase } from '../../surfaces/account/testing.ts';
import { nobody, operator, testPlatform } from '../../testing/index.ts';
import { inviteToWaitingList, registerKol } from '../waiting-list/operations.ts';
import { createTicket } from './create.ts';

test('an erased account is removed from tickets, kudos and the waiting list, and its descriptions stay anonymous', async () => {
  await using t = await testPlatform('partners-erasure');
  const { id } = await newCommunity(t);
  const [ada, bob] = [newUser(), newUser()];
  await addMembers(t, id, [ada, bob]);
  const kudos = { communityId: id, kind: 'thanks', words: 'For the fish.' };
  await giveKudos(t.as(ada), { ...kudos, toUserId: bob.userId });
  await giveKudos(t.as(bob), { ...kudos, toUserId: ada.userId });
  for (const [user, email] of [
    [ada, 'ada@erased.example'],
    [bob, 'bob@kept.example'],
  ] as const)
    await createTicket(t.as(user), { body: { subject: 'Help', description: 'Fish', email, communityId: id } });
  await inviteToWaitingList(t.as(operator), { userId: ada.userId, isInvited: true });
  assert.equal(await registerKol(t.as(ada)), true);
  const contract = { chainId: '31337', address: `0x${'c'.repeat(40)}` };
  await createContractMetadata(t.as(ada), { ...contract, body: { name: 'Cats' } });
  await t.services.db.system.deleteFrom('jobs').execute();

  const found = async (needle: string) =>
    [...(await dumpDatabase(t))].flatMap(([table, text]) => (text.includes(needle.toLowerCase()) ? [table] : []));
  const named = ['kudos', 'support_tickets', 'waiting_list_guests', 'waiting_list_members', 'nft_contract_metadata'];
  const before = await found(ada.userId);
  assert.deepEqual(
    named.filter((table) => !before.includes(table)),
    [],
  );
  await eraseAccount(contextFor(t.services, operator), ada.userId);
  const after = await found(ada.userId);
  assert.deepEqual(
    named.filter((table) => after.includes(table)),
    [],
  );
  assert.deepEqual(await found('ada@erased.example'), []);
  assert.ok((await found('bob@kept.example')).includes('support_requesters'));
  assert.equal((await getContractMetadata(t.as(nobody), contract)).name, 'Cats');
});
