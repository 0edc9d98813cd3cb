import { devChain, sampleKeysAbi } from '@latchkey/emulators/evm-chain';
import { startPoapEmulator } from '@latchkey/emulators/poap';
import { type SampleMember, sampleMembers } from '@latchkey/emulators/sample-world';
import { caller } from '@latchkey/server/testing/call-api';
import { liftPlanLimits } from '@latchkey/server/testing/lift-plan-limits';
import { type OutsideWorld, outsideWorld } from '@latchkey/server/testing/outside-world';
import { otpMailedTo } from '@latchkey/server/testing/read-mail';
import { keyRule, linkWallet, makeGuild } from '@latchkey/server/testing/set-up-community';
import { startTestServer, type TestServer } from '@latchkey/server/testing/test-server';
import { createWalletClient, encodeFunctionData, http } from 'viem';

/** A server that receives the requests of samples. */
export interface SampleServer extends AsyncDisposable {
  /** Returns what a page knows before its first sample: a community, an admin and a wallet that no other page has. */
  settlePage(): Promise<Map<string, string>>;
}

/** Beyond the members of the sample world, to avoid clashes. */
const firstOwner = 100;

export async function startSampleServer(pages: number): Promise<SampleServer> {
  const outside = await outsideWorld();
  const owners = sampleMembers(firstOwner + pages).slice(firstOwner);
  await giveKeys(outside, owners);
  const poap = await startPoapEmulator();
  const { LATCHKEY_CHAIN_URLS: urls, LATCHKEY_SERVICE_KEYS: keys } = outside.environment;
  const server = await startTestServer({
    ...outside.environment,
    LATCHKEY_CHAIN_URLS: `${urls} poap=${poap.url}`,
    LATCHKEY_SERVICE_KEYS: `${keys} poap=${poap.state.apiKey}`,
  });
  await liftPlanLimits(server);
  const { key } = await server.apiKey(['token-gating']);
  const rest = owners.values();
  return {
    settlePage: async () => {
      const { value: owner } = rest.next();
      if (owner === undefined) throw new Error('More pages were prepared than announced.');
      return settle(server, outside, owner, key);
    },
    [Symbol.asyncDispose]: async () => {
      await server.close();
      await poap.stop();
    },
  };
}

/** Mints a key of the sample collection to every member. */
async function giveKeys({ chain }: OutsideWorld, owners: readonly SampleMember[]): Promise<void> {
  const [minter] = chain.accounts;
  if (minter === undefined) throw new Error('The chain has no accounts.');
  const client = createWalletClient({ chain: devChain(chain.url, chain.chainId), transport: http(chain.url) });
  const args = [owners.map(({ address }) => address)] as const;
  const data = encodeFunctionData({ abi: sampleKeysAbi, functionName: 'mintMany', args });
  await client.sendTransaction({ account: minter.address, to: chain.contracts.erc721, data });
}

async function settle(
  server: TestServer,
  outside: OutsideWorld,
  owner: SampleMember,
  apiKey: string,
): Promise<Map<string, string>> {
  const userId = `DIS#USER#${owner.userId}`;
  const authorization = await server.aeToken(userId);
  const call = caller(server, authorization);
  outside.discord.createUser(owner.name, owner.userId);
  await linkWallet(call, outside, owner);
  const { guildId, roleId } = makeGuild(outside, owner);
  const { id } = await call('POST', '/communities', { platform: 'discord', communityId: guildId, name: 'Cats' });
  await call('POST', `/communities/${encodeURIComponent(id)}/tpcs`, keyRule(outside, roleId));
  return new Map([
    ['LATCHKEY_URL', server.url],
    ['API_KEY', apiKey],
    ['ADMIN_KEY', server.adminKey],
    ['TOKEN', authorization.replace('AE ', '')],
    ['COMMUNITY_ID', id],
    ['COMMUNITY_ID_ESCAPED', encodeURIComponent(id)],
    ['GUILD_ID', guildId],
    ['ROLE_ID', roleId],
    ['WALLET', owner.address],
    ['CONTRACT', outside.chain.contracts.erc721],
    ['USER_ID', owner.userId],
    ['ORG_ID', await makeOrganization(server, call, `${owner.name}@example.org`)],
  ]);
}

async function makeOrganization(server: TestServer, call: ReturnType<typeof caller>, email: string): Promise<string> {
  const { sk } = await call('POST', '/dev-orgs', { name: 'Cats', email });
  await call('POST', '/dev-orgs/verify', { otp: await otpMailedTo(server, email) });
  return String(sk);
}
