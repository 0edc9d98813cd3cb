import type { Bus, Database, Keyring, ProcessInfo, Tenant, Tx } from '@latchkey/db';
import { type Actor, type BaseContext, principalId, type Resource } from '@latchkey/kernel';
import type { EvmChainSetting } from './evm/network-config.ts';
import type { GatingSettings } from './gating/settings.ts';
import type {
  ChainFollower,
  DiscordApi,
  Egress,
  EvmWallets,
  HoldingsReader,
  Mailer,
  Marketplace,
  PlatformName,
  RedditApi,
  RoleHost,
  TelegramApi,
  TokenMetadataReader,
  Tokenproof,
  WalletNamespace,
} from './ports/index.ts';

/** What the operator decides, as far as features need to know it. */
export interface Settings {
  /** The address this server is reached under, without a slash at the end. */
  baseUrl: string;
  /** What mails and authenticator apps call this server. */
  serviceName: string;
  discordClientId: string | undefined;
  /** The EVM chain that organization wallets live on. */
  walletChainId: number;
  /** Whether several accounts of one chat platform may hold the same wallet. */
  allowSharedWallets?: boolean;
  /** The EVM chains that are read here; shown by GET /evm/network-configs. */
  evmChains?: readonly EvmChainSetting[];
  /** How carefully roles are given and taken; what is absent has a default. */
  gating?: Partial<GatingSettings>;
}

/** What a verb is given. Verbs name only the parts they use: `Pick<Context, 'tx' | 'clock'>`. */
export interface Context extends BaseContext {
  db: Database;
  /** Runs `work` in a transaction that sees the actor's rows only. Inside another `tx` it joins that one. */
  tx<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
  keyring: Keyring;
  settings: Settings;
  mailer: Mailer;
  egress: Egress;
  evmWallets: EvmWallets;
  /** The wallets whose signatures can be judged, by namespace. */
  wallets: Readonly<Record<string, WalletNamespace>> & { readonly evm: WalletNamespace };
  /** What accounts hold, on every chain and service that is configured. */
  holdings: HoldingsReader;
  /** What tokens say of themselves, on every chain that is configured. */
  tokenMetadata: TokenMetadataReader;
  /** The chains that announce changes of holdings. */
  follower: ChainFollower;
  /** The chat platforms whose roles can be read and written. */
  hosts: Readonly<Partial<Record<PlatformName, RoleHost>>>;
  /** Reddit beyond roles; undefined when no application is configured. */
  reddit: RedditApi | undefined;
  /** Telegram beyond roles; undefined when no bot is configured. */
  telegram: TelegramApi | undefined;
  /** Discord beyond roles; undefined when no bot is configured. */
  discord: DiscordApi | undefined;
  /** Marketplaces whose public profiles can be read, by name. */
  marketplaces: Readonly<Record<string, Marketplace>>;
  /** Proofs by the tokenproof app; undefined when no secret is configured. */
  tokenproof: Tokenproof | undefined;
  bus: Bus;
  /** The running process this is. */
  process: Pick<ProcessInfo, 'id' | 'serverType' | 'serverSubType' | 'hostName' | 'pid'>;
  /** Everything the server serves, for the operations that describe it. */
  resources: readonly Resource[];
}

/** Whose rows an actor may see. */
export function tenantOf(actor: Actor): Tenant {
  return actor.kind === 'admin' || actor.kind === 'system' ? 'system' : { owner: principalId(actor) };
}

/** The parts of a context that live as long as the process. */
export type Platform = Omit<Context, 'actor' | 'tx'>;

/** The context of one request or job. `joined` makes every `tx` part of an open transaction. */
export function contextFor(platform: Platform, actor: Actor, joined?: Tx): Context {
  return {
    ...platform,
    actor,
    tx: (work) => (joined === undefined ? platform.db.transaction(tenantOf(actor), work) : work(joined)),
  };
}
