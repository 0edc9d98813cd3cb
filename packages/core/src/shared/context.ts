import type { Bus, Database, Keyring, ProcessInfo, Tenant, Tx } from '@latchkey/db';
import { type Actor, type BaseContext, principalId, type Resource } from '@latchkey/kernel';
import type { Locale } from '@latchkey/kernel/messages';
import type {
  CardPayments,
  ChainFollower,
  ChatBot,
  DiscordApi,
  Egress,
  EvmDigests,
  EvmWallets,
  Helpdesk,
  HoldingsReader,
  IdentityProvider,
  Installation,
  LinkedRoles,
  Locks,
  Mailer,
  Marketplace,
  NameService,
  Near,
  PlatformName,
  PlaygroundWorld,
  RedditApi,
  RedirectIdentityProvider,
  RoleHost,
  Safes,
  SnapshotHub,
  TelegramApi,
  TokenMetadataReader,
  Tokenproof,
  WaitingListChain,
  WalletNamespace,
  WalletRegistry,
} from '../ports/index.ts';
import type { PartnerSettings } from './partner-settings.ts';
import type {
  EvmChainSetting,
  GatingSettings,
  HostedWalletSettings,
  SellingSettings,
  SpendingSettings,
} from './settings.ts';

/** The operator's settings that modules need to know. */
export interface Settings {
  /** The URL of this server, without a trailing slash. */
  baseUrl: string;
  /** The name of this server in emails and authenticator apps. */
  serviceName: string;
  discordClientId: string | undefined;
  /** Where invite links of the bots lead; absent ones lead to the platform itself. */
  inviteUrls?: { discord?: string; telegram?: string };
  /** How Telegram's updates arrive: a worker polls for them (the default), or Telegram posts them. */
  telegramUpdates?: 'poll' | 'webhook';
  /** The EVM chain of organization wallets. */
  walletChainId: number;
  /** An HTTPS gateway for `ipfs://`; without it, pictures there are not shown. */
  ipfsGateway?: string | undefined;
  /** Where the ABIs of verified contracts are read. */
  sourcifyUrl?: string | undefined;
  /** Whether several accounts of one community may hold the same wallet. */
  allowSharedWallets?: boolean;
  /** The EVM chains that are read here; shown by GET /evm/network-configs. */
  evmChains?: readonly EvmChainSetting[];
  /** Hold every application to OAuth 2.1; otherwise, what older clients do is accepted where it is safe. */
  strictOauth?: boolean;
  /** Whether applications may register themselves, and with which scopes; absent: they may not. */
  clientRegistration?: { isOpen: boolean; scopes: readonly string[] };
  /** Whether recent calls of applications are stored for their developers. Defaults to true. */
  keepCalls?: boolean;
  /** The scopes that a new application gets without the operator's approval; if empty, every application needs it. */
  trialScopes?: readonly string[];
  /** How carefully roles are granted and removed; absent values have defaults. */
  gating?: Partial<GatingSettings>;
  /** How hosted wallets are used; absent values have defaults. */
  hostedWallets?: Partial<HostedWalletSettings>;
  /** What others may spend on this server's account. */
  spending?: SpendingSettings;
  /** The NEAR network whose blocks are indexed, if any. */
  nearIndex?: string | undefined;
  /** Whether plans are sold; absent values have defaults. */
  selling?: Partial<SellingSettings>;
  /** Settings for external partners; absent ones are not set up. */
  partners?: PartnerSettings;
}

/** Where this process stores its state. */
export interface StorageServices {
  db: Database;
  keyring: Keyring;
  bus: Bus;
}

/** Reading chains, and signing for them. */
export interface ChainServices {
  evmWallets: EvmWallets;
  /** The digests that hosted wallets sign for texts. */
  evmDigests: EvmDigests;
  /** The wallets whose signatures can be verified, by namespace. */
  wallets: Readonly<Record<string, WalletNamespace>> & { readonly evm: WalletNamespace };
  /** Names that resolve to accounts; undefined if no chain with names is configured. */
  names: NameService | undefined;
  /** What accounts hold, on every configured chain and service. */
  holdings: HoldingsReader;
  /** The metadata of tokens, on every configured chain. */
  tokenMetadata: TokenMetadataReader;
  /** The chains that announce changes of holdings. */
  follower: ChainFollower;
  /** The contract of the waiting list. */
  waitingList: WaitingListChain;
  /** The contract that hosted wallets are registered on; undefined if none is configured. */
  walletRegistry: WalletRegistry | undefined;
  /** The chain of community and organization wallets; undefined if no node for it is configured. */
  safes: Safes | undefined;
  /** Locks whose keys can be bought; undefined if no EVM chain is configured. */
  locks: Locks | undefined;
  /** NEAR, with an account that belongs to this server; undefined if none is configured. */
  near: Near | undefined;
}

/** The configured chat platforms. */
export interface ChatServices {
  /** The platforms whose roles can be read and written. */
  hosts: Readonly<Partial<Record<PlatformName, RoleHost>>>;
  /** The bots that do more than read and write roles. Discord, Telegram and Reddit have ports of their own. */
  bots: Readonly<Partial<Record<PlatformName, ChatBot>>>;
  /** The platforms that people can sign in with. */
  identityProviders: Readonly<Partial<Record<PlatformName, IdentityProvider>>>;
  /** X accounts that people link; undefined if no application is configured. */
  x: RedirectIdentityProvider | undefined;
  /** Reddit besides roles; undefined if no application is configured. */
  reddit: RedditApi | undefined;
  /** Telegram besides roles; undefined if no bot is configured. */
  telegram: TelegramApi | undefined;
  /** Discord besides roles; undefined if no bot is configured. */
  discord: DiscordApi | undefined;
  /** Roles that Discord grants itself; undefined if no bot or no application with a secret is configured. */
  linkedRoles: LinkedRoles | undefined;
}

/** Third-party services. */
export interface PartnerServices {
  mailer: Mailer;
  /** Outgoing requests to URLs that users choose, such as webhooks. */
  egress: Egress;
  /** Marketplaces whose public profiles can be read, by name. */
  marketplaces: Readonly<Record<string, Marketplace>>;
  /** Proofs by the tokenproof app; undefined if no secret is configured. */
  tokenproof: Tokenproof | undefined;
  /** Snapshot's hub; undefined if its URL is not configured. */
  snapshot: SnapshotHub | undefined;
  /** An external help desk; undefined if tickets are stored here. */
  helpdesk: Helpdesk | undefined;
  /** Card payments; undefined if no provider is configured. */
  cards: CardPayments | undefined;
}

/** What this process is and how it is configured. */
export interface ProcessServices {
  settings: Settings;
  /** The identity of the running process. */
  process: Pick<ProcessInfo, 'id' | 'serverType' | 'serverSubType' | 'hostName' | 'pid'>;
  /** How this process was set up, as shown to the operator. */
  installation: Installation;
  /** Everything that the server serves, for the operations that describe it. */
  resources: readonly Resource[];
  /** Where readers of the guides get a community of their own; undefined without the sample world of `npm start`. */
  playgroundWorld: PlaygroundWorld | undefined;
}

/** A browser that stores a console session in a cookie that no script can read. */
export interface Browser {
  /** The current session secret, from any source. */
  sessionSecret: string | undefined;
  keepSession(secret: string, ttlSeconds: number): void;
  forgetSession(): void;
}

/**
 * What an operation handler receives. Handlers name only the parts they use: `ChatServices`, or `Pick<Context, 'tx' |
 * 'clock'>`.
 */
export interface Context
  extends BaseContext,
    StorageServices,
    ChainServices,
    ChatServices,
    PartnerServices,
    ProcessServices {
  /** The language of the member who is answered, as far as it is known: of a request, a chat command, or the job that answers it. */
  locale?: Locale | undefined;
  /** Where a request came from; absent in jobs and commands. */
  origin?: { requestId: string; address: string };
  /** The browser that made the request from a page of this server; absent for programs and for other sites. */
  browser?: Browser;
  /** Adds a warning to the response of a request that succeeds nevertheless; absent in jobs and commands. */
  warn?: (message: string) => void;
  /** Runs `work` in a transaction that sees only the actor's rows. Inside another `tx` it joins that one. */
  tx<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
}

/** Whose rows an actor may see. */
export function tenantOf(actor: Actor): Tenant {
  return actor.kind === 'admin' || actor.kind === 'system' ? 'system' : { owner: principalId(actor) };
}

/** The parts of a context that live as long as the process. */
export type Services = Omit<Context, 'actor' | 'tx'>;

/** The context of one request or job. `joined` makes every `tx` part of an open transaction. */
export function contextFor(services: Services, actor: Actor, joined?: Tx): Context {
  return {
    ...services,
    actor,
    tx: (work) => (joined === undefined ? services.db.transaction(tenantOf(actor), work) : work(joined)),
  };
}
