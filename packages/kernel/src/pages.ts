import { type PlatformName, platformNames } from './chat-platforms.ts';

/** The data the server passes to a page: everything the page needs that no operation returns. */
export type PageData =
  | ConnectPage
  | JoinPage
  | HandoffPage
  | ConsolePage
  | EnterPage
  | XReturnPage
  | LogoutPage
  | SignedOutPage
  | FormPostPage
  | LoginPage
  | ConsentPage
  | NoticePage;

/** The page where a user links wallets to an account. */
export interface ConnectPage {
  page: 'connect';
  /** An AE token of the user, who opened a link that was shown only to them. */
  token: string;
  account: PageAccount;
  /** The community whose roles are affected, if the link came from one. */
  community?: {
    id: string;
    name: string;
    /** Its URL on the chat platform. */
    link?: string;
    /** Served by this server, or a data URL. */
    picture?: string;
  };
  /** The wallet namespaces that can be linked here. */
  namespaces: readonly string[];
  /** Set if the operator configured WalletConnect. */
  walletConnect?: {
    relayUrl: string;
    projectId: string;
    /** The site name that wallets show. */
    siteName: string;
    /** The chains to request accounts for, the most common first. */
    evmChainIds: readonly number[];
  };
}

/**
 * The page that Telegram shows to a user who requested to join a chat. Telegram passes to the page who opened it; the page exchanges that
 * for a token.
 */
export interface JoinPage extends Pick<ConnectPage, 'namespaces' | 'walletConnect'> {
  page: 'join';
  /** Identifies the request. Without Telegram's signature it opens nothing. */
  slug: string;
}

/**
 * The page that continues a step from another browser: a wallet is proven, and a code is shown for the browser that
 * started.
 */
export interface HandoffPage {
  page: 'handoff';
  /** Can only be used to prove a wallet, once. */
  ticket: string;
  /** The name of this server. */
  server: string;
  purpose: 'link' | 'sign-in';
  /** The account that a wallet is linked to. */
  account?: PageAccount;
  community?: { name: string };
  namespaces: readonly string[];
}

/**
 * The console: every screen for members, admins, developers and operators. The page itself finds out who is signed in.
 */
export interface ConsolePage {
  page: 'console';
  /** The name of this server. */
  server: string;
  /** The build of the page. Responses have the server's build in the header `x-latchkey-build`. */
  build: string;
  /** The login methods of this server. */
  methods: readonly LoginMethod[];
}

/**
 * The page of a one-time sign-in link: it signs in only once the user presses the button, so that a link preview cannot
 * consume it.
 */
export interface EnterPage {
  page: 'enter';
  /** Where the form is submitted. */
  action: string;
  /** The name of this server. */
  server: string;
  /** Who will be signed in, as shown on the page. */
  name: string;
}

/** The page that X redirects to when a user links an X account. The user's account page continues from there. */
export interface XReturnPage {
  page: 'x-return';
  /** The response of X: without a code, the user declined. Absent if the parameters are inconsistent. */
  returned?: { state: string; code?: string };
}

/** The sign-in page for a client application. */
export interface LoginPage {
  page: 'login';
  /** Identifies the application's request, as in /oauth2/callback/{slug}. */
  slug: string;
  client: PageClient;
  /** Set if this server itself requests the login, and not an application. */
  isOwn?: true;
  /** The login methods of this server, the requested one first. */
  methods: readonly LoginMethod[];
}

/** The consent page, where a user decides on an application's access. */
export interface ConsentPage {
  page: 'consent';
  slug: string;
  /** An AE token that can only decide on this request. */
  token: string;
  client: PageClient;
  account: PageAccount;
  /** What was requested and not yet granted. */
  scopes: readonly PageScope[];
}

/** The page where a user confirms that they sign out. */
export interface LogoutPage {
  page: 'logout';
  /** Where the decision is submitted, as a form. */
  action: string;
  /** Proves that this page was shown, so that no other page can sign the user out. */
  proof: string;
  /** The application that requests it, if given. */
  client?: string;
}

/** The page that signs a browser out of its applications (OpenID Connect Front-Channel Logout), and then continues. */
export interface SignedOutPage {
  page: 'signed-out';
  /** The logout pages of the applications, loaded in frames that nobody sees. */
  frames: readonly string[];
  /** Where the browser goes next. */
  next: string;
}

/** The page that returns to an application with a form instead of a URL (OAuth 2.0 Form Post Response Mode). */
export interface FormPostPage {
  page: 'form-post';
  /** The name of the application. */
  client: string;
  /** Its redirect URI. */
  action: string;
  fields: Readonly<Record<string, string>>;
}

/** A page that only shows a message: an expired link, a refused request, a result. */
export interface NoticePage {
  page: 'notice';
  title: string;
  text: string;
  /** A command to run in a shell. */
  command?: string;
  /** A link to continue. */
  link?: { url: string; text: string };
}

export interface PageAccount {
  /** For example discord, telegram, reddit, ethereum. */
  platform: string;
  /** The user's name there, or an id they recognize. */
  name: string;
}

export interface PageClient {
  name: string;
  /** The creator: an organization or a user. */
  maker?: string;
  /** The application's own page. */
  url?: string;
  icon?: string;
  /** The host of the redirect URI, where the user goes afterwards. */
  returnsTo: string;
}

export interface PageScope {
  scope: string;
  /** What it allows, in words that follow "may". */
  description: string;
}

export type LoginMethod = 'wallet' | 'passkey' | PlatformName;
export const loginMethods: readonly LoginMethod[] = ['wallet', 'passkey', ...platformNames];
