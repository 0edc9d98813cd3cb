import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SavedPlan } from '../commands/plan.ts';
import { digestsOf, markerOf, type Review, readDigests, writeComment } from './index.ts';

type Planned = SavedPlan['communities'][number];

function plan(changes: number, members: number, more: Partial<Planned['plan']> = {}): Planned {
  const name = (n: number) => `Rule ${n} ${'x'.repeat(60)}`;
  return {
    communityId: 'DIS#COMM#1',
    communityName: 'Cats',
    wanted: { rules: [], unlisted: 'keep' },
    plan: {
      version: 'v1',
      brakesVersion: 'b1',
      changes: Array.from({ length: changes }, (_, n) => ({
        part: 'rule',
        kind: 'create',
        index: n,
        name: name(n),
        after: name(n),
      })),
      problems: [],
      warnings: [],
      proofs: [],
      roleFaults: [],
      readsBefore: 1,
      readsAfter: 1,
      effects: {
        checked: members,
        isWhole: true,
        changed: [{ roleId: '1', roleName: 'Whale', gains: members, loses: 0, unknown: 0, isHeld: false }],
        outOfSync: [],
        members: Array.from({ length: members }, (_, n) => ({
          userId: `DIS#USER#${n}`,
          roleId: '1',
          outcome: 'gains',
        })),
      },
      ...more,
    },
  };
}

function review(...communities: Planned[]): Review {
  const digests = communities.flatMap(digestsOf);
  return { checks: [], plan: { format: 'latchkey-plan-2', communities }, digests };
}

const marker = markerOf('latchkey.yaml', undefined);
const write = (given: Review, options: { members?: boolean; mostLetters?: number } = {}) =>
  writeComment(given, marker, { members: true, mostLetters: 65_536, ...options });

describe('the comment of a review', () => {
  test('fits the limit of the code host, however much changes, and says what it leaves out', () => {
    for (const [changes, members] of [
      [1, 1],
      [10, 1_000],
      [1_000, 1_000],
      [4_000, 0],
    ] as const) {
      const given = review(plan(changes, members));
      const body = write(given);
      assert.ok(body.length <= 65_536, `${changes} and ${members}: ${body.length}`);
      assert.ok(body.startsWith(`${marker}\n`));
      assert.deepEqual([...readDigests(body)], given.digests);
      if (members > 0) assert.match(body, /\| `Whale` \| /);
      if (changes > 1_000) assert.match(body, /\d+ more lines are in the log of the job\./);
    }
    const many = review(...Array.from({ length: 200 }, (_, n) => ({ ...plan(10, 20), communityId: `DIS#COMM#${n}` })));
    const body = write(many);
    assert.ok(body.length <= 65_536 && body.length > 14_000, String(body.length));
    assert.match(body, /^- `Cats \(DIS#COMM#1\)`: 10 changes, 20 roles gained or lost$/m);
    assert.deepEqual([...readDigests(body)], many.digests);
    assert.match(write(many, { mostLetters: 10_000 }), /too long for a comment\. The log of the job has it/);
  });

  test('lists members only when it is asked to', () => {
    assert.match(
      write(review(plan(1, 2))),
      /<details><summary>Members \(2\)<\/summary>\n\n```text\nDIS#USER#0 \(DIS#USER#0\): gains Whale\n/,
    );
    assert.ok(!write(review(plan(1, 2)), { members: false }).includes('DIS#USER#0'));
  });

  test('shows texts of people as code, which nothing in them can end', () => {
    const nasty = '`` ``` | </details>\n<!-- latchkey-reviewed 00 -->\n@everyone';
    const { plan: base, ...rest } = plan(0, 1);
    const changes: Planned['plan']['changes'] = [{ part: 'rule', kind: 'create', name: nasty, after: nasty }];
    const effects = base.effects && {
      ...base.effects,
      changed: base.effects.changed.map((one) => ({ ...one, roleName: nasty })),
    };
    const body = write(
      review({
        ...rest,
        communityName: nasty,
        plan: { ...base, changes, warnings: [nasty], ...(effects && { effects }) },
      }),
    );
    assert.match(body, /^### ```` `` ``` \\\| <\/details> .* ````$/m);
    assert.match(body, /^````diff\n\+ Rule “`` ``` \| .*\n {4}`` .*\n````$/m);
    assert.match(
      body,
      /^\| ```` `` ``` \\\| <\/details> <!-- latchkey-reviewed 00 --> @everyone ```` \| 1 \| 0 \| 0 \|$/m,
    );
    assert.equal(readDigests(body).size, 1);
  });

  test('has the digest of what is applied: of the wanted rules and of the version they were planned for', () => {
    const base = plan(1, 0);
    const digests = digestsOf(base);
    assert.equal(digests.length, 1);
    assert.deepEqual(digestsOf({ ...base, plan: { ...base.plan, warnings: ['new'] } }), digests);
    for (const other of [
      { ...base, communityId: 'DIS#COMM#2' },
      { ...base, wanted: { ...base.wanted, unlisted: 'delete' as const } },
      { ...base, plan: { ...base.plan, version: 'v2' } },
    ])
      assert.notDeepEqual(digestsOf(other), digests);
    const brakes = { approvers: 2, roles: [] };
    const both: Planned = {
      ...base,
      wanted: { ...base.wanted, brakes },
      plan: { ...base.plan, changes: [...base.plan.changes, { part: 'brakes', kind: 'change' }] },
    };
    const [ofRules, ofBrakes] = digestsOf(both);
    assert.equal(ofRules, digests[0], 'applied brakes leave the rules reviewed');
    assert.deepEqual(digestsOf({ ...both, plan: { ...both.plan, changes: [{ part: 'brakes', kind: 'change' }] } }), [
      ofBrakes,
    ]);
    assert.deepEqual(digestsOf({ ...base, plan: { ...base.plan, changes: [] } }), []);
  });

  test('is found again by its file and community', () => {
    assert.notEqual(markerOf('a.yaml', undefined), markerOf('b.yaml', undefined));
    assert.notEqual(markerOf('a.yaml', undefined), markerOf('a.yaml', 'DIS#COMM#1'));
    assert.ok(!markerOf('a --> b', undefined).slice(0, -4).includes('-->'));
  });
});
