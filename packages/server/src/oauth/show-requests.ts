import {
  describeScopes,
  findAccount,
  findMaker,
  findRemembered,
  issueConsentToken,
  offeredWays,
  type Services,
  sortScopes,
} from '@latchkey/core';
import { type ConsentPage, type LoginPage, type LoginWay, loginWays, notFound } from '@latchkey/kernel';
import { limitOfContext } from './login-limit.ts';
import { type OpenRequest, pageClientOf } from './requests.ts';

/** Other words for ways to log in that applications send. */
const wayNames: Readonly<Record<string, LoginWay>> = {
  ethereum: 'wallet',
  evm: 'wallet',
  solana: 'wallet',
  siwe: 'wallet',
  webauthn: 'passkey',
};

/** What the page is told where a person says who they are. */
export function describeLogin(services: Services, open: OpenRequest): LoginPage {
  const { platform: wanted, login_provider: provider } = open.interaction.params;
  const ways: readonly LoginWay[] = ['wallet', 'passkey', ...offeredWays(services)];
  const asked = [provider, wanted].flatMap((name) => wayOf(name) ?? []);
  const first = ways.filter((way) => asked.includes(way));
  return {
    page: 'login',
    slug: open.slug,
    client: pageClientOf(open),
    ways: [...first, ...ways.filter((way) => !first.includes(way))],
  };
}

function wayOf(name: unknown): LoginWay | undefined {
  const word = String(name).toLowerCase();
  return loginWays.find((way) => way === word) ?? (Object.hasOwn(wayNames, word) ? wayNames[word] : undefined);
}

/** What the page is told where a person decides what an application may know and do. */
export async function describeConsent(services: Services, open: OpenRequest): Promise<ConsentPage> {
  const { slug, interaction, request, client } = open;
  const account = await findAccount(services, interaction.session?.accountId ?? '');
  if (account === undefined) throw notFound('account');
  const { userId } = account;
  const limit = limitOfContext(interaction.session?.acr);
  const sorted = await sortScopes(services, userId, request.scopes, limit);
  const remembered = await findRemembered(services, userId, client.id);
  const maker = await findMaker(services, client);
  const asked = sorted.open.filter((scope) => !remembered.includes(scope));
  return {
    page: 'consent',
    slug,
    token: await issueConsentToken(services, slug, account),
    client: { ...pageClientOf(open), ...(maker !== undefined && { maker }) },
    account: { platform: account.platform, name: account.name ?? userId },
    // A program on the person's machine is asked about every time, even if nothing is new.
    scopes: await describeScopes(services, asked.length === 0 ? sorted.open : asked),
  };
}
