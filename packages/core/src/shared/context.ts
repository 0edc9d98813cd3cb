import type { Bus, Database, Keyring, ProcessInfo, Tenant, Tx } from '@latchkey/db';
import { type Actor, type BaseContext, principalId, type Resource } from '@latchkey/kernel';
import type { Locale } from '@latchkey/kernel/messages';
import type {
  CardPayments,
  ChainFollower,
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

/** What the operator decides, as far as features need to know it. */
export interface Settings {
  /** The address this server is reached under, without a slash at the end. */
  baseUrl: string;
  /** The name of this server in emails and authenticator apps. */
  serviceName: string;
  discordClientId: string | undefined;
  /** Where invitations of the bots lead; what is absent leads to the platform itself. */
  inviteUrls?: { discord?: string; telegram?: string };
  /** How Telegram's updates arrive: a worker asks for them, or Telegram posts them. Without it: a worker asks. */
  telegramUpdates?: 'poll' | 'webhook';
  /** The EVM chain that organization wallets live on. */
  walletChainId: number;
  /** Where `ipfs://` is served over HTTPS; without it pictures there are not shown. */
  ipfsGateway?: string | undefined;
  /** Whether several accounts of one community may hold the same wallet. */
  allowSharedWallets?: boolean;
  /** The EVM chains that are read here; shown by GET /evm/network-configs. */
  evmChains?: readonly EvmChainSetting[];
  /** Hold every application to OAuth 2.1; without it, what older clients do is accepted where it is safe. */
  strictOauth?: boolean;
  /** Whether the latest calls of applications are kept for their developers. Without it: yes. */
  keepCalls?: boolean;
  /** The scopes that a new application gets at once, without the operator; none for no application at all. */
  trialScopes?: readonly string[];
  /** How carefully roles are given and taken; what is absent has a default. */
  gating?: Partial<GatingSettings>;
  /** How hosted wallets are used; what is absent has a default. */
  hostedWallets?: Partial<HostedWalletSettings>;
  /** What others may have this server pay for. */
  spending?: SpendingSettings;
  /** The NEAR network whose blocks are indexed; absent when none is. */
  nearIndex?: string | undefined;
  /** Whether plans are sold; what is absent has a default. */
  selling?: Partial<SellingSettings>;
  /** Settings for external partners; what is absent is not set up. */
  partners?: PartnerSettings;
}

/** What this process keeps its state in. */
export interface StorageServices {
  db: Database;
  keyring: Keyring;
  bus: Bus;
}

/** What is asked of chains, and signed for them. */
export interface ChainServices {
  evmWallets: EvmWallets;
  /** What hosted wallets sign for a text. */
  evmDigests: EvmDigests;
  /** The wallets whose signatures can be evaluated, by namespace. */
  wallets: Readonly<Record<string, WalletNamespace>> & { readonly evm: WalletNamespace };
  /** Names that resolve to accounts; undefined when no chain with names is configured. */
  names: NameService | undefined;
  /** What accounts hold, on every chain and service that is configured. */
  holdings: HoldingsReader;
  /** What tokens say of themselves, on every chain that is configured. */
  tokenMetadata: TokenMetadataReader;
  /** The chains that announce changes of holdings. */
  follower: ChainFollower;
  /** The contract of the waiting list. */
  waitingList: WaitingListChain;
  /** The contract that hosted wallets are registered on; undefined when none is configured. */
  walletRegistry: WalletRegistry | undefined;
  /** The chain that wallets of communities and organizations live on; undefined when no node of it is configured. */
  safes: Safes | undefined;
  /** Locks whose keys can be bought; undefined when no EVM chain is configured. */
  locks: Locks | undefined;
  /** NEAR with an account of this server’s own; undefined when none is configured. */
  near: Near | undefined;
}

/** The chat platforms, as far as they are configured. */
export interface ChatServices {
  /** Those whose roles can be read and written. */
  hosts: Readonly<Partial<Record<PlatformName, RoleHost>>>;
  /** Those by which people can say who they are. */
  identityProviders: Readonly<Partial<Record<PlatformName, IdentityProvider>>>;
  /** Accounts of X that people link; undefined when no application is configured. */
  x: RedirectIdentityProvider | undefined;
  /** Reddit beyond roles; undefined when no application is configured. */
  reddit: RedditApi | undefined;
  /** Telegram beyond roles; undefined when no bot is configured. */
  telegram: TelegramApi | undefined;
  /** Discord beyond roles; undefined when no bot is configured. */
  discord: DiscordApi | undefined;
  /** Roles that Discord gives itself; undefined when no bot or no application with a secret is configured. */
  linkedRoles: LinkedRoles | undefined;
}

/** Services of others. */
export interface PartnerServices {
  mailer: Mailer;
  /** Addresses that people name, such as webhooks. */
  egress: Egress;
  /** Marketplaces whose public profiles can be read, by name. */
  marketplaces: Readonly<Record<string, Marketplace>>;
  /** Proofs by the tokenproof app; undefined when no secret is configured. */
  tokenproof: Tokenproof | undefined;
  /** Snapshot’s hub; undefined when its address is not configured. */
  snapshot: SnapshotHub | undefined;
  /** An outside help desk; undefined when tickets are kept here. */
  helpdesk: Helpdesk | undefined;
  /** Payments by card; undefined when no provider is configured. */
  cards: CardPayments | undefined;
}

/** What this process is and how it is configured. */
export interface ProcessServices {
  settings: Settings;
  /** The running process this is. */
  process: Pick<ProcessInfo, 'id' | 'serverType' | 'serverSubType' | 'hostName' | 'pid'>;
  /** How this process was set up, as far as the operator sees it. */
  installation: Installation;
  /** Everything the server serves, for the operations that describe it. */
  resources: readonly Resource[];
}

/** A browser that keeps the session of its person in the console, where no script can read it. */
export interface Browser {
  /** What it currently contains, from any source. */
  sessionSecret: string | undefined;
  keepSession(secret: string, ttlSeconds: number): void;
  forgetSession(): void;
}

/** What a verb is given. Verbs name only the parts they use: `ChatServices`, or `Pick<Context, 'tx' | 'clock'>`. */
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
  /** The browser that asks, if a page of this server made it ask; absent for programs and for pages of others. */
  browser?: Browser;
  /** Adds a warning to the response of a request that is carried out nevertheless; absent in jobs and commands. */
  warn?: (message: string) => void;
  /** Runs `work` in a transaction that sees the actor's rows only. Inside another `tx` it joins that one. */
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
