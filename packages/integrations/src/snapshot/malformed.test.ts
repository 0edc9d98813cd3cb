import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { HubAnswer, SnapshotProposal, SnapshotSpace } from '@latchkey/core/ports';
import { startSnapshotEmulator } from '@latchkey/emulators/snapshot';
import { patientMs } from '@latchkey/emulators/testing';
import { fuzzAnswers, startAnswerProxy, volume } from '@latchkey/test-kit';
import { createSnapshotHub } from './index.ts';

/** The fields that decide whether a proposal is announced, and where. */
function essence(answer: HubAnswer<SnapshotSpace> | HubAnswer<SnapshotProposal>): readonly unknown[] {
  if (answer.kind !== 'found') return [answer.kind];
  const { found } = answer;
  return 'space' in found
    ? [found.id, found.space.id, found.startsAtSeconds, found.endsAtSeconds, found.isFlagged]
    : [found.id];
}

test('however Snapshot’s response is corrupted, the result is right or unknown', async (t) => {
  const emulator = await startSnapshotEmulator();
  t.after(() => emulator.stop());
  const proxy = await startAnswerProxy(emulator.url);
  t.after(() => proxy.stop());
  const space = { id: 'cats.eth', name: 'Cats' };
  const about = { title: 'More fish', body: 'Please.', author: '0x1', choices: ['Yes'], created: 1, start: 2, end: 3 };
  emulator.state.spaces.push(space);
  emulator.state.proposals.push({ id: '0xabc', space, ...about, flagged: true });
  const hub = createSnapshotHub({ fetch, url: proxy.url, timeoutMs: patientMs });
  const reads = {
    space: async () => essence(await hub.readSpace('cats.eth')),
    proposal: async () => essence(await hub.readProposal('0xabc')),
  };
  for (const [name, read] of Object.entries(reads))
    await fuzzAnswers<readonly unknown[]>({
      name: `snapshot ${name}`,
      rounds: volume(60, 2_000),
      intercept: proxy.intercept,
      read,
      isRight: (got, truth) => got[0] === 'unknown' || isDeepStrictEqual(got, truth),
      // A hub returns null for what it does not know; strings may be empty.
      optional: ['space', 'proposal', 'name', 'body', 'title', 'link', 'flagged', 'author'],
    });
});
