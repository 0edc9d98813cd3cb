import type { Config } from '../config.ts';
import { sampleServices } from './sample-services.ts';

/** The credentials of the sample guild's bot. They only work on the emulator. */
export const sampleBot = {
  id: '400000000000000001',
  token: 'sample-bot.of-the.discord-emulator',
  clientSecret: 'sample-secret-of-the-discord-emulator',
} as const;

/** The same for the emulators of Telegram and Reddit. */
export const sampleTelegramBot = {
  token: '400000001:sample-bot-of-the-telegram-emulator',
  username: 'latchkey_bot',
} as const;
export const sampleReddit = { clientId: 'sample-app', clientSecret: 'sample-secret-of-the-reddit-emulator' } as const;

/** The account at the Stripe emulator. Selling stays off until the operator turns it on. */
export const sampleStripe = {
  secretKey: 'sk_test_of_the_stripe_emulator',
  webhookSecret: 'whsec_of_the_stripe_emulator',
} as const;

/** The emulators' EVM chain. */
export const sampleChain = '31337';

/** This server's account on the emulators' NEAR network. Its key is not used anywhere else. */
export const sampleNear = {
  network: 'testnet',
  account: 'latchkey.testnet',
  privateKey: 'ed25519:5y6xpa31gh6AHhmNJNTX7M6aMBTWh8VvwaktNQCcMHg7zVZ3DxaesQkcoUJeTL3aTfeoUqAzro8F8moxf7nBmUoS',
  tokenCode: 'token-code.testnet',
  marketCode: 'market-code.testnet',
  market: 'market.latchkey.testnet',
} as const;

/** The block height at which this network starts. */
export const sampleNearStart = 100_000;

/** The address of the hosted-wallet registry on the EVM chain: the first contract of its last account. */
export const sampleRegistry = '0x73511669fd4dE447feD18BB79bAFeAC93aB7F31f';

/** The address of the waiting list contract: the first contract of the second to last account. */
export const sampleWaitingList = '0x850EC3780CeDfdb116E38B009d0bf7a1ef1b8b38';

/** What the server pays for others on the emulators, where coins have no value. */
const sampleBudgets = {
  near: { total: 1_000n * 10n ** 24n, perCaller: 100n * 10n ** 24n },
  registry: { total: 10n ** 18n, perCaller: 10n ** 16n },
  wallets: { total: 10n ** 19n, perCaller: 10n ** 18n },
};

// All callers are allowed only if everything is an emulator: with one real account, the operator decides who may use
// it.
function sampleSpending({ spending, near, registry, walletChainId }: Config): Config['spending'] {
  const [isNearEmulator, isRegistryEmulator] = [near.account === undefined, registry.address === undefined];
  const isAllEmulators = isNearEmulator && isRegistryEmulator && spending.spenders.length === 0;
  return {
    spenders: isAllEmulators ? ['people', 'apps'] : spending.spenders,
    near: isNearEmulator ? sampleBudgets.near : spending.near,
    registry: isRegistryEmulator ? sampleBudgets.registry : spending.registry,
    wallets: walletChainId === undefined ? sampleBudgets.wallets : spending.wallets,
  };
}

/** Whether to index the emulators' network: the operator has configured neither an index nor a NEAR network. */
export function isNearSample({ near, nearIndex }: Pick<Config, 'near' | 'nearIndex'>): boolean {
  return near.account === undefined && nearIndex.network === undefined;
}

/**
 * Returns the configuration with emulators for everything that the operator did not configure. This is the only place
 * where a default points to an emulator. Only `npm start` with the sandbox and the commands beside it use it. The
 * addresses depend only on the ports, so that those commands find the emulators.
 */
export function withEmulators(config: Config): Config {
  const at = (steps: number) => `http://127.0.0.1:${config.sandboxPort + steps}`;
  const telegramUrl = at(2);
  const redditUrl = at(3);
  const waitingListContracts = [{ chainId: Number(sampleChain), address: sampleWaitingList }];
  const services = sampleServices(config, waitingListContracts);
  return {
    ...config,
    discordBotToken: config.discordBotToken ?? sampleBot.token,
    discordClientId: config.discordClientId ?? sampleBot.id,
    ...(config.discordBotToken === undefined && {
      discordClientSecret: sampleBot.clientSecret,
      discordApiUrl: `${at(0)}/api`,
      discordCdnUrl: at(0),
    }),
    ...(config.telegramBotToken === undefined && {
      telegramBotToken: sampleTelegramBot.token,
      telegramApiUrl: telegramUrl,
      telegramLinkUrl: telegramUrl,
    }),
    ...(config.redditClientId === undefined && {
      redditClientId: sampleReddit.clientId,
      redditClientSecret: sampleReddit.clientSecret,
      redditApiUrl: redditUrl,
      redditAuthUrl: redditUrl,
    }),
    ...(config.stripe.secretKey === undefined && { stripe: { ...sampleStripe, url: at(5) } }),
    // During a trial, mini-apps run on the same machine, and no other machine can reach this server.
    allowPrivateCallbacks: config.allowPrivateCallbacks ?? { hosts: ['localhost', '127.0.0.1', '::1'] },
    // During a trial, the operator is the developer too, and gets a first response without approving their own
    // application.
    trialScopes: config.trialScopes.length > 0 ? config.trialScopes : ['user:read', 'user:wallet:read', 'token-gating'],
    walletChainId: config.walletChainId ?? Number(sampleChain),
    ...(config.registry.address === undefined && {
      registry: { ...config.registry, chainId: Number(sampleChain), address: sampleRegistry },
    }),
    ...(config.waitingList.contracts.length === 0 && {
      waitingList: { ...config.waitingList, contracts: waitingListContracts },
    }),
    ...services,
    ...(config.near.account === undefined && {
      near: { ...config.near, ...sampleNear },
      chainUrls: new Map([...services.chainUrls, [`near:${sampleNear.network}`, [at(4)]]]),
    }),
    ...(isNearSample(config) && { nearIndex: { network: sampleNear.network, from: sampleNearStart } }),
    spending: sampleSpending(config),
    evmRpcUrls: new Map([[sampleChain, [at(1)]], ...config.evmRpcUrls]),
    // It mines a block for each transaction and never reverts one, so there is no depth to wait for.
    gating: { ...config.gating, followDepths: { [`evm:${sampleChain}`]: 0 } },
  };
}
