import { type PlatformName, platformNames } from './chat-platforms.ts';

/** The data the server passes to a page: everything the page needs that no operation returns. */
export type PageData =
  | ConnectPage
  | HandoffPage
  | ConsolePage
  | EnterPage
  | XReturnPage
  | LogoutPage
  | LoginPage
  | ConsentPage
  | NoticePage;

/** Where a person links wallets to an account. */
export interface ConnectPage {
  page: 'connect';
  /** An AE token of the person, who came by a link that only they were shown. */
  token: string;
  account: PageAccount;
  /** The community whose roles are at stake, if the link came from one. */
  community?: {
    id: string;
    name: string;
    /** Where it is reached in the chat. */
    link?: string;
    /** Served by this server, or as data. */
    picture?: string;
  };
  /** The wallet namespaces that can be linked here. */
  namespaces: readonly string[];
  /** Set where the operator chose to offer WalletConnect. */
  walletConnect?: {
    relayUrl: string;
    projectId: string;
    /** How wallets name this site. */
    siteName: string;
    /** The chains that accounts are asked for, the most usual first. */
    evmChainIds: readonly number[];
  };
}

/** Where a step that began in another browser goes on: a wallet is proven, and a code shown for the browser that began. */
export interface HandoffPage {
  page: 'handoff';
  /** Can do nothing but prove a wallet, once. */
  ticket: string;
  /** What this server is called. */
  server: string;
  purpose: 'link' | 'sign-in';
  /** Whose account a wallet is linked to. */
  account?: PageAccount;
  community?: { name: string };
  namespaces: readonly string[];
}

/** The console: every screen for members, admins, developers and operators. Who is signed in, the page asks by itself. */
export interface ConsolePage {
  page: 'console';
  /** What this server is called. */
  server: string;
  /** Which build of the console the page is. Responses name the server's build in the header `x-latchkey-build`. */
  build: string;
  /** The ways to sign in that this server offers. */
  methods: readonly LoginMethod[];
}

/** Behind a one-time sign-in link: it signs in only once the person presses the button, so that a link preview cannot use it up. */
export interface EnterPage {
  page: 'enter';
  /** Where the form is sent. */
  action: string;
  /** What this server is called. */
  server: string;
  /** Who will be signed in, as the page says it. */
  name: string;
}

/** Where X sends a person back to, who links an X account. The page of their account takes over from there. */
export interface XReturnPage {
  page: 'x-return';
  /** What X sent back: without a code the person did not allow it. Absent when nothing came that belongs together. */
  returned?: { state: string; code?: string };
}

/** Where a person says who they are, for a client application that asked. */
export interface LoginPage {
  page: 'login';
  /** Names the request of the application, as in /oauth2/callback/{slug}. */
  slug: string;
  client: PageClient;
  /** Set when this server itself asks, and no application. */
  isOwn?: true;
  /** The ways to log in that this server offers, the one that was asked for first. */
  methods: readonly LoginMethod[];
}

/** Where a person decides what an application may know and do. */
export interface ConsentPage {
  page: 'consent';
  slug: string;
  /** An AE token that can decide about this request and do nothing else. */
  token: string;
  client: PageClient;
  account: PageAccount;
  /** What was asked for and not yet allowed. */
  scopes: readonly PageScope[];
}

/** Where a person confirms that they log out of this server. */
export interface LogoutPage {
  page: 'logout';
  /** Where the decision is sent, as a form. */
  action: string;
  /** Proves that this page was shown, so that no other page can log the person out. */
  proof: string;
  /** The application that asks, if it said so. */
  client?: string;
}

/** A page that only says something: a link that has expired, a request that was refused, an end. */
export interface NoticePage {
  page: 'notice';
  title: string;
  text: string;
  /** What to run in a shell. */
  command?: string;
  /** Where to go from here. */
  link?: { url: string; text: string };
}

export interface PageAccount {
  /** For example discord, telegram, reddit, ethereum. */
  platform: string;
  /** What the person is called there, or else an id they know. */
  name: string;
}

export interface PageClient {
  name: string;
  /** Who made it: an organization or a person. */
  maker?: string;
  /** The application's own page. */
  url?: string;
  icon?: string;
  /** Where the person goes afterwards: the host of the redirect address. */
  returnsTo: string;
}

export interface PageScope {
  scope: string;
  /** What it allows, as words that follow "may". */
  description: string;
}

export type LoginMethod = 'wallet' | 'passkey' | PlatformName;
export const loginMethods: readonly LoginMethod[] = ['wallet', 'passkey', ...platformNames];
