import { isObject } from '@latchkey/kernel';
/**
 * The effect of a text on this server: none, linking the wallet to its user's own account, linking it to another user's
 * account, or signing a caller in as the user.
 */
export type EffectHere = 'none' | 'own-link' | 'foreign-link' | 'login';

/** Returns the host names of a server, as a text could contain them. */
export function ownHostsOf(baseUrl: string): readonly string[] {
  const { host, hostname } = new URL(baseUrl);
  if (!isLoopback(hostname)) return [...new Set([host, hostname])];
  // Every local program has this host name, so only the port distinguishes them.
  return ['localhost', '127.0.0.1', '[::1]'].map((name) => host.replace(hostname, name));
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/**
 * Decides by the normalized words of a text, so that case, spaces and invisible characters make no difference. Logins
 * and links are recognized for any host: this server also writes them for the pages of applications, which the signer
 * does not know.
 */
export function effectHere(text: string, { userId, hosts }: { userId: string; hosts: readonly string[] }): EffectHere {
  const words = wordsOf(text);
  const has = (marks: readonly string[]) => marks.some((mark) => words.includes(mark));
  if (has(loginWords) || words === fixedLoginWords) return 'login';
  if (has(linkWords) || typedLinkOf(text) !== undefined)
    return accountOfLink(text) === userId ? 'own-link' : 'foreign-link';
  const isLogin = has(proofWords) || isNumberedSignIn(text, words) || (has(admissionWords) && namesHost(text, hosts));
  return isLogin ? 'login' : 'none';
}

/** From the sign-in texts and the request text of the Ethereum header, reduced to letters and digits. */
const loginWords = [
  'allowonerequestto',
  'asksyoutosignin',
  'signinwiththiswallet',
  'withthiswalletthissignsyouin',
  'thatthewalletisyoursandnothingelse',
];

/** The complete fixed text of the published Ethereum header. */
const fixedLoginWords = 'apicollabland';

/** From all texts with which this server has a wallet proven. */
const proofWords = ['thisonlyprovesthatitisyours', 'thisonlyprovesthatthewalletisyours'];

/** From the texts and the typed data that link a wallet. */
const linkWords = ['asksyoutolinkthiswallet', 'linkthiswallettotheaccount', 'linkacontractofthiswallettotheaccount'];

/** A text that names this server and contains one of these could be meant as a sign-in. */
const admissionWords = ['signin', 'signon', 'login', 'logon', 'link', 'authenti', 'authori', 'nonce', 'allow'];

function wordsOf(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}

/** Whether a text is a sign-in message (EIP-4361) with a request id in this server's format, for any page. */
function isNumberedSignIn(text: string, words: string): boolean {
  if (!words.includes('wantsyoutosigninwithyour')) return false;
  return text.split(/[\r\n]+/).some((line) => /^[ \t]*request[ \t]+id[ \t]*:[ \t]*[\w-]{16}[ \t]*$/i.test(line));
}

function namesHost(text: string, hosts: readonly string[]): boolean {
  const spaced = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\p{Cf}+/gu, '')
    .replace(/[\s\p{C}\p{Z}]+/gu, ' ');
  if (hosts.some((host) => standsIn(spaced, host))) return true;
  return spaced.split(/[\s"'<>(),]+/).some((token) => {
    const host = hostOf(token);
    return host !== undefined && hosts.some((own) => own === host);
  });
}

/** Whether a host appears in a text on its own, and not as part of a longer name. */
function standsIn(text: string, host: string): boolean {
  const escaped = host.replace(/[.[\]]/g, '\\$&');
  return new RegExp(`(?<![a-z0-9.-])${escaped}(?![a-z0-9-]|\\.[a-z0-9])`).test(text);
}

/** Returns the host as browsers read it: they decode percent signs, fold characters and ignore a trailing dot. */
function hostOf(token: string): string | undefined {
  // The last one is the Chinese and Japanese full stop, which host names may contain instead of a dot.
  if (!/[.:%\u3002]/.test(token)) return undefined;
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//.test(token) ? token : `https://${token}`);
  if (url === null || url.host === '') return undefined;
  return url.host.replace(/\.(?=:|$)/, '');
}

/** The id is alone, or follows the name of the account and its platform. */
const linkStatement =
  /^Link (?:this wallet|a contract of this wallet) to the account (?:[-\w. ]+ on \w+ \()?([^\s()]+)\)?\. /;

/** Returns the account that a link is for. Undefined unless it occurs exactly where this server writes it, and once. */
function accountOfLink(text: string): string | undefined {
  const typed = typedLinkOf(text);
  if (typed !== undefined) return typed.user;
  const found = text.split('\n').flatMap((line) => {
    const [, account] = /^Account: (\S+)(?: \(.*\))?$/.exec(line) ?? linkStatement.exec(line) ?? [];
    return account === undefined ? [] : [account];
  });
  return found.length === 1 ? found[0] : undefined;
}

function typedLinkOf(text: string): { user: string | undefined } | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    const data: unknown = JSON.parse(text);
    if (!isObject(data) || data.primaryType !== 'LinkWallet') return undefined;
    const user = isObject(data.message) ? data.message.user : undefined;
    return { user: typeof user === 'string' ? user : undefined };
  } catch {
    return undefined;
  }
}
