import {
  describeScopes,
  findAccount,
  findMaker,
  findRemembered,
  issueConsentToken,
  offeredMethods,
  type Services,
  sortScopes,
} from '@latchkey/core';
import { type ConsentPage, type LoginMethod, type LoginPage, loginMethods, notFound } from '@latchkey/kernel';
import { limitOfContext } from './login-limit.ts';
import { type OpenRequest, pageClientOf } from './requests.ts';

/** Other names of login methods that applications send. */
const methodNames: Readonly<Record<string, LoginMethod>> = {
  ethereum: 'wallet',
  evm: 'wallet',
  solana: 'wallet',
  siwe: 'wallet',
  webauthn: 'passkey',
};

/** Returns the data of the sign-in page. */
export function describeLogin(services: Services, open: OpenRequest): LoginPage {
  const { platform: wanted, login_provider: provider } = open.interaction.params;
  const methods: readonly LoginMethod[] = ['wallet', 'passkey', ...offeredMethods(services)];
  const requested = [provider, wanted].flatMap((name) => methodOf(name) ?? []);
  const first = methods.filter((method) => requested.includes(method));
  return {
    page: 'login',
    slug: open.slug,
    client: pageClientOf(open),
    methods: [...first, ...methods.filter((method) => !first.includes(method))],
  };
}

function methodOf(name: unknown): LoginMethod | undefined {
  const word = String(name).toLowerCase();
  return (
    loginMethods.find((method) => method === word) ?? (Object.hasOwn(methodNames, word) ? methodNames[word] : undefined)
  );
}

/** The languages that the application asks for (OpenID Connect Core 3.1.2.1), in the order of its preference. */
export function uiLocalesOf({ interaction }: OpenRequest): string[] {
  const { ui_locales: wanted } = interaction.params;
  return typeof wanted === 'string' ? wanted.split(' ') : [];
}

/** Returns the data of the consent page. */
export async function describeConsent(services: Services, open: OpenRequest): Promise<ConsentPage> {
  const { slug, interaction, request, client } = open;
  const account = await findAccount(services, interaction.session?.accountId ?? '');
  if (account === undefined) throw notFound('account');
  const { userId } = account;
  const limit = limitOfContext(interaction.session?.acr);
  const sorted = await sortScopes(services, userId, request.scopes, limit);
  const remembered = await findRemembered(services, userId, client.id);
  const maker = await findMaker(services, client);
  const requested = sorted.open.filter((scope) => !remembered.includes(scope));
  return {
    page: 'consent',
    slug,
    token: await issueConsentToken(services, slug, account),
    client: { ...pageClientOf(open), ...(maker !== undefined && { maker }) },
    account: { platform: account.platform, name: account.name ?? userId },
    // A native application is asked about every time, even if it requests nothing new.
    scopes: await describeScopes(services, requested.length === 0 ? sorted.open : requested),
  };
}
