import type { IdentityProvider } from '../ports/index.ts';
import type { ChainServices, ChatServices, PartnerServices, Services } from '../shared/context.ts';
import * as chain from './chain-guards.ts';
import { type GuardOptions, guardPort, type PortGuard, type TimeLimits, usualLimits } from './guard.ts';
import * as partner from './partner-guards.ts';
import * as platform from './platform-guards.ts';

export { verdictOf, verifying } from './guard.ts';

type Ports = ChainServices & ChatServices & PartnerServices;

/**
 * Wraps every port of the services in a guard. A port that throws undeclared errors, hangs or returns garbage produces
 * its declared failure, which is counted and logged: unknown, and never false.
 */
export function guardPorts(services: Services, limits: TimeLimits = usualLimits): Services {
  const log = services.log.for('ports');
  const options = (name: string): GuardOptions => ({ name, log, limits });
  const one = <Port extends object>(name: string, port: Port, guard: PortGuard<Port>) =>
    guardPort(port, guard, options(name));
  const some = <Port extends object>(name: string, port: Port | undefined, guard: PortGuard<Port>) =>
    port && one(name, port, guard);
  const each = <Record extends object, Port extends object>(
    name: string,
    ports: Record & Readonly<Partial<{ [key: string]: Port }>>,
    guard: (port: Port) => PortGuard<Port>,
  ): Record => {
    const guarded = Object.entries(ports).map(([key, port]) => [key, port && one(`${name}.${key}`, port, guard(port))]);
    return Object.fromEntries(guarded) as Record; // The same keys, each with a port of its kind.
  };
  const { reddit } = services;
  const guarded: Ports = {
    evmWallets: one('evm-wallets', services.evmWallets, chain.evmWalletsGuard),
    evmDigests: one('evm-digests', services.evmDigests, chain.digestGuard),
    wallets: each('wallets', services.wallets, () => chain.walletGuard),
    names: some('names', services.names, chain.nameGuard),
    holdings: one('holdings', services.holdings, chain.holdingsGuard),
    tokenMetadata: one('token-metadata', services.tokenMetadata, chain.metadataGuard),
    follower: one('follower', services.follower, chain.followerGuard),
    waitingList: one('waiting-list', services.waitingList, chain.waitingListGuard),
    walletRegistry: some('wallet-registry', services.walletRegistry, chain.registryGuard),
    safes: some('safes', services.safes, chain.safesGuard),
    locks: some('locks', services.locks, chain.lockGuard),
    near: some('near', services.near, chain.nearGuard),
    hosts: each('hosts', services.hosts, () => platform.hostGuard),
    bots: each('bots', services.bots, () => platform.chatBotGuard),
    identityProviders: each('identity', services.identityProviders, identityGuard),
    x: some('identity.x', services.x, platform.redirectGuard),
    reddit: some(
      'reddit',
      reddit && { ...reddit, consent: one('reddit-consent', reddit.consent, platform.redditConsentGuard) },
      platform.redditGuard,
    ),
    telegram: some('telegram', services.telegram, platform.telegramGuard),
    discord: some('discord', services.discord, platform.discordGuard),
    linkedRoles: some('linked-roles', services.linkedRoles, platform.linkedRolesGuard),
    mailer: one('mailer', services.mailer, partner.mailerGuard),
    egress: one('egress', services.egress, partner.egressGuard),
    marketplaces: each('marketplaces', services.marketplaces, () => partner.marketplaceGuard),
    tokenproof: some('tokenproof', services.tokenproof, partner.tokenproofGuard),
    snapshot: some('snapshot', services.snapshot, partner.snapshotGuard),
    helpdesk: some('helpdesk', services.helpdesk, partner.helpdeskGuard),
    cards: some('cards', services.cards, partner.cardsGuard),
  };
  return { ...services, ...guarded };
}

function identityGuard(port: IdentityProvider): PortGuard<IdentityProvider> {
  // Selects the guard for the port's kind; TypeScript only sees what both kinds share.
  const guards = {
    redirect: platform.redirectGuard,
    chat: platform.chatIdentityGuard,
    message: platform.messageIdentityGuard,
  };
  return guards[port.kind] as PortGuard<IdentityProvider>;
}
