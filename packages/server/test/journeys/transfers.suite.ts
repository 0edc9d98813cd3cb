import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { someAddresses } from '@latchkey/chains/testing';
import { createTestDatabase, type TestDatabase } from '@latchkey/db/testing';
import { until } from '@latchkey/test-kit';
import { listenOutside } from '../../src/run/listen.ts';
import { runWorker } from '../../src/run/worker.ts';
import {
  fillGuild,
  type GatedGuild,
  type GatedWorld,
  gateGuild,
  holdersOf,
  keyRule,
  openPlatform,
  startGatedWorld,
} from '../harness/gated-world.ts';
import { countKeys, createForks, type Forks, moveKey, takeOver } from '../harness/move-tokens.ts';

const depth = 2;

describe('a role that follows a token', () => {
  const addresses = someAddresses(4);
  const [alice = '0x', bob = '0x'] = addresses;
  const aliceKey = 1;
  let database: TestDatabase;
  let world: GatedWorld;
  let guild: GatedGuild;
  let forks: Forks;
  const ends: (() => Promise<unknown>)[] = [];

  before(async () => {
    database = await createTestDatabase({ name: 'transfers', migrate: true });
    world = await startGatedWorld();
    const { chain, discord } = world;
    await takeOver(chain, addresses);
    await chain.mintKeys([alice]);
    forks = createForks(chain);
    const settings = { LATCHKEY_FOLLOW_DEPTH: String(depth), LATCHKEY_FOLLOW_PAUSE_MS: '50' };
    const { services, config, close } = await openPlatform(database.url, { ...world.environment, ...settings });
    ends.push(close);
    guild = fillGuild(discord, addresses);
    await gateGuild(services, guild, [keyRule(chain, roleOf(guild))]);
    const worker = runWorker(services, config);
    ends.unshift(() => worker.stop(1_000));
    const listening = listenOutside(services, config);
    ends.unshift(listening.stop);
  });
  after(async () => {
    for (const end of ends) await end();
    await world[Symbol.asyncDispose]();
    await database.drop();
  });

  const roleOf = ({ roleIds: [roleId = ''] }: GatedGuild) => roleId;
  const holders = () => holdersOf(world.discord, guild, roleOf(guild)).map(({ address }) => address);
  const holds = (address: string) => holders().join() === address;

  /** Adds empty blocks, each remembered. */
  async function mine(blocks: number): Promise<void> {
    for (let n = 0; n < blocks; n += 1) {
      await world.chain.client.mine({ blocks: 1 });
      await forks.remember();
    }
  }

  it('goes to the new owner once the transfer is deep enough, and back when the chain drops that block', async () => {
    await until('alice has the role', () => holds(alice));

    await mine(1);
    await moveKey(world.chain, aliceKey, alice, bob);
    await forks.remember();
    await mine(depth);
    await until('bob has it', () => holds(bob));

    await forks.cut(depth + 1);
    await mine(depth + 2);
    await until('alice has it again', () => holds(alice));

    const keys = await countKeys(world.chain, addresses);
    assert.deepEqual(
      holders(),
      addresses.filter((_, index) => keys[index] !== 0n),
    );
  });
});
