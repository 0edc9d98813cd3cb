import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { seed, seedNumber, volume } from '@latchkey/test-kit';
import type { Answer } from '../../ports/index.ts';
import { type MemoryHost, memoryHost, type TestPlatform } from '../../testing/index.ts';
import {
  brokenChain,
  type Numbers,
  numbersFrom,
  openWorld,
  type RandomCommunity,
  setUpAtRandom,
} from './testing/random-community.ts';
import { type RoleSurface, roleSurfaces, why, writers } from './testing/role-surfaces.ts';

const name = 'one-evaluation';

describe('one evaluation', () => {
  let t: TestPlatform;
  let telegram: MemoryHost;
  let numbers: Numbers;
  before(async () => {
    telegram = memoryHost('telegram');
    t = await openWorld(seed(name), telegram);
    numbers = numbersFrom(seedNumber(name));
  });
  after(() => t.close());

  const settle = (platform: 'discord' | 'telegram' = numbers.oneOf(['discord', 'telegram'])) =>
    setUpAtRandom(t, numbers, { platform, host: platform === 'discord' ? t.host : telegram });

  async function compare(surface: RoleSurface, community: RandomCommunity): Promise<void> {
    for (const member of community.members) {
      if (surface.asksAbout?.(community, member) === false) continue;
      const reply = await surface.ask(t, community, member);
      const context = { rules: community.definitions, held: member.held, guestRoles: member.guestRoles };
      const message = `${surface.name} disagrees: ${JSON.stringify(context)}`;
      assert.deepEqual(reply, surface.expected(community.expect(member), member, community), message);
    }
  }

  test('every reader of the same member at the same moment gets the same result', async () => {
    for (let round = 0; round < volume(10, 500); round += 1) {
      const community = await settle();
      for (const surface of [...roleSurfaces, ...writers, why]) await compare(surface, community);
    }
  });

  /** Inverts all balances from now on: zero becomes nonzero and the reverse. */
  function lie(): () => void {
    const { read } = t.holdings;
    const turned = (answer: Answer): Answer =>
      answer.kind === 'read' ? { ...answer, amount: answer.amount === '0' ? '9' : '0' } : answer;
    t.holdings.read = async (questions, options) => (await read(questions, options)).map(turned);
    t.advanceSeconds(60);
    return () => {
      t.holdings.read = read;
      t.advanceSeconds(60);
    };
  }

  for (const surface of [...roleSurfaces, ...writers])
    test(`a deviation in ${surface.name} is detected`, async () => {
      const found: unknown[] = [];
      for (let tries = 0; tries < 20 && found.length === 0; tries += 1) {
        const community = await settle('telegram');
        const end = lie();
        await compare(surface, community).catch((error: unknown) => found.push(error));
        end();
      }
      assert.match(String(found[0]), new RegExp(`${surface.name.replaceAll(/[{}/]/g, '.')} disagrees`));
    });

  test('the data of this test includes roles of every kind', async () => {
    const seen = new Set<string>();
    for (let round = 0; round < 40; round += 1) {
      const community = await settle();
      for (const member of community.members) {
        const { roles, rules } = community.expect(member);
        for (const truth of [...roles.values(), ...rules.values()]) seen.add(truth);
        for (const roleId of member.guestRoles) if (roles.get(roleId) === 'false') seen.add('taken from a guest');
      }
    }
    assert.deepEqual([...seen].toSorted(), ['false', 'taken from a guest', 'true', 'unknown']);
    assert.equal(
      t.holdings.requests.some(({ chain }) => chain === brokenChain),
      true,
    );
  });
});
