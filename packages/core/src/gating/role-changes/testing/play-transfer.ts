import type { TestPlatform } from '../../../testing/index.ts';
import { followStep } from '../../followers/follow.ts';
import { WatchList } from '../../followers/watched-assets.ts';
import { chain, type Guild, setUpGuild, token } from './index.ts';
import { memoryChain } from './memory-chain.ts';

/** Grants a role to twelve holders of a token. Then the first one sells, and loses the role once the follower has read the block. */
export async function playTransfer(t: TestPlatform): Promise<Guild> {
  const node = memoryChain(chain);
  t.services.holdings = node.holdings;
  t.services.follower = node.follower;
  t.services.settings.gating = { followDepth: 1, followPauseMs: 5 };
  const guild = await setUpGuild(t, { members: 12 });
  const change = (member: number, amount: string) => ({ contract: token, account: guild.walletOf(member), amount });
  const follow = async () => {
    await new WatchList(t.services).refresh();
    while ((await followStep(t.services, chain, [token])) === 'moved');
  };
  node.mine(Array.from({ length: 12 }, (_, member) => change(member, '1')));
  node.mine();
  await follow();
  await guild.resync();
  node.mine([change(0, '0'), change(1, '2')]);
  node.mine();
  await follow();
  await guild.check();
  await guild.write();
  return guild;
}
