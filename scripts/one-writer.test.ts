import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isTestFile, readSources } from './architecture/sources.ts';

const writer = 'packages/core/src/gating/role-changes/';

/** What changes members on a platform, or records it, and who may do it. */
const doors: readonly { what: string; pattern: RegExp; allowed: readonly string[] }[] = [
  {
    what: 'writes a member',
    pattern: /\bwriteMember\b/,
    // The port, its guard, the platforms that implement it, and the measurement of one of them.
    allowed: [
      writer,
      'packages/core/src/ports/',
      'packages/core/src/port-guards/platform-guards.ts',
      'packages/platforms/src/',
      'bench/writer.ts',
    ],
  },
  {
    what: 'answers a request to join or removes a member from a chat',
    pattern: /\b(approve|decline)ChatJoinRequest\b|\b(un)?banChatMember\b|\bdeclineJoin\b/,
    allowed: ['packages/platforms/src/telegram/write-member.ts', 'packages/emulators/'],
  },
  {
    what: 'writes the ledger or the plans',
    pattern: /\b(insert into|insertInto\('|update|updateTable\(') ?(role_ledger|change_sets|change_set_items)\b/i,
    allowed: [writer],
  },
];

function strangersAt(files: readonly { path: string; text: string }[]): string[] {
  return files
    .filter(({ path }) => !isTestFile(path) && !/(^|\/)test\/|^scripts\/recipes\//.test(path))
    .flatMap(({ path, text }) =>
      doors
        .filter(({ pattern, allowed }) => pattern.test(text) && !allowed.some((place) => path.startsWith(place)))
        .map(({ what }) => `${path} ${what}`),
    );
}

test('only change sets write members, and only they record it', () => {
  const files = readSources();
  assert.deepEqual(strangersAt(files), []);
  const theirs = files.filter(({ path }) => path.startsWith(writer) && !isTestFile(path));
  assert.ok(theirs.some(({ text }) => /\.writeMember\(/.test(text)));
});

test('a second writer is noticed, whatever it calls the platform', () => {
  const path = 'packages/core/src/communities/x/y.ts';
  for (const [text, what] of [
    ['await ctx.hosts.discord?.writeMember(write);', 'writes a member'],
    ['const { writeMember } = host;', 'writes a member'],
    ['await api.declineChatJoinRequest(1, 2);', 'answers a request to join or removes a member from a chat'],
    ["tx.insertInto('role_ledger')", 'writes the ledger or the plans'],
    ['sql`update change_set_items i set state = 1`', 'writes the ledger or the plans'],
  ] as const)
    assert.deepEqual(strangersAt([{ path, text }]), [`${path} ${what}`]);
});
