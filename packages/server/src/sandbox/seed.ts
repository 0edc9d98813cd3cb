import {
  addCommunityConfig,
  communityKey,
  contextFor,
  createCommunity,
  createDevelopmentApp,
  createLinkChallenge,
  createOrganizationWallet,
  createRule,
  enqueueReconcile,
  enqueueUser,
  ensureConfirmedOrganization,
  forgetNearIndex,
  linkWallet,
  listAuthorizations,
  noteAuthorization,
  payerAddress,
  registerAgain,
  registrarAddress,
  type Services,
  selectCommunity,
  userKey,
  waitingListSigner,
  walletsOfUsers,
} from '@latchkey/core';
import type { SampleMember, SampleWorld } from '@latchkey/emulators/sample-world';
import type { Actor } from '@latchkey/kernel';
import type { Config } from '../config.ts';
import { loadEmulators } from './load-emulators.ts';
import { sampleRules } from './sample-rules.ts';
import { isNearSample, sampleChain, sampleRegistry, sampleWaitingList } from './with-emulators.ts';

export interface SampleCommunity {
  /** The qualified id. */
  id: string;
  owner: Extract<Actor, { kind: 'user' }>;
}

const sampleStudio = { name: 'Sample studio', email: 'studio@sample.example' } as const;

/** Returns the owner of the sample guild, for a sign-in link. */
export async function findSampleOwner(): Promise<{ userId: string; platform: string; name: string }> {
  const { sampleGuild } = await loadEmulators();
  return { userId: userKey('discord', sampleGuild.ownerId), platform: 'discord', name: 'owner' };
}

/** Returns a member of the sample guild, as if signed in with Discord. */
export function sampleUser(userId: string, name: string): Extract<Actor, { kind: 'user' }> {
  return {
    kind: 'user',
    userId: userKey('discord', userId),
    platform: 'discord',
    name,
    scopes: ['$all'],
    credential: 'operator-token',
  };
}

/**
 * Turns the emulators' guild into a community with rules, and links its members' wallets with real signatures. Keeps
 * what an earlier start created.
 */
export async function seedCommunity(services: Services, world: SampleWorld): Promise<SampleCommunity> {
  const { guild, members } = world;
  const owner = sampleUser(guild.ownerId, 'owner');
  const ctx = contextFor(services, owner);
  const id = communityKey('discord', guild.id);
  if ((await selectCommunity(services.db.system, id)) === undefined) {
    await createCommunity(ctx, { body: { platform: 'discord', communityId: guild.id, name: guild.name } });
    for (const body of sampleRules(world)) await createRule(ctx, { id, body });
  }
  await ensureConfirmedOrganization(ctx, sampleStudio);
  await seedAuthorization(services, owner, world);
  const users = members.map((member) => sampleUser(member.userId, member.name));
  const linked = await walletsOfUsers(
    services.db.system,
    [owner, ...users].map(({ userId }) => userId),
  );
  for (const [index, member] of members.entries()) {
    const user = users[index];
    if (user !== undefined && !linked.has(user.userId)) await linkSample(services, user, member);
  }
  // The owner's wallet deployed the sample contracts, so the owner can describe them.
  if (!linked.has(owner.userId)) await linkSample(services, owner, world.deployer);
  // The guild is new with every start, so every member must be reconciled.
  await services.db.transaction('system', (tx) =>
    enqueueReconcile(tx, { communityId: id, members: '*', cause: 'requested' }),
  );
  return { id, owner };
}

/** Gives the owner's organization a wallet with coins, once the signer is there. The chain is new with every start. */
export async function seedTreasury(services: Services, { chain, guild }: SampleWorld): Promise<void> {
  if (services.safes?.chainId !== Number(sampleChain)) return;
  const ctx = contextFor(services, sampleUser(guild.ownerId, 'owner'));
  const orgId = await ensureConfirmedOrganization(ctx, sampleStudio);
  const { gnosisAddress } = await createOrganizationWallet(ctx, { orgId });
  const { fundOnSample } = await loadEmulators();
  await fundOnSample(chain, [{ address: asAddress(gnosisAddress) }]);
}

/** Gives the owner a subreddit, with a permission of its moderator. Reddit is new with every start. */
export async function seedSubreddit(services: Services, { guild, reddit }: SampleWorld): Promise<void> {
  const { sampleSubreddit } = await loadEmulators();
  const { name, moderator } = sampleSubreddit;
  const owner = sampleUser(guild.ownerId, 'owner');
  if ((await selectCommunity(services.db.system, communityKey('reddit', name))) === undefined) {
    const body = { platform: 'reddit', communityId: name, name, ownerId: owner.userId } as const;
    await createCommunity(contextFor(services, { kind: 'admin', name: 'samples' }), { body });
  }
  const botToken = reddit.tokens.grant(moderator, redditPermissions);
  await addCommunityConfig(contextFor(services, owner), { body: { communityName: name, botToken } });
}

const redditPermissions = [
  'identity',
  'mysubreddits',
  'read',
  'flair',
  'modflair',
  'modcontributors',
  'privatemessages',
];

/** Lets an application of a member read the owner's profile, as if the owner had signed in to it. */
async function seedAuthorization(
  services: Services,
  { userId }: SampleCommunity['owner'],
  { members: [, developer] }: Pick<SampleWorld, 'members'>,
): Promise<void> {
  if (developer === undefined) throw new Error('The sample community has no developer.');
  const known = await listAuthorizations(services.db.system, userId, '', 1);
  if (known.length > 0) return;
  const operator = contextFor(services, { kind: 'admin', name: 'samples' });
  const scopes = ['user:read'];
  const { id: clientId = '' } = await createDevelopmentApp(operator, {
    userId: userKey('discord', developer.userId),
    name: 'Sample dashboard',
    scopes,
    redirectUris: ['http://localhost:4000/callback'],
  });
  await noteAuthorization(services, { userId, clientId, scopes });
}

/** Starts the sample mini-apps, and lists them as those of a member. */
export async function seedMiniApps(
  services: Services,
  { members: [, developer] }: Pick<SampleWorld, 'members'>,
  { serverUrl, port }: { serverUrl: string; port: number },
): Promise<{ stop(): Promise<void> }> {
  if (developer === undefined) throw new Error('The sample community has no developer.');
  // Loaded only here: a production install has no mini-apps.
  const { startSampleApps } = await import('./mini-apps/index.ts');
  const log = services.log.for('sample-apps');
  return startSampleApps(services, sampleUser(developer.userId, developer.name), { serverUrl, port, log });
}

/** Links a member's wallet as its owner would: requests the message, signs it and submits it. */
export async function linkSample(
  services: Services,
  user: Extract<Actor, { kind: 'user' }>,
  member: Pick<SampleMember, 'address' | 'sign'>,
): Promise<void> {
  const ctx = contextFor(services, user);
  const message = await createLinkChallenge(ctx);
  const signature = await member.sign(message);
  const link = { namespace: 'evm', chain: sampleChain, address: member.address, message, signature };
  await linkWallet(ctx, link, (tx, userId) => enqueueUser(tx, userId, 'wallet'));
}

/** Resets the index: the emulators' NEAR network is a new one with every start. */
export async function seedNearIndex(services: Services, given: Pick<Config, 'near' | 'nearIndex'>): Promise<void> {
  if (isNearSample(given)) await forgetNearIndex(services);
}

/**
 * Deploys the hosted-wallet registry to the emulator chain, which is reset with every start, with the wallets of
 * earlier starts.
 */
export async function seedRegistry(services: Services, { chain }: Pick<SampleWorld, 'chain'>): Promise<void> {
  if (services.walletRegistry?.address !== sampleRegistry) return;
  const { deployWalletRegistry } = await loadEmulators();
  await deployWalletRegistry(chain, await registrarAddress(services));
  await registerAgain(services, Number(sampleChain));
}

/** Deploys the Safe contracts to the emulator chain, and funds the account that pays for wallets. */
export async function seedSafes(services: Services, { chain }: Pick<SampleWorld, 'chain'>): Promise<void> {
  if (services.safes?.chainId !== Number(sampleChain)) return;
  const { deploySafeContracts } = await loadEmulators();
  await deploySafeContracts(chain, await payerAddress(services));
}

/** Deploys the waiting list contract to the emulator chain, which is reset with every start. */
export async function seedWaitingList(services: Services, { chain }: Pick<SampleWorld, 'chain'>): Promise<void> {
  const { deployWaitingList } = await loadEmulators();
  const signer = await waitingListSigner(services, { isReplaced: false });
  const address = await deployWaitingList(chain, asAddress(signer));
  if (address !== sampleWaitingList)
    throw new Error('The sample waiting list contract is not at the expected address.');
}

// The port returns addresses in EIP-55 form.
function asAddress(text: string): `0x${string}` {
  return text as `0x${string}`;
}
