import { events, isEventType } from '@latchkey/kernel';
import { isAddressOrNetwork } from '../../ip-addresses.ts';

/** Answers what is wrong with a value in one sentence, or undefined when it is fine. */
export type Rule = (value: string) => string | undefined;

const loopbackHosts: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

// URL parsers forgive tabs, backslashes and missing slashes, each in its own way. An address that two parsers read
// differently can be checked as one and used as another, so only what all of them read alike gets this far.
function parsePlainUrl(value: string): URL | undefined {
  if (!/^https?:\/\/[!-~]+$/i.test(value) || value.includes('\\')) return undefined;
  return URL.canParse(value) ? new URL(value) : undefined;
}

function isSafeTransport(url: URL): boolean {
  return url.protocol === 'https:' || loopbackHosts.includes(url.hostname);
}

function hasUserInfo(url: URL): boolean {
  return url.username !== '' || url.password !== '';
}

const notAbsolute = 'Give an absolute address that starts with https:// and has no spaces or backslashes.';
const insecure = 'Use https; http is for this machine only (localhost, 127.0.0.1, [::1]).';

/** A callback or webhook: exact, and never readable on the way. */
function checkTarget(value: string): string | undefined {
  const url = parsePlainUrl(value);
  if (url === undefined) return notAbsolute;
  if (!isSafeTransport(url)) return insecure;
  if (hasUserInfo(url)) return 'Leave out the user name and password.';
  if (value.includes('#')) return 'Leave out the fragment (#).';
  return undefined;
}

export const redirectUriRule: Rule = (value) =>
  value.includes('*') ? 'Wildcards are not supported; list each address.' : checkTarget(value);

export const webhookUrlRule: Rule = checkTarget;

export const pageUrlRule: Rule = (value) => {
  const url = parsePlainUrl(value);
  if (url === undefined) return 'Give an absolute http or https address without spaces or backslashes.';
  return hasUserInfo(url) ? 'Leave out the user name and password.' : undefined;
};

export const referrerRule: Rule = (value) =>
  /[*#]/.test(value) ? 'Wildcards and fragments are not supported.' : pageUrlRule(value);

export const originRule: Rule = (value) => {
  const url = parsePlainUrl(value);
  if (url?.origin === value && !value.includes('*')) return undefined;
  return 'Give a bare origin: scheme, host in small letters and port only, such as https://app.example.';
};

export const addressRule: Rule = (value) =>
  isAddressOrNetwork(value) ? undefined : 'Give an IP address, or a network such as 192.0.2.0/24 or 2001:db8::/32.';

export const emailRule: Rule = (value) =>
  /^[^\s@\p{Cc}]{1,64}@[^\s@\p{Cc}]{1,189}$/u.test(value)
    ? undefined
    : 'Give an e-mail address such as dev@app.example.';

export const nameRule: Rule = (value) => {
  if (value.trim() === '' || value.length > 200) return 'Give a name of 1 to 200 characters.';
  return /\p{Cc}/u.test(value) ? 'Leave control characters out of the name.' : undefined;
};

// PostgreSQL cannot hold this one character.
export const textRule: Rule = (value) => (value.includes('\0') ? 'Leave out the zero character.' : undefined);

export const eventRule: Rule = (value) =>
  isEventType(value) ? undefined : `Unknown event. Choose from ${Object.keys(events).join(', ')}.`;

/** One of a few words. */
export function oneOf(words: readonly string[]): Rule {
  return (value) => (words.includes(value) ? undefined : `Choose from ${words.join(', ')}.`);
}
